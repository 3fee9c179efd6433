"""Training: the loop, its step, checkpoints and progress.

In: a loss, its weights, a stream of batches.
Out: trained weights; `checkpoint` writes them, atomically, to be resumed bitwise.
"""

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
