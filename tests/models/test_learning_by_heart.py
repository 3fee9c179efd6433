"""Every translator learns four sentences by heart, and says them again."""

from __future__ import annotations

import numpy as np
import pytest

from anadrome import nn
from anadrome.corpora import ParallelCorpus
from anadrome.decode.translator import Translator
from anadrome.models import find_model, models_of
from anadrome.random import fold_in, key
from anadrome.text import PairSizes, TextCodec, Tokenizer, make_pair_batch
from anadrome.train.step import make_step

CORPUS = ParallelCorpus(
    ("the cat sleeps", "the dog sleeps", "a dog eats", "the cat eats a fish"),
    ("le chat dort", "le chien dort", "un chien mange", "le chat mange un poisson"),
)
SIZES = {"transformer": {"heads": 2, "layers": 1}, "deep-lstm": {"layers": 1}}
VARIANTS = {
    "attention": [{"output": "full", "early_output": True}],
    "encoder-decoder": [{"output": "low-rank", "reset_summary": True}],
    "luong": [{"window": 2}, {"energies": "dot", "feeding": False}],
    "transformer": [{"norm": "after"}],
}
CASES = [(name, {}) for name in models_of("translate")]
CASES += [(name, changes) for name in VARIANTS for changes in VARIANTS[name]]


@pytest.mark.parametrize(("name", "changes"), CASES, ids=str)
def test_a_model_learns_by_heart(name, changes):
    model = find_model("translate", name)
    sizes = {"embedding": 12, "hidden": 16, **SIZES.get(name, {})}
    config = model.Config(dropout=0.0, smoothing=0.0, **sizes, **changes)
    source, target = (
        TextCodec.learn(side, tokenizer=Tokenizer())
        for side in (CORPUS.source, CORPUS.target)
    )
    vocabularies = PairSizes(len(source.vocabulary), len(target.vocabulary))
    params = model.make_params(config, key(0), vocabularies)
    batch = make_pair_batch(
        [source.encode(s) for s in CORPUS.source],
        [target.encode(s) for s in CORPUS.target],
        np.arange(len(CORPUS)),
        time_major=True,
    )
    step = make_step(model.loss, config, nn.Adam(), 1.0, native=False)
    state = nn.Adam().start(params)
    for k in range(120):
        params, state, loss, _ = step(params, state, batch, fold_in(key(1), k), 0.02)
        if loss < 0.05:
            break
    assert loss < 0.05
    learnt = Translator(model, params, source, target)
    assert learnt.translate_best(CORPUS.source) == list(CORPUS.target)
