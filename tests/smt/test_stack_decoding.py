"""The stack decoder against a search that tries everything, and against Moses."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from smt.tiny_models import SOURCE, all_derivations, random_lm, random_table

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
