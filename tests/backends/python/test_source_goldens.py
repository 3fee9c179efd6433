"""Printed derivatives, word for word, and the numbers that they return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from anadrome.backends.python.compiled import compile_graph
from anadrome.frontend.program import read
from anadrome.optimize.passes import PASSES, PLAIN, optimize
from anadrome.transform.reverse.walk import reverse


@dataclass
class Weights:
    input: np.ndarray
    state: np.ndarray
    bias: np.ndarray


def elman(p, xs, ys):
    h = np.zeros((xs.shape[1], p.state.shape[0]))
    loss = 0.0
    for t in range(len(xs)):
        h = np.tanh(xs[t] @ p.input + h @ p.state + p.bias)
        loss = loss + np.sum((h - ys[t]) ** 2)
    return loss


def scalar_loop(x):
    y = x
    for _ in range(100):
        y = np.sin(y) * 1.1 + 0.1 * y
    return y


def branches(x, limit):
    if x[0] > limit:
        y = x * x
    elif x[1] > limit:
        y = np.exp(x)
    else:
        y = -x
    return np.sum(y)


def stores(x):
    y = x * 2.0
    y[0] = y[1] * x[2]
    y[1:] += x[0]
    return np.sum(y**2)


def early_exit(x):
    s = 0.0
    for v in x:
        if s > 1.0:
            break
        s = s + v * v
    return s


def attention(q, k, v):
    s = q @ k.T / np.sqrt(q.shape[1])
    e = np.exp(s - np.max(s, axis=1, keepdims=True))
    w = e / np.sum(e, axis=1, keepdims=True)
    return np.sum((w @ v) ** 2)


def layers(p, x):
    h = x
    for _ in range(3):
        h = np.tanh(p["w"] @ h + p["b"])
    return np.sum(h)


def power(x, n):
    def raised(x, n):
        return 1.0 if n == 0 else x * raised(x, n - 1)

    return raised(x, n) * 2.0


_RNG = np.random.default_rng(0)


def _normal(*shape: int) -> Any:
    return _RNG.normal(size=shape)


PROGRAMS: dict[str, tuple[Any, tuple[Any, ...], tuple[int, ...]]] = {
    "elman": (
        elman,
        (Weights(_normal(3, 4), _normal(4, 4), _normal(4)), _normal(5, 2, 3), 0.1),
        (0,),
    ),
    "scalar_loop": (scalar_loop, (0.5,), (0,)),
    "branches": (branches, (_normal(3), 0.2), (0,)),
    "stores": (stores, (_normal(4),), (0,)),
    "early_exit": (early_exit, (_normal(6),), (0,)),
    "attention": (attention, (_normal(5, 3), _normal(6, 3), _normal(6, 2)), (0, 1, 2)),
    "layers": (layers, ({"w": _normal(3, 3), "b": _normal(3)}, _normal(3)), (0,)),
    "power": (power, (1.5, 4), (0,)),
}
PROGRAMS["elman"] = (
    elman,
    (*PROGRAMS["elman"][1][:2], _normal(5, 2, 4)),
    (0,),
)


def gradient(name: str, passes: Any) -> tuple[Any, str]:
    function, args, wrt = PROGRAMS[name]
    program = read(function, args, {})
    optimize(program.graph, passes, check=True)
    sources: list[Any] = [p for k, p in program.arguments if k in wrt]
    graph = reverse(program.graph, sources, "grad", seeded=False, value=False)
    optimize(graph, passes, check=True)
    compiled, source = compile_graph(graph, "grad")
    given = [args[k] for k, _ in program.arguments]
    return compiled(*given), source.text


def leaves(value: Any) -> list[Any]:
    if isinstance(value, Weights):
        value = vars(value)
    if isinstance(value, dict):
        value = tuple(value.values())
    if isinstance(value, tuple):
        return [leaf for v in value for leaf in leaves(v)]
    return [np.asarray(value)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_source(name, golden):
    golden(f"source/{name}", gradient(name, PASSES)[1])


@pytest.mark.parametrize("name", PROGRAMS)
def test_passes_keep_the_numbers(name):
    fast, plain = gradient(name, PASSES)[0], gradient(name, PLAIN)[0]
    assert len(leaves(fast)) == len(leaves(plain)) > 0
    for a, b in zip(leaves(fast), leaves(plain), strict=True):
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=1e-12)


@pytest.mark.parametrize("name", PROGRAMS)
def test_printing_is_deterministic(name):
    assert gradient(name, PASSES)[1] == gradient(name, PASSES)[1]


def test_gradients_belong_to_the_caller():
    x = np.arange(3.0)
    program = read(lambda x, y: np.sum(x * y) + np.sum(x), (x, x + 1), {})
    sources: list[Any] = [p for _, p in program.arguments]
    graph = reverse(program.graph, sources, "grad", seeded=False, value=False)
    optimize(graph, check=True)
    compiled, _ = compile_graph(graph, "grad")
    y = x + 1
    dx, dy = compiled(x, y)
    dx += 100.0
    dy += 100.0
    np.testing.assert_array_equal(x, np.arange(3.0))
    np.testing.assert_array_equal(y, np.arange(3.0) + 1)
