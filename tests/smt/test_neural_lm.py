"""A continuous-space language model inside of the decoder."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from smt.tiny_models import TARGET, random_table

from anadrome.models import cslm
from anadrome.models.registry import find_model
from anadrome.random import key as make_key
from anadrome.smt.network import UNKNOWN_COUNT, NeuralLm, add_unknown_counts
from anadrome.text.errors import CorpusError
from anadrome.text.language import LanguageCodec
from anadrome.text.vocabulary import UNK


def trained(unit="words"):
    codec = LanguageCodec.learn(["w x x w y"], unit, max_size=6)
    config = cslm.Config(order=3, embedding=5, first=6, second=4, scale=0.5)
    params = cslm.make_params(config, make_key(3), codec.sizes)
    return SimpleNamespace(
        model=find_model("lm", "cslm"), codecs=codec, config=config, params=params
    )


def test_ngrams_are_scored_as_the_model_scores_them_and_once():
    network = NeuralLm(trained())
    rng = np.random.default_rng(1)
    ngrams = rng.integers(0, len(network.vocabulary), (40, 3)).astype(np.int32)
    found = network.score(ngrams)
    mine = trained()
    wanted = cslm.score_ngrams(mine.params, ngrams.astype(np.int64), mine.config)
    assert found == pytest.approx(wanted, abs=1e-5)
    network._ask = None  # everything is known now
    assert network.score(ngrams[::-1]) == pytest.approx(found[::-1], abs=0)


def test_models_without_ngrams_are_refused():
    with pytest.raises(CorpusError, match="cannot score n-grams"):
        NeuralLm(trained("characters"))


def test_words_unknown_to_networks_are_counted():
    vocabulary = trained().codecs.vocabulary
    table = random_table(np.random.default_rng(2))
    found = add_unknown_counts(add_unknown_counts(table, vocabulary), vocabulary)
    assert found.names == (*table.names, UNKNOWN_COUNT)
    unknown = {w for w in TARGET if vocabulary.encode([w])[0] == UNK}
    assert unknown
    for entry in range(len(found)):
        count = sum(word in unknown for word in found.target_phrase(entry))
        assert found.scores[entry, -1] == -count
