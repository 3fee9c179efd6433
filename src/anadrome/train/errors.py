"""What goes wrong with saved training."""

from __future__ import annotations


class CheckpointError(RuntimeError):
    """A checkpoint that cannot be written or read, with the reason and a way out."""


class CorruptCheckpoint(CheckpointError):
    """A checkpoint that is torn or damaged."""


class MismatchedRecord(CheckpointError):
    """A checkpoint that was made by a differently built model."""


class CheckpointWarning(UserWarning):
    """A damaged checkpoint was passed over for an older one."""
