"""What happened in training, a line of JSON for each event: `log.jsonl`.

Lines have a `step`. Training that goes on from a checkpoint forgets what came after it,
so the file reads as if there had been no interruption.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Protocol, TextIO

from anadrome.train.atomic import write_atomically


class Log:
    """An open log. `note(step, loss=…)` writes a line."""

    def __init__(self, path: Path, step: int) -> None:
        kept = [event for event in read_log(path) if event["step"] <= step]
        text = "".join(json.dumps(event) + "\n" for event in kept)
        if path.exists() or kept:
            write_atomically(path, text.encode())
        self._path = path
        self._file: TextIO = path.open("a", encoding="utf-8")

    def note(self, step: int, **values: Any) -> None:
        """Write down what happened at a step."""
        with _named(self._path):
            self._file.write(json.dumps({"step": step, **values}) + "\n")

    def flush(self) -> None:
        """Put what was noted on the disk."""
        with _named(self._path):
            self._file.flush()
            os.fsync(self._file.fileno())

    def close(self) -> None:
        """Write nothing more."""
        with _named(self._path):
            self._file.close()


@contextlib.contextmanager
def _named(path: Path) -> Iterator[None]:
    """Let what the system says against writing name the file."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


class Noting(Protocol):
    """What every log can do."""

    def note(self, step: int, **values: Any) -> None:
        """Write down what happened at a step."""

    def flush(self) -> None:
        """Put what was noted on the disk."""

    def close(self) -> None:
        """Write nothing more."""


class Logs:
    """Any number of logs that are told the same."""

    def __init__(self) -> None:
        self._logs: list[Noting] = []

    def add(self, log: Noting) -> None:
        """Tell another log what happens from now on."""
        self._logs.append(log)

    def note(self, step: int, **values: Any) -> None:
        """Write down what happened at a step."""
        for log in self._logs:
            log.note(step, **values)

    def flush(self) -> None:
        """Put what was noted on the disk."""
        for log in self._logs:
            log.flush()

    def close(self) -> None:
        """Write nothing more."""
        for log in self._logs:
            log.close()


def read_log(path: Path) -> Iterator[dict[str, Any]]:
    """The events of a log; a last line that was cut off is passed over."""
    if not path.exists():
        return
    for line in path.read_text("utf-8", errors="replace").splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            continue
        if isinstance(event, dict) and isinstance(event.get("step"), int):
            yield event
