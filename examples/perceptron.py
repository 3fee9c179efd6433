"""The perceptron: a line between two classes, moved when it is wrong.

Rosenblatt (1958). Its rule, w + y x for each example x that is on the wrong side, is a
step of gradient descent on max(0, -y w·x): the gradient of what the loss does not
flatten. The examples are separable, so there is an end (Novikoff, 1962).
"""

import numpy as np

import anadrome as ad


def loss(w, x, y):
    """How far an example (D,) of the class y, 1 or -1, is on the wrong side."""
    return np.maximum(0.0, -y * (w @ x))


def make_examples(seed=0):
    """A hundred points in the plane, a 1 behind each, and on which side they are."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, size=(100, 2))
    side = x @ [1.0, -2.0] + 0.3
    apart = np.abs(side) > 0.1
    return np.column_stack((x, np.ones(100)))[apart], np.sign(side)[apart]


def train(x, y, rounds=50):
    """The weights, and how many examples were wrong in each round."""
    w, wrong = np.array([0.1, 0.1, 0.1]), []
    gradient = ad.grad(loss)
    for _ in range(rounds):
        changes = 0
        for example, side in zip(x, y):
            step = gradient(w, example, side)
            if np.any(step != 0):
                w, changes = w - step, changes + 1
        wrong.append(changes)
        if changes == 0:
            break
    return w, wrong


if __name__ == "__main__":
    points, sides = make_examples()
    weights, mistakes = train(points, sides)
    for k, count in enumerate(mistakes):
        print(f"round {k}   {count:2} of {len(sides)} on the wrong side")
    print("the line is", weights.round(2), "and", [1.0, -2.0, 0.3], "made the data")
