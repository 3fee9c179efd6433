"""Language models: one contract, whatever is inside."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import anadrome as ad
from anadrome.models import find_model
from anadrome.nn import arrays_of, map_arrays
from anadrome.options import make_options
from anadrome.random import key
from anadrome.text import Rows, TextSizes

V = 7
KINDS = {
    "lstm": ("rnn", {"embedding": 3, "hidden": 4}),
    "gru": ("rnn", {"embedding": 4, "hidden": 4, "cell": "gru", "tied": True}),
    "elman": ("rnn", {"embedding": 3, "hidden": 5, "cell": "elman", "layers": 1}),
    "norm": ("rnn", {"embedding": 3, "hidden": 4, "layer_norm": True, "tied": True}),
    "classes": ("rnn", {"embedding": 3, "hidden": 4, "softmax": "classes"}),
    "sampled": ("rnn", {"embedding": 3, "hidden": 4, "softmax": "sampled"}),
    "nnlm": ("nnlm", {"embedding": 3, "hidden": 4, "order": 4}),
    "bigram": ("nnlm", {"embedding": 3, "hidden": 4, "order": 2, "direct": False}),
    "cslm": ("cslm", {"embedding": 3, "first": 5, "second": 4, "scale": 0.5}),
}


@pytest.fixture(params=KINDS)
def kind(request):
    name, options = KINDS[request.param]
    model = find_model("lm", name)
    config = make_options(model.Config, options)
    params = model.make_params(config, key(3), TextSizes(V))
    return model, config, map_arrays(lambda a: a.astype(np.float64), params)


def text(seed: int = 0, length: int = 23) -> np.ndarray:
    return np.random.default_rng(seed).integers(2, V, length)


def scores(kind, numbers, rows: int, length: int) -> np.ndarray:
    """The log-probabilities of a text that is read in rows and windows."""
    model, config, params = kind
    read = Rows(numbers, rows)
    carried = model.carry(params, read.rows, config, TextSizes(V))
    parts = []
    for window in read.windows(length):
        found, carried = model.score(params, window, config, carried)
        parts.append(found)
    return np.concatenate(parts).T.reshape(-1)[: read.count]


def test_windows_do_not_change_what_a_text_is_worth(kind):
    whole = scores(kind, text(), 1, 100)
    np.testing.assert_allclose(scores(kind, text(), 1, 4), whole, rtol=1e-5)
    np.testing.assert_allclose(scores(kind, text(), 1, 1), whole, rtol=1e-5)


def test_rows_do_not_see_each_other(kind):
    numbers = text(length=24)
    found = scores(kind, numbers, 3, 5).reshape(3, 8)
    other = np.concatenate([numbers[:8], text(9, 8), numbers[16:]])
    changed = scores(kind, other, 3, 5).reshape(3, 8)
    np.testing.assert_allclose(changed[0], found[0], rtol=1e-6)
    assert abs(changed[1] - found[1]).max() > 1e-3
    # the first token of a row is read after the last one of the row before
    np.testing.assert_allclose(scores(kind, numbers[:8], 1, 5), found[0], rtol=1e-5)


def test_probabilities_sum_to_one(kind):
    model, config, params = kind
    tokens = text().reshape(-1, 1)
    carried = model.carry(params, 1, config, TextSizes(V))
    found, _ = model.distributions(params, tokens, config, carried)
    np.testing.assert_allclose(np.exp(found).sum(axis=2), 1, rtol=1e-6)
    total = sum(
        np.exp(scores(kind, np.array(line), 1, 9).sum())
        for line in itertools.product(range(V), repeat=2)
    )
    assert total == pytest.approx(1, rel=1e-5)


def test_distributions_hold_the_scores(kind):
    model, config, params = kind
    numbers = text()
    read = np.concatenate([[2], numbers[:-1]])[:, None]
    carried = model.carry(params, 1, config, TextSizes(V))
    found, _ = model.distributions(params, read, config, carried)
    wanted = found[np.arange(len(numbers)), 0, numbers]
    np.testing.assert_allclose(scores(kind, numbers, 1, 100), wanted, rtol=1e-5)


def test_slopes(kind):
    model, config, params = kind
    window = next(Rows(text(), 2).windows(5))
    carried = map_arrays(
        lambda a: a if a.dtype == np.int64 else a.astype(np.float64),
        model.carry(params, 2, config, TextSizes(V)),
    )

    of = model.loss

    def loss(params):
        return of(params, window, config, key(1), carried)[0]

    grads = ad.grad(loss)(params)
    rng = np.random.default_rng(0)
    direction = map_arrays(lambda a: rng.normal(size=a.shape), params)
    slope = sum(
        float(np.sum(g * d)) for g, d in zip(arrays_of(grads), arrays_of(direction))
    )
    e = 1e-5
    up = loss(map_arrays(lambda p, d: p + e * d, params, direction))
    down = loss(map_arrays(lambda p, d: p - e * d, params, direction))
    assert (up - down) / (2 * e) == pytest.approx(slope, rel=1e-4)


@pytest.mark.parametrize("name", ["nnlm", "cslm"])
def test_a_buffer_of_ngrams_is_scored_at_once(name):
    kind_, options = KINDS[name]
    model = find_model("lm", kind_)
    config = make_options(model.Config, options)
    params = model.make_params(config, key(3), TextSizes(V))
    numbers = text()
    n = config.order
    found = model.score_ngrams(
        params, np.lib.stride_tricks.sliding_window_view(numbers, n), config
    )
    whole = scores((model, config, params), numbers, 1, 100)
    np.testing.assert_allclose(found, whole[n - 1 :], rtol=1e-4)


def test_dropout_needs_a_key():
    model = find_model("lm", "rnn")
    for variational in (False, True):
        config = model.Config(3, 4, dropout=0.5, variational=variational)
        params = model.make_params(config, key(0), TextSizes(V))
        window = next(Rows(text(), 2).windows(5))
        carried = model.carry(params, 2, config, TextSizes(V))
        one, _ = model.loss(params, window, config, None, carried)
        two, _ = model.loss(params, window, config, key(1), carried)
        assert float(one) != float(two)
