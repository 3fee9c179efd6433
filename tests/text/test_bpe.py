from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anadrome.text import BytePairEncoding, CorpusError, Vocabulary
from anadrome.text.bpe import WORD_START

COUNTS = {"low": 5, "lower": 2, "newest": 6, "widest": 3, "été": 4, "aaaa": 7}


def learn_slowly(counts, merges, min_count=2):
    """The merges by counting all pairs anew each time."""
    words = {word: [WORD_START, *word] for word in counts}
    learnt = []
    while len(learnt) < merges:
        pairs = Counter()
        for word, symbols in words.items():
            for pair in pairwise(symbols):
                pairs[pair] += counts[word]
        for pair in learnt:
            del pairs[pair]
        if not pairs:
            break
        best = min(pairs, key=lambda p: (-pairs[p], p))
        if pairs[best] < min_count:
            break
        learnt.append(best)
        words = {word: apply_merge(s, best) for word, s in words.items()}
    return learnt


def apply_merge(symbols, pair):
    out = []
    for symbol in symbols:
        if out and (out[-1], symbol) == pair and out[-1] is not None:
            out[-1] = out[-1] + symbol
            # A merged symbol may not be merged again in the same pass.
            out.append(None)
        else:
            out.append(symbol)
    return [s for s in out if s is not None]


def segment_slowly(encoding, word):
    symbols = [WORD_START, *word]
    for pair in encoding.merges:
        symbols = apply_merge(symbols, pair)
    return symbols


words = st.text("ab", min_size=1, max_size=9)


@given(st.dictionaries(words, st.integers(1, 20), min_size=1), st.integers(0, 30))
def test_incremental_learning_equals_counting_anew(counts, merges):
    encoding = BytePairEncoding.learn(counts, merges)
    assert list(encoding.merges) == learn_slowly(counts, merges)


@given(st.dictionaries(words, st.integers(1, 20), min_size=1), words)
def test_segmentation_applies_the_merges_in_order(counts, word):
    encoding = BytePairEncoding.learn({**counts, "ab": 1}, 30)
    assert encoding.segment([word]) == segment_slowly(encoding, word)


@given(st.text(st.characters(codec=None)))
def test_any_text_comes_back(text):
    encoding = BytePairEncoding.learn(COUNTS, 20)
    pieces = encoding.encode(text)
    assert encoding.decode(pieces) == text
    assert set(pieces) <= set(encoding.pieces)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "  low  lower ",
        "▁low ▁",
        "<0x41> <0xE2>low",
        "日本 low\n\tété\u2028",
        "\ud800x\udfff",
        "\ud83d\ude00",
        "😀",
    ],
)
def test_awkward_text_comes_back(text):
    encoding = BytePairEncoding.learn({**COUNTS, "<0x41>": 50}, 60)
    assert encoding.decode(encoding.encode(text)) == text


def test_unseen_characters_are_spelt_in_bytes():
    encoding = BytePairEncoding.learn(COUNTS, 50)
    assert encoding.segment(["low€"]) == ["▁low", "<0xE2>", "<0x82>", "<0xAC>"]
    rare = BytePairEncoding.learn({"aaa": 9, "b": 1}, 9, min_character_count=2)
    assert rare.segment(["b"]) == [WORD_START, "<0x62>"]


def test_no_merge_spells_a_byte():
    encoding = BytePairEncoding.learn({"<0x41>": 100, "<0x41>A": 90}, 50)
    assert "<0x41>" not in encoding.segment(["<0x41>"])
    with pytest.raises(CorpusError, match="reserved for a byte"):
        BytePairEncoding("<0x41>", [("<", "0"), ("<0", "x"), ("4", "1"), ("41", ">"),
                                    ("<0x", "41>")])  # fmt: skip


def test_broken_output_of_a_model_is_joined_leniently():
    encoding = BytePairEncoding.learn(COUNTS, 50)
    assert encoding.join(["ow", "▁low", "<0xE2>", "<0x82>"]) == ["ow", "low\ufffd"]


def test_learning_depends_on_the_counts_alone():
    backwards = dict(reversed(COUNTS.items()))
    forward = BytePairEncoding.learn(COUNTS, 30)
    assert BytePairEncoding.learn(backwards, 30).merges == forward.merges


def test_pieces_make_a_vocabulary_without_unknowns():
    encoding = BytePairEncoding.learn(COUNTS, 30)
    vocabulary = Vocabulary(encoding.pieces)
    ids = vocabulary.encode(encoding.encode("slow 日本"))
    assert ids.min() > 3
    assert encoding.decode(vocabulary.decode(ids)) == "slow 日本"


def test_save_and_load(tmp_path):
    encoding = BytePairEncoding.learn({**COUNTS, "\ud800\ud800": 5}, 30)
    encoding.save(tmp_path / "bpe.json")
    loaded = BytePairEncoding.load(tmp_path / "bpe.json")
    assert (loaded.merges, loaded.pieces) == (encoding.merges, encoding.pieces)


def test_merges_are_checked():
    with pytest.raises(CorpusError, match="no merge made"):
        BytePairEncoding("ab", [("ab", "a")])
    with pytest.raises(CorpusError, match="twice"):
        BytePairEncoding("ab", [("a", "b"), ("a", "b")])
