"""How far errors travel back."""

from __future__ import annotations

import numpy as np

import anadrome as ad
from anadrome.evaluate import compare_gradient_flow, gradient_flow
from anadrome.nn import Elman


def test_the_parts_of_all_steps_are_the_gradient():
    rng = np.random.default_rng(0)
    T, B, E, H = 5, 2, 3, 4
    W, U, b = rng.normal(size=(E, H)), rng.normal(size=(H, H)), np.zeros(H)
    x, error = rng.normal(size=(T, B, E)), rng.normal(size=(B, H))

    def loss(W):
        h = np.zeros((B, H))
        for t in range(T):
            h = np.tanh(x[t] @ W + b + h @ U)
        return np.sum(error * h)

    whole = ad.grad(loss)(W)
    flow = gradient_flow("RNN", Elman(W, U, b), x, error)
    assert flow.units.shape == (T, H)
    # With one step, its part is all of the gradient.
    last = gradient_flow("RNN", Elman(W, 0 * U, b), x, error)
    np.testing.assert_allclose(last.norms[:-1], 0, atol=1e-12)
    assert np.linalg.norm(whole) <= flow.norms.sum() + 1e-9


def test_errors_vanish_in_an_rnn_and_not_where_gates_are_open():
    simple, closed, _, wide = compare_gradient_flow(40, units=8, inputs=8, batch=4)
    share = [flow.norms[0] / flow.norms[-1] for flow in (simple, closed, wide)]
    assert share[0] < share[1] < 1e-6
    assert share[2] > 0.1
