"""Saves checkpoints one after another until it is killed; run by the tests.

usage: checkpoint_writer.py write FOLDER FIRST_STEP
       checkpoint_writer.py sweep FOLDER CALLS

`write` prints every step that it has saved. `sweep` forks a process for each number up
to CALLS, which writes checkpoints to a folder of that number and kills itself (SIGKILL)
when it uses the file system for the so-manieth time.
"""

import os
import signal
import sys
from pathlib import Path

import numpy as np

from anadrome.train import save_checkpoint

WATCHED = ("fsync", "replace", "open", "chmod", "unlink")


def die_at(number):
    used = 0

    def watch(function):
        def wrapped(*args, **kwargs):
            nonlocal used
            used += 1
            if used == number:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*args, **kwargs)

        return wrapped

    for name in WATCHED:
        setattr(os, name, watch(getattr(os, name)))


def contents(step):
    rng = np.random.default_rng(step)
    return {
        "params": {"W": rng.normal(size=(100, 50)), "step": np.array(step)},
        "optimizer": [rng.normal(size=30)],
    }


def write(folder, step, keep, report):
    while True:
        save_checkpoint(folder, step, contents(step), state={"step": step}, keep=keep)
        report(step)
        step += 1


def sweep(folder, calls):
    for call in range(1, calls + 1):
        own = folder / str(call)
        save_checkpoint(own, 0, contents(0), state={"step": 0})
        child = os.fork()
        if child == 0:
            write_and_die(own, folder / f"{call}.reported", call)
        _, status = os.waitpid(child, 0)
        if not os.WIFSIGNALED(status):
            sys.exit(f"the process for call {call} ended by itself")


def write_and_die(folder, report, call):
    handle = os.open(report, os.O_CREAT | os.O_WRONLY)
    die_at(call)
    write(folder, 1, 1, lambda step: os.write(handle, b"%d\n" % step))


if __name__ == "__main__":
    mode, folder, number = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    if mode == "sweep":
        sweep(folder, number)
    else:
        write(folder, number, 2, lambda step: print(step, flush=True))
