"""The verdict on a random program: is every derivative of it right?

The program itself is run with every comparison of numbers watched. A point where one of
them is nearly a tie, or where moving the arguments a little changes an outcome, is no
point to compare derivatives at, and is skipped. Elsewhere

- the program as read and printed back must do what the original does, to its
  arguments too;
- forward mode, reverse mode, its pullback and reverse mode without the passes must
  agree with each other, and with central differences in a random direction.
"""

from __future__ import annotations

import ast
import copy
import dataclasses
import linecache
import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import anadrome as ad
from anadrome.backends.python.compiled import compile_graph
from anadrome.frontend.program import read
from anadrome.optimize.passes import optimize
from anadrome.transform.reverse.walk import reverse

LEAST_MARGIN = 2e-3
STEP = 2e-4


@dataclass(frozen=True)
class Verdict:
    """`kind` is "right", "skipped", "refused", "wrong" or "crashed"."""

    kind: str
    detail: str = ""
    stage: str = ""

    @property
    def failed(self) -> bool:
        """Whether the compiler is at fault."""
        return self.kind in ("wrong", "crashed")


def sample_arguments(seed: int) -> tuple[Any, ...]:
    """The arguments of `program` that belong to a seed."""
    rng = np.random.default_rng([seed, 7])
    x, y, m = (rng.uniform(-1, 1, shape) for shape in ((3,), (2,), (2, 3)))
    return x, y, m, float(rng.uniform(-1, 1))


def load(text: str, name: str) -> dict[str, Any]:
    """The variables of a module whose source can be found by `inspect`."""
    filename = f"<fuzz {name}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    variables: dict[str, Any] = {"__name__": f"fuzz_{name}"}
    exec(compile(text, filename, "exec"), variables)
    return variables


def forget(name: str) -> None:
    """Drop the source of a module that is done with."""
    linecache.cache.pop(f"<fuzz {name}>", None)


class _Watch(ast.NodeTransformer):
    """`a < b` becomes `_less(a, b)`, so that the distance can be recorded."""

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) != 1 or not isinstance(node.ops[0], ast.Lt | ast.Gt):
            return node
        less = isinstance(node.ops[0], ast.Lt)
        pair = [node.left, node.comparators[0]]
        name = ast.Name("_less", ast.Load())
        return ast.Call(name, pair if less else pair[::-1], [])


class Watched:
    """The original program, with what its comparisons found at the last call."""

    def __init__(self, text: str) -> None:
        tree = ast.fix_missing_locations(_Watch().visit(ast.parse(text)))
        variables: dict[str, Any] = {"_less": self._less, "__name__": "watched"}
        exec(compile(tree, "<watched>", "exec"), variables)
        self.function: Callable[..., Any] = variables["program"]
        self.margin = math.inf
        self.outcomes: list[bool] = []

    def _less(self, a: Any, b: Any) -> bool:
        if isinstance(a, float) or isinstance(b, float):
            self.margin = min(self.margin, abs(a - b))
            self.outcomes.append(bool(a < b))
            if len(self.outcomes) > 5000:
                raise _Skip("runs too long")
        return bool(a < b)

    def __call__(self, args: tuple[Any, ...]) -> Any:
        self.margin, self.outcomes = math.inf, []
        return self.function(*copy.deepcopy(args))


class _Skip(Exception):
    pass


class _Wrong(Exception):
    pass


@dataclass(frozen=True)
class Reference:
    """What is known of a program at a point without the compiler."""

    watched: Watched
    args: tuple[Any, ...]
    value: Any
    direction: list[Any]
    weight: Any  # of the elements of the value, for a slope that is one number
    slope: float

    def moved(self, by: float) -> tuple[Any, ...]:
        """The arguments a little further in the direction."""
        return tuple(a + by * d for a, d in zip(self.args, self.direction))

    def fresh(self) -> tuple[Any, ...]:
        """Copies of the arguments, for a program that may change them."""
        return copy.deepcopy(self.args)

    @property
    def is_number(self) -> bool:
        """Whether the program returns one number."""
        return np.ndim(self.value) == 0


def check(text: str, seed: int, stages: Sequence[str] | None = None) -> Verdict:
    """The verdict on the program of a module, at the arguments of a seed."""
    name = f"{abs(hash(text))}"
    stage = ""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            reference = refer(text, seed)
        except Exception as error:
            return Verdict("skipped", f"{type(error).__name__}: {error}")
        try:
            program = load(text, name)["program"]
            for stage in stages or FIRST_ORDER:
                STAGES[stage](program, reference)
        except ad.AnadromeError as error:
            return Verdict("refused", f"{type(error).__name__}: {error.message}", stage)
        except _Wrong as error:
            return Verdict("wrong", str(error), stage)
        except _Skip as error:
            return Verdict("skipped", str(error), stage)
        except Exception as error:
            return Verdict("crashed", f"{type(error).__name__}: {error}", stage)
        finally:
            forget(name)
    return Verdict("right")


def refer(text: str, seed: int) -> Reference:
    """The value, and the slope in a random direction by differences of fourth order."""
    watched = Watched(text)
    args = sample_arguments(seed)
    rng = np.random.default_rng([seed, 8])
    direction = [rng.normal(size=np.shape(a)) for a in args[:-1]] + [
        float(rng.normal())
    ]
    value = watched(args)
    if not (isinstance(value, float | np.ndarray) and np.all(np.isfinite(value))):
        raise _Skip("not finite")
    if watched.margin < LEAST_MARGIN or np.max(np.abs(value)) > 1e3:
        raise _Skip("near a tie, or too large")
    outcomes = watched.outcomes
    weight = rng.normal(size=np.shape(value)) if np.ndim(value) else 1.0
    found = Reference(watched, args, value, direction, weight, 0.0)
    totals = {}
    for k in (-2, -1, 1, 2):
        totals[k] = float(np.sum(weight * watched(found.moved(k * STEP))))
        if watched.outcomes != outcomes:
            raise _Skip("an outcome changes nearby")
    near, far = totals[1] - totals[-1], totals[2] - totals[-2]
    slope = (8 * near - far) / (12 * STEP)
    if not abs(slope) < 1e4 or abs(near / 2 - far / 4) > 1e-3 * STEP * (1 + abs(slope)):
        raise _Skip("too steep for differences")
    return dataclasses.replace(found, slope=slope)


def _close(found: Any, wanted: Any, what: str, tolerance: float) -> None:
    found, wanted = np.asarray(found), np.asarray(wanted)
    if found.shape != wanted.shape:
        raise _Wrong(f"{what}: shape {found.shape} for {wanted.shape}")
    scale = 1 + np.max(np.abs(wanted), initial=0.0)
    if not np.all(np.abs(found - wanted) <= tolerance * scale):
        raise _Wrong(f"{what}: {found} for {wanted}")


def _printed(program: Any, reference: Reference) -> None:
    """What is read and printed back does what the original does."""
    original, given = reference.fresh(), reference.fresh()
    wanted = reference.watched.function(*original)
    made = read(program, reference.fresh(), {})
    graph = optimize(made.graph, check=True)
    captured = [capture.read() for capture in made.captures]
    found = compile_graph(graph, "printed")[0](*given, *captured)
    _close(found, wanted, "value", 1e-12)
    for a, b in zip(given, original):
        _close(a, b, "argument after the call", 1e-12)


def _forward(program: Any, reference: Reference) -> None:
    direction = tuple(copy.deepcopy(reference.direction))
    value, tangent = ad.jvp(program, reference.fresh(), direction)
    _close(value, reference.value, "value", 1e-12)
    _close(tangent, np.asarray(tangent).reshape(np.shape(value)), "tangent", 0.0)
    shorter = tuple(d / 3 for d in copy.deepcopy(reference.direction))
    third = ad.jvp(program, reference.fresh(), shorter)[1]
    lost = np.max(np.abs(3 * third - tangent), initial=0.0)
    if lost > 1e-10 * (1 + np.max(np.abs(tangent), initial=0.0)):
        raise _Skip("huge tangents that cancel: only rounding is left of them")
    _close(np.sum(reference.weight * tangent), reference.slope, "slope", 1e-5)


def _check_gradient(gradient: Any, reference: Reference, what: str) -> None:
    for g, a in zip(gradient, reference.args, strict=True):
        if np.shape(g) != np.shape(a):
            raise _Wrong(f"{what}: shape {np.shape(g)} for {np.shape(a)}")
    products = [np.sum(g * d) for g, d in zip(gradient, reference.direction)]
    _close(float(sum(products)), reference.slope, what, 1e-5)


def _grad(program: Any, reference: Reference) -> None:
    if reference.is_number:
        every = tuple(range(len(reference.args)))
        value, gradient = ad.value_and_grad(program, every)(*reference.fresh())
        _close(value, reference.value, "value", 1e-12)
        _check_gradient(gradient, reference, "gradient")


def _grad_without_passes(program: Any, reference: Reference) -> None:
    if reference.is_number:
        made = read(program, reference.fresh(), {})
        sources = [parameter for _, parameter in made.arguments]
        graph = reverse(made.graph, sources, "plain", seeded=False, value=False)
        captured = [capture.read() for capture in made.captures]
        gradient = compile_graph(graph, "plain")[0](*reference.fresh(), *captured)
        _check_gradient(gradient, reference, "gradient")


def _vjp(program: Any, reference: Reference) -> None:
    """The pullback is right, and adjoint to forward mode to the last digits."""
    value, pullback = ad.vjp(program, *reference.fresh())
    _close(value, reference.value, "value", 1e-12)
    gradient = pullback(copy.deepcopy(reference.weight))
    _check_gradient(gradient, reference, "gradient")
    direction = tuple(copy.deepcopy(reference.direction))
    _, tangent = ad.jvp(program, reference.fresh(), direction)
    pulled = float(sum(np.sum(g * d) for g, d in zip(gradient, reference.direction)))
    _close(pulled, float(np.sum(reference.weight * tangent)), "product", 1e-9)


def _vjp_twice(program: Any, reference: Reference) -> None:
    """A second call of the pullback gives the same and spares the first result."""
    _, pullback = ad.vjp(program, *reference.fresh())
    first = pullback(copy.deepcopy(reference.weight))
    kept = copy.deepcopy(first)
    for g, again in zip(kept, pullback(copy.deepcopy(reference.weight)), strict=True):
        _close(again, g, "the second call", 1e-12)
    for g, before in zip(first, kept):
        _close(g, before, "the first result after a second call", 0.0)


def _second_order(program: Any, reference: Reference) -> None:
    """Forward over reverse against differences of the gradient, and reverse twice."""
    if not reference.is_number:
        return
    gradient = ad.grad(program, tuple(range(len(reference.args))))
    direction = tuple(copy.deepcopy(reference.direction))
    _, found = ad.jvp(gradient, reference.fresh(), direction)
    at = {
        k: gradient(*copy.deepcopy(reference.moved(k * STEP))) for k in (-2, -1, 1, 2)
    }
    for k, d in enumerate(found):
        near, far = at[1][k] - at[-1][k], at[2][k] - at[-2][k]
        wanted = (8 * near - far) / (12 * STEP)
        error = np.max(np.abs(near / 2 - far / 4))
        if error > 1e-3 * STEP * (1 + np.max(np.abs(wanted))):
            raise _Skip("too steep for differences of the gradient")
        _close(d, wanted, "second order", 1e-5)

    def product(*args: Any) -> Any:
        return sum(np.sum(g * d) for g, d in zip(gradient(*args), direction))

    every = tuple(range(len(reference.args)))
    for d, wanted in zip(ad.grad(product, every)(*reference.fresh()), found):
        _close(d, wanted, "reverse over reverse", 1e-7)


STAGES: dict[str, Callable[[Any, Reference], None]] = {
    "printed": _printed,
    "forward": _forward,
    "grad": _grad,
    "grad without passes": _grad_without_passes,
    "vjp": _vjp,
    "vjp twice": _vjp_twice,
    "second order": _second_order,
}
FIRST_ORDER = tuple(STAGES)[:-1]
