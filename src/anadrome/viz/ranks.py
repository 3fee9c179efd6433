"""A text as a page that colours each token by its rank.

As the Giant Language Test Room does: Gehrmann, Strobelt and Rush, "GLTR: statistical
detection and visualization of generated text" (2019).
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Sequence
from typing import Protocol

from anadrome.viz.figures import MARK


class Ranked(Protocol):
    """A token of a text, and what a model thought of it."""

    @property
    def text(self) -> str:
        """How it is spelt."""

    @property
    def nats(self) -> float:
        """The logarithm of its probability."""

    @property
    def rank(self) -> int:
        """How many tokens were at least as probable."""


LIMITS = ((10, "#b7e4c7"), (100, "#ffe8a1"), (1000, "#f7b2a7"))
"""The colour of ranks up to a limit."""

BEYOND = "#d4b5ff"


def rank_page(lines: Iterable[Sequence[Ranked]], between: str, title: str) -> str:
    """HTML that needs nothing else; `between` stands between tokens."""
    body = "\n".join(
        "<p>" + html.escape(between).join(_span(token) for token in line) + "</p>"
        for line in lines
    )
    key = " ".join(
        f'<span style="background:{colour}">top {limit:,}</span>'
        for limit, colour in LIMITS
    )
    return (
        "<!doctype html>\n<html><head><meta charset='utf-8'>"
        f"<meta name='generator' content='{MARK}'>"
        f"<title>{html.escape(title)}</title><style>"
        "body{font:16px/1.7 sans-serif;max-width:50em;margin:2em auto;color:#1f2430}"
        "span{padding:1px 2px;border-radius:3px;white-space:pre-wrap}"
        "</style></head><body>\n"
        f"<h1>{html.escape(title)}</h1>\n<p>{key} "
        f'<span style="background:{BEYOND}">beyond</span></p>\n{body}\n'
        "</body></html>\n"
    )


def _span(token: Ranked) -> str:
    colour = next((c for limit, c in LIMITS if token.rank <= limit), BEYOND)
    note = f"rank {token.rank:,}, probability {math.exp(token.nats):.4g}"
    shown = html.escape(token.text.replace("\n", "⏎"))
    return f'<span style="background:{colour}" title="{note}">{shown}</span>'
