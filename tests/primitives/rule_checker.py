"""Check derivative rules as plain NumPy functions, without the compiler."""

from __future__ import annotations

from typing import Any

import numpy as np

from anadrome.primitives.registry import Primitive, Sample
from anadrome.runtime import conform


def is_active(value: Any) -> bool:
    """Whether a value is, or holds, something with a derivative."""
    if isinstance(value, (list, tuple)):
        return any(is_active(v) for v in value)
    return (
        isinstance(value, (float, complex, np.ndarray, np.generic))
        and np.asarray(value).dtype.kind in "fc"
    )


def map_active(function: Any, value: Any, *others: Any) -> Any:
    """Apply `function` to the active leaves; other leaves become 0.0."""
    if isinstance(value, (list, tuple)):
        mapped = [
            map_active(function, v, *(o[i] for o in others))
            for i, v in enumerate(value)
        ]
        return mapped if isinstance(value, list) else tuple(mapped)
    return function(value, *others) if is_active(value) else 0.0


def leaves(value: Any) -> list[Any]:
    """The leaves of nested tuples and lists, in order."""
    if isinstance(value, (list, tuple)):
        return [leaf for v in value for leaf in leaves(v)]
    return [value]


def random_like(rng: np.random.Generator, value: Any) -> Any:
    """A random tangent for a value: real where it is real."""

    def draw(leaf: Any) -> Any:
        like = np.asarray(leaf)
        made = rng.normal(size=like.shape)
        if like.dtype.kind == "c":
            made = made + 1j * rng.normal(size=like.shape)
        made = np.asarray(made).astype(like.dtype)
        if isinstance(leaf, np.ndarray):
            return made
        return made[()] if isinstance(leaf, np.generic) else made.item()

    return map_active(draw, value)


def pairing(a: Any, b: Any, like: Any) -> float:
    """The real bilinear pairing Re Σ a·b over the active leaves of `like`."""
    return sum(
        float(np.real(np.sum(np.asarray(x) * np.asarray(y))))
        for x, y, leaf in zip(leaves(a), leaves(b), leaves(like), strict=True)
        if is_active(leaf)
    )


def unbroadcast(cotangent: Any, shape: tuple[int, ...]) -> Any:
    """A cotangent in the output's shape, summed to the input's."""
    cotangent = np.asarray(cotangent)
    while cotangent.ndim > len(shape):
        cotangent = cotangent.sum(0)
    for axis, n in enumerate(shape):
        if n == 1 and cotangent.shape[axis] != 1:
            cotangent = cotangent.sum(axis, keepdims=True)
    return cotangent


class RuleCase:
    """One primitive at one sample."""

    def __init__(self, made: Primitive, sample: Sample, dtype: Any = None) -> None:
        self.primitive = made
        self.given = made.signature.bind(*sample.args, **sample.kwargs)
        if dtype is not None:
            for name, value in self.given.arguments.items():
                self.given.arguments[name] = lower(value)
        full = made.signature.bind(*self.given.args, **self.given.kwargs)
        full.apply_defaults()
        self.arguments = dict(full.arguments)
        self.active = [n for n in made.differentiable if is_active(self.arguments[n])]
        self.value = self.evaluate({})

    def evaluate(self, changed: dict[str, Any]) -> Any:
        """What the primitive returns with some arguments changed."""
        signature = self.primitive.signature
        bound = signature.bind(*self.given.args, **self.given.kwargs)
        bound.arguments.update(changed)
        return self.primitive.impl(*bound.args, **bound.kwargs)

    def jvp(self, tangents: dict[str, Any]) -> Any:
        """The forward rule's tangent of the output."""
        named = {
            "d" + n: tangents.get(n, zero_tangent(self.arguments[n]))
            for n in self.primitive.differentiable
            if n in tangents or self.primitive.partials is None
        }
        rule = self.primitive.jvp_rule
        assert rule is not None
        out = rule(self.value, *self.arguments.values(), **named)
        if not self.primitive.broadcasts:
            return out
        return map_active(
            lambda z, dz: np.broadcast_to(dz, np.shape(z)), self.value, out
        )

    def vjp(self, dz: Any) -> dict[str, Any]:
        """The reverse rule's cotangents of the active arguments."""
        rule = self.primitive.vjp_rule
        assert rule is not None
        out = rule(self.value, *self.arguments.values(), dz=dz)
        names = self.primitive.differentiable
        given = dict(zip(names, out if len(names) > 1 else (out,), strict=True))
        if not self.primitive.broadcasts:
            # What is given for a list may be an array: its parts are then taken.
            return {n: conform(given[n], self.arguments[n]) for n in self.active}
        return {
            n: map_active(
                lambda x, dx: unbroadcast(dx, np.shape(x)),
                self.arguments[n],
                given[n],
            )
            for n in self.active
        }

    def directional_difference(self, tangents: dict[str, Any]) -> Any:
        """The derivative along `tangents` by fourth-order central differences."""

        def at(t: float) -> Any:
            moved = {
                n: map_moved(lambda x, v: x + t * v, self.arguments[n], tangents[n])
                for n in self.active
            }
            return self.evaluate(moved)

        h = 2e-4
        a, b, c, d = at(-2 * h), at(-h), at(h), at(2 * h)
        return map_active(
            lambda z, a, b, c, d: (a - 8 * b + 8 * c - d) / (12 * h),
            self.value, a, b, c, d,
        )  # fmt: skip


def map_moved(function: Any, value: Any, other: Any) -> Any:
    """Apply `function` to the active leaves and keep the other leaves."""
    if isinstance(value, (list, tuple)):
        moved = [map_moved(function, v, o) for v, o in zip(value, other, strict=True)]
        return moved if isinstance(value, list) else tuple(moved)
    return function(value, other) if is_active(value) else value


def zero_tangent(value: Any) -> Any:
    """A tangent of zeros with the structure of a value."""
    return map_active(
        lambda x: np.zeros_like(x) if isinstance(x, np.ndarray) else 0.0, value
    )


def lower(value: Any) -> Any:
    """Double precision arrays as single precision ones; all else unchanged."""
    if isinstance(value, (list, tuple)):
        lowered = [lower(v) for v in value]
        return lowered if isinstance(value, list) else tuple(lowered)
    if isinstance(value, (np.ndarray, np.generic)):
        lowered_to = {"float64": np.float32, "complex128": np.complex64}
        return value.astype(lowered_to.get(value.dtype.name, value.dtype))
    return value


def coarseness(value: Any) -> float:
    """The relative spacing of numbers in a value's precision."""
    return float(np.finfo(np.asarray(value).dtype).eps)


def check_forward(case: RuleCase, rng: np.random.Generator) -> None:
    """The forward rule agrees with central differences."""
    tangents = {n: random_like(rng, case.arguments[n]) for n in case.active}
    got = case.jvp(tangents)
    want = case.directional_difference(tangents)
    pairs = zip(leaves(case.value), leaves(got), leaves(want), strict=True)
    for z, dz, difference in pairs:
        if is_active(z):
            assert np.shape(dz) == np.shape(z)
            if coarseness(z) > 1e-15:
                continue  # no precision left for differences
            assert np.iscomplexobj(dz) <= np.iscomplexobj(z)
            scale = 1.0 + np.max(np.abs(difference), initial=0.0)
            np.testing.assert_allclose(dz, difference, rtol=1e-6, atol=1e-7 * scale)


def check_transposed(case: RuleCase, rng: np.random.Generator) -> None:
    """The reverse rule is the transpose of the forward rule."""
    tangents = {n: random_like(rng, case.arguments[n]) for n in case.active}
    dz = random_like(rng, case.value)
    cotangents = case.vjp(dz)
    forward = pairing(dz, case.jvp(tangents), case.value)
    reverse = sum(
        pairing(cotangents[n], tangents[n], case.arguments[n]) for n in case.active
    )
    coarsest = max(coarseness(z) for z in leaves(case.value) if is_active(z))
    rtol = max(1e-9, 10 * coarsest)
    np.testing.assert_allclose(reverse, forward, rtol=rtol, atol=1e-10)
    for n in case.active:
        pairs = zip(leaves(case.arguments[n]), leaves(cotangents[n]), strict=True)
        for x, dx in pairs:
            if is_active(x):
                assert np.shape(dx) == np.shape(x), n


def check_single_precision(case: RuleCase, rng: np.random.Generator) -> None:
    """Single precision arguments give single precision derivatives."""
    single = (np.dtype(np.float32), np.dtype(np.complex64))
    if not all(
        np.asarray(z).dtype in single for z in leaves(case.value) if is_active(z)
    ):
        return
    given = [x for n in case.active for x in leaves(case.arguments[n])]
    if all(isinstance(x, np.ndarray) for x in given):
        tangents = {n: random_like(rng, case.arguments[n]) for n in case.active}
        for z, dz in zip(leaves(case.value), leaves(case.jvp(tangents)), strict=True):
            if is_active(z):
                assert np.asarray(dz).dtype in single
    cotangents = case.vjp(random_like(rng, case.value))
    for n in case.active:
        pairs = zip(leaves(case.arguments[n]), leaves(cotangents[n]), strict=True)
        for x, dx in pairs:
            if isinstance(x, (np.ndarray, np.generic)) and is_active(x):
                assert np.asarray(dx).dtype in single, n
