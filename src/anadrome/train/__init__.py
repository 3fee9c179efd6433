"""Training: checkpoints and progress."""

from anadrome.train.checkpoint import (
    Checkpoint,
    generator_state,
    list_checkpoints,
    load_checkpoint,
    load_newest_checkpoint,
    restore_generator,
    save_checkpoint,
)
from anadrome.train.errors import (
    CheckpointError,
    CheckpointWarning,
    CorruptCheckpoint,
    MismatchedRecord,
)
from anadrome.train.progress import Progress
from anadrome.train.records import flatten, unflatten

__all__ = [
    "Checkpoint",
    "CheckpointError",
    "CheckpointWarning",
    "CorruptCheckpoint",
    "MismatchedRecord",
    "Progress",
    "flatten",
    "generator_state",
    "list_checkpoints",
    "load_checkpoint",
    "load_newest_checkpoint",
    "restore_generator",
    "save_checkpoint",
    "unflatten",
]
