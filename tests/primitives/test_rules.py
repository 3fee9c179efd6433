"""Every derivative rule, on every sample of its primitive, as plain NumPy."""

from __future__ import annotations

import numpy as np
import pytest
import rule_checker as check

from anadrome.primitives import numpy_rules, registry
from anadrome.primitives.registry import Primitive, Sample

OURS = {f"anadrome.primitives.{name}" for name in numpy_rules.MODULES}
PRIMITIVES = sorted(
    {p for p in registry._by_target.values() if p.__module__ in OURS},
    key=lambda p: p.name,
)
DIFFERENTIABLE = [p for p in PRIMITIVES if p.jvp_rule is not None]
CASES = [
    pytest.param(p, sample, id=f"{p.name}-{i}")
    for p in DIFFERENTIABLE
    for i, sample in enumerate(p.samples())
    if check.RuleCase(p, sample).active
]


@pytest.mark.parametrize(("made", "sample"), CASES)
def test_forward_rule_agrees_with_differences(made: Primitive, sample: Sample) -> None:
    check.check_forward(check.RuleCase(made, sample), np.random.default_rng(1))


@pytest.mark.parametrize(("made", "sample"), CASES)
def test_reverse_rule_is_the_transpose(made: Primitive, sample: Sample) -> None:
    check.check_transposed(check.RuleCase(made, sample), np.random.default_rng(2))


@pytest.mark.parametrize(("made", "sample"), CASES)
def test_single_precision_is_kept(made: Primitive, sample: Sample) -> None:
    case = check.RuleCase(made, sample, np.float32)
    check.check_single_precision(case, np.random.default_rng(3))


@pytest.mark.parametrize("made", PRIMITIVES, ids=lambda p: p.name)
def test_every_primitive_says_what_its_derivative_is(made: Primitive) -> None:
    has_rules = made.vjp_rule is not None and made.jvp_rule is not None
    assert has_rules + made.zero + (made.refusal is not None) == 1
    if made.refusal is None:
        assert made.samples(), "a primitive is tested on its samples"


@pytest.mark.parametrize("made", PRIMITIVES, ids=lambda p: p.name)
def test_every_sample_can_be_evaluated(made: Primitive) -> None:
    for sample in made.samples():
        made.signature.bind(*sample.args, **sample.kwargs)
        made.impl(*sample.args, **sample.kwargs)
