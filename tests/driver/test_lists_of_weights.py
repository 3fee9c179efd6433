"""Lists of weights as arguments of native code: read item by item, and still lists."""

import copy

import numpy as np
import pytest

import anadrome as ad
from anadrome.backends.native.emission import codegen
from anadrome.errors import MutationError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(2, 4))


def weights(count):
    return [(RNG.normal(size=(4, 4)), RNG.normal(size=4)) for _ in range(count)]


def layers(params, x):
    h = x
    for w, b in params:
        h = np.tanh(h @ w + b)
    return np.sum(h)


def all_but_the_last(params, x):
    h = x
    for w, b in params[:-1]:
        h = np.tanh(h @ w + b)
    v, c = params[-1]
    return np.sum(h @ v + c)


def counted(params, x):
    h = x
    for k in range(len(params)):
        w, b = params[k]
        h = np.tanh(h @ w + b)
        if k == 1:
            break
    return np.sum(h)


def numbered(params, x):
    h = x
    for k, (w, b) in enumerate(params):
        h = h @ w + b
        if k < len(params) - 1:
            h = np.maximum(h, 0)
    return np.sum(h) + sum(np.sum(w**2) for w, _ in params)


def backwards(params, x):
    total = 0.0
    for w, b in reversed(params):
        total = total * 2 + np.sum(w) + b[0]
    return total * x[0, 0]


LOSSES = [layers, all_but_the_last, counted, numbered, backwards]


def identity(params, x):
    return params


def first_two(params, x):
    return params[:2]


def both(params, x):
    return params + params


def again(params, x):
    return [p for p in params]  # noqa: C416


def kinds(params, x):
    return isinstance(params, list), isinstance(params, tuple), type(params) is list


def longer(params, x):
    params.append((x, x[0]))
    return len(params)


def changed(params, x):
    params[0] = (x, x[0])
    return params


def changed_inside(params, x):
    params[0][0][:] = 1.0
    return np.sum(params[0][0])


def scaled(params, x):
    return [(w * 2, b * 2) for w, b in params]


def step(params, x):
    g = ad.grad(layers)(params, x)
    return [(w - 0.1 * dw, b - 0.1 * db) for (w, b), (dw, db) in zip(params, g)]


def both_results(params, x):
    return ad.value_and_grad(layers)(params, x)


def in_a_table(params, x):
    return {"gradient": ad.grad(layers)(params, x), "weights": params}


def tree(t):
    if isinstance(t, list):
        return sum(tree(i) for i in t)
    if isinstance(t, tuple):
        return sum(tree(i) for i in t) * 2
    return np.sum(t**2)


def recursive(params, x):
    return tree(params)


def made_anew(params, x):
    found = params
    for _ in range(3):
        found = [(w * 0.5, b) for w, b in found]
    return found


OTHERS = [
    *(identity, first_two, both, again, kinds, longer, changed, changed_inside),
    *(scaled, step, both_results, in_a_table, recursive, made_anew),
]


def check(found, wanted):
    assert type(found) is type(wanted)
    if isinstance(wanted, list | tuple):
        assert len(found) == len(wanted)
        for a, b in zip(found, wanted):
            check(a, b)
    elif isinstance(wanted, dict):
        assert found.keys() == wanted.keys()
        for key in wanted:
            check(found[key], wanted[key])
    else:
        np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("count", [1, 3, 5, 12])
@pytest.mark.parametrize("f", [*LOSSES, *OTHERS], ids=lambda f: f.__name__)
def test_values(f, count):
    params = weights(count)
    theirs, ours = copy.deepcopy(params), copy.deepcopy(params)
    check(ad.jit(f)(ours, X), f(theirs, X))
    check(ours, theirs)


@pytest.mark.parametrize("argnums", [0, (0,), (1, 0)], ids=str)
@pytest.mark.parametrize("kind", [ad.grad, ad.value_and_grad])
@pytest.mark.parametrize("f", LOSSES, ids=lambda f: f.__name__)
def test_gradients(f, kind, argnums):
    derivative = kind(f, argnums)
    for count in (2, 3):
        params = weights(count)
        check(ad.jit(derivative)(params, X), derivative(params, X))


def test_another_number_of_layers():
    run, gradient = ad.jit(layers), ad.jit(ad.grad(layers))
    for count in (3, 2, 4, 3, 9, 20):
        params = weights(count)
        check(run(params, X), layers(params, X))
        check(gradient(params, X), ad.grad(layers)(params, X))


def test_weights_of_different_ranks():
    def f(params, x):
        w, b, v, c = params
        return np.sum(np.tanh(x @ w + b) @ v + c)

    params = [*weights(1)[0], *weights(1)[0]]
    check(ad.jit(ad.grad(f))(params, X), ad.grad(f)(params, X))


def cleared(params, x):
    before = np.sum(x)
    for w, _ in params:
        w[:] = 0.0
    return before + np.sum(x) + np.sum(x * x)


def test_weights_that_share_memory_with_another_argument():
    params = weights(2)
    with pytest.raises(MutationError):
        ad.jit(cleared)(params, params[1][0])
    check(ad.jit(cleared)(weights(2), X), 2 * np.sum(X) + np.sum(X * X))


def by_name(table, x):
    h = x
    for k in range(3):
        h = np.tanh(h @ table[f"w{k}"] + table["b" + str(k)])
    return np.sum(h)


def picked(params, x):
    h = x
    for k in range(3):
        h = np.tanh(h @ params[k][0] + params[k][1])
    return np.sum(h)


def test_loops_that_pick_are_written_out(monkeypatch):
    params = weights(3)
    table = {f"{n}{k}": v for k, p in enumerate(params) for n, v in zip("wb", p)}
    check(ad.jit(ad.grad(by_name))(table, X), ad.grad(by_name)(table, X))

    def refuse(e, node):
        raise AssertionError(f"Python does {node.op.name}")

    wanted = ad.grad(picked)(tuple(params), X)
    monkeypatch.setattr(codegen, "perform", refuse)
    check(ad.jit(ad.grad(picked))(tuple(params), X), wanted)
    check(ad.jit(layers)(tuple(params), X), layers(params, X))
