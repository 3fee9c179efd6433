"""The training loop: steps, validation, checkpoints, and going on after a stop.

Everything that a step depends on is in its checkpoint or a function of the step's
number, so training that was interrupted and taken up again gives bitwise the weights
of training that was not.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TextIO

import anadrome as ad
from anadrome.nn import Averaging, Plateau, move_mean
from anadrome.random import fold_in, key
from anadrome.train.checkpoint import (
    Checkpoint,
    load_newest_checkpoint,
    save_checkpoint,
)
from anadrome.train.config import TrainingConfig
from anadrome.train.interrupt import Interrupt
from anadrome.train.log import Log, Logs
from anadrome.train.progress import Progress
from anadrome.train.step import Step
from anadrome.train.task import Validation
from anadrome.train.tensorboard import TensorBoard


class Stream(Protocol):
    """Batches without end, whose position can be kept. A batch has a `size`."""

    def __next__(self) -> Any:
        """The next batch."""

    def state(self) -> Any:
        """The position, as JSON can hold it."""

    def restore(self, state: Any) -> None:
        """Go to a position that `state` gave."""


@dataclass(frozen=True)
class Outcome:
    """What training ended with. `best` is the step with the best validation score,
    which `text` puts in words; `signal` is the number of what interrupted it.
    """

    params: Any
    step: int
    best: int
    score: float
    interrupted: bool
    text: str = ""
    signal: int = 0


class TrainingFailed(RuntimeError):
    """The loss is no number any more."""


_BEGINNING = 10
"""Over how many steps the loss at the beginning is measured."""


@dataclass
class _Standing:
    """The best validation so far, and how many have come since without being better."""

    best: int = 0
    score: float = -math.inf
    stale: int = 0
    text: str = ""

    def note(self, step: int, found: Validation) -> None:
        if found.score > self.score:
            self.best, self.score, self.stale = step, found.score, 0
            self.text = found.text
        else:
            self.stale += 1


def fit(
    folder: Path,
    step: Step,
    params: Any,
    state: Any,
    batches: Stream,
    config: TrainingConfig,
    *,
    validate: Callable[[Any], Validation] | None = None,
    description: Any = None,
    log: Path | None = None,
    tensorboard: Path | None = None,
    stream: TextIO | None = None,
    interval: float = 10.0,
) -> Outcome:
    """Train from the newest checkpoint in a folder, or from the beginning.

    `params` and `state` are those of the beginning; `description` goes into every
    checkpoint. Training that has been completed is not begun again.
    """
    done, standing = 0, _Standing()
    found = load_newest_checkpoint(folder)
    average, plateau = _Average(config.averaging, params), config.plateau
    if found is not None:
        params = found.restore("params", params)
        state = found.restore("optimizer", state)
        average.restore(found)
        if plateau is not None:
            kept = found.state["plateau"]
            best = -math.inf if kept["best"] is None else kept["best"]
            plateau = dataclasses.replace(plateau, **{**kept, "best": best})
        batches.restore(found.state["batches"])
        done, standing = found.step, _Standing(**_standing(found.state))
    root = key(config.seed)
    # What a validation sees is what will be used.
    judged = average.params if average.wanted else params
    events = Logs()
    if log is not None:
        events.add(Log(log, done))
    if tensorboard is not None:
        events.add(TensorBoard(tensorboard, done))
    growth, diverged = _Growth(), False

    def save(number: int) -> None:
        # First, so that no checkpoint is ahead of the log if the process is killed.
        events.flush()
        save_checkpoint(
            folder,
            number,
            {"params": params, "optimizer": state, **average.records()},
            config=description,
            # JSON has no infinity
            state={
                "batches": batches.state(),
                "best": standing.best,
                "score": None if math.isinf(standing.score) else standing.score,
                "stale": standing.stale,
                "text": standing.text,
                **({} if plateau is None else {"plateau": _varying(plateau)}),
            },
            keep=config.keep,
            protect=(standing.best,),
        )

    def is_over(number: int) -> bool:
        return number >= config.steps or standing.stale >= config.patience > 0

    with (
        Interrupt() as interrupt,
        Progress(config.steps, start=done, stream=stream, interval=interval) as shown,
        contextlib.closing(events),
    ):
        while not is_over(done) and not interrupt.wanted:
            began = time.monotonic()
            parts = [next(batches) for _ in range(config.accumulate)]
            batch = parts[0] if config.accumulate == 1 else parts
            done += 1
            rate = config.rate_at(done)
            if plateau is not None and done > config.warmup:
                rate *= plateau.share
            params, state, loss, norm = step(
                params, state, batch, fold_in(root, done), rate
            )
            # Weights that such a step has made must never become a checkpoint.
            for what, value in (("loss", float(loss)), ("gradient", float(norm))):
                if not math.isfinite(value):
                    raise TrainingFailed(
                        f"the {what} of step {done} is {value}\n"
                        "help: use a lower --rate; the last checkpoint is good"
                    )
            if not diverged:
                diverged = growth.note(float(loss), shown)
            judged = average.add(params, done)
            size = sum(part.size for part in parts)
            shown.update(done, loss=float(loss), tokens=size)
            events.note(
                done,
                loss=float(loss),
                norm=float(norm),
                rate=rate,
                size=size,
                seconds=round(time.monotonic() - began, 4),
            )
            last = done == config.steps
            looked = validate is not None and (
                done % config.validate_every == 0 or last
            )
            if looked and validate is not None:
                result = validate(judged)
                standing.note(done, result)
                if plateau is not None:
                    plateau = plateau.note(result.score)
                shown.message(f"step {done}: {result.text}")
                events.note(done, score=result.score, text=result.text)
            if (
                looked
                or last
                or interrupt.wanted
                or done % config.checkpoint_every == 0
            ):
                save(done)
    interrupted = interrupt.wanted and not is_over(done)
    best = standing.best if validate is not None else done
    return Outcome(
        judged,
        done,
        best,
        standing.score,
        interrupted,
        standing.text,
        interrupt.signal,
    )


class _Growth:
    """Whether the loss grows instead of falling, which is said once."""

    def __init__(self) -> None:
        self._first: list[float] = []
        self._mean = 0.0

    def note(self, loss: float, shown: Progress) -> bool:
        """Take the loss of a step in; whether training has been said to diverge."""
        if len(self._first) < _BEGINNING:
            self._first.append(loss)
            self._mean = sum(self._first) / len(self._first)
            return False
        self._mean += 0.05 * (loss - self._mean)
        begun = sum(self._first) / _BEGINNING
        if self._mean <= begun + max(1.0, abs(begun)):
            return False
        shown.message(
            f"the loss has grown from {begun:.2f} to {self._mean:.2f}: training "
            "diverges; a lower --rate may help"
        )
        return True


class _Average:
    """The running mean of the weights, where one is kept."""

    def __init__(self, averaging: Averaging | None, params: Any) -> None:
        self.averaging, self.params = averaging, params
        self._move = ad.jit(move_mean)

    @property
    def wanted(self) -> bool:
        return self.averaging is not None

    def add(self, params: Any, step: int) -> Any:
        """Take the weights of a step in; what is to be used from now on."""
        if self.averaging is None:
            return params
        share = self.averaging.share_at(step)
        if share == 1:
            self.params = params
        elif share is not None:
            self.params = self._move(self.params, params, share)
        return self.params

    def records(self) -> dict[str, Any]:
        return {"average": self.params} if self.wanted else {}

    def restore(self, found: Checkpoint) -> None:
        if self.wanted:
            self.params = found.restore("average", self.params)


def _varying(plateau: Plateau) -> dict[str, Any]:
    """What of a plateau is not an option."""
    best = None if math.isinf(plateau.best) else plateau.best  # JSON has no infinity
    return {"share": plateau.share, "best": best, "stale": plateau.stale}


def _standing(state: dict[str, Any]) -> dict[str, Any]:
    score = state["score"]
    return {
        "best": state["best"],
        "score": -math.inf if score is None else score,
        "stale": state["stale"],
        "text": state.get("text", ""),
    }
