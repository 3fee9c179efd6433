"""The `anadrome` command.

In: the words of a command line.
Out: files, and one clear line for everything that goes wrong.
"""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command with the arguments of the process."""
    try:
        from anadrome.cli.commands import run
    except ImportError as error:
        if (error.name or "").startswith("anadrome"):
            raise
        sys.stderr.write(
            f"anadrome: the command needs {error.name}\n"
            "help: pip install 'anadrome[toolkit]'\n"
        )
        raise SystemExit(1) from None
    raise SystemExit(run())
