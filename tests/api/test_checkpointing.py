"""Checkpoints: the same derivatives from fewer values that are kept."""

import functools
import itertools

import numpy as np
import pytest

import anadrome as ad
from anadrome.api.checkpoint import split

X = np.array([0.3, -0.7, 1.2])
Y = np.array([1.5, 0.4, -0.8])
W = np.random.default_rng(0).normal(size=(3, 3)) * 0.7


def block(h, w):
    return 2.0 * np.tanh(w @ h)


def chain(step, h, w, n=5):
    for _ in range(n):
        h = step(h, w)
    return np.sum(h)


def assert_same(f, g, *args):
    """Two functions of X and W have the same derivatives of both orders."""
    for a, b in zip(ad.grad(f, (0, 1))(X, W, *args), ad.grad(g, (0, 1))(X, W, *args)):
        np.testing.assert_allclose(a, b)
    v = np.ones((3, 3))
    np.testing.assert_allclose(
        ad.hvp(f, 1)(X, W, *args, v), ad.hvp(g, 1)(X, W, *args, v)
    )

    def squared(h):
        return ad.grad(
            lambda x, w: np.sum(ad.grad(lambda x, w: h(x, w, *args))(x, w) ** 2), (0, 1)
        )(X, W)

    for a, b in zip(squared(f), squared(g)):
        np.testing.assert_allclose(a, b)
    np.testing.assert_allclose(
        ad.jvp(lambda x: f(x, W, *args), (X,), (Y,)),
        ad.jvp(lambda x: g(x, W, *args), (X,), (Y,)),
    )


def test_a_checkpointed_function_has_the_same_derivatives():
    step = ad.checkpoint(block)
    assert_same(lambda x, w: chain(step, x, w), lambda x, w: chain(block, x, w))
    np.testing.assert_allclose(step(X, W), block(X, W))


def test_checkpoints_of_closures_made_inside():
    def f(h, w):
        inner = ad.checkpoint(lambda h: np.tanh(w @ h))
        return np.sum(inner(inner(h)))

    assert_same(f, lambda h, w: np.sum(np.tanh(w @ np.tanh(w @ h))))


def test_checkpoints_among_stores():
    def f(step, h, w):
        y = step(h, w)
        y[0] = 3.0
        h[1] = 0.0
        y += h
        return np.sum(y**2)

    a = ad.grad(lambda h, w: f(ad.checkpoint(block), h, w), (0, 1))(X, W)
    b = ad.grad(lambda h, w: f(block, h, w), (0, 1))(X, W)
    for p, q in zip(a, b):
        np.testing.assert_allclose(p, q)


def test_stores_inside_a_checkpoint():
    def squares(h):
        z = np.zeros(3)
        for i in range(3):
            z[i] = h[i] ** 2
        return z

    step = ad.checkpoint(squares)
    np.testing.assert_allclose(ad.grad(lambda h: np.sum(step(step(h))))(X), 4 * X**3)


def test_a_checkpoint_that_changes_its_argument_is_refused():
    def store(h):
        h[0] = 1.0
        return h * 2.0

    with pytest.raises(ad.MutationError, match="captured value") as caught:
        ad.grad(lambda h: np.sum(ad.checkpoint(store)(h)))(X)
    assert caught.value.span is not None


# Loops ------------------------------------------------------------------------------


def looped(h, w, n):
    for t in range(n):
        h = np.tanh(w @ h) + 0.1 * t
    return np.sum(h)


@pytest.mark.parametrize("slots", [1, 2, 3, 10])
def test_checkpointed_loops(slots):
    def f(h, w, n):
        run = ad.checkpointed(lambda h, t: np.tanh(w @ h) + 0.1 * t, n, slots=slots)
        return np.sum(run(h))

    gradient, plain = ad.grad(f, (0, 1)), ad.grad(looped, (0, 1))
    for n in (0, 1, 2, 5, 23):
        for a, b in zip(gradient(X, W, n), plain(X, W, n)):
            np.testing.assert_allclose(a, b)
    assert_same(f, looped, 6)


def test_the_state_of_a_loop_may_be_a_tuple():
    def f(h, w):
        def step(state, t):
            h, total = state
            return np.tanh(w @ h), total + np.sum(h)

        return ad.checkpointed(step, 9, slots=2)((h, 0.0))[1]

    def g(h, w):
        total = 0.0
        for _ in range(9):
            h, total = np.tanh(w @ h), total + np.sum(h)
        return total

    assert_same(f, g)


def test_checkpointed_while_loops():
    def going(h, t):
        return np.sum(h * h) > 1e-3 and t < 40

    def f(h, w):
        run = ad.checkpointed_while(going, lambda h, t: 0.9 * np.tanh(w @ h), slots=3)
        return np.sum(run(h))

    def g(h, w):
        t = 0
        while going(h, t):
            h = 0.9 * np.tanh(w @ h)
            t += 1
        return np.sum(h)

    assert_same(f, g)


def test_loops_run_without_derivatives():
    assert ad.checkpointed(lambda s, t: 2 * s + t, 3, slots=2)(1.0) == 12.0
    assert (
        ad.checkpointed_while(lambda s, t: s < 50, lambda s, t: 2 * s, slots=2)(1) == 64
    )
    jacobian = ad.jacobian(ad.checkpointed(lambda s, t: s * 2.0, 5, slots=2))(X)
    np.testing.assert_allclose(jacobian, 32 * np.eye(3))


@pytest.mark.parametrize("slots", [0, -1])
def test_loops_without_checkpoints_are_refused(slots):
    with pytest.raises(ad.ArgumentError, match="at least one"):
        ad.grad(lambda s: ad.checkpointed(lambda s, t: s * 2.0, 5, slots=slots)(s))(1.0)


def test_loops_with_far_too_few_checkpoints_are_refused():
    with pytest.raises(ad.ArgumentError, match="more checkpoints"):
        ad.grad(lambda s: ad.checkpointed(lambda s, t: s * 1.0, 5000, slots=1)(s))(1.0)


# Schedules --------------------------------------------------------------------------


@functools.cache
def fewest(length, slots):
    """The fewest further evaluations for a loop, by dynamic programming."""
    if length <= 1:
        return 0
    if slots <= 1:
        return length * (length - 1) // 2
    return min(
        m + fewest(m, slots) + fewest(length - m, slots - 1) for m in range(1, length)
    )


def needed(length, slots):
    """The evaluations that the schedule really needs."""
    if length <= 1:
        return 0
    m = split(0, length, slots)
    return m + needed(m, slots) + needed(length - m, slots - 1)


def test_schedules_are_optimal():
    for length, slots in itertools.product(range(1, 70), range(1, 7)):
        assert needed(length, slots) == fewest(length, slots), (length, slots)


def computed(length, slots):
    """How often a step is computed: a piece of one step is not computed again."""
    start, total = 0, 0
    while start < length:
        middle = split(start, length, slots)
        size = middle - start
        total += size + (computed(size, slots) if size > 1 else 0)
        start, slots = middle, slots - 1
    return total


def test_steps_are_computed_as_often_as_the_schedule_says():
    calls = []

    @ad.primitive
    def noted(s):
        calls.append(float(s))
        return s * 1.5

    @noted.vjp
    def noted_vjp(z, s, *, dz):
        return 1.5 * dz

    gradient = ad.grad(
        lambda s, n: ad.checkpointed(lambda s, t: noted(s), n, slots=3)(s)
    )
    gradient(1.0, 1)
    for n in (2, 5, 10, 30):
        calls.clear()
        assert gradient(1.0, n) == pytest.approx(1.5**n)
        assert len(calls) == computed(n, 3) <= fewest(n, 3) + n


def state_changed_before(w):
    run = ad.checkpointed(lambda s, t: np.tanh(s * w + t), 4, 2)
    a = w.copy()
    a *= 2.0
    return np.sum(run(a))


def state_changed_before_a_while(w):
    run = ad.checkpointed_while(
        lambda s, t: t < 3, lambda s, t: np.tanh(s * w + t), slots=2
    )
    a = np.zeros(2)
    a[0] = w[1]
    return np.sum(run(a))


@pytest.mark.parametrize("native", [False, True])
@pytest.mark.parametrize("loss", [state_changed_before, state_changed_before_a_while])
def test_states_that_were_made_in_place(loss, native):
    w = np.array([0.25, 0.5])
    gradient = ad.jit(ad.grad(loss)) if native else ad.grad(loss)
    wanted = [(loss(w + s) - loss(w - s)) / 2e-6 for s in 1e-6 * np.eye(2)]
    np.testing.assert_allclose(gradient(w), wanted, rtol=1e-5)


def test_a_state_that_changes_afterwards_is_refused():
    def loss(w):
        a = w * 1.0
        y = ad.checkpointed(lambda s, t: np.tanh(s * w + t), 4, 2)(a)
        a *= 2.0
        return np.sum(y * a)

    with pytest.raises(ad.MutationError, match="a state of a checkpointed loop"):
        ad.grad(loss)(np.array([0.25, 0.5]))
