"""The training loop: steps, validation, checkpoints, and going on after a stop.

Everything that a step depends on is in its checkpoint or a function of the step's
number, so training that was interrupted and taken up again gives bitwise the weights
of training that was not.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from anadrome.random import fold_in, key
from anadrome.text import BatchStream
from anadrome.train.checkpoint import load_newest_checkpoint, save_checkpoint
from anadrome.train.config import TrainingConfig
from anadrome.train.interrupt import Interrupt
from anadrome.train.progress import Progress
from anadrome.train.step import Step


@dataclass(frozen=True)
class Validation:
    """What a validation found: a score (higher is better) and how to write it."""

    score: float
    text: str


@dataclass(frozen=True)
class Outcome:
    """What training ended with. `best` is the step with the best validation score."""

    params: Any
    step: int
    best: int
    score: float
    interrupted: bool


class TrainingFailed(RuntimeError):
    """The loss is no number any more."""


@dataclass
class _Standing:
    """The best validation so far, and how many have come since without being better."""

    best: int = 0
    score: float = -math.inf
    stale: int = 0

    def note(self, step: int, score: float) -> None:
        if score > self.score:
            self.best, self.score, self.stale = step, score, 0
        else:
            self.stale += 1


def fit(
    folder: Path,
    step: Step,
    params: Any,
    state: Any,
    batches: BatchStream,
    config: TrainingConfig,
    *,
    validate: Callable[[Any], Validation] | None = None,
    description: Any = None,
    stream: TextIO | None = None,
    interval: float = 10.0,
) -> Outcome:
    """Train from the newest checkpoint in a folder, or from the beginning.

    `params` and `state` are those of the beginning; `description` goes into every
    checkpoint. Training that has been completed is not begun again.
    """
    done, standing = 0, _Standing()
    found = load_newest_checkpoint(folder)
    if found is not None:
        params = found.restore("params", params)
        state = found.restore("optimizer", state)
        batches.restore(found.state["batches"])
        done, standing = found.step, _Standing(**_standing(found.state))
    root = key(config.seed)

    saved = done

    def save(number: int) -> None:
        nonlocal saved
        saved = number
        save_checkpoint(
            folder,
            number,
            {"params": params, "optimizer": state},
            config=description,
            # JSON has no infinity
            state={
                "batches": batches.state(),
                "best": standing.best,
                "score": None if math.isinf(standing.score) else standing.score,
                "stale": standing.stale,
            },
            keep=config.keep,
            protect=(standing.best,),
        )

    def is_over(number: int) -> bool:
        return number >= config.steps or standing.stale >= config.patience > 0

    with (
        Interrupt() as interrupt,
        Progress(config.steps, start=done, stream=stream, interval=interval) as shown,
    ):
        while not is_over(done) and not interrupt.wanted:
            batch = next(batches)
            done += 1
            rate = config.schedule.rate(done, config.steps)
            params, state, loss, _ = step(
                params, state, batch, fold_in(root, done), rate
            )
            if not math.isfinite(float(loss)):
                raise TrainingFailed(
                    f"the loss of step {done} is {float(loss)}\n"
                    "help: use a lower learning rate; the last checkpoint is good"
                )
            shown.update(done, loss=float(loss), tokens=batch.tokens)
            last = done == config.steps
            looked = validate is not None and (
                done % config.validate_every == 0 or last
            )
            if looked and validate is not None:
                result = validate(params)
                standing.note(done, result.score)
                shown.message(f"step {done}: {result.text}")
            if (
                looked
                or last
                or interrupt.wanted
                or done % config.checkpoint_every == 0
            ):
                save(done)
    interrupted = interrupt.wanted and not is_over(done)
    best = standing.best if validate is not None else done
    return Outcome(params, done, best, standing.score, interrupted)


def _standing(state: dict[str, Any]) -> dict[str, Any]:
    score = state["score"]
    return {
        "best": state["best"],
        "score": -math.inf if score is None else score,
        "stale": state["stale"],
    }
