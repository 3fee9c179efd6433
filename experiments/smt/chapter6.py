"""Table 6.1 and figure 6.5: statistical and neural translators beside each other.

    python experiments/smt/chapter6.py DATA WORK [fr|de] [--steps N]

Trains what is not trained yet in WORK (the statistical system, the encoder–decoder,
the grConv and the attention model on the same words), then it is one command:

    anadrome analyse SMT=… RNNenc=… grConv=… RNNsearch=… --test SOURCE REFERENCE --out …
"""

from __future__ import annotations

import argparse
from pathlib import Path

from multi30k import prepare
from table41 import command

MODELS = {
    "RNNenc": ("encoder-decoder",),
    "grConv": ("grconv",),
    "RNNsearch": ("attention",),
}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("language", nargs="?", default="fr")
    parser.add_argument("--steps", type=int, default=8000)
    parser.add_argument("--words", type=int, default=8000, help="that networks know")
    parser.add_argument("--beam", type=int, default=5)
    options = parser.parse_args()
    work, language = options.work, options.language
    work.mkdir(parents=True, exist_ok=True)
    for side in ("en", language):
        prepare(options.data, work, side)

    def files(name: str) -> tuple[Path, Path]:
        return work / f"{name}.en", work / f"{name}.{language}"

    smt = work / f"baseline.{language}"
    command(
        *("train", "smt", *files("train"), "--out", smt, "--tokenized"),
        *("--valid", *files("val")),
    )
    systems = [f"SMT={smt}"]
    for name, (model,) in MODELS.items():
        out = work / f"{name.lower()}.{language}"
        command(
            *("train", "translate", *files("train"), "--valid", *files("val")),
            *("--out", out, "--model", model, "--merges", 0),
            *("--max-words", options.words, "--steps", options.steps),
            *("--validation-sentences", 200, "--backend", "native"),
        )
        systems.append(f"{name}={out}")
    command(
        *("analyse", *systems, "--test", *files("test_2016_flickr")),
        *("--out", work / f"chapter6.{language}", "--beam", options.beam),
    )


if __name__ == "__main__":
    main()
