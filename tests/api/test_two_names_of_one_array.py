"""`x op= y` where only the run shows whether `x` is a number or an array.

NumPy changes an array in place, so that every other name of it sees the change, and
replaces a number. What we compute must be the same, or be refused at the user's line.
"""

import numpy as np
import pytest

import anadrome as ad

MATRIX = np.arange(6.0).reshape(2, 3)


def returned_under_the_old_name(m, s):
    v = 0.0
    for e in m:
        v = v + e
    w = v
    v -= s
    return w


def returned_under_both_names(m, s):
    v = 0.0
    for e in m:
        v = v + e
    w = v
    v *= s
    return w + 2.0 * v


def changed_in_a_loop(m, s):
    v = 0.0
    for e in m:
        v = v + e
    w = v
    for _ in range(2):
        v -= s
    return w


def changed_after_a_branch(m, s):
    v = 0.0 if s > 5 else m[0] + 0.0
    w = v
    v += s
    return w


def number_after_a_branch(m, s):
    v = s if s > 0 else m[0] + 0.0
    w = v
    v += 1.0
    return w


def changed_and_read_under_two_names(m, s):
    v = 0.0
    for e in m:
        v += e
    for i in range(1, 2):
        w = v
        v -= np.array([w[i], s, s])
    return w


@pytest.mark.parametrize("compiled", [ad.jit, lambda f: f], ids=["native", "python"])
@pytest.mark.parametrize(
    "program",
    [
        returned_under_the_old_name,
        returned_under_both_names,
        changed_in_a_loop,
        changed_after_a_branch,
        number_after_a_branch,
    ],
    ids=lambda f: f.__name__,
)
def test_every_name_sees_the_change(program, compiled):
    def loss(m, s):
        return np.sum(np.asarray(program(m, s)) ** 2)

    value, (dm, ds) = compiled(ad.value_and_grad(loss, (0, 1)))(MATRIX, 1.5)
    step = 1e-6
    assert value == pytest.approx(loss(MATRIX, 1.5), rel=1e-12)
    numeric = (loss(MATRIX, 1.5 + step) - loss(MATRIX, 1.5 - step)) / (2 * step)
    assert ds == pytest.approx(numeric, rel=1e-6, abs=1e-6)
    for at in np.ndindex(MATRIX.shape):
        up, down = MATRIX.copy(), MATRIX.copy()
        up[at] += step
        down[at] -= step
        numeric = (loss(up, 1.5) - loss(down, 1.5)) / (2 * step)
        assert dm[at] == pytest.approx(numeric, rel=1e-6, abs=1e-6)
    np.testing.assert_array_equal(ad.jit(program)(MATRIX, 1.5), program(MATRIX, 1.5))


def test_what_cannot_be_followed_is_refused():
    # Where the number is known to become an array, it can be followed.
    found = ad.jit(changed_and_read_under_two_names)(MATRIX, 1.5)
    np.testing.assert_array_equal(found, changed_and_read_under_two_names(MATRIX, 1.5))

    def loss(m, s):
        return np.sum(changed_and_read_under_two_names(m, s))

    with pytest.raises(ad.MutationError, match="for e in m"):
        ad.grad(loss)(MATRIX, 1.5)


def test_a_cotangent_without_axes_that_is_a_view_is_not_added_to_in_place():
    def program(x, y, s):
        moved = x - s
        return np.sum(np.append(y, s)) + np.sum(moved**2)

    gradient = ad.grad(program, (0, 1, 2))
    x, y = np.arange(3.0), np.ones(4)
    dx, dy, ds = gradient(x, y, 1.5)
    np.testing.assert_allclose(dx, 2.0 * (x - 1.5))
    np.testing.assert_allclose(dy, np.ones(4))
    assert ds == pytest.approx(1.0 - np.sum(2.0 * (x - 1.5)))


def changed_first(x, y):
    x[0] = 5.0 * y[1]
    return np.sum(y * y)


def gradient_inside(x):
    return np.sum(ad.grad(changed_first, 1)(x, x[::-1]))


def gradient_of_two(x, y):
    return np.sum(ad.grad(changed_first, 1)(x, y))


@pytest.mark.parametrize(
    "derivative",
    [
        ad.grad(changed_first, 1),
        ad.jit(ad.grad(changed_first, 1)),
        ad.jit(gradient_of_two),
        ad.grad(gradient_of_two),
        ad.jit(ad.grad(gradient_of_two)),
        lambda x, y: ad.jit(gradient_inside)(x),
        lambda x, y: ad.grad(gradient_inside)(x),
        lambda x, y: ad.jvp(changed_first, (x, y), (np.ones(3), np.ones(3))),
        lambda x, y: ad.vjp(changed_first, x, y),
    ],
)
def test_arguments_that_share_memory_are_refused_in_every_mode(derivative):
    x = np.array([1.0, 2.0, 3.0])
    with pytest.raises(ad.MutationError, match="two arguments"):
        derivative(x, x[::-1])
