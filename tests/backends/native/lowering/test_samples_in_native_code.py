"""Primitives at their samples: native gradients are those of the Python backend.

Some of the samples are run with the other tests; all of them with `-m slow`.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from primitives.compiled_case import random_like
from primitives.test_compiled_rules import active_case, cases, exempt

from anadrome import tree
from anadrome.backends.native.speculation import NativeFunction
from anadrome.primitives.registry import Primitive, Sample

CASES = cases()


def check(made: Primitive, sample: Sample) -> None:
    """Compare the gradients of both backends."""
    case = active_case(made, sample)
    if case is None or exempt(made, "compiled"):
        return
    cotangent = random_like(np.random.default_rng(11), case.value)
    back, pull = case.pull()
    wanted = pull(case.active, cotangent)
    native = NativeFunction(back)
    found: Any = native(*copy.deepcopy(case.active), copy.deepcopy(cotangent))
    parts = (found,) if len(wanted) == 1 else found
    fitted = [tree.fitted(x, d) for x, d in zip(case.active, parts)]
    for f, w in zip(tree.leaves(fitted), tree.leaves(wanted), strict=True):
        assert np.asarray(f).dtype == np.asarray(w).dtype
        scale = 1.0 + np.max(np.abs(w), initial=0.0)
        np.testing.assert_allclose(f, w, rtol=1e-9, atol=1e-10 * scale)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("made", "sample"), CASES[7::29])
def test_some_samples(made: Primitive, sample: Sample) -> None:
    check(made, sample)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("made", "sample"), CASES)
def test_every_sample(made: Primitive, sample: Sample) -> None:
    check(made, sample)
