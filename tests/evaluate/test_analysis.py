"""Chapter 6's analyses, and tests between translators."""

import random
import sys

import pytest
import sacrebleu

from anadrome.evaluate import (
    Method,
    MissingExtra,
    TestSet,
    analyse_translations,
    bleu,
    chrf,
    compare_translations,
    pick_samples,
    score_by_length,
    score_by_unknown,
    score_without_unknown,
    ter,
    top_translations,
)

WORDS = [
    "the",
    "a",
    "cat",
    "dog",
    "bird",
    "sees",
    "eats",
    "small",
    "red",
    "old",
    "house",
    "in",
    "on",
    "under",
    ",",
    ".",
]


def corpus(size=60, seed=0):
    """Sources, references, and the outputs of a good and a bad system."""
    rng = random.Random(seed)
    sources, references, good, bad = [], [], [], []
    for i in range(size):
        words = [rng.choice(WORDS) for _ in range(rng.randint(4, 40))]
        target = [word.upper() for word in words]
        if i % 3 == 0:
            words[rng.randrange(len(words))] = "Zyzzyva"
        sources.append(" ".join(words))
        references.append(" ".join(target))
        for outputs, rate in ((good, 0.1), (bad, 0.35)):
            outputs.append(
                " ".join("X" if rng.random() < rate else word for word in target)
            )
    return sources, references, {"good": good, "bad": bad}


SOURCES, REFERENCES, SYSTEMS = corpus()
TEST = TestSet(SOURCES, REFERENCES, known_source=lambda word: word != "Zyzzyva")


def test_scores_are_those_of_sacrebleu_to_the_last_digit():
    for seed in range(5):
        _, references, systems = corpus(seed=seed)
        for outputs in systems.values():
            ours = bleu(outputs, references), chrf(outputs, references)
            theirs = (
                sacrebleu.corpus_bleu(outputs, [references]),
                sacrebleu.corpus_chrf(outputs, [references]),
            )
            assert [one.score for one in ours] == [two.score for two in theirs]
            assert ter(outputs, references).score == sacrebleu.corpus_ter(
                outputs, [references]
            ).score  # fmt: skip


def test_edit_rate_by_hand():
    # one word changed, one left out, of six
    score = ter(["the cat sat on a"], ["the cat sat on the mat"])
    assert score.score == pytest.approx(100 * 2 / 6)
    assert score.signature.startswith("nrefs:1|case:lc|")
    assert ter(["THE CAT"], ["the cat"]).score == 0
    assert ter(["THE CAT"], ["the cat"], lowercase=False).score == 100


def test_curves_against_length():
    for side in ("source", "reference", "both"):
        curve = score_by_length(TEST, SYSTEMS, side=side, edges=(10, 20, 30))
        for name, buckets in curve.systems.items():
            assert [b.label for b in buckets] == ["0–10", "11–20", "21–30", "31+"]
            assert sum(b.count for b in buckets) == len(TEST)
            chosen = [i for i, s in enumerate(SOURCES) if 11 <= len(s.split()) <= 20]
            wanted = bleu(
                [SYSTEMS[name][i] for i in chosen], [REFERENCES[i] for i in chosen]
            )
            assert buckets[1].score == wanted
        xs, ys = curve.points("good")
        assert xs == [5.0, 15.5, 25.5, 35.5]
        assert ys == [b.score.score for b in curve.systems["good"]]
        lines = curve.table().splitlines()
        assert lines[0].split() == ["words", f"({side})", "sentences", "good", "bad"]
        assert lines[3].split()[:2] == ["11–20", str(curve.systems["bad"][1].count)]


def test_of_both_sentences_the_longer_counts():
    test = TestSet(["a b c", "a"], ["d", "e f"])
    assert test.lengths("source") == [3, 1]
    assert test.lengths("reference") == [1, 2]
    assert test.lengths("both") == [3, 2]
    assert test.unknown("both") == [0, 0]


def test_curves_against_unknown_words():
    curve = score_by_unknown(TEST, SYSTEMS, edges=(0, 1))
    counts = [bucket.count for bucket in curve.systems["good"]]
    assert counts == [40, 20, 0]
    assert curve.systems["good"][2].score is None
    assert curve.points("good")[0] == [0.0, 1.0]
    assert curve.table().splitlines()[-1].split() == ["2+", "0", "–", "–"]


def test_with_and_without_unknown_words():
    table = score_without_unknown(TEST, SYSTEMS)
    known = [i for i, source in enumerate(SOURCES) if "Zyzzyva" not in source]
    assert table.counts == (60, len(known))
    assert table.every["bad"] == bleu(SYSTEMS["bad"], REFERENCES)
    assert table.known["bad"] == bleu(
        [SYSTEMS["bad"][i] for i in known], [REFERENCES[i] for i in known]
    )
    lines = table.table().splitlines()
    assert lines[0] == "all lengths"
    assert lines[1].split() == ["system", "all", "no", "UNK"]
    assert lines[-1].split() == ["(sentences)", "60", "40"]


def test_short_sentences_alone():
    table = score_without_unknown(TEST, SYSTEMS, lengths=(10, 20))
    chosen = [i for i, s in enumerate(SOURCES) if 10 <= len(s.split()) <= 20]
    assert table.counts[0] == len(chosen)
    assert table.title == "10–20 words (source)"
    none = score_without_unknown(TEST, SYSTEMS, lengths=(90, 99))
    assert none.every == {"good": None, "bad": None}
    # of both sides both must be so long, not the longer one alone
    uneven = TestSet(["a " * 5, "a " * 12], ["b " * 12, "b " * 12])
    outputs = {"x": ["b", "b"]}
    for side, count in (("source", 1), ("reference", 2), ("both", 1)):
        made = score_without_unknown(uneven, outputs, lengths=(10, 20), side=side)
        assert made.counts[0] == count


def test_samples_side_by_side():
    table = pick_samples(TEST, SYSTEMS, least=5, most=9, count=3)
    assert len(table.samples) == 3
    for sample in table.samples:
        assert 5 <= len(sample.source.split()) <= 9
        assert sample.outputs["bad"] == SYSTEMS["bad"][sample.number]
    text = pick_samples(TEST, SYSTEMS, least=30, count=1).table(width=60)
    assert text.startswith("30 words and more\n\nSource     ")
    assert max(map(len, text.splitlines())) <= 60
    found = pick_samples(TEST, SYSTEMS, least=30, count=1).samples[0]
    squeezed = "".join(text.split())
    assert "".join(found.outputs["good"].split()) in squeezed
    assert pick_samples(TEST, SYSTEMS, least=1000).samples == ()


def test_top_translations():
    made = top_translations(
        "x", ["b", "a", "b", "c"], [-3.0, -2.5, -4.0, -9.0], count=2
    )
    assert made.translations == (("a", 2.5), ("b", 3.0))
    assert made.table().splitlines() == [
        "x",
        "Translations   NLL",
        "------------------",
        "a             2.50",
        "b             3.00",
    ]


def test_everything_at_once():
    made = analyse_translations(TEST, SYSTEMS)
    assert len(made.curves) == 6
    assert len(made.unknown) == 2
    text = made.table()
    assert "unknown words (both)" in text
    assert text.endswith(made.signature)
    known = TestSet(SOURCES, REFERENCES)
    assert len(analyse_translations(known, SYSTEMS).curves) == 3


def test_comparisons_are_those_of_sacrebleu():
    made = compare_translations(SYSTEMS, REFERENCES, metrics=("BLEU", "chrF", "TER"),
                                samples=50)  # fmt: skip
    bad = made.of("bad", "BLEU")
    assert bad.score == bleu(SYSTEMS["bad"], REFERENCES).score
    assert bad.p_value == 1 / 51
    assert bad.half_width > 0
    good = made.of("good", "BLEU")
    assert good.p_value is None
    assert set(made.signatures) == {"BLEU", "chrF2", "TER"}
    assert "bs:50" in made.signatures["BLEU"]
    lines = made.table().splitlines()
    assert lines[0].split() == ["system", "BLEU", "chrF2", "TER"]
    assert lines[2].startswith("good (baseline)")
    with pytest.raises(KeyError, match="no score of 'ugly'"):
        made.of("ugly", "BLEU")


def test_comparison_by_randomisation():
    systems = {"one": SYSTEMS["good"], "same": list(SYSTEMS["good"]),
               "bad": SYSTEMS["bad"]}  # fmt: skip
    made = compare_translations(systems, REFERENCES, metrics=("BLEU",), samples=40,
                                method=Method.RANDOMISATION)  # fmt: skip
    assert "ar:40" in made.signatures["BLEU"]
    assert made.of("bad", "BLEU").p_value == 1 / 41
    assert made.of("same", "BLEU").half_width is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: TestSet(["a"], []), "1 sources for 0"),
        (lambda: TestSet([], []), "no sentences"),
        (lambda: score_by_length(TEST, {}), "no systems"),
        (lambda: score_by_length(TEST, {"x": ["a"]}), "x has 1 translations for 60"),
        (lambda: top_translations("a", ["b"], []), "0 log-prob"),
        (lambda: compare_translations({"x": ["a"]}, ["a"]), "two systems"),
        (lambda: compare_translations({"x": ["a"], "y": []}, ["a"]), "0 translations"),
        (lambda: compare_translations(SYSTEMS, REFERENCES, metrics=["METEOR"]), "none"),
    ],
)
def test_wrong_calls_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_without_sacrebleu_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "sacrebleu", None)
    with pytest.raises(MissingExtra, match="comparing translations needs sacrebleu"):
        compare_translations(SYSTEMS, REFERENCES)
