"""Persistent arrays: versions that share their rows, and derivatives through them."""

import tracemalloc

import numpy as np
import pytest

import anadrome as ad

ROWS = np.random.default_rng(0).normal(size=(3, 4))


def lattice(x, outer, inner):
    # Thesis, listing 13.8.
    r = np.zeros(x.shape[1])
    for _ in range(outer):
        x = ad.append(x, r)
        for _ in range(inner):
            y = np.add(x[-1], 1.0)
            x = ad.setitem(x, -1, y)
    return np.mean(x)


def mixed(x, outer, inner):
    r = np.tanh(x[0])
    for _ in range(outer):
        x = ad.append(x, r)
        for _ in range(inner):
            y = np.sin(x[-1]) * x[-2]
            x = ad.setitem(x, -1, y)
    return np.mean(x)


def test_old_versions_stay_as_they_were():
    rng = np.random.default_rng(1)
    array, rows = ad.PersistentArray(ROWS), [row.copy() for row in ROWS]
    versions = []
    for k in range(1500):
        row = rng.normal(size=4)
        array = array.append(row)
        rows.append(row)
        if k % 3 == 0:
            place = int(rng.integers(len(rows)))
            array = array.setitem(place, 2 * row)
            rows[place] = 2 * row
        if k % 100 == 0:
            versions.append((array, np.array(rows)))
    for version, wanted in versions:
        np.testing.assert_array_equal(np.asarray(version), wanted)
        np.testing.assert_array_equal(list(version), wanted)
        np.testing.assert_array_equal(version[-1], wanted[-1])
        np.testing.assert_array_equal(version[2:5], wanted[2:5])
        assert version.shape == wanted.shape
        assert len(version) == len(wanted)


def test_rows_are_copied_in_and_not_writable():
    row = np.ones(4)
    array = ad.PersistentArray(ROWS).append(row)
    row[:] = 0.0
    np.testing.assert_array_equal(array[-1], np.ones(4))
    with pytest.raises(ValueError, match="read-only"):
        array[-1][0] = 2.0


def test_numbers_as_rows():
    array = ad.PersistentArray([1.0, 2.0]).append(3.0).setitem(0, 5.0)
    np.testing.assert_array_equal(np.asarray(array), [5.0, 2.0, 3.0])
    assert ad.grad(lambda x: np.sum(ad.append(x, x[0] ** 2)))(array)[0] == 11.0


def test_wrong_rows_and_places_are_refused():
    array = ad.PersistentArray(ROWS)
    with pytest.raises(ad.ShapeMismatch):
        array.append(np.ones(3))
    with pytest.raises(ad.ShapeMismatch):
        ad.PersistentArray(1.0)
    with pytest.raises(IndexError):
        array.setitem(3, np.ones(4))
    with pytest.raises(IndexError):
        array[-4]


def test_ordinary_arrays_are_copied():
    before = ROWS.copy()
    np.testing.assert_array_equal(ad.append(ROWS, ROWS[0])[-1], ROWS[0])
    np.testing.assert_array_equal(ad.setitem(ROWS, 1, 0.0)[1], np.zeros(4))
    np.testing.assert_array_equal(ROWS, before)


@pytest.mark.parametrize("f", [lattice, mixed])
def test_derivatives_are_those_of_ordinary_arrays(f):
    array = ad.PersistentArray(ROWS)
    assert f(array, 5, 3) == pytest.approx(f(ROWS, 5, 3))
    found = ad.grad(f)(array, 5, 3)
    assert isinstance(found, ad.PersistentArray)
    np.testing.assert_allclose(np.asarray(found), ad.grad(f)(ROWS, 5, 3))
    np.testing.assert_allclose(
        ad.jvp(lambda x: f(x, 5, 3), (array,), (array,)),
        ad.jvp(lambda x: f(x, 5, 3), (ROWS,), (ROWS,)),
    )
    np.testing.assert_allclose(
        np.asarray(ad.hvp(f)(array, 5, 3, array)),
        ad.hvp(f)(ROWS, 5, 3, ROWS),
        atol=1e-15,
    )


def test_persistent_arrays_made_inside():
    def f(a):
        x = ad.PersistentArray(a)
        x = x.append(a[0] * 2).setitem(0, a[1])
        total = 0.0
        for row in x:
            total = total + np.sum(row**2) * len(x)
        return total + x.shape[0] + np.sum(x[1:3])

    def g(a):
        rows = [a[1], a[1], a[0] * 2]
        squares = sum([np.sum(r**2) for r in rows])
        return 3 * squares + 3 + np.sum(a[1] + a[0] * 2)

    a = ROWS[:2]
    assert f(a) == pytest.approx(g(a))
    np.testing.assert_allclose(ad.grad(f)(a), ad.grad(g)(a))


def test_memory_grows_linearly_with_the_number_of_rows():
    gradient = ad.grad(lattice)
    start = ad.PersistentArray(np.zeros((1, 500)))
    gradient(start, 3, 5)
    peaks = []
    for outer in (40, 160):
        tracemalloc.start()
        gradient(start, outer, 5)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 6 * peaks[0]
