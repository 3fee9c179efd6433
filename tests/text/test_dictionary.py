"""Dictionaries: the coders against direct transcriptions, files, bad input."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anadrome.text.dictionary import (
    Dictionary,
    DictionaryTooLarge,
    learn_dictionary,
)
from anadrome.text.errors import CorpusError, EmptyCorpus, InvalidVocabulary
from anadrome.text.matcher import Matcher
from anadrome.text.merging import merge_stream, merge_stream_native


def transcription(text, wanted, unmerge=True, max_merges=2000, within_words=False):
    """Algorithm 3, a pass over the text for everything; tokens as strings.

    Numbers of tokens, which decide ties, are their places in `order`.
    """
    order = sorted(set(text))
    characters = set(order)
    parts, alive = {}, set(order)
    s = list(text)
    level = len(text) + 1
    for _ in range(max_merges):
        if len(alive) >= wanted:
            break
        rank = {token: i for i, token in enumerate(order)}
        pairs = Counter(
            p for p in pairwise(s) if not (within_words and p[0][-1].isspace())
        )
        if not pairs:
            break
        (j, k), times = min(
            pairs.items(), key=lambda p: (-p[1], rank[p[0][0]], rank[p[0][1]])
        )
        if times < 2:
            break
        new = j + k
        if new not in order:
            order.append(new)
        if new not in alive:
            alive.add(new)
            parts[new] = (j, k)
        out = []
        for token in s:
            out.append(token)
            # of three equal tokens the first two are merged
            if len(out) > 1 and out[-2] == j and out[-1] == k:
                out[-2:] = [("merged", new)]
        s = [token[1] if isinstance(token, tuple) else token for token in out]
        level = min(level, s.count(new))
        while unmerge and len(alive) < wanted:
            counts = Counter(s)
            rare = [t for t in order if t in alive - characters and counts[t] < level]
            if not rare:
                break
            gone = min(rare, key=lambda t: counts[t])
            alive.remove(gone)

            def split(token):
                if token in alive:
                    return [token]
                left, right = parts[token]
                return split(left) + split(right)

            pieces = split(gone)
            s = [piece for t in s for piece in (pieces if t == gone else [t])]
    counts = Counter(s)
    return {token: counts[token] for token in alive}


def learnt(text, wanted, unmerge=True, run=merge_stream, capacity=1024):
    alphabet, numbers = np.unique(list(text), return_inverse=True)
    _, _, sample, length, count, live, made = run(
        numbers.astype(np.int64), len(alphabet), wanted, unmerge, 2000, capacity
    )
    return {
        text[sample[t] : sample[t] + length[t]]: int(count[t])
        for t in range(made)
        if live[t]
    }


texts = st.one_of(
    st.text("ab", min_size=2, max_size=60),
    st.text("abc ", min_size=2, max_size=150),
    st.lists(st.sampled_from(["the ", "then ", "he ", "a ", "cat "]), min_size=2).map(
        "".join
    ),
)


@settings(max_examples=150, deadline=None)
@given(texts, st.integers(3, 40), st.booleans())
def test_merging_is_the_transcription(text, wanted, unmerge):
    assert learnt(text, wanted, unmerge) == transcription(text, wanted, unmerge)


@settings(max_examples=60, deadline=None)
@given(texts, st.integers(3, 40))
def test_room_that_must_grow_changes_nothing(text, wanted):
    assert learnt(text, wanted, capacity=4) == learnt(text, wanted)


@settings(max_examples=15, deadline=None)
@given(texts, st.integers(3, 40), st.booleans())
def test_native_code_learns_the_same(text, wanted, unmerge):
    found = learnt(text, wanted, unmerge, merge_stream_native)
    assert found == learnt(text, wanted, unmerge)


def test_longer_text():
    rng = np.random.default_rng(0)
    words = ["in the ", "united ", "states ", "of ", "the end ", "then ", "a "]
    text = "".join(rng.choice(words, 2000))
    assert learnt(text, 60) == transcription(text, 60)


@settings(max_examples=80, deadline=None)
@given(texts, st.integers(3, 40), st.sampled_from(["bpe", "adapted"]))
def test_no_token_goes_on_behind_a_word(text, wanted, coder):
    wanted = max(wanted, len(set(text)))
    found = transcription(text, wanted, coder == "adapted", within_words=True)
    if len(found) < wanted:
        with pytest.raises(CorpusError):
            learn_dictionary(text, wanted, coder, within_words=True)
        return
    made = learn_dictionary(text, wanted, coder, within_words=True)
    assert dict(zip(made.tokens, made.counts)) == found
    assert not any(c.isspace() for token in made.tokens for c in token[:-1])


def test_a_token_that_became_rare_goes():
    # as the thesis has it: ab occurs nowhere once abc has been made
    found = learn_dictionary("abcabcabcabc", 4)
    assert set(found.tokens) == {"a", "b", "c", "abc"} or len(found.tokens) == 4
    tokens = transcription("abc" * 8 + "xy" * 3, 8)
    assert "ab" not in tokens
    assert "abc" in tokens or "abcabc" in tokens


def test_plain_merges_keep_every_token():
    text = "abc" * 8 + "xy" * 3
    assert "ab" in learn_dictionary(text, 8, "bpe").tokens
    assert "ab" not in learn_dictionary(text, 8, "adapted").tokens


def phrases(text, within_words=False):
    """Ziv and Lempel's parse."""
    known, current, found = set(), "", []
    for c in text:
        current += c
        if current not in known:
            known.add(current)
            found.append(current)
            current = ""
        if within_words and c.isspace():
            current = ""
    return found


@settings(max_examples=120, deadline=None)
@given(st.text("ab ", min_size=5, max_size=200), st.integers(0, 6), st.booleans())
def test_phrases_are_those_of_the_parse(text, more, within_words):
    found = phrases(text, within_words)
    size = len(set(text)) + more
    longer = {p for p in found if len(p) > 1}
    if len(longer) < more:
        with pytest.raises(DictionaryTooLarge):
            learn_dictionary(text, size, "lz78", within_words=within_words)
        return
    made = learn_dictionary(text, size, "lz78", within_words=within_words)
    assert set(made.longer) <= longer
    # what is taken is at least as common as what is not
    begun = {p: sum(q.startswith(p) for q in found) for p in longer}
    rest = [begun[p] for p in longer - set(made.longer)]
    taken = [begun[p] for p in made.longer]
    assert not rest or not taken or max(rest) <= min(taken) + 1


@settings(max_examples=100, deadline=None)
@given(
    st.text("abc", max_size=40),
    st.sets(st.text("abc", min_size=2, max_size=5), max_size=12),
)
def test_the_matcher_finds_every_token(text, longer):
    tokens = sorted(longer)
    names = ["a", "b", "c", *tokens]
    matcher = Matcher(3, [["abc".index(c) for c in t] for t in tokens])
    stream = np.array(["abc".index(c) for c in text], np.int64)
    first, found = matcher.arcs(stream)
    for i in range(len(text)):
        mine = [names[t] for t in found[first[i] : first[i + 1]]]
        wanted = [t for t in names if text[: i + 1].endswith(t)]
        assert mine == sorted(wanted, key=len)


ABBA = learn_dictionary("ab abba b ab ba a aab bab ab a abba ab b " * 2, 8, "bpe")


@settings(max_examples=60, deadline=None)
@given(st.text("ab ?", max_size=60))
def test_segments_spell_the_text_in_the_fewest_tokens(text):
    made = ABBA
    cut = made.segment(text)
    assert "".join(cut) == text
    best = [0] + [len(text)] * len(text)
    for i in range(1, len(text) + 1):
        best[i] = 1 + min(
            best[i - len(t)]
            for t in (*made.tokens, text[i - 1])
            if text[:i].endswith(t)
        )
    assert len(cut) == best[-1]


def test_a_dictionary_is_loaded_as_it_was_saved(tmp_path):
    made = learn_dictionary("the cat and the hat\n" * 9, 16, "bpe")
    made.save(tmp_path / "d.json")
    assert Dictionary.load(tmp_path / "d.json") == made
    lines = list(made.inspect(3))
    assert len(lines) == 3
    assert lines[0].startswith("1\t")
    assert not any(" " in line for line in made.inspect())


def test_bad_dictionaries_are_one_located_line(tmp_path):
    path = tmp_path / "d.json"
    made = learn_dictionary("the cat and the hat\n" * 9, 16, "bpe")
    made.save(path)
    whole = path.read_text()
    path.write_text(whole[:50])
    with pytest.raises(InvalidVocabulary, match=r'File ".*d\.json": this is not JSON'):
        Dictionary.load(path)
    path.write_text('{"format": "anadrome bpe 1"}')
    with pytest.raises(InvalidVocabulary, match="not in the format"):
        Dictionary.load(path)
    record = json.loads(whole)
    record["counts"] = record["counts"][1:]
    path.write_text(json.dumps(record))
    with pytest.raises(InvalidVocabulary, match="no whole dictionary"):
        Dictionary.load(path)
    record = json.loads(whole)
    record["tokens"][record["tokens"].index("t")] = "tttt"
    path.write_text(json.dumps(record))
    with pytest.raises(InvalidVocabulary, match="'t' in the token"):
        Dictionary.load(path)


def test_sizes_that_cannot_be():
    with pytest.raises(EmptyCorpus):
        learn_dictionary("", 5)
    with pytest.raises(CorpusError, match=r"no room for the 3 characters"):
        learn_dictionary("abcabc", 1)
    with pytest.raises(DictionaryTooLarge, match=r"no more than \d+ tokens, not 500"):
        learn_dictionary("abcabc", 500)
    with pytest.raises(CorpusError, match="there is no coder 'zip'"):
        learn_dictionary("abcabc", 5, "zip")
    # nothing but characters is a dictionary too
    assert learn_dictionary("abcabc", 3).tokens == ("a", "b", "c")
    assert learn_dictionary("aaaa", 1).tokens == ("a",)
