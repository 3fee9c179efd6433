"""A text in rows and windows: nothing twice, nothing lost, resumed where it was."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anadrome.options import OptionError
from anadrome.text import EOS, Rows, TextSizes, WindowStream
from anadrome.text.errors import EmptyCorpus
from anadrome.text.language import LanguageCodec
from anadrome.text.lattice import lattices
from anadrome.text.matcher import Matcher


@given(st.integers(1, 60), st.integers(1, 9), st.integers(1, 12))
def test_every_token_is_predicted_once(count, rows, length):
    numbers = np.arange(10, 10 + count)
    text = Rows(numbers, rows)
    found, inputs = [], []
    for window in text.windows(length):
        kept = window.mask.T.astype(bool)
        found += [(b, t) for b, t in enumerate(window.tokens[1:].T)]
        inputs.append(window.tokens[:-1])
        assert window.tokens[1:].T[kept].size == window.size
    whole = np.concatenate([w.tokens[1:] for w in text.windows(length)]).T.reshape(-1)
    np.testing.assert_array_equal(whole[:count], numbers)
    read = np.concatenate(inputs).T.reshape(-1)
    np.testing.assert_array_equal(read[:count], [EOS, *numbers[:-1]])
    assert sum(w.size for w in text.windows(length)) == count


def test_rows_are_fresh_only_at_the_beginning():
    text = Rows(np.arange(10, 40), 3)
    fresh = [w.fresh.tolist() for w in text.windows(4)]
    assert fresh == [[1, 1, 1], [0, 0, 0], [0, 0, 0]]


@given(st.integers(0, 25))
def test_a_stream_goes_on_where_it_was(steps):
    numbers = np.arange(10, 61)
    one, two = WindowStream(numbers, 4, 3), WindowStream(numbers, 4, 3)
    for _ in range(steps):
        next(one)
    two.restore(one.state())
    for _ in range(3):
        a, b = next(one), next(two)
        np.testing.assert_array_equal(a.tokens, b.tokens)
        np.testing.assert_array_equal(a.fresh, b.fresh)


def test_a_position_of_another_text_is_refused():
    stream = WindowStream(np.arange(10, 30), 2, 5)
    with pytest.raises(ValueError, match="outside the epoch, which has 2"):
        stream.restore({"epoch": 0, "batch": 9})


def test_no_text_is_refused():
    with pytest.raises(EmptyCorpus):
        Rows(np.zeros(0, np.int64), 3)


def test_models_of_single_tokens_refuse_a_dictionary():
    assert TextSizes(5).units == 5
    with pytest.raises(OptionError, match="does not read in tokens"):
        _ = TextSizes(5, 2).units


@given(st.lists(st.integers(0, 2), min_size=6, max_size=40), st.integers(1, 3))
def test_lattices_have_all_arcs_within_rows(symbols, rows):
    longer = [(0, 1), (1, 0, 1), (2, 2)]
    matcher = Matcher(3, longer)
    text = Rows(np.array(symbols) % 3, rows)
    make = lattices(matcher, text.tokens % 3)
    spelt = [(0,), (1,), (2,), *longer]
    begin, length = 2, min(3, text.length - 2) if text.length > 2 else 0
    if length < 1:
        return
    found = make(begin, length)
    wanted = []
    for place in range(length + 1):
        for b in range(text.rows):
            line = (text.tokens[: begin + place + 1, b] % 3).tolist()
            ends = [
                k
                for k, s in sorted(enumerate(spelt), key=lambda pair: len(pair[1]))
                if tuple(line[1:][-len(s) :]) == s and len(s) <= len(line) - 1
            ]
            for k in ends:
                wanted.append((place, b, k, 1 / len(ends)))
    places = np.repeat(np.arange(length + 1), np.diff(found.first))
    row = np.argmax(found.mean > 0, axis=0)
    mine = [
        (int(t), int(b), int(k), float(found.mean[b, n]))
        for n, (t, b, k) in enumerate(zip(places, row, found.tokens))
    ]
    assert [m[:3] for m in mine] == [w[:3] for w in wanted]
    np.testing.assert_allclose([m[3] for m in mine], [w[3] for w in wanted], rtol=1e-6)
    assert found.distinct[found.kinds].tolist() == found.tokens.tolist()
    # sources are where the token begins, in rows of states; of the oldest those alone
    # from which arcs come, and first those from which none leads behind place 0
    window = np.arange(3 * text.rows, (4 + length) * text.rows)
    states = np.concatenate((found.opening, found.past, window))
    for (t, b, k, _), source, end in zip(mine, found.sources, found.ends):
        assert states[source] == (3 + t - len(spelt[k])) * text.rows + b
        assert end == t * text.rows + b
        assert t == 0 or source >= len(found.opening)
    old = set(states[found.sources[states[found.sources] < 3 * text.rows]].tolist())
    assert old == {*found.opening.tolist(), *found.past.tolist()}


def test_lines_come_back(tmp_path):
    lines = ["a b", "", "c  d"]
    letters = LanguageCodec.learn(lines, "characters")
    assert letters.decode(letters.encode(lines)) == "a b\n\nc  d\n"
    words = LanguageCodec.learn(lines, "words")
    assert words.decode(words.encode(lines)) == "a b\n\nc d\n"
    assert list(words.unknown(["a x", "y"])) == [(1, "x"), (2, "y")]
