"""Programs checked in processes of their own, so that one that dies is known."""

from __future__ import annotations

import functools
import multiprocessing
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any

from fuzz.semantics.checking import Verdict, check

WALL_SECONDS = 150.0
MEMORY = 6 << 30
Job = tuple[Any, Callable[[], str]]  # a key, and what writes the program
_PLAIN = """
from fuzz.semantics.layouts import number

def program(x):
    return x * x

def arguments():
    return number("float", 1.5),
"""


@functools.cache
def _warm() -> None:
    """Load everything once, before processes are forked."""
    assert not check(_PLAIN).failed


def _work(pipe: Connection, jobs: Sequence[Job], only: str) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for key, write in jobs:
        pipe.send((key, None))
        pipe.send((key, check(write(), only)))
    pipe.close()


class _Child:
    """A process that works through jobs one by one."""

    def __init__(self, jobs: Sequence[Job], only: str) -> None:
        context = multiprocessing.get_context("fork")
        self.jobs = list(jobs)
        self.pipe, theirs = context.Pipe(duplex=False)
        self.process = context.Process(
            target=_work, args=(theirs, jobs, only), daemon=True
        )
        self.process.start()
        theirs.close()
        self.since = time.monotonic()
        self.done = 0

    def end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


def verdicts(
    jobs: Sequence[Job], workers: int = 1, batch: int = 40, only: str = ""
) -> Iterator[tuple[Any, Verdict]]:
    """The verdict on every program, as they come."""
    _warm()
    waiting = [jobs[k : k + batch] for k in range(0, len(jobs), batch)][::-1]
    running: list[_Child] = []
    while waiting or running:
        while waiting and len(running) < workers:
            running.append(_Child(waiting.pop(), only))
        ready = wait([child.pipe for child in running], timeout=1.0)
        for child in list(running):
            late = time.monotonic() - child.since > WALL_SECONDS
            if child.pipe in ready:
                try:
                    key, verdict = child.pipe.recv()
                    child.since = time.monotonic()
                    if verdict is not None:
                        child.done += 1
                        yield key, verdict
                    continue
                except EOFError:
                    pass
            elif not late:
                continue
            # It is done, or dead, or takes too long.
            child.process.join(0 if late else 10)
            code = child.process.exitcode
            child.end()
            running.remove(child)
            rest = child.jobs[child.done :]
            if rest:
                kind = "hung" if late else "crashed"
                detail = "" if late else f"the process died: {code}"
                yield rest[0][0], Verdict(kind, "native", detail)
                if rest[1:]:
                    waiting.append(rest[1:])


def check_alone(text: str, only: str = "") -> Verdict:
    """The verdict on one program, in a process of its own."""
    return next(iter(verdicts([(0, lambda: text)], only=only)))[1]
