import math
import sys

import pytest

from anadrome.evaluate import (
    MissingExtra,
    bleu,
    bleu_by_key,
    bleu_by_length,
    chrf,
    sentence_bleu,
)

REFERENCES = ["The cat sat on the mat.", "There is a dog in the big garden."]


def test_perfect_translations():
    assert bleu(REFERENCES, REFERENCES).score == pytest.approx(100)
    assert chrf(REFERENCES, REFERENCES).score == pytest.approx(100)


def test_bleu_by_hand():
    # Tokens: 5 of 7 right, 4 of 6 pairs, 3 of 5 triples, 2 of 4 quadruples.
    found = bleu(["the cat sat on the red hat"], ["the cat sat on the big mat"])
    expected = 100 * (5 / 7 * 4 / 6 * 3 / 5 * 2 / 4) ** 0.25
    assert found.score == pytest.approx(expected)


def test_brevity_penalty_by_hand():
    found = bleu(["a b c d e f"], ["a b c d e f g h"])
    assert found.score == pytest.approx(100 * math.exp(1 - 8 / 6))


def test_the_signature_says_how():
    score = bleu(REFERENCES, REFERENCES, lowercase=True, tokenize="intl")
    assert "case:lc" in score.signature
    assert "tok:intl" in score.signature
    assert "version:" in score.signature
    assert str(score).startswith("BLEU = 100.00 (nrefs:1|")
    assert "nw:2" in chrf(REFERENCES, REFERENCES, word_order=2).signature


def test_case_matters_unless_told():
    shouted = [text.upper() for text in REFERENCES]
    assert bleu(shouted, REFERENCES).score < 50
    assert bleu(shouted, REFERENCES, lowercase=True).score == pytest.approx(100)


def test_several_references():
    other = ["A cat was sitting on a mat.", "In the big garden there is a dog."]
    score = bleu([REFERENCES[0], other[1]], [REFERENCES, other])
    assert score.score == pytest.approx(100)
    assert "nrefs:2" in score.signature


def test_sentence_bleu_is_not_zero_for_short_sentences():
    assert sentence_bleu("a cat", ["a cat"]).score == pytest.approx(100)
    assert 0 < sentence_bleu("a cat", ["a dog", "one cat"]).score < 100


def test_bleu_against_length():
    sources = ["one two", "one two three four", "one two three four five six"]
    hypotheses = ["a b c d", "e f g h", "x x x x"]
    references = ["a b c d", "e f g h", "i j k l"]
    buckets = bleu_by_length(hypotheses, references, sources, edges=(1, 4))
    assert [b.label for b in buckets] == ["0–1", "2–4", "5+"]
    assert [b.count for b in buckets] == [0, 2, 1]
    assert buckets[0].score is None
    assert buckets[1].score.score == pytest.approx(100)
    assert buckets[2].score.score < 10
    by_reference = bleu_by_length(hypotheses, references, edges=(4,))
    assert [b.count for b in by_reference] == [3, 0]


def test_bleu_against_any_number():
    buckets = bleu_by_key(["a b c d", "x"], ["a b c d", "y"], [0, 3], edges=(0, 2))
    assert [(b.label, b.count) for b in buckets] == [("0", 1), ("1–2", 0), ("3+", 1)]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bleu([], []), "no sentences"),
        (lambda: bleu(["a"], ["a", "b"]), "2 references for 1 translations"),
        (lambda: bleu(["a"], []), "no references for 1"),
        (lambda: bleu_by_key(["a"], ["a"], [], [1]), "0 keys for 1"),
        (lambda: bleu_by_key(["a"], [], [1], [1]), "0 references for 1"),
        (lambda: bleu_by_key(["a"], ["a"], [1], [2, 1]), "must rise"),
        (lambda: bleu_by_key(["a"], ["a"], [-1], [1]), "from 0"),
    ],
)
def test_wrong_calls_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_one_string_is_refused():
    with pytest.raises(TypeError, match="a list of sentences"):
        bleu("a cat", ["a cat"])


def test_without_sacrebleu_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    with pytest.raises(MissingExtra, match=r"BLEU needs sacrebleu.*\n.*anadrome"):
        bleu(["a"], ["a"])
