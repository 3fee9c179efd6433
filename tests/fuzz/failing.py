"""Random programs in which one statement fails when it runs, read or not.

Each is called with arguments that make it fail and with some that do not. What it
raises, and what it has changed of its arguments by then, are those of plain Python.
"""

import random

# Statements that fail for the bad arguments, and whether `t` is an array then.
STATEMENTS = [
    ("t = np.argmax(e)", 0),
    ("t = np.argmin(e, axis=0)", 0),
    ("t = np.max(e)", 0),
    ("t = (e * 2.0).min()", 0),
    ("t = np.argmax(e * s)", 0),
    ("t = x[k]", 0),
    ("t = x[-k]", 0),
    ("t = m[k]", 1),
    ("t = m[0, k]", 0),
    ("t = m[:, k]", 1),
    ("t = x[int(np.sum(e)) + k]", 0),
    ("t = x[np.array([0, k])]", 1),
    ("t = m[[0, k]]", 1),
    ("t = l[k]", 0),
    ("t = d[q]", 0),
    ("t = x + y", 1),
    ("t = np.sum(x * y)", 0),
    ("t = x @ y", 0),
    ("t = m.T @ y", 1),
    ("t = np.where(x > 0, x, y)", 1),
    ("t = x > y", 1),
    ("t = np.stack([x, y])", 1),
    ("t = np.hstack((m, y[:, None]))", 1),
    ("t = np.concatenate((m.T, y[None]))", 1),
    ("t = x.reshape(3, k)", 1),
    ("t = np.reshape(m, (k, 6))", 1),
    ("t = np.sum(m, axis=k)", 1),
    ("t = np.cumsum(m, axis=k)", 1),
    ("t = np.swapaxes(m, 0, k)", 1),
    ("t = np.expand_dims(x, k)", 1),
    ("t = np.transpose(m, (0, k))", 1),
    ("t = np.broadcast_to(y, (2, 3))", 1),
    ("t = np.take(x, k)", 0),
    ("t = np.zeros(2 - k)", 1),
    ("t = np.full(2 - k, 1.5)", 1),
    ("t = np.linspace(0.0, 1.0, 2 - k)", 1),
    ("t = np.einsum('i,i->', x, y)", 0),
    ("t = np.tensordot(x, y, 1)", 0),
    ("t = np.linalg.inv(np.eye(2) * z)", 1),
    ("t = np.linalg.cholesky(np.eye(2) * neg)", 1),
    ("t = 7 // z", 0),
    ("t = 7 % z", 0),
    ("t = s / float(z)", 0),
    ("t = float(z) ** -1", 0),
    ("t = math.sqrt(neg)", 0),
    ("t = math.log(neg * s * s)", 0),
    ("t = math.exp(1000.0 / (z + 0.1))", 0),
    ("t = int(np.log(neg))", 0),
    ("a, b, c = y; t = a", 0),
    ("a, b = m[:k + 1]; t = a", 1),
    ("t = l.index(k)", 0),
    ("t = l.pop(k)", 0),
    ("t = d.pop(q)", 0),
    ("del d[q]; t = 1.0", 0),
    ("t = max(x[k - 1:])", 0),
    ("t = min([v for v in x if v > k])", 0),
    ("assert k < 5; t = 1.0", 0),
    ("t = range(3)[k]", 0),
    ("t = (1.0, 2.0)[k]", 0),
    ("t = 1.0 if x[1:k + 1] else 2.0", 0),
    ("x[k] = 3.0; t = 1.0", 0),
    ("x[:] = y; t = 1.0", 0),
    ("x += y; t = 1.0", 0),
    ("l[k] = 3.0; t = 1.0", 0),
    ("w = np.zeros(3); w[:] = y; t = w", 1),
    ("w = [x[0], x[1]]; t = w[k]", 0),
    ("t = item(x, k)", 0),
    ("t = product(x, y)", 1),
    ("t = Box(x).at(k)", 0),
    ("t = sum(x[i] for i in range(k + 1))", 0),
    ("t = np.array([x[i] * s for i in range(k + 1)])", 1),
    ("t = np.clip(x, y, 9.0)", 1),
    ("t = m.shape[k]", 0),
    ("t = e[0]", 0),
]
STORES = [
    "x[0] = 5.0",
    "x[1] = s",
    "m[1] *= 2.0",
    "l.append(4.0)",
    "l[0] = 7.0",
    "d['n'] = 2.0",
    "d['a'] = s",
    "x *= 1.5",
    "m[0, 0] += s",
]
OTHERS = [
    "r = r + np.sum(x) * s",
    "r = r * 1.5",
    "u = np.tanh(x) * s; r = r + np.sum(u)",
    "r = r + l[0] * s",
    "u = x * 2.0",
    "v = [s, s * 2]; r = r + v[1]",
    "r = r + d['a'] * s",
]
HEADER = """import math
import numpy as np


def item(x, k):
    return x[k] * 2.0


def product(x, y):
    z = x * y
    return z


class Box:
    def __init__(self, v):
        self.v = v

    def at(self, k):
        return self.v[k]
"""


def arguments(bad):
    """Arguments for which the statements fail, or do not."""
    import numpy as np

    return [
        1.25,
        np.array([1.0, 2.0, 3.0]),
        np.arange(6.0).reshape(3, 2) + 1,
        np.zeros(0) if bad else np.array([1.0, 0.5, 2.0]),
        np.array([1.0, 2.0]) if bad else np.array([1.0, 2.0, 3.0]),
        [1.0, 2.0],
        {"a": 1.5, "b": 2.0},
        7 if bad else 1,
        0 if bad else 2,
        -1.0 if bad else 0.5,
        "zz" if bad else "a",
    ]


def indented(text):
    return "\n".join("    " + line for line in text.split("\n"))


def program(rng: random.Random, name: str) -> str:
    """The text of a random program."""
    statement, array = rng.choice(STATEMENTS)
    body = [rng.choice(STORES)] if rng.random() < 0.4 else []
    body.append(statement)
    if rng.random() < 0.4:
        body.append("r = r + np.sum(t) * s" if array else "r = r + t * s")
    if rng.random() < 0.4:
        body.append(rng.choice(STORES))
    inner = "\n".join(body)
    place = rng.random()
    if place < 0.2:
        inner = "if s > 0.0:\n" + indented(inner)
    elif place < 0.5:
        first = rng.choice(["r = r + s", rng.choice(STORES)])
        if rng.random() < 0.5:
            inner = "if j == 1:\n" + indented(inner)
        inner = "for j in range(3):\n" + indented(f"{first}\n{inner}")
    elif place < 0.6:
        inner = "j = 0\nwhile j < 2:\n    j += 1\n" + indented(inner)
    lines = [rng.choice(STORES + OTHERS * 2) for _ in range(rng.randint(0, 3))]
    lines.append(inner)
    lines += [rng.choice(STORES + OTHERS * 2) for _ in range(rng.randint(0, 3))]
    text = indented("\n".join(["r = s * 1.0", *lines, "return r"]))
    return f"\n\ndef {name}(s, x, m, e, y, l, d, k, z, neg, q):\n{text}\n"


def module(seed: int, count: int) -> str:
    """The text of a module of random programs, `f0` and so on."""
    rng = random.Random(seed)
    return HEADER + "".join(program(rng, f"f{k}") for k in range(count))
