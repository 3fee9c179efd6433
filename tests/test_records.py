"""Records are mapped alike by Python and by the compiler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import anadrome as ad
from anadrome import nn
from anadrome.records import arrays_of, fold_arrays, map_arrays


@dataclass(frozen=True)
class Inner:
    W: np.ndarray
    b: np.ndarray


class Pair(NamedTuple):
    left: np.ndarray
    right: np.ndarray


@dataclass(frozen=True)
class Outer:
    inner: Inner
    layers: tuple
    pair: Pair
    table: dict


def record(seed=0):
    rng = np.random.default_rng(seed)
    draw = lambda *shape: rng.normal(size=shape)  # noqa: E731
    return Outer(
        Inner(draw(2, 3), draw(3)),
        (Inner(draw(1, 2), draw(2)), draw(4)),
        Pair(draw(2), draw(3)),
        {"a": draw(2), "b": draw(2, 2)},
    )


def test_map_keeps_the_structure():
    doubled = map_arrays(lambda a, b: a + b, record(), record())
    assert isinstance(doubled.pair, Pair)
    assert list(doubled.table) == ["a", "b"]
    for found, a in zip(arrays_of(doubled), arrays_of(record()), strict=True):
        np.testing.assert_array_equal(found, 2 * a)


def test_records_that_differ_in_length_are_refused():
    with pytest.raises(ValueError, match="is shorter"):
        map_arrays(np.add, (np.ones(1), np.ones(1)), (np.ones(1),))


def squares(r):
    return fold_arrays(lambda total, a: total + np.sum(a * a), 0.0, r)


def test_the_gradient_of_a_fold():
    r = record()
    gradient = ad.grad(squares)(r)
    assert type(gradient) is Outer
    for found, a in zip(arrays_of(gradient), arrays_of(r), strict=True):
        np.testing.assert_allclose(found, 2 * a)


def after_one_step(r, rate):
    """The norm after a step of descent, whose gradient is taken inside."""
    moved, _ = nn.SGD(0.0).update(r, ad.grad(squares)(r), nn.SGD().start(r), rate)
    return squares(moved)


def test_the_gradient_of_a_step_of_an_optimizer():
    # Each number becomes (1 - 2 rate) times itself.
    rate, r = 0.1, record()
    dr, drate = ad.grad(after_one_step, (0, 1))(r, rate)
    total = squares(r)
    assert drate == pytest.approx(-4 * (1 - 2 * rate) * total)
    for found, a in zip(arrays_of(dr), arrays_of(r), strict=True):
        np.testing.assert_allclose(found, 2 * (1 - 2 * rate) ** 2 * a)


@pytest.mark.parametrize("optimizer", [nn.SGD(0.9), nn.Adam(), nn.Adadelta()])
def test_the_compiler_reads_updates(optimizer):
    r, g = record(), record(1)
    state = optimizer.start(r)
    direction = record(2)

    def moved(rate):
        new, _ = optimizer.update(r, g, state, rate)
        inner = map_arrays(lambda a, d: np.sum(a * d), new, direction)
        return fold_arrays(lambda total, a: total + a, 0.0, inner)

    slope = (moved(0.1 + 1e-6) - moved(0.1 - 1e-6)) / 2e-6
    assert ad.grad(moved)(0.1) == pytest.approx(slope, rel=1e-6)
