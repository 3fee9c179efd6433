"""The parameters of foxes and rabbits, from noisy counts of both.

The Lotka-Volterra equations are solved by a Runge-Kutta loop, and SciPy's optimiser is
given the gradient of the misfit through that loop.
"""

import numpy as np
from scipy.optimize import minimize

import anadrome as ad


def growth(state, rates):
    rabbits, foxes = state
    births, hunting, feeding, deaths = rates
    return np.array(
        [
            births * rabbits - hunting * rabbits * foxes,
            feeding * rabbits * foxes - deaths * foxes,
        ]
    )


def simulate(rates, start, steps, h):
    """The states at every step, by the classical method of fourth order."""
    states = [start]
    state = start
    for _ in range(steps):
        k1 = growth(state, rates)
        k2 = growth(state + 0.5 * h * k1, rates)
        k3 = growth(state + 0.5 * h * k2, rates)
        k4 = growth(state + h * k3, rates)
        state = state + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        states.append(state)
    return np.array(states)


def misfit(log_rates, counts, h):
    """Half the squared distance of the logarithms, summed."""
    states = simulate(np.exp(log_rates), counts[0], len(counts) - 1, h)
    return 0.5 * np.sum((np.log(states) - np.log(counts)) ** 2)


def fit(seed=0):
    """The true rates and the fitted ones, and how many gradients it took."""
    rng = np.random.default_rng(seed)
    true = np.array([1.0, 0.4, 0.2, 0.7])
    counts = simulate(true, np.array([4.0, 2.0]), 80, 0.1)
    counts[1:] *= np.exp(0.02 * rng.normal(size=counts[1:].shape))
    value_and_gradient = ad.value_and_grad(misfit)
    guess = np.log([0.8, 0.3, 0.3, 0.5])
    found = minimize(value_and_gradient, guess, (counts, 0.1), method="BFGS", jac=True)
    return true, np.exp(found.x), found.njev


if __name__ == "__main__":
    true, found, calls = fit()
    for name, a, b in zip(("births", "hunting", "feeding", "deaths"), true, found):
        print(f"{name:8} true {a:.3f}   found {b:.3f}")
    print(f"{calls} gradients")
