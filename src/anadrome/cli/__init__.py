"""The `anadrome` command.

In: the words of a command line.
Out: files, and one clear line for everything that goes wrong.
"""

from __future__ import annotations

import io
import signal
import sys

from anadrome.cli.signals import Terminated, terminating
from anadrome.cli.status import FAILED, INTERRUPTED, TERMINATED


def main() -> None:
    """Run the command with the arguments of the process."""
    status = FAILED
    try:
        with terminating():
            status = _run()
    except Terminated:
        sys.stderr.write("anadrome: terminated\n")
        status = TERMINATED
    except KeyboardInterrupt:
        sys.stderr.write("anadrome: stopped\n")
        status = INTERRUPTED
    # What is left is the interpreter's own end, which Ctrl-C must not make noisy.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise SystemExit(status)


def _run() -> int:
    # Text is UTF-8 in files and pipes alike, whatever the locale says.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        # Takes a second, so it comes when a signal is answered already.
        from anadrome.cli.commands import run
    except ImportError as error:
        if (error.name or "").startswith("anadrome"):
            raise
        sys.stderr.write(
            f"anadrome: the command needs {error.name}\n"
            "help: pip install 'anadrome[toolkit]'\n"
        )
        return FAILED
    return run()
