"""n-gram models: how fast they are estimated, written, read and asked; beside KenLM.

    python benchmarks/ngrams.py train.txt test.txt
    python benchmarks/ngrams.py train.txt test.txt --kenlm OTHER/bin/python

All times are processor time of one thread, the best of several rounds. Estimation goes
from the file to the model; KenLM's estimator, `lmplz`, writes an ARPA file, so that is
timed too. Files are scored from their path to their perplexity: KenLM by `score` of the
package `kenlm`, line by line, as its users do. The rounds of both take turns, and the
log-probabilities are compared. `--kenlm` is a Python that has that package.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from anadrome.ngram import NgramModel

ROUNDS = 5

# What runs in the other Python: a line with a path in, a line with numbers out.
KENLM = """
import json, sys, time
import kenlm
begin = time.process_time()
model = kenlm.Model(sys.argv[1])
print(json.dumps([time.process_time() - begin]), flush=True)
for path in sys.stdin:
    begin = time.process_time()
    total = 0.0
    with open(path.rstrip("\\n"), encoding="utf-8", newline="\\n") as file:
        for line in file:
            total += model.score(line)
    print(json.dumps([time.process_time() - begin, total]), flush=True)
"""


class Other:
    """The process of the other Python."""

    def __init__(self, python: str, model: Path) -> None:
        self.process = subprocess.Popen(
            [python, "-c", KENLM, str(model)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.loaded = self.answer()[0]

    def answer(self) -> list[float]:
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line:
            sys.exit("the other Python has no kenlm, or it failed")
        return list(json.loads(line))

    def score(self, path: Path) -> list[float]:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{path}\n")
        self.process.stdin.flush()
        return self.answer()


def seconds(action: Callable[[], object]) -> float:
    begin = time.process_time()
    action()
    return time.process_time() - begin


def best(action: Callable[[], object]) -> float:
    return min(seconds(action) for _ in range(ROUNDS))


def measure(order: int, train: Path, test: Path, kenlm: str | None) -> None:
    """Print a section about models of an order."""
    model = NgramModel.estimate(train, order)  # compiles, too
    tokens = model.perplexity(train).tokens
    with tempfile.TemporaryDirectory() as folder:
        arpa, binary = Path(folder) / "model.arpa", Path(folder) / "model.bin"
        model.write(arpa)
        NgramModel.read(arpa)
        estimated = best(lambda: NgramModel.estimate(train, order))
        both = best(lambda: NgramModel.estimate(train, order).write(arpa))
        print(f"\norder {order}: {len(model.tables.words):,} n-grams")
        _say("estimated", tokens, estimated)
        _say("and written as ARPA", tokens, both)
        print(f"  ARPA read            {best(lambda: NgramModel.read(arpa)):8.3f} s")
        model.write(binary)
        print(f"  binary opened        {best(lambda: NgramModel.read(binary)):8.5f} s")
        mapped = NgramModel.read(binary)
        other = Other(kenlm, arpa) if kenlm else None
        if other:
            print(f"  ARPA read by KenLM   {other.loaded:8.3f} s")
        for name, path in (("test", test), ("train", train)):
            result = mapped.perplexity(path)
            mine, theirs = [], []
            for _ in range(ROUNDS + 4):
                mine.append(seconds(lambda path=path: mapped.perplexity(path)))  # type: ignore[misc]
                if other:
                    spent, total = other.score(path)
                    theirs.append(spent)
                    assert abs(total - result.log10_prob) < 1e-5 * abs(total)
            _say(f"{name} scored", result.tokens, min(mine))
            if other:
                _say(f"{name}, KenLM", result.tokens, min(theirs))
            print(f"    {result}")


def _say(what: str, tokens: int, spent: float) -> None:
    print(f"  {what:20} {spent:8.3f} s  {tokens / spent:12,.0f} tokens/s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("train", type=Path)
    parser.add_argument("test", type=Path)
    parser.add_argument("--orders", type=int, nargs="+", default=[3, 5])
    parser.add_argument("--kenlm", help="a Python that has the package kenlm")
    args = parser.parse_args()
    for order in args.orders:
        measure(order, args.train, args.test, args.kenlm)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"\nmost memory: {peak:,.0f} MB")


if __name__ == "__main__":
    main()
