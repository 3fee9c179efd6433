"""Training that is stopped or killed goes on, and ends with the very same weights."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from anadrome.corpora import write_parallel
from anadrome.corpora.grammar import splits
from anadrome.train import list_checkpoints, load_newest_checkpoint

STEPS = 30

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    corpus = splits(train=60, valid=4, test=4, test_long=1)
    write_parallel(corpus.train, folder / "train.en", folder / "train.fr")
    write_parallel(corpus.valid, folder / "valid.en", folder / "valid.fr")
    return folder


def begin(files: Path, out: Path) -> subprocess.Popen[str]:
    pair = [str(files / f"train.{side}") for side in ("en", "fr")]
    valid = [str(files / f"valid.{side}") for side in ("en", "fr")]
    sizes = ["--embedding=6", "--hidden=8", "--merges=40", "--batch-tokens=150"]
    often = [
        "--backend=python",
        f"--steps={STEPS}",
        "--checkpoint-every=3",
        "--validate-every=10",
    ]
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "anadrome.cli", "train", "translate", *pair),
            *("--out", str(out), "--valid", *valid, *sizes, *often),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_checkpoints(out: Path, process: subprocess.Popen[str]) -> None:
    while not list_checkpoints(out / "checkpoints") and process.poll() is None:
        time.sleep(0.01)


def final_arrays(out: Path) -> dict[str, bytes]:
    found = load_newest_checkpoint(out / "checkpoints")
    assert found is not None
    assert found.step == STEPS
    return {
        f"{record}.{name}": array.tobytes()
        for record, arrays in found.arrays.items()
        for name, array in arrays.items()
    }


@pytest.fixture(scope="module")
def wanted(files):
    process = begin(files, files / "whole")
    _, error = process.communicate()
    assert process.returncode == 0, error
    return final_arrays(files / "whole")


def test_killed_training_ends_with_the_same_weights(files, wanted):
    out, rng = files / "killed", random.Random(3)
    for _ in range(3):
        process = begin(files, out)
        wait_for_checkpoints(out, process)
        time.sleep(rng.uniform(0, 0.2))
        process.kill()
        process.communicate()
    process = begin(files, out)
    _, error = process.communicate()
    assert process.returncode == 0, error
    assert final_arrays(out) == wanted


def test_ctrl_c_leaves_a_checkpoint_and_says_how_to_go_on(files, wanted):
    out = files / "stopped"
    process = begin(files, out)
    wait_for_checkpoints(out, process)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate()
    assert process.returncode == 130, error
    assert "the same command goes on from there" in error
    assert "Traceback" not in error
    process = begin(files, out)
    _, error = process.communicate()
    assert process.returncode == 0, error
    assert final_arrays(out) == wanted
