"""Random numbers that are functions of a key: `from anadrome import random`.

A key is two 64-bit words, a seed and a stream. The same key always gives the same
numbers; other numbers come from other keys, which `split` and `fold_in` make::

    key = ad.random.key(0)
    for step in range(100):
        noise = ad.random.normal(ad.random.fold_in(key, step), (3, 4))

Draws do not depend on what they multiply or shift, so the compiler treats them as
constants: `mean + scale * normal(key, shape)` is differentiable in mean and scale.
The bits are those of `anadrome.random_bits` (Philox-4x32-10).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from anadrome import random_bits
from anadrome.ir.graph import Constant, Node
from anadrome.ir.types import Num, Tuple, Type, deref
from anadrome.primitives.registry import constant

Key = np.ndarray
"""Two words (seed, stream), uint64."""

_MASK = 2**64 - 1


def _dtype_of(node: Node | None) -> np.dtype[Any] | None:
    if node is None:
        return np.dtype(np.float64)
    return np.dtype(node.value) if isinstance(node, Constant) else None


def _rank_of(shape: Node | None) -> int | None:
    if shape is None:
        return 0
    t = deref(shape.type)
    if isinstance(t, Tuple):
        return len(t.items)
    return 1 if isinstance(t, Num) and t.ndim == 0 else None


def _key_type(*args: Node) -> Type:
    return Num(np.dtype(np.uint64), 1)


def _keys_type(*args: Node) -> Type:
    return Num(np.dtype(np.uint64), 2)


def _draw_type(key: Node, shape: Node | None = None, dtype: Node | None = None) -> Type:
    return Num(_dtype_of(dtype), _rank_of(shape))


def _truth_type(key: Node, p: Node, shape: Node | None = None) -> Type:
    return Num(np.dtype(bool), _rank_of(shape))


def _samples(rng: np.random.Generator) -> list[Any]:
    return [(key(0), (2, 3)), (key(1), (4,), np.float32), (key(2),)]


def key(seed: int) -> Key:
    """The key of a seed, which is any integer."""
    return np.array([seed & _MASK, seed >> 64 & _MASK], dtype=np.uint64)


def fold_in(key: Key, number: int) -> Key:
    """The key that an integer makes of a key: one for each step, layer, example."""
    (made,) = _derive(key, random_bits.FOLDED, int(number) & _MASK, 1)
    return np.array(made)


def split(key: Key, count: int = 2) -> np.ndarray:
    """So many new keys (count, 2) from a key, which should not be used again."""
    return _derive(key, random_bits.SPLIT, 0, count)


def _derive(key: Key, purpose: int, first: int, count: int) -> np.ndarray:
    seed, stream = _place(key)
    words = random_bits.random_words(seed ^ purpose, stream, 4 * count, 4 * first)
    made = words.astype(np.uint64).reshape(count, 4)
    return made[:, 0::2] | made[:, 1::2] << np.uint64(32)


def _place(key: Key) -> tuple[int, int]:
    if len(key) != 2:
        raise ValueError(f"a key has two words, this has {len(key)}")
    seed, stream = key
    return int(seed), int(stream)


def _sized(shape: int | tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    shape = (shape,) if isinstance(shape, int | np.integer) else tuple(shape)
    size = 1
    for length in shape:
        if length < 0:
            raise ValueError("negative dimensions are not allowed")
        size *= int(length)
    return shape, size


def uniform(
    key: Key, shape: int | tuple[int, ...] = (), dtype: Any = np.float64
) -> np.ndarray:
    """Numbers from [0, 1), evenly distributed."""
    shape, size = _sized(shape)
    return random_bits.uniform(*_place(key), size, dtype).reshape(shape)


def normal(
    key: Key, shape: int | tuple[int, ...] = (), dtype: Any = np.float64
) -> np.ndarray:
    """Numbers from the normal distribution with mean 0 and variance 1."""
    shape, size = _sized(shape)
    return random_bits.normal(*_place(key), size, dtype).reshape(shape)


def bernoulli(key: Key, p: float, shape: int | tuple[int, ...] = ()) -> np.ndarray:
    """Truth values, each true with probability p."""
    shape, size = _sized(shape)
    return random_bits.bernoulli(*_place(key), size, p).reshape(shape)


# The draws stay ordinary functions; the compiler is told that it need not read them.
for _function, _infer, _calls in (
    (key, _key_type, lambda rng: [(0,), (2**40,)]),
    (fold_in, _key_type, lambda rng: [(key(0), 3)]),
    (split, _keys_type, lambda rng: [(key(0), 3)]),
    (uniform, _draw_type, _samples),
    (normal, _draw_type, _samples),
    (bernoulli, _truth_type, lambda rng: [(key(0), 0.3, (2, 3))]),
):
    constant(_function, infer=_infer, samples=_calls)(_function)
