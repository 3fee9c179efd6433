"""Split the names of 18 languages into files that `anadrome train classify` reads.

    python experiments/labelling/names.py FOLDER_OF_LANGUAGES OUT          # by names
    python experiments/labelling/names.py FOLDER_OF_LANGUAGES OUT --lines  # by lines

By names, every name counts once in each of its languages, and is held out in all of
them or in none: no test name was seen in training. By lines, the lists are split as
they stand, as tutorials do, although Arabic has 108 names on its 2,000 lines.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path


def main(folder: Path, out: Path, by_lines: bool) -> None:
    """Write train.tsv, valid.tsv and test.tsv: 80, 10 and 10 per cent."""
    languages: dict[tuple[str, int], set[str]] = {}
    for path in sorted(folder.glob("*.txt")):
        for line in path.read_text("utf-8").splitlines():
            if line.strip():
                place = len(languages) if by_lines else 0
                languages.setdefault((line.strip(), place), set()).add(path.stem)
    names = sorted(languages)
    random.Random(0).shuffle(names)
    tenth = len(names) // 10
    parts = {
        "test": names[:tenth],
        "valid": names[tenth : 2 * tenth],
        "train": names[2 * tenth :],
    }
    out.mkdir(parents=True, exist_ok=True)
    for part, chosen in parts.items():
        lines = [f"{lang}\t{name[0]}\n" for name in chosen for lang in languages[name]]
        (out / f"{part}.tsv").write_text("".join(sorted(lines)), "utf-8")
        print(f"{part}: {len(lines):,} names")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), "--lines" in sys.argv[3:])
