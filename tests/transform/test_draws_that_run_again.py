"""Random numbers in derivatives of functions that run again: the same ones, or none."""

import numpy as np
import pytest

import anadrome as ad


def drawn_in_a_loop(x):
    steps = []
    for k, v in enumerate(x):
        steps.append(v * (k + 1) * np.random.rand())
    if not steps:
        raise ValueError("empty")
    total = 0.0
    for s in steps:
        total = total * 0.5 + s**2
    return total


@pytest.mark.parametrize("native", [False, True])
def test_the_gradient_of_a_gradient_draws_what_the_gradient_drew(native):
    def inner(x):
        return np.sum(ad.grad(drawn_in_a_loop)(x))

    def at(h):
        np.random.seed(3)
        return inner(np.array([1.0, 2.0 + h]))

    outer = ad.jit(ad.grad(inner)) if native else ad.grad(inner)
    np.random.seed(3)
    found = outer(np.array([1.0, 2.0]))
    assert found[1] == pytest.approx((at(1e-4) - at(-1e-4)) / 2e-4, rel=1e-5)


shared = np.random.RandomState(0)

DRAWS = {
    "global": lambda x, rng: np.tanh(x * np.random.rand()),
    "captured": lambda x, rng: np.tanh(x * shared.normal(size=2)),
    "given": lambda x, rng: np.tanh(x * rng.random()),
    "unseeded": lambda x, rng: np.tanh(x * np.random.default_rng().random()),
}


@pytest.mark.parametrize("name", DRAWS)
def test_a_checkpointed_function_that_draws_is_refused(name):
    kept = ad.checkpoint(DRAWS[name])
    with pytest.raises(ad.NotDifferentiable, match="random numbers are drawn"):
        ad.grad(lambda x, rng: np.sum(kept(x, rng)))(
            np.ones(2), np.random.default_rng(0)
        )


def test_a_checkpointed_loop_that_draws_is_refused():
    run = ad.checkpointed(lambda s, t: np.tanh(s * np.random.rand()), 4, 2)
    with pytest.raises(ad.NotDifferentiable, match="random numbers are drawn"):
        ad.grad(run)(0.5)


def test_generators_made_from_a_seed_draw_the_same_again():
    @ad.checkpoint
    def seeded(x, seed):
        rs = np.random.RandomState(seed)
        rng = np.random.Generator(np.random.PCG64(seed + 1))
        return np.tanh(x * rs.rand() + rng.random())

    found = ad.grad(lambda x, seed: seeded(x, seed) ** 2)(0.5, 4)
    ahead, behind = (seeded(0.5 + h, 4) ** 2 for h in (1e-6, -1e-6))
    assert found == pytest.approx((ahead - behind) / 2e-6, rel=1e-6)


def noisy(x):
    return np.sum(x**2) * np.random.rand()


def spread(x):
    return np.tanh(x) * np.random.rand()


@pytest.mark.filterwarnings("ignore::anadrome.NotCompiled")
@pytest.mark.parametrize("native", [False, True])
def test_derivatives_that_run_a_function_again_and_again(native):
    run = ad.jit if native else lambda f: f
    x = np.ones(2)
    wanted = [
        (ad.jacfwd(spread), (x,)),
        (ad.hessian(noisy), (x,)),
        (ad.gauss_newton_product(spread), (x, x)),
        (ad.gradient_covariance_product(spread), (x, x)),
    ]
    for derivative, args in wanted:
        with pytest.raises(ad.NotDifferentiable, match="random numbers are drawn"):
            run(derivative)(*args)
    # One run is enough for all rows, or for a single column.
    found = run(ad.jacobian(spread))(x)
    assert found[0, 0] == found[1, 1] != 0.0
    assert run(ad.jacfwd(spread))(np.ones(1)).shape == (1, 1)
