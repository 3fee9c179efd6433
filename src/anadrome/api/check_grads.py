"""`check_grads`: derivatives against differences and against each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anadrome import tree
from anadrome.api.grad import Jvp, Vjp
from anadrome.errors import ArgumentError

MODES = ("fwd", "rev")


def check_grads(
    fun: Callable[..., Any],
    args: tuple[Any, ...],
    order: int = 2,
    modes: tuple[str, ...] = MODES,
    *,
    rtol: float = 1e-6,
    atol: float = 1e-6,
    step: float = 2e-4,
    seed: int = 0,
) -> None:
    """Raise an AssertionError if a derivative of a function is wrong at a point.

    The function is pushed along a random direction and pulled back from a random
    cotangent. Forward mode is compared with central differences of fourth order,
    reverse mode too, and both with each other: ⟨v, Jᵀu⟩ = ⟨J v, u⟩. For `order` 2 the
    same is done with the derivatives themselves, in every mixture of the modes.
    """
    args = tuple(args) if isinstance(args, tuple | list) else (args,)
    modes = (modes,) if isinstance(modes, str) else tuple(modes)
    for mode in modes:
        if mode not in MODES:
            raise ArgumentError(f"a mode is 'fwd' or 'rev', not {mode!r}")
    rng = np.random.default_rng(seed)
    _check(
        fun, args, order, modes, rng, (rtol, atol, step), getattr(fun, "__name__", "f")
    )


def _check(
    fun: Callable[..., Any],
    args: tuple[Any, ...],
    order: int,
    modes: tuple[str, ...],
    rng: np.random.Generator,
    limits: tuple[float, float, float],
    what: str,
) -> None:
    rtol, atol, step = limits
    places = tuple(k for k, x in enumerate(args) if tree.leaves(x))
    if not places:
        raise ArgumentError("none of the arguments is a floating-point value")
    value = fun(*tree.separate(args))
    directions = tuple(_random_like(rng, args[k]) for k in places)
    cotangent = _random_like(rng, value)

    def along(t: float) -> float:
        moved = list(tree.separate(args))
        for k, d in zip(places, directions):
            moved[k] = _moved(moved[k], d, t)
        return _pairing(cotangent, fun(*moved))

    near, far = along(step) - along(-step), along(2 * step) - along(-2 * step)
    wanted = (8 * near - far) / (12 * step)
    found: dict[str, float] = {}
    if "fwd" in modes:
        pushed = Jvp(fun, places).push(args, {}, directions)[1]
        found["forward mode"] = _pairing(cotangent, tree.fitted(value, pushed))
    if "rev" in modes:
        pulled = Vjp(fun, places).pull(args, {})[1](cotangent)
        given = [tree.fitted(args[k], d) for k, d in zip(places, pulled)]
        found["reverse mode"] = sum(map(_pairing, given, directions))
    for mode, got in found.items():
        if not abs(got - wanted) <= atol + rtol * abs(wanted):
            raise AssertionError(
                f"{mode} of {what}: the derivative is {got}, differences say {wanted}"
            )
    if len(found) == 2:
        a, b = found.values()
        if not abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1.0):
            raise AssertionError(f"{what}: forward mode says {a}, reverse mode {b}")
    if order < 2:
        return
    if "fwd" in modes:
        derivative = _pushed(fun, places, directions)
        _check(
            derivative, args, order - 1, modes, rng, limits, f"forward mode of {what}"
        )
    if "rev" in modes:
        derivative = _pulled(fun, places, cotangent)
        _check(
            derivative, args, order - 1, modes, rng, limits, f"reverse mode of {what}"
        )


def _pushed(fun: Any, places: tuple[int, ...], directions: tuple[Any, ...]) -> Any:
    """The derivative along fixed directions, as a function of the arguments."""
    return _Fixed(Jvp(fun, places), list(directions))


def _pulled(fun: Any, places: tuple[int, ...], cotangent: Any) -> Any:
    """The cotangents for a fixed cotangent, as a function of the arguments."""
    return _Fixed(Vjp(fun, places), [cotangent])


class _Fixed:
    """A derivative with its directions or its cotangent held fixed."""

    def __init__(self, derived: Jvp | Vjp, given: list[Any]) -> None:
        self.derived, self.given = derived, given
        self.function = derived.function
        self.__name__ = getattr(derived, "__name__", "f")

    def __call__(self, *args: Any) -> Any:
        if isinstance(self.derived, Jvp):
            return self.derived.push(args, {}, tuple(self.given))[1]
        return self.derived.pull(args, {})[1](self.given[0])

    def __anadrome_inline__(
        self, it: Any, args: list[Any], keywords: dict[str, Any]
    ) -> Any:
        from anadrome.api.vjp import pull_inside
        from anadrome.frontend.values.tuples import make_tuple, take

        given = [
            it.lift(lambda g=g: g, (id(self), k), "v") for k, g in enumerate(self.given)
        ]
        if isinstance(self.derived, Jvp):
            made = self.derived.inline_push(it, args, keywords, given)
            return take(it, made, 1)
        found = pull_inside(
            it, self.derived.function, args, self.derived.wanted, given[0]
        )
        return make_tuple(it, found)


def _random_like(rng: np.random.Generator, value: Any) -> Any:
    """A random direction in the structure of a value."""

    def draw(leaf: Any) -> Any:
        made = rng.normal(size=np.shape(leaf))
        if np.iscomplexobj(leaf):
            made = made + 1j * rng.normal(size=np.shape(leaf))
        if isinstance(leaf, np.ndarray):
            return np.asarray(made).astype(leaf.dtype)
        return type(leaf)(made)

    return tree.rebuild(value, [draw(leaf) for leaf in tree.leaves(value)])


def _moved(value: Any, direction: Any, t: float) -> Any:
    pairs = zip(tree.leaves(value), tree.leaves(direction), strict=True)
    new = [
        x + t * d if isinstance(x, np.ndarray) else type(x)(x + t * d) for x, d in pairs
    ]
    return tree.rebuild(value, new)


def _pairing(a: Any, b: Any) -> float:
    """The real pairing Re Σ a·b of two values of one structure."""
    pairs = zip(tree.leaves(a), tree.leaves(b), strict=True)
    return float(sum(np.real(np.sum(np.asarray(x) * np.asarray(y))) for x, y in pairs))
