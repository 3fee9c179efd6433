"""The multiscale LSTM against its equations, an LSTM, and all strings there are."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest

import anadrome as ad
from anadrome.models import find_model
from anadrome.models.multiscale import Config
from anadrome.models.multiscale_reading import read, sample
from anadrome.nn import arrays_of, layer_norm, map_arrays, sigmoid
from anadrome.random import key
from anadrome.text import EOS, Rows, TextSizes
from anadrome.text.lattice import lattices
from anadrome.text.matcher import Matcher

MODEL, RNN = find_model("lm", "multiscale"), find_model("lm", "rnn")
SYMBOLS = 6  # four special ones, a and b
LONGER = [(4, 5), (5, 4), (4, 5, 4), (5, 5), (4, 4, 4, 5)]
MATCHER = Matcher(SYMBOLS, LONGER)
SIZES = TextSizes(SYMBOLS + len(LONGER), 4)


def make(norm=True, dtype=np.float64, sizes=SIZES, hidden=5, **options):
    config = Config(embedding=3, hidden=hidden, layer_norm=norm, **options)
    params = MODEL.make_params(config, key(5), sizes)
    rng = np.random.default_rng(1)  # weights far from 0, so that much happens
    params = map_arrays(lambda a: a + 0.4 * rng.normal(size=a.shape), params)
    return config, map_arrays(lambda a: a.astype(dtype), params)


def text(seed=0, length=17):
    return np.random.default_rng(seed).integers(4, 6, length)


def rows_of(numbers, rows, matcher=MATCHER):
    return Rows(numbers, rows, functools.partial(lattices, matcher))


def scores(params, config, numbers, rows, length):
    read_ = rows_of(numbers, rows)
    carried = MODEL.carry(params, read_.rows, config, SIZES)
    parts = []
    for window in read_.windows(length):
        found, carried = MODEL.score(params, window, config, carried)
        parts.append(found)
    return np.concatenate(parts).T.reshape(-1)[: read_.count]


def spelling(token):
    return (token,) if token < SYMBOLS else LONGER[token - SYMBOLS]


def direct_recur(cell, h):
    u = h @ cell.U
    H = len(h)
    if hasattr(cell, "states"):
        return layer_norm(cell.states, u)
    if hasattr(cell, "gate_states"):
        gates = layer_norm(cell.gate_states, u[: 2 * H])
        return np.concatenate((gates, layer_norm(cell.candidate_states, u[2 * H :])))
    return u + cell.d if hasattr(cell, "d") else u


def direct_memory(config, x, u, c):
    if config.cell == "gru":
        r, z = np.split(sigmoid(x + u)[: 2 * len(c)], 2)
        candidate = np.tanh(x[2 * len(c) :] + r * u[2 * len(c) :])
        return candidate + z * (c - candidate)
    i, f, g, _ = np.split(x + u, 4)
    return sigmoid(f) * c + sigmoid(i) * np.tanh(g)


def direct_output(cell, config, o, c):
    if config.cell == "gru":
        return c
    return sigmoid(o) * np.tanh(layer_norm(cell.memory, c) if config.layer_norm else c)


def direct_layer(cell, config, arcs, inputs):
    """Equation 8.5, place by place and arc by arc; inputs[t] has one for each."""
    H = config.hidden
    h, c = {-1: np.zeros(H)}, {-1: np.zeros(H)}
    for t, incoming in enumerate(arcs):
        xs = [cell.drive(x[None, None])[0, 0] for x in inputs[t]]
        us = [direct_recur(cell, h[source]) for _, source in incoming]
        cs = [c[source] for _, source in incoming]
        if config.mean_of == "sums":
            xs, us, cs = ([np.mean(v, axis=0)] for v in (xs, us, cs))
        new = [direct_memory(config, *arc) for arc in zip(xs, us, cs)]
        outs = [(x + u)[-H:] for x, u in zip(xs, us)]
        if config.mean_of == "outputs":
            shown = [direct_output(cell, config, o, m) for o, m in zip(outs, new)]
            h[t] = np.mean(shown, axis=0)
            c[t] = np.mean(new, axis=0)
        else:
            c[t] = np.mean(new, axis=0)
            h[t] = direct_output(cell, config, np.mean(outs, axis=0), c[t])
    return h


def direct_states(params, config, numbers):
    """Equations 8.5 to 8.7 for one text; a layer above sees the means below it."""
    line = [EOS, *numbers]
    arcs = [[(EOS, -1)]]
    for t in range(1, len(line)):
        arcs.append(
            [
                (k, t - len(spelling(k)))
                for k in range(SIZES.tokens)
                if t - len(spelling(k)) >= 0
                and tuple(line[t - len(spelling(k)) + 1 : t + 1]) == spelling(k)
            ]
        )
    inputs = [[params.embeddings[token] for token, _ in place] for place in arcs]
    for cell in params.layers:
        h = direct_layer(cell, config, arcs, inputs)
        inputs = [[h[t]] * len(place) for t, place in enumerate(arcs)]
    return h


def direct_probabilities(params, config, numbers):
    """log p(token | prefix) (N + 1, V) for all prefixes."""
    h = direct_states(params, config, numbers)
    logits = np.stack([h[t] for t in range(len(numbers) + 1)]) @ params.words.T
    logits = logits + params.bias
    return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))


def segmentations(numbers):
    """Every way to spell a text in tokens."""
    if not len(numbers):
        yield []
        return
    for k in range(SIZES.tokens):
        n = len(spelling(k))
        if n <= len(numbers) and tuple(numbers[:n]) == spelling(k):
            for rest in segmentations(numbers[n:]):
                yield [k, *rest]


def path_score(logp, path):
    place, total = 0, 0.0
    for token in path:
        total += logp[place, token]
        place += len(spelling(token))
    return total


@pytest.mark.parametrize("norm", [False, True])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"mean_of": "outputs"},
        {"mean_of": "sums"},
        {"layers": 2},
        {"cell": "gru"},
        {"cell": "gru", "mean_of": "sums", "layers": 2},
    ],
)
def test_the_likelihood_sums_over_all_segmentations(norm, options):
    config, params = make(norm, **options)
    numbers = text(5, length=11)
    logp = direct_probabilities(params, config, numbers)
    paths = [path_score(logp, path) for path in segmentations(numbers)]
    assert len(paths) > 4
    found = scores(params, config, numbers, 1, 100)
    # a third, as the weight of an arc, is one of float32
    assert found.sum() == pytest.approx(np.logaddexp.reduce(paths), rel=1e-7)
    parts = scores(params, config, numbers, 1, 3)
    np.testing.assert_allclose(parts, found, rtol=1e-7, atol=1e-9)


def test_windows_do_not_change_what_a_text_is_worth():
    config, params = make()
    whole = scores(params, config, text(), 1, 100)
    for length in (1, 2, 3, 7):
        found = scores(params, config, text(), 1, length)
        np.testing.assert_allclose(found, whole, rtol=1e-7, atol=1e-9)


def test_rows_do_not_see_each_other():
    config, params = make()
    numbers = text(length=24)
    found = scores(params, config, numbers, 3, 5).reshape(3, 8)
    other = np.concatenate([numbers[:8], text(7, 8), numbers[16:]])
    changed = scores(params, config, other, 3, 5).reshape(3, 8)
    np.testing.assert_allclose(changed[0], found[0], rtol=1e-9)
    assert abs(changed[1] - found[1]).max() > 1e-3
    alone = scores(params, config, numbers[:8], 1, 5)
    np.testing.assert_allclose(alone, found[0], rtol=1e-9)


def test_all_strings_together_have_probability_one():
    # A string of n symbols is reached, or a token jumps over its end.
    config, params = make()
    n = 4
    alphabet = [0, 1, 2, 3, 4, 5]
    total, seen = 0.0, set()
    for line in itertools.product(alphabet, repeat=n):
        reached = np.cumsum(scores(params, config, np.array(line), 1, 9))
        alpha = np.exp(np.concatenate(([0.0], reached)))
        total += alpha[n]
        logp = None
        for k in range(n):
            if line[:k] in seen:
                continue
            seen.add(line[:k])
            if logp is None:
                logp = direct_probabilities(params, config, line)
            beyond = [t for t in range(SIZES.tokens) if len(spelling(t)) > n - k]
            total += alpha[k] * np.exp(logp[k, beyond]).sum()
    assert total == pytest.approx(1, rel=1e-9)


@pytest.mark.parametrize(
    ("norm", "cell", "layers"),
    [(False, "lstm", 1), (True, "lstm", 1), (True, "lstm", 2), (True, "gru", 1)],
)
def test_with_characters_alone_it_is_an_lstm_bit_for_bit(norm, cell, layers):
    V = 30
    sizes = TextSizes(V, 1)
    options = {"embedding": 16, "hidden": 32, "layers": layers, "cell": cell}
    mine = Config(**options, layer_norm=norm)
    theirs = RNN.Config(**options, layer_norm=norm)
    one = MODEL.make_params(mine, key(0), sizes)
    two = RNN.make_params(theirs, key(0), TextSizes(V))
    numbers = np.random.default_rng(0).integers(0, V, 301)
    first, second = rows_of(numbers, 4, Matcher(V, [])), Rows(numbers, 4)
    past = MODEL.carry(one, 4, mine, sizes)
    state = RNN.carry(two, 4, theirs, sizes)
    for a, b in zip(first.windows(20), second.windows(20)):
        (loss, past), grads = ad.value_and_grad(MODEL.loss, has_aux=True)(
            one, a, mine, None, past
        )
        (other, state), others = ad.value_and_grad(RNN.loss, has_aux=True)(
            two, b, theirs, None, state
        )
        assert loss == other
        for trail, last in zip(past.layers, state, strict=True):
            np.testing.assert_array_equal(trail.h[:, 0], last[0])
            np.testing.assert_array_equal(trail.c[:, 0], last[-1])
        for g, h in zip(arrays_of(grads), arrays_of(others), strict=True):
            if cell == "lstm":
                np.testing.assert_array_equal(g, h)
            else:  # what comes back to a state is added in another order
                np.testing.assert_allclose(g, h, rtol=1e-3, atol=1e-6)


def test_slopes():
    config, params = make()
    read_ = rows_of(text(length=22), 2)
    window = read_.window(4, 5)
    past = MODEL.carry(params, 2, config, SIZES)
    _, past = MODEL.score(params, read_.window(0, 4), config, past)
    of = MODEL.loss

    def loss(params):
        return of(params, window, config, None, past)[0]

    grads = ad.grad(loss)(params)
    rng = np.random.default_rng(0)
    direction = map_arrays(lambda a: rng.normal(size=a.shape), params)
    slope = sum(
        float(np.sum(g * d)) for g, d in zip(arrays_of(grads), arrays_of(direction))
    )
    e = 1e-6
    up = loss(map_arrays(lambda p, d: p + e * d, params, direction))
    down = loss(map_arrays(lambda p, d: p - e * d, params, direction))
    assert (up - down) / (2 * e) == pytest.approx(slope, rel=1e-5)


def test_native_code_gives_the_same_gradient():
    config, params = make(dtype=np.float32, hidden=16)
    window = rows_of(text(length=60), 3).window(0, 12)
    past = MODEL.carry(params, 3, config, SIZES)
    gradient = ad.value_and_grad(MODEL.loss, has_aux=True)
    (loss, _), grads = gradient(params, window, config, None, past)
    (found, _), mine = ad.jit(gradient)(params, window, config, None, past)
    assert float(found) == pytest.approx(float(loss), rel=1e-5)
    for g, h in zip(arrays_of(mine), arrays_of(grads)):
        np.testing.assert_allclose(g, h, rtol=1e-3, atol=1e-5)


def test_readings_are_those_of_all_segmentations():
    config, params = make()
    numbers = text(3, length=8)
    logp = direct_probabilities(params, config, numbers)
    paths = {tuple(s): path_score(logp, s) for s in segmentations(numbers)}
    whole = np.logaddexp.reduce(list(paths.values()))
    found = read(params, numbers, config, MATCHER)
    assert found.log_likelihood == pytest.approx(whole)
    likeliest = max(paths, key=lambda path: paths[path])
    assert tuple(found.tokens[found.best]) == likeliest
    assert found.best_score == pytest.approx(paths[likeliest])
    for n in range(len(found.tokens)):
        through = []
        for path, value in paths.items():
            ends = np.cumsum([len(spelling(t)) for t in path])
            here = [t for t, e in zip(path, ends) if e == found.ends[n]]
            if here == [found.tokens[n]]:
                through.append(value)
        wanted = np.exp(np.logaddexp.reduce(through) - whole)
        assert found.posteriors[n] == pytest.approx(wanted)


def test_samples_follow_the_model():
    config, params = make()
    rng = np.random.default_rng(0)
    seen = []

    def choose(logp):
        seen.append(logp[0])
        weights = np.exp(logp[0])
        weights[[0, 1, 3]] = 0  # no padding, no start, nothing unknown
        return np.array([rng.choice(len(weights), p=weights / weights.sum())])

    made = sample(
        params,
        config,
        MATCHER,
        lambda t: list(spelling(t)),
        choose,
        12,
        np.zeros(0, np.int64),
    )
    symbols = [s for t in made for s in spelling(t)]
    logp = direct_probabilities(params, config, symbols)
    place = 0
    for token, given in zip(made, seen):
        np.testing.assert_allclose(given, logp[place], rtol=1e-6, atol=1e-8)
        place += len(spelling(token))
