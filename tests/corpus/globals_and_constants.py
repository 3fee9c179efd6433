"""Module-level arrays, numbers, tables and functions."""

import math

import numpy as np
from corpus.registry import program

SCALE = 1.7
WEIGHTS = np.array([0.5, -1.0, 2.0, 0.25])
BASIS = np.arange(12.0).reshape(3, 4) / 10 - 0.5
CONFIG = {"steps": 3, "rate": 0.2, "names": ["a", "b"], "init": np.ones(4) * 0.3}
STENCIL = (1.0, -2.0, 1.0)
COEFFICIENTS = [0.5, -0.3, 1.2]
VERBOSE = False
ACTIVATIONS = {"tanh": np.tanh, "square": lambda v: v * v}


def vector(rng):
    return (rng.normal(size=4),)


def damp(x):
    return x * SCALE * CONFIG["rate"]


@program(vector)
def global_number(x):
    return SCALE * (x**2).sum() + math.pi * x[0] + np.e


@program(vector)
def global_array(x):
    return WEIGHTS @ x + (BASIS @ np.sin(x)).prod()


@program(vector)
def global_array_in_loop(x):
    s = 0.0
    for row, w in zip(BASIS, WEIGHTS):
        s += np.tanh(row @ x) * w
    return s


@program(vector)
def global_dict(x):
    y = CONFIG["init"]
    for _ in range(CONFIG["steps"]):
        y = y - CONFIG["rate"] * (y - x) * y
    return y.sum() * len(CONFIG["names"])


@program(vector)
def global_tuple_and_list(x):
    a, b, c = STENCIL
    lap = a * x[:-2] + b * x[1:-1] + c * x[2:]
    p = 0.0
    for k in COEFFICIENTS:
        p = p * x[0] + k
    return (lap**2).sum() + p


@program(vector)
def global_flag(x):
    if VERBOSE:
        print(x)
    return x.prod() if not VERBOSE else x.sum()


@program(vector)
def global_function_reading_global(x):
    return (damp(x) * damp(x + 1.0)).sum()


@program(vector)
def global_table_of_functions(x):
    s = 0.0
    for name in sorted(ACTIVATIONS):
        s += ACTIVATIONS[name](x).sum() * x[0]
    return s


@program(vector)
def global_in_branch(x):
    if x[0] * SCALE > WEIGHTS[0]:
        return (x * WEIGHTS).sum() ** 2
    return SCALE * np.cos(x).sum()


@program(vector)
def global_in_closure(x):
    def f(i):
        return WEIGHTS[i] * x[i] ** 2 + SCALE

    return f(0) * f(2)


class Settings:
    RATE = 0.3
    TABLE = np.array([1.0, 0.5, 0.25, 0.125])

    def apply(self, x):
        return self.RATE * x * Settings.TABLE + WEIGHTS


@program(vector)
def class_constants_and_globals_in_method(x):
    return (Settings().apply(x) ** 2).sum() + Settings.RATE * x[0]


@program(vector, tags=["tricky"])
def local_shadows_global(x):
    SCALE = x[0] * x[1]
    WEIGHTS = x * SCALE
    return WEIGHTS.sum() * SCALE


@program(vector, tags=["tricky", "writes"])
def global_array_copied_then_written(x):
    w = WEIGHTS.copy()
    w[1] = x[0] * x[2]
    w += x
    return (w * WEIGHTS).sum() * w[1]


@program(vector, tags=["tricky"])
def argument_named_like_module(x):
    def f(math):
        return math * math

    return f(x[0]) + math.cos(x[1])
