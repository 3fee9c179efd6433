"""A neural language model of words beside Kneser-Ney, and both interpolated.

    python experiments/lm/interpolate.py MODEL DATA [--order 5]

MODEL is the folder of a trained model of words, DATA holds train.txt, valid.txt and
test.txt. The weights are those that make valid.txt most probable; perplexities are of
test.txt. `<unk>` is a word as any other.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from anadrome.ngram import NgramModel
from anadrome.ngram.mixture import fit_weights
from anadrome.tasks.lm import TASK, log_probabilities
from anadrome.train.run import load_trained


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("model", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("--order", type=int, default=5)
    given = parser.parse_args()
    trained = load_trained(TASK, given.model, native=True)
    lines = {
        part: (given.data / f"{part}.txt").read_text().splitlines()
        for part in ("train", "valid", "test")
    }
    ngrams = NgramModel.estimate(_renamed(lines["train"]), given.order)
    probs = {}
    for part in ("valid", "test"):
        neural = log_probabilities(trained, trained.codecs.encode(lines[part]))
        counted = [
            word.log10_prob
            for line in _renamed(lines[part])
            for word in ngrams.score_sentence(line.split())
        ]
        probs[part] = np.stack((np.exp(neural), 10.0 ** np.array(counted)), axis=1)
    weights = fit_weights(probs["valid"])
    for name, mixed in (
        (trained.model.name, probs["test"][:, 0]),
        (f"Kneser-Ney, order {given.order}", probs["test"][:, 1]),
        (f"{weights[0]:.3f} and {weights[1]:.3f} of them", probs["test"] @ weights),
    ):
        perplexity = float(np.exp(-np.mean(np.log(mixed))))
        print(f"{name}: perplexity {perplexity:.2f} on {len(mixed):,} tokens")


def _renamed(lines: list[str]) -> list[str]:
    return [line.replace("<unk>", "UNK") for line in lines]


if __name__ == "__main__":
    main()
