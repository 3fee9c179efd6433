"""Phrase tables: lookup, the formats of Moses, the file that is mapped, bad files."""

from __future__ import annotations

import gzip
import math

import numpy as np
import pytest
from smt.tiny_models import random_lm, random_table

from anadrome.smt.arrays_file import write_arrays
from anadrome.smt.decoder import Decoder
from anadrome.smt.moses_ini import read_moses_ini
from anadrome.smt.moses_table import (
    read_moses_table,
    write_moses_reordering,
    write_moses_table,
)
from anadrome.smt.phrase_table import PhraseTable, filter_table
from anadrome.smt.repeated import Repeated
from anadrome.text.errors import CorpusError, MalformedFile, MalformedLine

TEXT = """\
das haus ||| the house ||| 0.5 0.25 1 0.125 ||| 0-0 1-1 ||| 2 1 1 ||| |||
das ||| the ||| 1 0.5 0.5 0.5 ||| 0-0 ||| 3 4 2
das ||| that ||| 0.25 1 0.5 0 ||| 0-0 ||| 8 4 2
"""


def entries(table):
    return {
        (" ".join(table.source_phrase(e)), " ".join(table.target_phrase(e))): (
            np.exp(table.scores[e]).tolist(),
            table.alignment(e).tolist(),
            table.counts[e].tolist(),
        )
        for e in range(len(table))
    }


def test_moses_table_is_read(tmp_path):
    path = tmp_path / "table"
    path.write_text(TEXT)
    table = read_moses_table(path)
    found = entries(table)
    scores, points, counts = found["das haus", "the house"]
    assert scores == pytest.approx([0.5, 0.25, 1, 0.125])
    assert points == [[0, 0], [1, 1]]
    assert counts == [2, 1, 1]
    assert len(table.find(["das"])) == 2
    assert [table.target_phrase(e) for e in table.find(["das", "haus"])] == [
        ["the", "house"]
    ]
    assert not len(table.find(["haus"]))
    assert not len(table.find(["katze"]))
    # A probability of 0 has the lowest score there is, not minus infinity.
    assert table.scores.min() == -100


def test_tables_come_back_from_text_and_from_the_mapped_file(tmp_path):
    table = random_table(np.random.default_rng(0), scores=4)
    write_moses_table(tmp_path / "t.gz", table)
    write_moses_reordering(tmp_path / "r.gz", table)
    again = read_moses_table(tmp_path / "t.gz", tmp_path / "r.gz")
    with gzip.open(tmp_path / "t.gz", "rt") as file:
        lines = file.read().splitlines()
    assert lines == sorted(lines)
    table.save(tmp_path / "t.bin")
    mapped = PhraseTable.load(tmp_path / "t.bin")
    for other in (again, mapped):
        assert entries(other).keys() == entries(table).keys()
        for source, target in entries(table):
            for find in (table, other):
                assert target in {
                    " ".join(find.target_phrase(e)) for e in find.find(source.split())
                }
    assert np.array_equal(mapped.scores, table.scores)
    assert np.array_equal(mapped.reordering[:], table.reordering[:])
    assert mapped.source.words == table.source.words
    assert mapped.longest == table.longest
    words, starts = mapped.source_phrases()
    for e in range(len(table)):
        phrase = table.source_phrase(e)
        mine = words[starts[e] : starts[e + 1]]
        assert [table.source.words[w] for w in mine] == phrase
        assert len(phrase) <= table.longest


def test_rows_that_come_again_are_kept_once():
    rng = np.random.default_rng(1)
    for kind in (np.float32, np.float64):
        rows = rng.standard_normal((5, 3)).astype(kind)
        rows[1] = rows[0]
        rows[1, 2] = np.nextafter(rows[0, 2], kind(9))
        array = rows[rng.integers(0, 5, 100)]
        packed = Repeated.of(array)
        assert packed.rows.shape == (5, 3)
        assert np.array_equal(packed[:], array)
        assert np.array_equal(packed[[7, 3]], array[[7, 3]])
        assert packed.shape == array.shape
    assert Repeated.of(np.empty((4, 0))).shape == (4, 0)
    assert Repeated.of(np.empty((0, 2))).shape == (0, 2)


def test_table_of_the_older_format_is_read(tmp_path):
    table = random_table(np.random.default_rng(0), scores=4)
    words, starts = table.source_phrases()
    points = [table.alignment(e) for e in range(len(table))]
    arrays = {
        "slots": table.slots,
        "numbers": table.numbers.astype(np.int64),
        "begins": table.begins.astype(np.int64),
        "source_starts": starts,
        "source_words": words.astype(np.int32),
        "target_starts": table.target_starts.astype(np.int64),
        "target_words": table.target_words.astype(np.int32),
        "scores": table.scores,
        "reordering": table.reordering[:],
        "alignment_starts": np.cumsum([0, *map(len, points)]),
        "alignment_points": np.concatenate(points).astype(np.int16),
        "counts": table.counts[:],
    }
    texts = {"source": table.source.words, "target": table.target.words}
    notes = {"names": list(table.names)}
    path = tmp_path / "old.bin"
    write_arrays(path, "anadrome phrase table 1", notes, texts, arrays)
    assert entries(PhraseTable.load(path)) == entries(table)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("das ||| the", r"line 2: 2 column\(s\), but 3"),
        ("das ||| the ||| 0.5 0.5 0.5", "line 2: 3 scores, but 4"),
        ("das ||| the ||| 0.5 nan 1 1", "line 2: 'nan' is not a number"),
        ("das ||| the ||| 0.5 x 1 1", "line 2: 'x' is not a number"),
        ("das ||| the ||| 0.5 -1 1 1", "line 2: -1 is not a probability"),
        ("das ||| the |||", "line 2: there are no scores"),
        ("||| the ||| 1 1 1 1", "line 2: the source phrase is empty"),
        ("das ||| ||| 1 1 1 1", "line 2: the target phrase is empty"),
        ("das ||| the ||| 1 1 1 1 ||| 0-1", "line 2: the alignment point 0-1"),
        ("das ||| the ||| 1 1 1 1 ||| 0", "line 2: '0' is not an alignment point"),
        ("das haus ||| the house ||| 1 1 1 1", "line 2: this phrase pair was there"),
    ],
)
def test_malformed_lines_are_located(tmp_path, line, message):
    path = tmp_path / "table"
    path.write_text(TEXT.splitlines()[0] + "\n" + line + "\n")
    with pytest.raises(MalformedLine, match=message):
        read_moses_table(path)


def test_malformed_reordering_tables_are_located(tmp_path):
    (tmp_path / "t").write_text(TEXT)
    (tmp_path / "r").write_text("das ||| the ||| 0.5 0.25 0.25\n")
    with pytest.raises(MalformedLine, match="line 1: 3 scores"):
        read_moses_table(tmp_path / "t", tmp_path / "r")


def test_damaged_files_are_named(tmp_path):
    table = random_table(np.random.default_rng(0))
    path = tmp_path / "t.bin"
    table.save(path)
    content = path.read_bytes()
    path.write_bytes(content[:-100])
    with pytest.raises(MalformedFile, match="not whole"):
        PhraseTable.load(path)
    path.write_bytes(b"something else")
    with pytest.raises(MalformedFile, match="not in the format"):
        PhraseTable.load(path)


INI = """\
# a comment
[distortion-limit]
4
[stack]
50
[feature]
KENLM factor=0 order=3 path=${LM}/en.lm
Distortion
WordPenalty
UnknownWordPenalty
PhraseDictionaryMemory name=T path=table.gz num-features=4 table-limit=10
[weight]
KENLM0= 0.5
T= 0.1 0.2 0.3 0.4
WordPenalty0= -1
"""


def test_moses_ini_is_read(tmp_path):
    path = tmp_path / "moses.ini"
    path.write_text(INI)
    ini = read_moses_ini(path)
    assert ini.files == {"LM0": "${LM}/en.lm", "TranslationModel0": "table.gz"}
    assert ini.weights == {
        "LM0": [0.5],
        "TranslationModel0": [0.1, 0.2, 0.3, 0.4],
        "WordPenalty0": [-1.0],
    }
    assert (ini.stack, ini.distortion, ini.table_limit) == (50, 4, 10)
    assert ini.searching.limits.threshold == pytest.approx(math.log(1e-5))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("Distortion\n", "Foo a=1\n", "line 8: the feature Foo is not known"),
        ("T= 0.1", "U= 0.1", "line 14: there is no feature 'U'"),
        ("KENLM0= 0.5", "KENLM0= x", "line 13: the weights 'x' are not numbers"),
        ("\n4\n", "\nfour\n", "line 3: 'four' is not a number"),
        ("path=table.gz ", "", "line 11: PhraseDictionaryMemory has no path"),
    ],
)
def test_malformed_configurations_are_located(tmp_path, old, new, message):
    path = tmp_path / "moses.ini"
    path.write_text(INI.replace(old, new))
    with pytest.raises(CorpusError, match=message):
        read_moses_ini(path)


def test_filtered_tables_translate_their_sentences_the_same():
    rng = np.random.default_rng(8)
    table, lm = random_table(rng), random_lm(rng)
    words = list("abca")
    small = filter_table(table, [words])
    assert 0 < len(small) < len(table)
    found, wanted = (
        Decoder(small, lm).n_best(words, 9),
        Decoder(table, lm).n_best(words, 9),
    )
    assert [f.text for f in found] == [w.text for w in wanted]
    assert [f.score for f in found] == pytest.approx([w.score for w in wanted])
    assert max(len(filter_table(table, [words], 1).find(p)) for p in ("a", "ab")) == 1
