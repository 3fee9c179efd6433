"""Where was it hot? The start of a heat equation from its end.

The rod is one array that every step changes in place, as a simulator in NumPy is
written. The gradient runs the steps backwards, in place as well.
"""

import numpy as np
from scipy.optimize import minimize

import anadrome as ad


def cool(start, steps):
    """The temperatures after so many steps; the ends are kept at zero."""
    rod = start.copy()
    for _ in range(steps):
        rod[1:-1] += 0.4 * (rod[2:] - 2.0 * rod[1:-1] + rod[:-2])
        rod[0] = 0.0
        rod[-1] = 0.0
    return rod


def misfit(start, measured, steps):
    difference = cool(start, steps) - measured
    return difference @ difference + 1e-8 * np.sum(np.diff(start) ** 2)


def recover(size=41, steps=8):
    """The true start and the one found from the end."""
    x = np.linspace(0.0, 1.0, size)
    true = np.exp(-(((x - 0.3) / 0.06) ** 2)) + 0.7 * np.exp(-(((x - 0.7) / 0.1) ** 2))
    measured = cool(true, steps)
    found = minimize(
        ad.value_and_grad(misfit),
        np.zeros(size),
        (measured, steps),
        method="L-BFGS-B",
        jac=True,
        options={"maxiter": 400},
    )
    return true, measured, found.x


def draw(values):
    """A line of characters, the taller the warmer."""
    bars = " ▁▂▃▄▅▆▇█"
    heights = np.clip(np.round(values * 8 / 1.1), 0, 8).astype(int)
    return "".join(bars[h] for h in heights)


if __name__ == "__main__":
    true, measured, found = recover()
    print("start    ", draw(true))
    print("measured ", draw(measured))
    print("recovered", draw(found))
    print(f"largest error {np.max(np.abs(found - true)):.3f}")
