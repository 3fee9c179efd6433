"""Gradients of hyper-parameters, through the training that uses them.

`final_loss` trains a small regression for thirty steps of gradient descent with
momentum; inside, it calls `ad.grad` itself. Its own gradient says how the step size,
the momentum and the weight decay should change so that training ends lower.
"""

import numpy as np

import anadrome as ad


def training_loss(w, x, y, decay):
    error = np.tanh(x @ w) - y
    return error @ error / len(y) + decay * (w @ w)


def final_loss(settings, x, y, held_x, held_y):
    """The loss on held-out data after training with the settings' exponentials."""
    rate, friction, decay = np.exp(settings)
    w = np.zeros(x.shape[1])
    velocity = np.zeros_like(w)
    for _ in range(30):
        velocity = velocity / (1.0 + friction) - rate * ad.grad(training_loss)(
            w, x, y, decay
        )
        w = w + velocity
    error = np.tanh(held_x @ w) - held_y
    return error @ error / len(held_y)


def tune(steps=25, seed=0):
    """The settings and losses of gradient descent on the settings."""
    rng = np.random.default_rng(seed)
    true = rng.normal(size=6)
    x, held_x = rng.normal(size=(20, 6)), rng.normal(size=(200, 6))
    y = np.tanh(x @ true) + 0.2 * rng.normal(size=20)
    held_y = np.tanh(held_x @ true)
    settings = np.log([0.02, 1.0, 0.001])
    improve = ad.value_and_grad(final_loss)
    found = []
    for _ in range(steps):
        value, gradient = improve(settings, x, y, held_x, held_y)
        found.append((value, np.exp(settings)))
        settings = settings - 0.3 * gradient / np.linalg.norm(gradient)
    return found


if __name__ == "__main__":
    for k, (value, (rate, friction, decay)) in enumerate(tune()):
        if k % 6 == 0:
            print(
                f"step {k:2}   held-out loss {value:.4f}   rate {rate:.3f}   "
                f"friction {friction:.3f}   decay {decay:.4f}"
            )
