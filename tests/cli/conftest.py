"""Tiny corpora and translators for the tests of commands."""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from anadrome.cli.commands import run
from anadrome.corpora import write_parallel
from anadrome.corpora.grammar import splits


@dataclass(frozen=True)
class Workshop:
    """A folder with a corpus and the translators that were trained on it."""

    folder: Path

    def path(self, name: str) -> str:
        """The path of a file or of a translator."""
        return str(self.folder / name)

    def pair(self, name: str) -> list[str]:
        """The two files of a part of the corpus."""
        return [self.path(f"{name}.en"), self.path(f"{name}.fr")]

    def train(self, out: str, *options: str) -> int:
        """Train a translator of whole words for a few steps; the exit status."""
        sizes = ["--embedding=6", "--hidden=8", "--merges=0", "--max-words=40"]
        often = ["--batch-tokens=200", "--validate-every=2", "--checkpoint-every=1"]
        given = {option.split("=")[0] for option in options}
        usual = [*sizes, *often, "--steps=3", "--french-target", "--backend=python"]
        return run(
            [
                *("train", "translate", *self.pair("train"), "--out", self.path(out)),
                *("--valid", *self.pair("valid")),
                *(word for word in usual if word.split("=")[0] not in given),
                *options,
            ]
        )


@pytest.fixture(scope="session")
def workshop(tmp_path_factory):
    made = Workshop(tmp_path_factory.mktemp("workshop"))
    corpus = splits(train=60, valid=6, test=8, test_long=2)
    for name in ("train", "valid", "test"):
        write_parallel(getattr(corpus, name), *map(Path, made.pair(name)))
    # Long enough to know how sentences end.
    longer = ("--rate=0.02", "--steps=50", "--warmup=5", "--validate-every=25")
    assert made.train("first", *longer) == 0
    assert made.train("second", "--rate=0.02", "--steps=8", "--seed=1") == 0
    assert made.train("tree", "--model=grconv") == 0
    return made


@pytest.fixture
def type_in(monkeypatch):
    """A function that makes bytes the standard input."""

    def give(content: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    return give
