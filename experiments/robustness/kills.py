"""Training killed at random moments, and taken up again: are the weights the same bits?

    python experiments/robustness/kills.py [--kills 50] [--seed 0]

For every task a tiny model is trained once without a break. Another training of it is
killed (`kill -9`) and begun again at random moments, with a checkpoint every three
steps; the last time it is left to end. The weights, the state of the optimiser and the
losses in the log must be the same.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from anadrome.corpora import write_parallel
from anadrome.corpora.grammar import splits
from anadrome.train import list_checkpoints, load_newest_checkpoint

STEPS = 60
SIZES = ("--hidden=8", "--embedding=6")
TASKS = {
    "translate": ("train.en", "train.fr", *SIZES, "--merges=20"),
    "tag": ("tags.conll", *SIZES, "--letter-hidden=4", "--letter-embedding=4"),
    "classify": ("classes.tsv", *SIZES, "--units=letters"),
    "trees": ("trees.txt", *SIZES),
    "lm": ("train.en", *SIZES),
}
VALID = {"translate": ("valid.en", "valid.fr"), "lm": ("valid.en",)}


def write_corpora(folder: Path) -> None:
    """A small corpus for each of the tasks."""
    corpus = splits(train=60, valid=6, test=4, test_long=1)
    write_parallel(corpus.train, folder / "train.en", folder / "train.fr")
    write_parallel(corpus.valid, folder / "valid.en", folder / "valid.fr")
    lines = (folder / "train.en").read_text().splitlines()
    rng = random.Random(0)
    tags, classes, trees = [], [], []
    for line in lines:
        words = line.replace("(", "").replace(")", "").split()
        tags.append("".join(f"{word}\t{word[-1]}\n" for word in words))
        classes.append(f"{line[0]}\t{line}\n")
        tree = f"(0 {words[0]})"
        for word in words[1:]:
            tree = f"({rng.randrange(3)} {tree} ({rng.randrange(3)} {word}))"
        trees.append(f"{tree}\n")
    (folder / "tags.conll").write_text("\n".join(tags))
    (folder / "classes.tsv").write_text("".join(classes))
    (folder / "trees.txt").write_text("".join(trees))


def begin(task: str, folder: Path, out: Path) -> subprocess.Popen[str]:
    """A training in a process of its own."""
    options = [
        word if word.startswith("--") else str(folder / word) for word in TASKS[task]
    ]
    if task in VALID:
        options += ["--valid", *(str(folder / name) for name in VALID[task])]
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "anadrome", "train", task, *options),
            *("--out", str(out), f"--steps={STEPS}", "--batch-tokens=150"),
            *("--checkpoint-every=3", "--validate-every=10", "--backend=python"),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> None:
    """Wait for a training that must end well."""
    _, said = process.communicate()
    if process.returncode:
        raise SystemExit(f"status {process.returncode}\n{said}")


def newest(out: Path) -> int:
    """The step of the newest checkpoint, 0 if there is none."""
    return max(list_checkpoints(out / "checkpoints"), default=0)


def ended(process: subprocess.Popen[str]) -> bool:
    """Whether the training is over."""
    return process.poll() is not None


def result(out: Path) -> dict[str, object]:
    """The arrays of the last checkpoint, and the losses that the log has."""
    found = load_newest_checkpoint(out / "checkpoints")
    assert found is not None
    arrays: dict[str, object] = {
        f"{record}.{name}": (array.dtype.str, array.shape, array.tobytes())
        for record, arrays in found.arrays.items()
        for name, array in arrays.items()
    }
    records = map(json.loads, (out / "log.jsonl").read_text().splitlines())
    losses = [(r["step"], r["loss"]) for r in records if "loss" in r]
    return arrays | {"step": found.step, "losses": losses}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tasks", nargs="*", default=list(TASKS))
    given = parser.parse_args()
    rng = random.Random(given.seed)
    total, equal = 0, True
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_corpora(folder)
        for task in given.tasks:
            begun = time.perf_counter()
            finish(begin(task, folder, folder / f"{task}-whole"))
            length = time.perf_counter() - begun
            wanted = result(folder / f"{task}-whole")
            out = folder / f"{task}-killed"
            share = -(-given.kills // len(given.tasks))
            reached = [0]
            for kill in range(share):
                process = begin(task, folder, out)
                if kill % 5 == 0:  # before it trains, or soon after
                    time.sleep(rng.uniform(0, length / 2))
                else:
                    further = reached[-1] + rng.randrange(2 * STEPS // share)
                    while newest(out) < min(further, STEPS - 3) and not ended(process):
                        time.sleep(0.005)
                    time.sleep(rng.uniform(0, 0.03))
                total += not ended(process)
                process.kill()
                process.communicate()
                reached.append(newest(out))
            finish(begin(task, folder, out))
            found = result(out)
            other = sorted(k for k in wanted if found.get(k) != wanted[k])
            equal &= not other
            print(
                f"{task}: {share} kills, newest checkpoints {reached[1:]}, "
                f"{'OTHER ' + ', '.join(other) if other else 'the same bits'}",
                flush=True,
            )
            if "losses" in other:
                print(wanted["losses"], found["losses"])
    print(f"{total} kills, {'all results equal' if equal else 'not all equal'}")
    raise SystemExit(not equal)


if __name__ == "__main__":
    main()
