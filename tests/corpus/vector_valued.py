"""Programs whose result is a small array: for Jacobians and vector products."""

from dataclasses import dataclass

import numpy as np
from corpus.registry import add, program

JACOBIAN = ["jacobian"]
WRITES = ["jacobian", "writes"]


def vector(rng):
    return (rng.normal(size=4),)


def matrix_and_vector(rng):
    return rng.normal(size=(3, 4)), rng.normal(size=4)


@program(vector, tags=JACOBIAN)
def elementwise(x):
    return np.sin(x) * x


@program(matrix_and_vector, tags=JACOBIAN)
def layer(a, x):
    return np.tanh(a @ x)


@program(vector, tags=JACOBIAN)
def softmax(x):
    e = np.exp(x - x.max())
    return e / e.sum()


@program(vector, tags=JACOBIAN)
def normalise_by_branch(x):
    n = np.sqrt((x**2).sum())
    if n > 2:
        return x / n
    return x * n


@program(vector, tags=JACOBIAN)
def scan_by_loop(x):
    out, h = [], 0.0
    for v in x:
        h = np.tanh(h + v)
        out.append(h)
    return np.array(out)


@program(vector, tags=WRITES)
def prefix_sum_in_place(x):
    y = x * x
    for i in range(1, 4):
        y[i] += y[i - 1]
    return y


@program(matrix_and_vector, tags=WRITES)
def matrix_filled_by_loop(a, x):
    out = np.zeros((3, 3))
    for i in range(3):
        for j in range(i + 1):
            out[i, j] = a[i] @ a[j] + x[j]
    return out


@program(lambda rng: (rng.normal(size=2),), tags=JACOBIAN)
def polar_to_cartesian(p):
    r, t = p
    return np.array([r * np.cos(t), r * np.sin(t)])


@program(lambda rng: (rng.normal(size=3), rng.uniform(0.5, 1.0)), tags=JACOBIAN)
def rk4_step(y, k):
    f = lambda s: np.array([s[1], -k * s[0], s[0] * s[2]])
    h = 0.1
    k1 = f(y)
    k2 = f(y + h / 2 * k1)
    k3 = f(y + h / 2 * k2)
    k4 = f(y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


@program(
    lambda rng: (rng.normal(size=(3, 3)) + 4 * np.eye(3), rng.normal(size=3)),
    tags=JACOBIAN,
)
def linear_solve(a, b):
    return np.linalg.solve(a, b)


@program(lambda rng: (rng.uniform(0.5, 1.5, size=2),), tags=JACOBIAN)
def newton_system(x):
    for _ in range(2):
        f = np.array([x[0] ** 2 + x[1] - 3.0, x[0] - x[1] ** 2 + 1.0])
        j = np.array([[2 * x[0], 1.0], [1.0, -2 * x[1]]])
        x = x - 0.5 * np.linalg.solve(j, f)
    return x


@dataclass
class Rotation:
    angle: float
    centre: np.ndarray

    def apply(self, p):
        c, s = np.cos(self.angle), np.sin(self.angle)
        return np.array([[c, -s], [s, c]]) @ (p - self.centre) + self.centre


@program(
    lambda rng: (Rotation(rng.normal(), rng.normal(size=2)), rng.normal(size=2)),
    tags=JACOBIAN,
)
def record_method(rotation, p):
    return rotation.apply(rotation.apply(p))


@program(lambda rng: (rng.normal(size=(2, 3)),), tags=JACOBIAN)
def transpose_result(a):
    return (a * a).T


@program(vector, tags=JACOBIAN)
def view_of_argument_as_result(x):
    return x[1:3]


@program(vector, tags=JACOBIAN)
def argument_as_result(x):
    return x


@program(vector, tags=JACOBIAN)
def some_components_are_constant(x):
    return np.array([x[0] * x[1], 2.0, x[3]])


add(
    "vector_valued.lambda_outer",
    lambda x: np.outer(x[:2], x[2:]),
    vector,
    tags=JACOBIAN,
)
