"""Models, one file each: a configuration, a record of weights, pure functions.

In: a batch and a record of weights.
Out: a loss, and what the task asks for: `start` and `step` to generate, `predict` to
label. `registry` finds them by task and name.
"""

from anadrome.models.registry import (
    Model,
    UnknownModel,
    find_model,
    model,
    models_of,
)

__all__ = ["Model", "UnknownModel", "find_model", "model", "models_of"]
