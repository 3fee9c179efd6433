"""Truncated backpropagation through time: long sequences in short windows.

The state goes on from window to window, the gradient does not: `ad.stop_gradient` says
where it ends. Beside it, clipping inside of the backward pass: `ad.insert_grad_of` puts
a statement of yours where the gradient of a state has just been made.
"""

import numpy as np

import anadrome as ad

H = 24


def read(w, h, xs):
    """The squared errors of a window, and the state behind it."""
    h = ad.stop_gradient(h)
    total = 0.0
    for t in range(len(xs) - 1):
        h = np.tanh(w["W"] @ h + w["u"] * xs[t])
        with ad.insert_grad_of(h) as dh:
            dh = np.clip(dh, -0.1, 0.1)
        total += (w["v"] @ h - xs[t + 1]) ** 2
    return total / (len(xs) - 1), h


def train(window=20, passes=12, rate=0.05, seed=0):
    """The mean errors of every pass over one long wave."""
    rng = np.random.default_rng(seed)
    w = {
        "W": 0.9 * np.linalg.qr(rng.normal(size=(H, H)))[0],
        "u": rng.normal(size=H),
        "v": rng.normal(size=H) / H,
    }
    wave = np.sin(0.3 * np.arange(401)) * np.cos(0.011 * np.arange(401))
    step = ad.value_and_grad(read, has_aux=True)
    errors = []
    for _ in range(passes):
        h, sums = np.zeros(H), []
        for start in range(0, len(wave) - 1, window):
            (error, h), g = step(w, h, wave[start : start + window + 1])
            w = {name: w[name] - rate * g[name] for name in w}
            sums.append(error)
        errors.append(float(np.mean(sums)))
    return errors


if __name__ == "__main__":
    errors = train()
    for k in (0, 3, len(errors) - 1):
        print(f"pass {k + 1:2}: mean squared error {errors[k]:.4f}")
    gradient = ad.grad(lambda w, h, xs: read(w, h, xs)[0], 1)
    w = {"W": np.eye(H), "u": np.ones(H), "v": np.ones(H)}
    left = gradient(w, np.ones(H), np.ones(5))
    print("gradient by the state that a window begins with:", np.abs(left).max())
