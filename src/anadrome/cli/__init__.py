"""The `anadrome` command.

In: the words of a command line.
Out: files, and one clear line for everything that goes wrong.
"""

from __future__ import annotations

import io
import signal
import sys


def main() -> None:
    """Run the command with the arguments of the process."""
    try:
        # Text is UTF-8 in files and pipes alike, whatever the locale says.
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(encoding="utf-8", errors="backslashreplace")
        from anadrome.cli.commands import run
    except ImportError as error:
        if (error.name or "").startswith("anadrome"):
            raise
        sys.stderr.write(
            f"anadrome: the command needs {error.name}\n"
            "help: pip install 'anadrome[toolkit]'\n"
        )
        raise SystemExit(1) from None
    except KeyboardInterrupt:
        sys.stderr.write("anadrome: stopped\n")
        raise SystemExit(130) from None
    status = run()
    # What is left is the interpreter's own end, which Ctrl-C must not make noisy.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise SystemExit(status)
