"""What happened in training, for TensorBoard: `tensorboard --logdir RUN`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from anadrome.options import OptionError

TRAINING = ("loss", "norm", "rate", "size", "seconds")
"""What belongs to every update; the rest is of validations."""


class TensorBoard:
    """An open log in a folder. `note(step, loss=…)` writes numbers.

    What an earlier training wrote of later steps is not shown any more.
    """

    def __init__(self, folder: Path, step: int) -> None:
        try:
            from tensorboardX import SummaryWriter
        except ImportError:
            raise OptionError(
                "the log for TensorBoard needs tensorboardX\n"
                "help: pip install 'anadrome[tensorboard]', or leave the option out"
            ) from None
        self._writer = SummaryWriter(str(folder), purge_step=step + 1 if step else None)

    def note(self, step: int, **values: Any) -> None:
        """Write down the numbers among what happened at a step."""
        for name, value in values.items():
            group = "training" if name in TRAINING else "validation"
            if isinstance(value, (int, float)):
                self._writer.add_scalar(f"{group}/{name}", value, step)
            else:
                self._writer.add_text(f"{group}/{name}", str(value), step)

    def flush(self) -> None:
        """Put what was noted on the disk."""
        self._writer.flush()

    def close(self) -> None:
        """Write nothing more."""
        self._writer.close()
