"""How training is going: a live line on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import Any, TextIO

_WINDOW = 50
"""Over how many updates speeds are measured."""


class Progress:
    """The progress of training, shown while a `with` block runs::

        with Progress(total=1000) as progress:
            for step in range(1, 1001):
                ...
                progress.update(step, loss=loss, tokens=batch.tokens)

    On a terminal, and if rich is installed, there is one live line; otherwise a plain
    line every `interval` seconds and at the end.
    """

    def __init__(
        self,
        total: int,
        *,
        start: int = 0,
        stream: TextIO | None = None,
        interval: float = 10.0,
        smoothing: float = 0.98,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.total = total
        self.step = start
        self.loss: float | None = None
        self._stream = sys.stdout if stream is None else stream
        self._interval, self._smoothing, self._clock = interval, smoothing, clock
        # (time, step, tokens so far) at the latest updates
        self._marks: deque[tuple[float, int, int]] = deque(maxlen=_WINDOW)
        self._tokens = 0
        self._started = False
        self._shown_at = clock()
        self._shown_step: int | None = None
        self._live: _LiveLine | None = None

    def __enter__(self) -> Progress:
        self._marks.append((self._clock(), self.step, 0))
        if self._stream.isatty():
            self._live = _LiveLine.open(self.total, self._stream)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.close()
        elif self.step != self._shown_step and self.loss is not None:
            self._print_line()

    def update(self, step: int, *, loss: float, tokens: int = 0) -> None:
        """Note that a step is done, with its loss and its number of tokens."""
        self.step = step
        self._tokens += tokens
        loss = float(loss)
        if self.loss is None or self.loss != self.loss or loss != loss:
            # Not-a-number is shown at once, and not kept for ever by the mean.
            self.loss = loss
        else:
            self.loss = self._smoothing * self.loss + (1 - self._smoothing) * loss
        now = self._clock()
        if not self._started:
            # The first update includes compiling, which says nothing about the speed.
            self._started = True
            self._marks.clear()
        self._marks.append((now, step, self._tokens))
        if self._live is not None:
            self._live.show(self.step, self.text())
        elif now - self._shown_at >= self._interval:
            self._print_line()

    def message(self, text: str) -> None:
        """Write a line of its own, such as the score of a validation."""
        if self._live is not None:
            self._live.write(text)
        else:
            self._stream.write(text + "\n")
            self._stream.flush()

    def speed(self) -> tuple[float, float]:
        """Steps and tokens per second, over the latest updates; 0 if unknown."""
        if len(self._marks) < 2:
            return 0.0, 0.0
        (then, step, tokens), (now, last, so_far) = self._marks[0], self._marks[-1]
        elapsed = now - then
        if elapsed <= 0:
            return 0.0, 0.0
        return (last - step) / elapsed, (so_far - tokens) / elapsed

    def text(self) -> str:
        """The loss, the speed and the time left."""
        steps, tokens = self.speed()
        parts = []
        if self.loss is not None:
            parts.append(f"loss {self.loss:.4f}")
        if tokens:
            parts.append(f"{tokens:,.0f} tokens/s")
        if self.step >= self.total:
            parts.append("done")
        elif steps:
            parts.append(f"{format_seconds((self.total - self.step) / steps)} left")
        return "  ".join(parts)

    def _print_line(self) -> None:
        self._shown_at, self._shown_step = self._clock(), self.step
        self._stream.write(f"step {self.step}/{self.total}  {self.text()}\n")
        self._stream.flush()


class _LiveLine:
    """One line at the bottom of a terminal, drawn by rich."""

    def __init__(self, bars: Any, task: Any) -> None:
        self._bars, self._task = bars, task

    @classmethod
    def open(cls, total: int, stream: TextIO) -> _LiveLine | None:
        """The live line, or None if rich is not installed."""
        try:
            from rich.console import Console
            from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
            from rich.progress import Progress as Bars
        except ImportError:
            return None
        bars = Bars(
            MofNCompleteColumn(),
            BarColumn(bar_width=24),
            TextColumn("{task.description}", markup=False),
            console=Console(file=stream),
        )
        bars.start()
        return cls(bars, bars.add_task("", total=total))

    def show(self, step: int, text: str) -> None:
        self._bars.update(self._task, completed=step, description=text)

    def write(self, text: str) -> None:
        self._bars.console.print(text, markup=False, highlight=False)

    def close(self) -> None:
        self._bars.stop()


def format_seconds(seconds: float) -> str:
    """A span of time as 9 s, 1:05 or 2:03:09."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes}:{rest:02d}"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}"
