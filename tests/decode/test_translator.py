"""A translator: sentences in any company, n-best lists, alignments."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from anadrome import nn
from anadrome.corpora import ParallelCorpus
from anadrome.decode.translator import Translator
from anadrome.models import attention, encoder_decoder, find_model, transformer
from anadrome.random import key
from anadrome.text import PairSizes, TextCodec, Tokenizer

CORPUS = ParallelCorpus(
    ("the cat sleeps", "the dog sleeps", "a dog eats", "the cat eats a fish"),
    ("le chat dort", "le chien dort", "un chien mange", "le chat mange un poisson"),
)
CONFIGS = {
    "attention": attention.Config(12, 16, 16, 12, 0.0, 0.0),
    "encoder-decoder": encoder_decoder.Config(12, 16, 12, 0.0, 0.0),
    "transformer": transformer.Config(12, 16, 2, 1, 0.0, 0.0),
}


def untrained(name):
    model = find_model("translate", name)
    source, target = (
        TextCodec.learn(side, tokenizer=Tokenizer())
        for side in (CORPUS.source, CORPUS.target)
    )
    sizes = PairSizes(len(source.vocabulary), len(target.vocabulary))
    params = model.make_params(CONFIGS[name], key(2), sizes)
    params = nn.map_arrays(lambda a: 3 * a, params)
    return Translator(model, params, source, target)


@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.parametrize("beam", [1, 4])
def test_translations_do_not_depend_on_the_company(name, beam):
    translator = untrained(name)
    together = translator.translate(CORPUS.source, beam=beam)
    for sentence, found in zip(CORPUS.source, together, strict=True):
        ((alone,),) = translator.translate([sentence], beam=beam)
        assert found[0].text == alone.text
        # Differences of single precision numbers of some size.
        assert found[0].score == pytest.approx(alone.score, rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("name", CONFIGS)
def test_native_translations_are_those_of_python(name):
    translator = untrained(name)
    wanted = translator.translate(CORPUS.source, beam=3)
    found = dataclasses.replace(translator, native=True).translate(
        CORPUS.source, beam=3
    )
    for (mine,), (theirs,) in zip(found, wanted, strict=True):
        assert mine.text == theirs.text
        assert mine.score == pytest.approx(theirs.score, rel=1e-4)


@pytest.mark.parametrize("name", CONFIGS)
def test_the_best_comes_first(name):
    (found,) = untrained(name).translate(CORPUS.source[:1], beam=5, n_best=3)
    assert len(found) == 3
    # those that were cut off come last, whatever their score
    ranks = [(made.target_tokens[-1] == "</s>", made.score) for made in found]
    assert ranks == sorted(ranks, reverse=True)


def test_alignments_have_a_row_for_each_word():
    for sentence, (made,) in zip(
        CORPUS.source, untrained("attention").translate(CORPUS.source)
    ):
        assert made.source_tokens == (*sentence.split(), "</s>")
        shape = (len(made.target_tokens), len(made.source_tokens))
        assert made.attention.shape == shape
        np.testing.assert_allclose(made.attention.sum(axis=1), 1.0, rtol=1e-5)


def test_a_fixed_vector_has_no_alignment():
    ((made,),) = untrained("encoder-decoder").translate(["the cat"])
    assert made.attention is None
