"""Tables as plain text."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence


def format_table(
    header: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1
) -> str:
    """The rows under a header and a rule, in columns.

    The first `left` columns begin at the left, the others, being numbers, end at the
    right.
    """
    widths = [
        max(len(header[i]), *(len(row[i]) for row in rows)) if rows else len(header[i])
        for i in range(len(header))
    ]

    def line(cells: Sequence[str]) -> str:
        placed = [
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(cells, widths))
        ]
        return "  ".join(placed).rstrip()

    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    return "\n".join([line(header), rule, *map(line, rows)])


def format_texts(entries: Sequence[tuple[str, str]], *, width: int = 88) -> str:
    """Texts with a name before each, wrapped beside it."""
    names = max((len(name) for name, _ in entries), default=0) + 2
    lines = []
    for name, text in entries:
        wrapped = textwrap.wrap(text, width - names) or [""]
        lines.append(f"{name:<{names}}{wrapped[0]}".rstrip())
        lines += [" " * names + more for more in wrapped[1:]]
    return "\n".join(lines)


def format_score(score: float | None) -> str:
    """A score with two decimals; a dash for none."""
    return "–" if score is None else f"{score:.2f}"
