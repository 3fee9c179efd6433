"""The corpora that the field uses, where they are on this machine."""

from collections import Counter
from pathlib import Path

import pytest

from anadrome.corpora import (
    convert,
    read_conll,
    read_conllu,
    read_lines,
    read_parallel,
    read_trees,
    scan_pairs,
)

FOLDERS = (parent / "shared" / "data" for parent in Path(__file__).parents)
DATA = next((folder for folder in FOLDERS if folder.is_dir()), Path("data"))


def data(*parts):
    """The path of a file, if it is there."""
    path = DATA.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{path.name} is not here")
    return path


def test_universal_dependencies(tmp_path):
    path = data("ud_english_ewt", "en_ewt-ud-dev.conllu")
    sentences = read_conllu(path)
    assert len(sentences) == 2001
    assert sum(len(s.words) for s in sentences) == 25147
    assert sum(len(s.multiword) for s in sentences) == 359
    assert sum(len(s.empty) for s in sentences) == 4
    assert all(f" text = {s.text}" in s.comments for s in sentences)
    convert((path,), (tmp_path / "again.conllu",))
    assert (tmp_path / "again.conllu").read_bytes() == path.read_bytes()


def test_emerging_entities():
    counts = [
        len(read_conll(data("wnut17", name)))
        for name in (
            "wnut17train.conll",
            "emerging.dev.conll",
            "emerging.test.annotated",
        )
    ]
    assert counts == [3394, 1009, 1287]
    tags = Counter(
        t for s in read_conll(data("wnut17", "wnut17train.conll")) for t in s.tags
    )
    assert len(tags) == 13
    assert tags["B-person"] == 660


def test_sentiment_trees(tmp_path):
    path = data("sst_trees", "dev.txt")
    trees = read_trees(path)
    assert Counter(tree.label for tree in trees) == {
        "0": 139,
        "1": 289,
        "2": 229,
        "3": 279,
        "4": 165,
    }
    assert all(tree.is_binary for tree in trees)
    convert((path,), (tmp_path / "again",), read_as="trees", write_as="trees")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_tatoeba():
    pairs = scan_pairs(data("tatoeba_eng_fra", "eng-fra.2019-04.txt"), "tsv")
    found = [pair for _, pair in pairs]
    assert len(found) == 167130
    assert found[0] == ("Go.", "Va !")


def test_multi30k():
    corpus = read_parallel(data("multi30k", "val.en"), data("multi30k", "val.de"))
    assert len(corpus) == 1014


def test_names():
    folder = data("names", "names")
    counts = {path.stem: len(read_lines(path)) for path in folder.glob("*.txt")}
    assert len(counts) == 18
    assert sum(counts.values()) == 20050
    assert counts["Russian"] == 9384
