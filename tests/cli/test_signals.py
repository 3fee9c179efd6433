"""Ctrl-C and SIGTERM at any moment, and prompts at a terminal."""

from __future__ import annotations

import os
import random
import select
import signal
import subprocess
import sys
import tempfile
import time

import pytest

from anadrome.train import list_checkpoints, load_newest_checkpoint

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")

STATUS = {signal.SIGINT: 130, signal.SIGTERM: 143}


class Command:
    """The command in a process of its own, once it can be asked to stop.

    Its errors go to a file: a pipe that nobody reads would be full at some time.
    """

    def __init__(self, words, **streams):
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115
        self.process = subprocess.Popen(
            [sys.executable, "-u", "-X", "importtime", "-m", "anadrome", *words],
            stdout=subprocess.DEVNULL,
            stderr=self.errors,
            **streams,
        )
        # Before its own modules are there, the interpreter is what a signal stops.
        while b" anadrome.cli.flags" not in self.said():
            assert self.process.poll() is None
            time.sleep(0.01)

    def said(self):
        """What it has written so far."""
        return os.pread(self.errors.fileno(), 1 << 24, 0)

    def runs(self):
        """Whether it has not ended yet."""
        return self.process.poll() is None

    def stop(self, number):
        """The status and the errors, without the times of imports, after a signal."""
        self.process.send_signal(number)
        return self.end()

    def end(self):
        """The status and the errors, without the times of imports."""
        self.process.wait(timeout=120)
        if self.process.stdin is not None:
            self.process.stdin.close()
        lines = self.said().decode().splitlines()
        self.errors.close()
        # Python may end by the signal itself if it came inside of an `exec`, as of a
        # dataclass that is being made; to a shell this is the same status.
        status = self.process.returncode
        return 130 if status == -signal.SIGINT else status, [
            line for line in lines if not line.startswith("import time:")
        ]


def training(workshop, out):
    return [
        *("train", "translate", *workshop.pair("train"), "--out", str(out)),
        *("--embedding=6", "--hidden=8", "--merges=0", "--batch-tokens=200"),
        *("--steps=100000", "--checkpoint-every=5", "--backend=python"),
    ]


@pytest.mark.parametrize("number", STATUS, ids=lambda n: n.name)
def test_training_stops_with_a_checkpoint(workshop, tmp_path, number):
    command = Command(training(workshop, tmp_path / "model"))
    while len(list_checkpoints(tmp_path / "model" / "checkpoints")) < 2:
        assert command.runs()
        time.sleep(0.01)
    status, lines = command.stop(number)
    assert status == STATUS[number], lines
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
        command = Command(training(workshop, out))
        time.sleep(rng.uniform(0, 1.2))
        status, lines = command.stop(number)
        assert status == STATUS[number], lines
        assert len(lines) == 1, lines
        load_newest_checkpoint(out / "checkpoints")


@pytest.mark.parametrize("number", STATUS, ids=lambda n: n.name)
def test_a_translator_that_waits_for_input_stops(workshop, number):
    command = Command(["translate", workshop.path("first")], stdin=subprocess.PIPE)
    time.sleep(0.3)
    status, lines = command.stop(number)
    assert status == STATUS[number], lines
    assert lines in (["anadrome: stopped"], ["anadrome: terminated"])


def test_two_trainings_in_one_folder_are_refused(workshop, tmp_path):
    words = training(workshop, tmp_path / "model")
    first = Command(words)
    while not list_checkpoints(tmp_path / "model" / "checkpoints"):
        assert first.runs()
        time.sleep(0.01)
    status, lines = Command(words).end()
    assert status == 1
    assert f"process {first.process.pid} on " in lines[0]
    assert lines[0].endswith("trains here")
    assert first.stop(signal.SIGTERM)[0] == 143


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
