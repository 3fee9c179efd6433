"""Every primitive at every sample, read, differentiated and run by the compiler."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from primitives.compiled_case import (
    CompiledCase,
    magnitude,
    pairing,
    random_like,
    slope_error,
)
from primitives.rule_checker import lower

from anadrome import tree
from anadrome.frontend import program  # noqa: F401  (reads the rules of NumPy)
from anadrome.primitives.numpy import rules  # noqa: F401
from anadrome.primitives.registry import Primitive, Sample, all_primitives

# (primitive, stage) -> why it is not checked.
EXCEPTIONS: dict[tuple[str, str], str] = {
    ("odeint", "second"): "the adjoint equation is solved by code that is not read",
    ("quad", "second"): "the derivative of an integral is integrated by SciPy",
    ("solve_ivp", "compiled"): "its result has parts that vary without a derivative; "
    "test_scipy_rules checks it in both modes",
    ("logm", "single"): "SciPy warns of the precision of the value itself",
}


def exempt(made: Primitive, stage: str) -> bool:
    """Whether something is not checked of a primitive."""
    return (made.name, stage) in EXCEPTIONS


def cases() -> list[Any]:
    """Every primitive with a derivative and every one of its samples."""
    found = []
    for made in sorted(all_primitives(), key=lambda p: p.name):
        if made.zero or made.refusal or not made.differentiable or made.custom:
            continue
        for k, sample in enumerate(made.samples()):
            found.append(pytest.param(made, sample, id=f"{made.name}-{k}"))
    return found


def active_case(made: Primitive, sample: Sample) -> CompiledCase | None:
    case = CompiledCase(made, sample)
    return case if case.active and tree.leaves(case.value) else None


@pytest.mark.parametrize(("made", "sample"), cases())
def test_compiled_derivatives(made: Primitive, sample: Sample) -> None:
    case = active_case(made, sample)
    if case is None or exempt(made, "compiled"):
        return
    rng = np.random.default_rng(11)
    tangents = [random_like(rng, x) for x in case.active]
    cotangent = random_like(rng, case.value)
    back, pull = case.pull()
    push = case.push()

    pulled = pull(case.active, cotangent)
    pushed = tree.fitted(case.value, push(case.active, tangents))
    forward, reverse = pairing(cotangent, pushed), pairing(pulled, tangents)
    bound = max(magnitude(cotangent, pushed), magnitude(pulled, tangents), 1e-6)
    coarsest = max(np.finfo(np.asarray(v).dtype).eps for v in tree.leaves(pushed))
    assert abs(forward - reverse) <= max(1e-9, 10 * coarsest) * bound

    if coarsest > 1e-12:
        return  # no precision left for differences

    def value_at(step: float) -> float:
        return pairing(cotangent, case.primal(*case.moved(tangents, step)))

    assert slope_error(forward, value_at) < 1e-6

    if exempt(made, "second"):
        return
    weights = [random_like(rng, x) for x in case.active]

    def gradient_at(step: float) -> float:
        return pairing(weights, pull(case.moved(tangents, step), cotangent))

    product = case.second(back)(case.active, cotangent, tangents)
    assert slope_error(pairing(weights, product), gradient_at) < 2e-6


@pytest.mark.parametrize(("made", "sample"), cases())
def test_compiled_derivatives_keep_single_precision(
    made: Primitive, sample: Sample
) -> None:
    lowered = Sample(
        tuple(lower(a) for a in sample.args),
        {k: lower(v) for k, v in sample.kwargs.items()},
    )
    if exempt(made, "compiled") or exempt(made, "single"):
        return
    case = active_case(made, lowered)
    if case is None:
        return
    single = (np.float32, np.complex64)
    if any(np.asarray(v).dtype not in single for v in tree.leaves(case.value)):
        return
    rng = np.random.default_rng(11)
    _, pull = case.pull()
    for x, d in zip(case.active, pull(case.active, random_like(rng, case.value))):
        for leaf, dleaf in zip(tree.leaves(x), tree.leaves(d), strict=True):
            if isinstance(leaf, np.ndarray):
                assert np.asarray(dleaf).dtype == leaf.dtype
    if all(isinstance(v, np.ndarray) for x in case.active for v in tree.leaves(x)):
        pushed = case.push()(case.active, [random_like(rng, x) for x in case.active])
        for leaf in tree.leaves(pushed):
            assert not isinstance(leaf, np.ndarray) or leaf.dtype in single
