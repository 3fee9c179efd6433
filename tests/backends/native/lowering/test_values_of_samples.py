"""Primitives at their samples, by every name that they have: values in native code.

Some of the samples are run with the other tests; all of them with `-m slow`.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import anadrome as ad
from anadrome import tree
from anadrome.primitives.registry import Sample, all_primitives

# What these return is not the same twice, or no numbers.
_OTHERS = {"empty", "empty_like", "iinfo", "finfo"}


def cases() -> list[Any]:
    """Every name of a primitive, at every sample."""
    found = []
    for made in sorted(all_primitives(), key=lambda p: p.name):
        if made.custom or made.name in _OTHERS:
            continue
        for k, sample in enumerate(map(hashable, made.samples())):
            for target in made.targets:
                name = f"{made.name}-{getattr(target, '__name__', '')}-{k}"
                found.append(pytest.param(target, sample, id=name))
    return found


def hashable(sample: Sample) -> Sample:
    """A sample whose options are tuples rather than lists."""
    args = [
        tuple(tuple(i) if isinstance(i, list) else i for i in a)
        if isinstance(a, tuple)
        else a
        for a in sample.args
    ]
    return Sample(tuple(args), sample.kwargs)


def is_fixed(value: Any) -> bool:
    """Whether an argument is an option rather than a value to compute with."""
    if isinstance(value, tuple):
        return all(map(is_fixed, value))
    return not isinstance(
        value, np.ndarray | float | complex | np.number | list | slice
    )


def outcome(function: Any, sample: Sample) -> Any:
    """What a call returns, or the class of what it raises."""
    given = copy.deepcopy(sample)
    try:
        return function(*given.args, **given.kwargs)
    except ad.errors.AnadromeError:
        raise
    except Exception as error:
        return type(error)


def check(target: Any, sample: Sample) -> None:
    """Compare the value of a call with NumPy's or SciPy's."""

    def program(*given: Any, **options: Any) -> Any:
        return target(*given, **options)

    wanted = outcome(program, sample)
    fixed = [k for k, a in enumerate(sample.args) if is_fixed(a)]
    named = [k for k, a in sample.kwargs.items() if is_fixed(a)]
    native = ad.jit(program, static_argnums=fixed, static_argnames=named)
    found = outcome(native, sample)
    if isinstance(wanted, type):
        assert isinstance(found, type)
        return
    assert not isinstance(found, type), found
    pairs = zip(tree.leaves(found), tree.leaves(wanted), strict=True)
    for f, w in pairs:
        if not isinstance(w, np.ndarray | np.generic | float | complex | int):
            assert f == w
            continue
        assert np.asarray(f).dtype == np.asarray(w).dtype
        assert np.shape(f) == np.shape(w)
        rtol = 1e-5 if np.asarray(w).dtype == np.float32 else 1e-11
        np.testing.assert_allclose(f, w, rtol=rtol, atol=rtol)


CASES = cases()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("target", "sample"), CASES[3::11])
def test_some_values(target: Any, sample: Sample) -> None:
    check(target, sample)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("target", "sample"), CASES)
def test_every_value(target: Any, sample: Sample) -> None:
    check(target, sample)
