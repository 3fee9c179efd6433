"""Contenders in processes of their own, whatever becomes of them."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from benchmarks.worker import environment

ROOT = Path(__file__).parents[1]


def run_worker(
    command: Sequence[str],
    cases: Sequence[str],
    limit: float,
    variables: dict[str, str] | None = None,
) -> dict[str, dict[str, Any]]:
    """What a worker reports of each case; a crash or a delay is reported as such."""
    found: dict[str, dict[str, Any]] = {}
    left = list(cases)
    while left:
        found |= _run_once([*command, *left], left, limit, variables or {})
        left = [case for case in left if case not in found]
    return found


def worker_command(
    family: str, contender: str, seconds: float, clock: str, numbers: Path | None
) -> list[str]:
    """The command of a worker, without the cases."""
    command = [sys.executable, "-m", "benchmarks.worker", family, contender]
    command += ["--seconds", str(seconds), "--clock", clock]
    return command if numbers is None else [*command, "--numbers", str(numbers)]


def _run_once(
    command: list[str], cases: list[str], limit: float, variables: dict[str, str]
) -> dict[str, dict[str, Any]]:
    """The reports until all cases are done or one did not come back."""
    found: dict[str, dict[str, Any]] = {}
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, **environment(), **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    lines, errors = Lines(process.stdout), Lines(process.stderr)
    begun = cases[0]
    failure = None
    while failure is None:
        try:
            line = lines.queue.get(timeout=limit)
        except queue.Empty:
            process.kill()
            failure = f"no answer within {limit:.0f} s"
            break
        if line is None:
            break
        message = json.loads(line)
        if "begun" in message:
            begun = message["begun"]
        else:
            found[message.pop("case")] = message
    process.wait()
    for reader in (lines, errors):
        reader.thread.join()
    if failure is None and any(case not in found for case in cases):
        failure = _reason(process.returncode, errors)
    if failure is not None and begun not in found:
        found[begun] = {"error": failure}
    return found


class Lines:
    """The lines of a stream as they come, then None."""

    def __init__(self, stream: IO[str]) -> None:
        self.queue: queue.Queue[str | None] = queue.Queue()
        self.thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self.thread.start()

    def _read(self, stream: IO[str]) -> None:
        with stream:
            for line in stream:
                self.queue.put(line)
        self.queue.put(None)


def _reason(code: int, errors: Lines) -> str:
    """Why a process ended: the signal, or the last line it wrote."""
    if code < 0:
        return f"crashed: {signal.Signals(-code).name}"
    last = ""
    while (line := errors.queue.get()) is not None:
        last = line.strip() or last
    return f"ended with {code}: {last}"
