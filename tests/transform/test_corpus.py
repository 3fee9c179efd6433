"""The corpus in both modes, optimised and not, against differences and each other.

Derivatives are taken from the graph as it was read (with nothing but dead code
removed) and from the optimised graph. What the compiler refuses is listed in
`tests/corpus/refused.txt` with the kind of the error: the test fails if something else
is refused, and if something listed works.

Run this file as a script to print the list as it is now.
"""

import copy
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from corpus import registry

from anadrome import tree
from anadrome.backends.python.compiled import compile_graph
from anadrome.driver.program import explain
from anadrome.errors import AnadromeError
from anadrome.frontend.program import read
from anadrome.optimize.passes import optimize
from anadrome.optimize.simplify.dead_code import remove_dead_code
from anadrome.transform.forward.walk import forward
from anadrome.transform.reverse.walk import reverse

PROGRAMS = registry.load()
REFUSED = Path(__file__).parents[1] / "corpus" / "refused.txt"
STAGES = ("read", "reverse", "forward", "second")


def load_refused() -> dict[tuple[str, str], str]:
    """The stages that are refused: (program, stage) and the kind of the error."""
    lines = REFUSED.read_text().splitlines() if REFUSED.exists() else []
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    return {(name, stage): kind for name, stage, kind in rows}


EXPECTED = load_refused()


class Refusal(Exception):
    """A stage of a program that the compiler refuses."""

    def __init__(self, stage: str, error: AnadromeError) -> None:
        super().__init__(f"{stage}: {error}")
        self.stage, self.error = stage, error


def refusing(stage: str, work: Any) -> Any:
    """The result of some work of the compiler, whose refusals are told apart."""
    try:
        return work()
    except AnadromeError as error:
        raise Refusal(stage, error) from error


def compiled(graph: Any, name: str) -> Any:
    """A graph as a function whose refusals point at the program."""
    function, source = compile_graph(graph, name)

    def run(*args: Any) -> Any:
        try:
            return function(*args)
        except AnadromeError as error:
            explain(error, source)
            raise

    return run


class Case:
    """One program with its arguments, a direction and a cotangent."""

    def __init__(self, program: registry.Program) -> None:
        self.program = program
        self.arguments = program.arguments(0)
        self.wrt = program.wrt
        self.rng = np.random.default_rng(7)
        self.value = program.function(*copy.deepcopy(self.arguments))
        self.cotangent = tree.fitted(
            np.asarray(self.value)[()],
            np.asarray(self.rng.uniform(0.5, 1.0, np.shape(self.value)))[()],
        )
        self.direction = tuple(self.random_like(self.arguments[k]) for k in self.wrt)
        self.read_again(remove_dead_code)

    def read_again(self, passes: Any) -> None:
        """A graph for one transformation: the rules it reads may change its types."""
        function, arguments = self.program.function, self.arguments
        self.read = refusing("read", lambda: read(function, arguments, {}))
        parameters = dict(self.read.arguments)
        self.sources = [parameters[k] for k in self.wrt]
        passes(self.read.graph)

    def random_like(self, value: Any) -> Any:
        new = [
            type_like(leaf, self.rng.normal(size=np.shape(leaf)))
            for leaf in tree.leaves(value)
        ]
        return tree.rebuild(value, new)

    def tangents(self) -> tuple:
        """The direction as the compiler takes it."""
        return tuple(
            tree.fitted(self.arguments[k], copy.deepcopy(d), for_integers=0.0)
            for k, d in zip(self.wrt, self.direction)
        )

    def given(self, arguments: tuple) -> list[Any]:
        """The arguments of a compiled program: what varies, then what is captured."""
        fresh = copy.deepcopy(arguments)
        captured = copy.deepcopy([c.read() for c in self.read.captures])
        return [fresh[k] for k, _ in self.read.arguments] + captured

    def moved(self, step: float) -> tuple:
        """The arguments, moved a step along the direction."""
        found = list(self.arguments)
        for k, d in zip(self.wrt, self.direction):
            old, by = tree.leaves(found[k]), tree.leaves(d)
            new = [type_like(x, x + step * v) for x, v in zip(old, by, strict=True)]
            found[k] = tree.rebuild(found[k], new)
        return tuple(found)


def type_like(x: Any, new: Any) -> Any:
    return new if isinstance(x, np.ndarray) else type(x)(new)


def pairing(a: Any, b: Any) -> float:
    """The sum of the products of the numbers of two values of one structure."""
    pairs = zip(tree.leaves(a), tree.leaves(b), strict=True)
    return float(sum(np.sum(np.asarray(x) * np.asarray(y)) for x, y in pairs))


def magnitude(a: Any, b: Any) -> float:
    pairs = zip(tree.leaves(a), tree.leaves(b), strict=True)
    return float(sum(np.sum(np.abs(np.asarray(x) * np.asarray(y))) for x, y in pairs))


def central_difference(at: Any, h: float) -> float:
    """A derivative at zero to fourth order in the step."""
    near, far = at(h) - at(-h), at(2 * h) - at(-2 * h)
    return (8 * near - far) / (12 * h)


def assert_slope(got: float, at: Any, scale: float) -> None:
    """The derivative agrees with differences for one of several steps."""
    errors = []
    for h in (2e-4, 1e-3, 3e-5):
        want = central_difference(at, h)
        errors.append(abs(got - want))
        if errors[-1] <= 1e-6 * max(abs(want), scale, 1e-2):
            return
    raise AssertionError(f"{got} differs from differences by {errors}")


def assert_unchanged(before: Any, after: Any) -> None:
    """The arguments are what they were."""
    for a, b in zip(tree.leaves(before), tree.leaves(after), strict=True):
        np.testing.assert_array_equal(a, b, err_msg="an argument was changed")


def check_reverse(case: Case, passes: Any) -> tuple[Any, Any]:
    """Cotangents of all arguments, which are left as they were."""

    def build() -> tuple[Any, Any]:
        made = reverse(
            case.read.graph, list(case.sources), "back", seeded=True, value=True
        )
        passes(made)
        return made, compiled(made, "back")

    graph, function = refusing("reverse", build)
    given = case.given(case.arguments)
    before = copy.deepcopy(given)
    value, gradient = refusing("reverse", lambda: function(*given, case.cotangent))
    assert_unchanged(before, given)
    np.testing.assert_allclose(value, case.value, rtol=1e-12, atol=1e-300)
    if len(case.wrt) == 1:
        gradient = (gradient,)
    fitted = tuple(
        tree.fitted(case.arguments[k], g) for k, g in zip(case.wrt, gradient)
    )
    return graph, (function, fitted)


def check_forward(case: Case, passes: Any) -> Any:
    """The tangent of the value, which agrees with differences."""

    def build() -> Any:
        made = forward(case.read.graph, list(case.sources), "push")
        passes(made)
        return compiled(made, "push")

    function = refusing("forward", build)
    given = case.given(case.arguments)
    before = copy.deepcopy(given)
    value, tangent = refusing("forward", lambda: function(*given, *case.tangents()))
    assert_unchanged(before, given)
    np.testing.assert_allclose(value, case.value, rtol=1e-12, atol=1e-300)
    return tree.fitted(case.value, tangent)


def check_second(case: Case, graph: Any, function: Any, passes: Any) -> None:
    """Forward over reverse agrees with differences of the gradient."""
    places = [case.read.graph.params.index(s) for s in case.sources]

    def build() -> Any:
        made = forward(graph, [graph.params[k] for k in places], "second")
        passes(made)
        return compiled(made, "second")

    hessian = refusing("second", build)
    _, (_, product) = refusing(
        "second",
        lambda: hessian(*case.given(case.arguments), case.cotangent, *case.tangents()),
    )

    def slope(step: float) -> float:
        moved = case.given(case.moved(step))
        return flat_dot(case, function(*moved, case.cotangent)[1])

    got = flat_dot(case, product)
    assert_slope(
        got,
        slope,
        abs(flat_dot(case, function(*case.given(case.arguments), case.cotangent)[1])),
    )


def fixed_weights(case: Case) -> list[Any]:
    """A direction for each argument, other than the moved one."""
    rng = np.random.default_rng(3)
    found = []
    for k in case.wrt:
        leaves = tree.leaves(case.arguments[k])
        new = [type_like(x, rng.uniform(0.5, 1.5, np.shape(x))) for x in leaves]
        found.append(tree.rebuild(case.arguments[k], new))
    return found


def flat_dot(case: Case, gradient: Any) -> float:
    """The pairing of a gradient with fixed weights."""
    found = (gradient,) if len(case.wrt) == 1 else gradient
    return sum(
        pairing(tree.fitted(case.arguments[k], g), weights)
        for k, g, weights in zip(case.wrt, found, fixed_weights(case), strict=True)
    )


def check(program: registry.Program) -> None:
    """Everything that is promised of one program; a refusal is raised as such."""
    case = Case(program)
    refused: list[Refusal] = []
    for passes in (remove_dead_code, optimize):
        pulled = pushed = None
        graph = function = None
        try:
            case.read_again(passes)
            pushed = check_forward(case, passes)
        except Refusal as refusal:
            refused.append(refusal)
        try:
            case.read_again(passes)
            graph, (function, pulled) = check_reverse(case, passes)
        except Refusal as refusal:
            refused.append(refusal)
        if pushed is not None:
            slope = pairing(case.cotangent, pushed)
            scale = magnitude(case.cotangent, pushed)
            assert_slope(
                slope,
                lambda h: pairing(
                    case.cotangent,
                    program.function(*copy.deepcopy(case.moved(h))),
                ),
                scale,
            )
            if pulled is not None:
                other = pairing(pulled, case.direction)
                bound = max(scale, magnitude(pulled, case.direction))
                assert abs(other - slope) <= 1e-12 * max(bound, 1e-3), (other, slope)
    if graph is not None and program.second_order:
        try:
            check_second(case, graph, function, optimize)
        except Refusal as refusal:
            refused.append(refusal)
    if refused:
        raise ExceptionGroup("refused", refused)


def refusals_of(program: registry.Program) -> dict[str, AnadromeError]:
    """The stages of a program that are refused, and why."""
    try:
        check(program)
    except Refusal as refusal:
        return {refusal.stage: refusal.error}
    except ExceptionGroup as group:
        return {r.stage: r.error for r in group.exceptions}  # type: ignore[attr-defined]
    return {}


@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_program(program: registry.Program) -> None:
    found = refusals_of(program)
    for stage in STAGES:
        expected = EXPECTED.get((program.name, stage))
        error = found.get(stage)
        if error is not None and type(error).__name__ != expected:
            raise error
        assert error is not None or expected is None, (
            f"{stage} works now: take '{program.name} {stage}' off {REFUSED.name}"
        )
        if error is not None:
            assert error.span is not None, f"{stage}: the error points nowhere"


REVERSED_TWICE = ("arrays", "branches", "functions", "loops", "networks", "numerics")


def check_twice(program: registry.Program) -> None:
    """Reverse over reverse agrees with differences of the gradient."""
    case = Case(program)
    case.read_again(optimize)
    once = reverse(
        case.read.graph, list(case.sources), "once", seeded=True, value=False
    )
    gradient = compiled(optimize(once), "once")
    places = [case.read.graph.params.index(s) for s in case.sources]
    made = reverse(
        once, [once.params[k] for k in places], "twice", seeded=True, value=False
    )
    function = compiled(optimize(made), "twice")
    seeds = tuple(
        tree.fitted(case.arguments[k], weights)
        for k, weights in zip(case.wrt, fixed_weights(case))
    )
    found = function(
        *case.given(case.arguments),
        case.cotangent,
        seeds[0] if len(seeds) == 1 else seeds,
    )
    parts = (found,) if len(seeds) == 1 else found
    got = sum(
        pairing(tree.fitted(case.arguments[k], part), d)
        for k, part, d in zip(case.wrt, parts, case.direction)
    )

    def slope(step: float) -> float:
        moved = case.given(case.moved(step))
        return flat_dot(case, gradient(*moved, case.cotangent))

    assert_slope(got, slope, 1.0)


@pytest.mark.parametrize(
    "program",
    [
        p
        for p in PROGRAMS
        if p.second_order
        and p.name.split(".")[0] in REVERSED_TWICE
        and not any(name == p.name for name, _ in EXPECTED)
    ],
    ids=str,
)
def test_reverse_over_reverse_is_right_or_refused(program: registry.Program) -> None:
    try:
        check_twice(program)
    except AnadromeError as error:
        assert error.span is not None, "the error points nowhere"  # noqa: PT017


def test_the_list_of_refusals_names_programs() -> None:
    names = {p.name for p in PROGRAMS}
    assert {name for name, _ in EXPECTED} <= names
    assert {stage for _, stage in EXPECTED} <= set(STAGES)


if __name__ == "__main__":
    for item in PROGRAMS:
        try:
            for where, why in refusals_of(item).items():
                print(item.name, where, type(why).__name__)
        except Exception as error:
            print(f"# {item.name}: {type(error).__name__}: {error}"[:160])
