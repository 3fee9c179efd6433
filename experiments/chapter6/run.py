"""Chapter 6 again: where an encoder–decoder, grConv and attention fail, and how.

    python experiments/chapter6/run.py OUT
    python experiments/chapter6/run.py OUT --data FOLDER --languages en de

Trains the three on the built-in corpus, or on train, val and test_2016_flickr of a
folder (Multi30k), with whole words of a shortlist as in the thesis; then BLEU by length
and by unknown words, translations side by side, and the parses that grConv induces for
ten sentences. The same command again goes on where it was interrupted.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from anadrome.corpora import ParallelCorpus, write_parallel
from anadrome.corpora.grammar import splits

MODELS = ("encoder-decoder", "grconv", "attention")
BUILT_IN = "--max-words 700 --embedding 64 --hidden 128 --warmup 100 --rate 0.004"
MULTI30K = "--max-words 5000 --embedding 256 --hidden 384 --lowercase"
SENTENCES = 10


def anadrome(*words: str | Path, out: Path | None = None) -> None:
    """Run a command; what it prints goes to a file if one is given."""
    line = [sys.executable, "-m", "anadrome", *map(str, words)]
    print("anadrome", *line[3:], flush=True)
    if out is None:
        subprocess.run(line, check=True)
        return
    done = subprocess.run(line, check=True, stdout=subprocess.PIPE)
    out.write_bytes(done.stdout)


def write_built_in(folder: Path) -> None:
    """Training sentences of up to 17 words, and test ones of up to 40."""
    made = splits(train=20_000, valid=200, test=500, test_long=400)
    test = ParallelCorpus(
        made.test.source + made.test_long.source,
        made.test.target + made.test_long.target,
    )
    for name, part in (("train", made.train), ("valid", made.valid), ("test", test)):
        write_parallel(part, folder / f"{name}.en", folder / f"{name}.fr")


def chosen_sentences(test: Path) -> list[str]:
    """Sentences of 5, 6, … words, the first of each length that the test set has."""
    lines = test.read_text("utf-8").splitlines()
    lengths = [len(line.split()) for line in lines]
    return [lines[lengths.index(5 + k)] for k in range(SENTENCES) if 5 + k in lengths]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--data", type=Path, help="a folder with Multi30k's files")
    parser.add_argument("--languages", nargs=2, default=["en", "de"])
    parser.add_argument("--steps", type=int, help="how many updates, to try it out")
    given = parser.parse_args()
    out: Path = given.out
    out.mkdir(parents=True, exist_ok=True)
    names, options, steps = ("train", "valid", "test"), BUILT_IN.split(), 4000
    folder, sides = out, ["en", "fr"]
    if given.data is None:
        if not (out / "test.fr").exists():
            write_built_in(out)
    else:
        names, options = ("train", "val", "test_2016_flickr"), MULTI30K.split()
        steps = 8000
        folder, sides = given.data, given.languages
    train, valid, test = (
        [folder / f"{name}.{side}" for side in sides] for name in names
    )
    for model in MODELS:
        anadrome(
            *("train", "translate", *train, "--valid", *valid, "--out", out / model),
            *("--model", model, "--merges", "0", *options),
            *("--steps", str(given.steps or steps)),
        )
    anadrome(
        *("analyse", *(out / model for model in MODELS), "--test", *test),
        *("--native", "--out", out / "analysis"),
        out=out / "analysis.txt",
    )
    for k, sentence in enumerate(chosen_sentences(test[0]), start=1):
        picture = out / f"parse-{k:02d}.png"
        anadrome("draw", "parse", out / "grconv", sentence, "--out", picture)


if __name__ == "__main__":
    main()
