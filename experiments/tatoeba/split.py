"""Tatoeba's English and French sentences, cut into training, validation and test.

    python experiments/tatoeba/split.py eng-fra.2019-04.txt FOLDER

An English sentence has several translations: all of them go to the same part. The
narrow spaces that French sets before ! ? : ; become ordinary ones.
"""

from __future__ import annotations

import argparse
import zlib
from pathlib import Path

from anadrome.corpora import read_tsv

SPACES = str.maketrans({"\u202f": " ", "\u00a0": " "})


def part_of(english: str) -> str:
    """Of a hundred sentences one is for validation and one for the test."""
    return {0: "valid", 1: "test"}.get(zlib.crc32(english.encode()) % 100, "train")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    parts: dict[str, list[tuple[str, str]]] = {"train": [], "valid": [], "test": []}
    told = set()
    for english, french in read_tsv(given.file):
        part = part_of(english)
        # One translation of each sentence is enough to be tested on.
        if part == "train" or english not in told:
            parts[part].append((english, french.translate(SPACES)))
        told.add(english)
    for part, pairs in parts.items():
        for side, name in enumerate(("en", "fr")):
            lines = "".join(pair[side] + "\n" for pair in pairs)
            (given.folder / f"{part}.{name}").write_text(lines, "utf-8")
        print(f"{part}: {len(pairs):,} pairs")


if __name__ == "__main__":
    main()
