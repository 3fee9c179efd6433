"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Sequence


def table(rows: Sequence[dict[str, str]]) -> str:
    """Rows of texts under the names of their columns; the first column to the left."""
    columns = list(rows[0])
    lines = [f"| {' | '.join(columns)} |", "|---" + "|---:" * (len(columns) - 1) + "|"]
    lines += [f"| {' | '.join(row[c] for c in columns)} |" for row in rows]
    return "\n".join(lines)
