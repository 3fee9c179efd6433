"""The stack decoder against a search that tries everything, and against Moses."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from smt.tiny_models import SOURCE, all_derivations, random_lm, random_table

from anadrome.options import OptionError
from anadrome.smt.constraints import Given, parse_constraints, translate_given
from anadrome.smt.decoder import Decoder, Searching
from anadrome.smt.moses_ini import load_moses


def random_decoder(seed, distortion=-1, oriented=True):
    rng = np.random.default_rng(seed)
    table = random_table(rng, oriented=oriented)
    searching = Searching(2000, 1e-300, distortion, 50)
    decoder = Decoder(table, random_lm(rng), searching=searching)
    decoder.weights = rng.uniform(-0.2, 1.0, decoder.features.size)
    decoder.weights[3] = 1.0
    words = list(rng.choice(list(SOURCE), 4))
    return decoder, words


@pytest.mark.parametrize("seed", range(12))
def test_unpruned_search_finds_what_exhaustive_search_finds(seed):
    distortion = (-1, 0, 1, 2)[seed % 4]
    decoder, words = random_decoder(seed, distortion, oriented=seed % 3 != 0)
    wanted = all_derivations(decoder, words, distortion)
    found = decoder.n_best(words, len(wanted) + 5, distinct=False)
    assert len(found) == len(wanted)
    assert [f.score for f in found] == pytest.approx([w[0] for w in wanted], abs=1e-4)
    by_path = {w[1]: w[2] for w in wanted}
    for f in found:
        path = tuple((p.start, p.end, p.entry) for p in f.phrases)
        assert f.values == pytest.approx(by_path[path], abs=1e-4)
        assert f.values @ decoder.weights == pytest.approx(f.score, abs=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_unlimited_cube_pruning_is_the_whole_search(seed):
    decoder, words = random_decoder(seed, (-1, 2)[seed % 2])
    wanted = decoder.n_best(words, 5000, distinct=False)
    decoder.searching = replace(decoder.searching, pops=10**6)
    found = decoder.n_best(words, 5000, distinct=False)
    assert [f.score for f in found] == pytest.approx([w.score for w in wanted])
    decoder.searching = replace(decoder.searching, pops=3)
    few = decoder.n_best(words, 5000, distinct=False)
    assert 0 < len(few) < len(wanted)
    assert few[0].score <= wanted[0].score + 1e-9
    reference = wanted[-1].words
    decoder.searching = replace(decoder.searching, pops=10**6)
    forced = decoder.n_best(words, 1, reference=reference)
    assert forced[0].words == reference


def test_distinct_lists_hold_every_translation_once_with_its_best_score():
    decoder, words = random_decoder(3)
    wanted = {}
    for derivation in decoder.n_best(words, 5000, distinct=False):
        wanted.setdefault(derivation.text, derivation.score)
    found = decoder.n_best(words, 8)
    assert [(f.text, f.score) for f in found] == list(wanted.items())[:8]


def test_forced_decoding_finds_the_derivations_of_a_translation():
    decoder, words = random_decoder(5)
    everything = decoder.n_best(words, 5000, distinct=False)
    reference = everything[len(everything) // 2].words
    wanted = [d for d in everything if d.words == reference]
    found = decoder.n_best(words, 5000, distinct=False, reference=reference)
    assert [f.score for f in found] == pytest.approx([w.score for w in wanted])
    assert decoder.n_best(words, 5, reference=["w"] * 30) == []
    assert decoder.n_best(words, 5, reference=["never"]) == []


def test_pruning_finds_no_better_translation():
    decoder, words = random_decoder(7)
    best = decoder.translate(words).score
    decoder.searching = Searching(stack=2, distortion=-1)
    assert decoder.translate(words).score <= best + 1e-9


def test_unknown_words_are_passed_through():
    decoder, _ = random_decoder(1)
    found = decoder.translate(["d", "zebra", "d"])
    assert set(found.words) >= {"zebra"}
    assert found.values[3] % 100 == 0
    assert (0, 0) in found.alignment(decoder.table) or found.phrases[0].entry >= 0


class HashedNetwork:
    """A network that nobody trained: the probability of an n-gram is a mix of it."""

    order = 4

    def __init__(self):
        self.asked = 0

    def numbers(self, words):
        return np.array([4 + ord(word[0]) % 50 for word in words])

    def score(self, ngrams):
        self.asked += 1
        mixed = (ngrams * np.array([3, 11, 5, 7])).sum(axis=1)
        return -0.5 - (mixed % 13) / 4


@pytest.mark.parametrize("seed", range(8))
def test_search_with_a_network_finds_what_exhaustive_search_finds(seed):
    plain, words = random_decoder(seed, (-1, 2)[seed % 2], oriented=seed % 3 != 0)
    network = HashedNetwork()
    # A beam that no recombined hypothesis is dropped from.
    searching = replace(plain.searching, stack=20_000)
    decoder = Decoder(plain.table, plain.lm, searching=searching, network=network)
    rng = np.random.default_rng(seed)
    decoder.weights = np.append(plain.weights, rng.uniform(0.2, 1.0))
    wanted = []
    for score, path, _ in all_derivations(plain, words, searching.distortion):
        said = [
            word
            for start, _, entry in path
            for word in (
                [words[start]] if entry < 0 else plain.table.target_phrase(entry)
            )
        ]
        line = [2, 2, 2, *network.numbers(said), 2]
        rows = [line[k : k + 4] for k in range(len(line) - 3)]
        wanted.append(score + decoder.weights[-1] * network.score(np.array(rows)).sum())
    network.asked = 0
    found = decoder.n_best(words, len(wanted) + 5, distinct=False)
    assert network.asked <= len(words)  # a buffer for each stack
    assert [f.score for f in found] == pytest.approx(sorted(wanted)[::-1], abs=1e-4)
    for f in found:
        assert f.values @ decoder.weights == pytest.approx(f.score, abs=1e-6)


def test_cube_pruning_with_a_network_is_refused():
    plain, words = random_decoder(0)
    searching = replace(plain.searching, pops=10)
    decoder = Decoder(
        plain.table, plain.lm, searching=searching, network=HashedNetwork()
    )
    with pytest.raises(OptionError, match="cube pruning"):
        decoder.n_best(words, 1)


def test_threads_change_nothing():
    decoder, _ = random_decoder(4)
    rng = np.random.default_rng(0)
    lines = [list(rng.choice(list(SOURCE + "e"), k % 9)) for k in range(60)]
    alone = list(decoder.translate_all(lines))
    shared = list(decoder.translate_all(iter(lines), threads=3))
    assert [(d.text, d.score) for d in alone] == [(d.text, d.score) for d in shared]
    assert [d.phrases for d in alone] == [d.phrases for d in shared]


def test_given_words_come_out_and_the_rest_is_translated_as_always():
    decoder, _ = random_decoder(6)
    words = list("abcab")
    text, given = parse_constraints("a b c a b\t1-2=new thing\t4=w")
    assert text.split() == words
    for made in translate_given(decoder, words, given, 20):
        spans = {(p.start, p.end): p for p in made.phrases}
        assert spans[1, 3].target == ("new", "thing")
        assert spans[4, 5].target == ("w",)
        assert {(1, made.words.index("new")), (2, made.words.index("thing"))} <= set(
            made.alignment(decoder.table)
        )
        rest = [p for p in made.phrases if p.entry >= 0]
        for phrase in rest:
            assert decoder.table.target_phrase(phrase.entry) == list(phrase.target)
        assert made.values @ decoder.weights == pytest.approx(made.score)
    # What the decoder would say anyway changes nothing but what the phrase costs.
    free = decoder.translate(["a"])
    same = translate_given(decoder, ["a"], [Given(0, 1, free.phrases[0].target)])[0]
    assert same.words == free.words


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ("1-2", "no constraint"),
        ("1=", "no constraint"),
        ("4=x", "outside of a sentence of 3 words"),
        ("2-1=x", "outside of a sentence"),
        ("0-1=x\t1=y", "overlaps"),
    ],
)
def test_constraints_that_cannot_be_met_are_refused(cells, message):
    decoder, _ = random_decoder(6)

    def work():
        text, given = parse_constraints(f"a b c\t{cells}")
        return translate_given(decoder, text.split(), given)

    with pytest.raises(OptionError, match=message):
        work()


def test_trace_has_the_hypotheses_of_the_best_translation():
    decoder, words = random_decoder(9)
    decoder.searching = Searching(stack=3)
    found = decoder.trace(words)
    best = decoder.translate(words)
    assert found.totals[found.best[-1]] == pytest.approx(best.score)
    covered = found.covered[list(found.best)].tolist()
    assert covered == sorted(covered)
    assert (covered[0], covered[-1], len(covered)) == (0, 4, len(best.phrases) + 1)
    for c in range(1, 5):
        assert (found.kept & (found.covered == c)).sum() <= 3


def test_nothing_becomes_nothing():
    decoder, _ = random_decoder(1)
    assert decoder.translate([]).text == ""


def test_long_sentences_are_translated_whole():
    decoder, _ = random_decoder(2)
    decoder.searching = Searching(stack=5, distortion=3)
    words = list("abcabd" * 100)
    found = decoder.translate(words)
    covered = sorted(k for p in found.phrases for k in range(p.start, p.end))
    assert covered == list(range(600))


FOLDERS = (parent / "shared" / "data" for parent in Path(__file__).parents)
DATA = next((folder for folder in FOLDERS if folder.is_dir()), Path("data"))
SAMPLES = DATA / "moses_samples"


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="moses_samples is not here")
def test_translations_and_scores_are_those_of_moses():
    case = SAMPLES / "phrase.lexicalized-reordering"
    decoder = load_moses(
        case / "moses.ini",
        files={
            "TranslationModel0": SAMPLES / "fr-en.phrase-table",
            "LexicalReordering0": SAMPLES
            / "fr-en.reordering-table.msd-bidirectional-fe",
            "LM0": SAMPLES / "en.europarl.lm.arpa",
        },
    )
    results = (case / "results.txt").read_text()
    lines = (case / "to-translate.txt").read_text().splitlines()
    for k, line in enumerate(lines, start=1):
        found = decoder.translate(line.split())
        assert found.text == re.search(rf"TRANSLATION_{k}=(.*)", results)[1].strip()
        score = float(re.search(rf"SCORE_{k} = (.*)", results)[1])
        assert found.score == pytest.approx(score, abs=1e-3)
