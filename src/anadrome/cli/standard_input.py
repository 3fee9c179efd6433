"""Lines of standard input as UTF-8, whatever the locale says."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from anadrome.text.errors import InvalidEncoding


def input_lines() -> Iterator[str]:
    """The lines of standard input, without line ends; one that is no UTF-8 is said."""
    for number, raw in enumerate(sys.stdin.buffer, start=1):
        try:
            yield raw.decode("utf-8").rstrip("\r\n")
        except UnicodeDecodeError:
            raise InvalidEncoding(
                "the line is not UTF-8", path="standard input", line=number
            ) from None
