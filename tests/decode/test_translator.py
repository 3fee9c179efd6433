"""A translator: sentences in any company, n-best lists, alignments."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from anadrome import nn
from anadrome.corpora import ParallelCorpus
from anadrome.decode import Search, Sharpening
from anadrome.decode.translator import Translator
from anadrome.models import attention, encoder_decoder, find_model, transformer
from anadrome.random import key
from anadrome.text import PairSizes, TextCodec, Tokenizer, make_pair_batch

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


def score_by_hand(translator, source, target):
    """The log-probability of a translation, from the loss that training has."""
    config = dataclasses.replace(CONFIGS["attention"])
    pair = [translator.source.encode(source)], [translator.target.encode(target)]
    batch = make_pair_batch(*pair, np.array([0]), time_major=True)
    tokens = len(pair[1][0]) + 1
    return -tokens * float(attention.loss(translator.params, batch, config, key(0)))


def test_scores_are_those_of_the_loss():
    translator = untrained("attention")
    scored = translator.score(CORPUS.source, CORPUS.target)
    for source, target, found in zip(CORPUS.source, CORPUS.target, scored, strict=True):
        wanted = score_by_hand(translator, source, target)
        assert found.log_prob == pytest.approx(wanted, rel=1e-4)
        assert found.token_log_probs.sum() == pytest.approx(found.log_prob)
        assert found.target_tokens[-1] == "</s>"
        assert found.attention.shape == (
            len(found.target_tokens),
            len(found.source_tokens),
        )
    with pytest.raises(ValueError, match="1 translations for 2 sentences"):
        translator.score(["a", "b"], ["x"])


def test_scores_of_what_a_search_finds_are_the_search_s():
    translator = untrained("attention")
    found = [made[0] for made in translator.translate(CORPUS.source, beam=3)]
    ended = [made for made in found if made.target_tokens[-1] == "</s>"]
    assert ended
    for made in ended:
        source = " ".join(made.source_tokens[:-1])
        (scored,) = translator.score([source], [made.text])
        if scored.target_tokens == made.target_tokens:
            assert scored.log_prob == pytest.approx(made.log_prob, rel=1e-4)


def test_traces_are_trees_of_each_sentence():
    translator = untrained("attention")
    trees = []
    found = translator.translate(CORPUS.source, beam=3, traces=trees)
    assert len(trees) == len(CORPUS.source)
    for tree, (best,) in zip(trees, found, strict=True):
        words = translator.target.vocabulary.tokens
        path = tuple(words[token] for token in tree.tokens(tree.best))
        assert path == best.target_tokens


def test_translators_together_are_the_mean_of_probabilities():
    one = untrained("attention")
    other = dataclasses.replace(
        one, params=nn.map_arrays(lambda a: 0.5 * a, one.params)
    )
    both = dataclasses.replace(one, partners=((other.model, other.params),))
    alone = [t.score(CORPUS.source, CORPUS.target) for t in (one, other)]
    for first, second, mean in zip(*alone, both.score(CORPUS.source, CORPUS.target)):
        probability = 0.5 * (
            np.exp(first.token_log_probs) + np.exp(second.token_log_probs)
        )
        np.testing.assert_allclose(
            mean.token_log_probs, np.log(probability), rtol=1e-4, atol=1e-5
        )


def test_a_dictionary_takes_the_place_of_unknown_words():
    translator = untrained("attention")
    # A target vocabulary of one word: everything else is unknown.
    target = TextCodec.learn(["le"], tokenizer=Tokenizer())
    sizes = PairSizes(len(translator.source.vocabulary), len(target.vocabulary))
    params = translator.model.make_params(CONFIGS["attention"], key(3), sizes)
    small = dataclasses.replace(translator, params=params, target=target)
    search = Search(sharpening=Sharpening(), n_best=20)
    plain = small.translate(["cat dog"], search=search)[0]
    assert any("<unk>" in made.text for made in plain)
    words = {"cat": "CHAT", "dog": "CHIEN"}
    found = small.translate(["cat dog"], search=search, dictionary=words)[0]
    for before, after in zip(plain, found, strict=True):
        assert before.target_tokens == after.target_tokens
        assert "<unk>" not in after.text
        count = before.target_tokens.count("<unk>")
        assert after.text.count("CH") == count
