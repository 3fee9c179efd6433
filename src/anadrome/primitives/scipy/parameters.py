"""Parameters of the functions that SciPy's integrators call, as one flat vector.

The integrators need the derivative of a user's function in everything that is passed
to it through `args`: numbers and arrays, and tuples, lists, dicts and dataclasses of
them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np

from anadrome.errors import NotDifferentiable

Pullback = Callable[[Any], tuple[Any, ...]]
CONSTANT = (bool, int, str, bytes, type(None))


def pull_back(function: Callable[..., Any], *args: Any) -> tuple[Any, Pullback]:
    """The value of a user's function, and its pullback to all its arguments."""
    # The compiler is built upon the primitives, so it can be asked at run time only.
    from anadrome.api.grad import vjp

    return vjp(function, *args)


def push_forward(
    function: Callable[..., Any], args: tuple[Any, ...], tangents: tuple[Any, ...]
) -> tuple[Any, Any]:
    """The value of a user's function, and its change along tangents."""
    from anadrome.api.grad import jvp

    return jvp(function, args, tangents)


def is_differentiable(leaf: Any) -> bool:
    """Whether a parameter is a real number or an array of them.

    What is neither that nor plainly a constant is refused: nothing is left out of a
    gradient in silence.
    """
    if isinstance(leaf, CONSTANT) or callable(leaf):
        return False
    kind = np.asarray(leaf).dtype.kind
    if kind in "cO":
        raise NotDifferentiable(
            f"a parameter of type {type(leaf).__name__} of an integrated function has "
            "no derivative here",
            help="pass real numbers, arrays, tuples, lists, dicts or dataclasses of "
            "them through args",
        )
    return kind == "f"


def children(tree: Any) -> list[Any] | None:
    """The parts of a container, or None if it is a leaf."""
    if isinstance(tree, dict):
        return list(tree.values())
    if isinstance(tree, (list, tuple)):
        return list(tree)
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        return [getattr(tree, f.name) for f in dataclasses.fields(tree)]
    return None


def rebuilt(tree: Any, parts: list[Any]) -> Any:
    """A container like `tree` with other parts."""
    if isinstance(tree, dict):
        return dict(zip(tree, parts, strict=True))
    if isinstance(tree, list):
        return parts
    if isinstance(tree, tuple):
        return type(tree)(*parts) if hasattr(tree, "_fields") else tuple(parts)
    names = [f.name for f in dataclasses.fields(tree)]
    return dataclasses.replace(tree, **dict(zip(names, parts, strict=True)))


def flatten(tree: Any, like: Any) -> np.ndarray:
    """The numbers in a tree at the differentiable leaves of `like`.

    A missing part, None or a mere 0.0, stands for zeros.
    """
    parts = children(like)
    if parts is not None:
        given = children(tree) or [None] * len(parts)
        pieces = [flatten(t, x) for t, x in zip(given, parts, strict=True)]
        return np.concatenate([*pieces, np.zeros(0)])
    if not is_differentiable(like):
        return np.zeros(0)
    zeros = np.zeros(np.shape(like))
    return np.ravel(zeros if tree is None else zeros + np.asarray(tree, float))


def unflatten(flat: np.ndarray, like: Any) -> Any:
    """A tree with the structure of `like`, and 0.0 at constants."""
    return _unflatten(iter(np.asarray(flat)), like)


def _unflatten(numbers: Any, like: Any) -> Any:
    parts = children(like)
    if parts is not None:
        return rebuilt(like, [_unflatten(numbers, part) for part in parts])
    if not is_differentiable(like):
        return 0.0
    leaf = np.array([next(numbers) for _ in range(np.size(like))])
    leaf = np.reshape(leaf, np.shape(like)).astype(np.asarray(like).dtype)
    return leaf if isinstance(like, np.ndarray) else leaf[()]
