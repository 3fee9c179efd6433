"""Ctrl-C and SIGTERM at any moment, and prompts at a terminal."""

from __future__ import annotations

import os
import random
import select
import signal
import subprocess
import sys
import time

import pytest

from anadrome.train import list_checkpoints, load_newest_checkpoint

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")

STATUS = {signal.SIGINT: 130, signal.SIGTERM: 143}


def begin(words, **streams):
    """The command in a process of its own, once it can be asked to stop."""
    process = subprocess.Popen(
        [sys.executable, "-u", "-X", "importtime", "-m", "anadrome", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **streams,
    )
    # Before its own modules are there, the interpreter is what a signal stops.
    while b" anadrome.options" not in process.stderr.readline():
        assert process.poll() is None
    return process


def end(process):
    """The status and the errors, without the times of imports."""
    _, error = process.communicate(timeout=120)
    lines = [
        line
        for line in error.decode().splitlines()
        if not line.startswith("import time:")
    ]
    return process.returncode, lines


def training(workshop, out):
    return [
        *("train", "translate", *workshop.pair("train"), "--out", str(out)),
        *("--embedding=6", "--hidden=8", "--merges=0", "--batch-tokens=200"),
        *("--steps=100000", "--checkpoint-every=5", "--backend=python"),
    ]


@pytest.mark.parametrize("number", STATUS, ids=lambda n: n.name)
def test_training_stops_with_a_checkpoint(workshop, tmp_path, number):
    process = begin(training(workshop, tmp_path / "model"))
    while len(list_checkpoints(tmp_path / "model" / "checkpoints")) < 2:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(number)
    status, lines = end(process)
    assert status == STATUS[number]
    (line,) = lines
    assert line.startswith("stopped after step ")
    step = int(line.split()[3].rstrip(";"))
    newest = load_newest_checkpoint(tmp_path / "model" / "checkpoints")
    assert newest.step == step
    assert not (tmp_path / "model" / "lock").exists()


def test_signals_at_random_moments_are_one_line(workshop, tmp_path):
    rng = random.Random(5)
    out = tmp_path / "model"
    for number in (*STATUS, *STATUS):
        process = begin(training(workshop, out))
        time.sleep(rng.uniform(0, 1.2))
        process.send_signal(number)
        status, lines = end(process)
        assert status == STATUS[number], lines
        assert len(lines) == 1, lines
        load_newest_checkpoint(out / "checkpoints")


@pytest.mark.parametrize("number", STATUS, ids=lambda n: n.name)
def test_a_translator_that_waits_for_input_stops(workshop, number):
    process = begin(["translate", workshop.path("first")], stdin=subprocess.PIPE)
    time.sleep(0.3)
    process.send_signal(number)
    status, lines = end(process)
    assert status == STATUS[number]
    assert lines in (["anadrome: stopped"], ["anadrome: terminated"])


def test_two_trainings_in_one_folder_are_refused(workshop, tmp_path):
    words = training(workshop, tmp_path / "model")
    first = begin(words)
    while not list_checkpoints(tmp_path / "model" / "checkpoints"):
        assert first.poll() is None
        time.sleep(0.01)
    status, lines = end(begin(words))
    assert status == 1
    assert f"process {first.pid} on " in lines[0]
    assert lines[0].endswith("trains here")
    first.send_signal(signal.SIGTERM)
    assert end(first)[0] == 143


def test_a_terminal_is_prompted(workshop):
    ours, theirs = os.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "anadrome", "translate", workshop.path("first")],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    os.close(theirs)
    assert read_until(process.stderr, b"> ") == b"translate> "
    os.write(ours, b"She is here.\n")
    assert process.stdout.readline().endswith(b"\n")
    os.write(ours, b"\x04")  # the end of the input
    assert process.wait(60) == 0
    process.stdout.close()
    process.stderr.close()
    os.close(ours)


def read_until(stream, end):
    """What a stream gives up to some bytes."""
    said = b""
    while not said.endswith(end):
        ready, _, _ = select.select([stream], [], [], 60)
        assert ready, said
        said += os.read(stream.fileno(), 1)
    return said
