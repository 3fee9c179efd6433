"""A beam search drawn as a tree: what it kept, what it dropped, what it chose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anadrome.decode import Fate, SearchTree
from anadrome.viz.figures import (
    COLOURS,
    FAINT,
    INK,
    PAPER,
    add_axes,
    new_figure,
    save_figure,
)

_PRUNED = "#8d93a0"


@dataclass(frozen=True)
class TreeLayout:
    """Where the nodes of a tree stand: columns are steps, rows keep branches apart."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]
    best: frozenset[int]  # the nodes of the chosen output

    @property
    def height(self) -> int:
        """The number of rows."""
        return max(self.rows) + 1

    @property
    def width(self) -> int:
        """The number of columns."""
        return max(self.columns) + 1


def lay_out(tree: SearchTree) -> TreeLayout:
    """The layout in which the chosen output is the straight first row.

    Every node hands its row to the child that leads furthest; other children begin a
    branch in the nearest row below that is free for as long as the branch lasts.
    """
    nodes = tree.nodes
    chosen = tree.best
    best = frozenset(() if chosen is None else (0, *tree.path(chosen)))
    children: dict[int, list[int]] = {i: [] for i in range(len(nodes))}
    for i, node in enumerate(nodes):
        if node.parent is not None:
            children[node.parent].append(i)
    furthest = [node.length for node in nodes]
    for i in range(len(nodes) - 1, 0, -1):
        parent = nodes[i].parent
        assert parent is not None
        furthest[parent] = max(furthest[parent], furthest[i])

    def rank(i: int) -> tuple[bool, bool, int, float]:
        dropped = nodes[i].fate is Fate.PRUNED
        return (i not in best, dropped, -furthest[i], -nodes[i].log_prob)

    rows = [0] * len(nodes)
    taken: list[list[tuple[int, int]]] = []  # the columns that branches take of a row

    def branch(i: int, start: int, lowest: int) -> None:
        line = [i]
        while children[line[-1]]:
            line.append(min(children[line[-1]], key=rank))
        span = (start, nodes[line[-1]].length)
        row = lowest
        while row < len(taken) and any(
            a <= span[1] and span[0] <= b for a, b in taken[row]
        ):
            row += 1
        while row >= len(taken):
            taken.append([])
        taken[row].append(span)
        for node in line:
            rows[node] = row
        # From the end of the line, so that long branches stay near it.
        for node in reversed(line):
            for child in sorted(children[node], key=rank)[1:]:
                branch(child, nodes[child].length, row + 1)

    branch(0, 0, 0)
    return TreeLayout(tuple(rows), tuple(node.length for node in nodes), best)


def draw_search_tree(
    path: Path, tree: SearchTree, words: Sequence[str], *, spared: int = 1
) -> Path:
    """Draw a search, `words[token]` with its log-probability at every node.

    The chosen output is the first row; hypotheses that were dropped are grey, and only
    the `spared` best of each node are shown.
    """
    tree = tree.without_pruned(spared)
    layout = lay_out(tree)
    texts = [words[node.token] for node in tree.nodes]
    widths = [0.0] * layout.width
    for text, column in zip(texts, layout.columns):
        widths[column] = max(widths[column], 0.30 + 0.085 * len(text))
    centres, at = [], 0.1
    for width in widths:
        centres.append(at + width / 2)
        at += width + 0.34
    at = max(at, 6.6)  # inches that the legend takes
    height = 0.46 * layout.height
    figure = new_figure(at + 0.2, height + 0.75)
    axes = add_axes(figure)
    axes.set_xlim(0, at)
    axes.set_ylim(layout.height - 0.4, -0.75)
    axes.axis("off")
    for i, node in enumerate(tree.nodes):
        x, y = centres[layout.columns[i]], layout.rows[i]
        if node.parent is not None:
            column = layout.columns[node.parent]
            begin = (centres[column], layout.rows[node.parent])
            _edge(axes, begin, (x, y), widths[column], i in layout.best, node.fate)
        _node(axes, x, y, texts[i], node.fate, i in layout.best)
        note = f"{node.log_prob:.1f}"
        if node.score is not None:
            note += f"  →  {node.score:.2f}"
        if i:
            axes.text(
                x, y + 0.42, note, ha="center", va="center", fontsize=6.5, color=_PRUNED
            )
    axes.text(
        0.1,
        -0.62,
        "blue: the output that was chosen · black: kept in the beam · green: finished "
        "· grey: dropped; log-probability below, → score",
        fontsize=7.5,
        color=_PRUNED,
        va="center",
    ).set_in_layout(False)
    return save_figure(figure, path)


def _edge(
    axes: Any,
    begin: tuple[float, float],
    end: tuple[float, float],
    width: float,
    best: bool,
    fate: Fate,
) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path as Line

    (x0, y0), (x1, y1) = begin, end
    turn = x0 + width / 2 + 0.17
    points = [(x0, y0), (turn, y0), (turn, y1), (x1, y1)]
    codes = [Line.MOVETO, Line.CURVE4, Line.CURVE4, Line.CURVE4]
    colour = COLOURS[0] if best else FAINT if fate is Fate.PRUNED else INK
    axes.add_patch(
        PathPatch(
            Line(points, codes),
            fill=False,
            edgecolor=colour,
            lw=2.2 if best else 0.9,
            zorder=1,
        )
    )


def _node(axes: Any, x: float, y: float, text: str, fate: Fate, best: bool) -> None:
    colours = {
        Fate.KEPT: (PAPER, INK, INK),
        Fate.PRUNED: (PAPER, FAINT, _PRUNED),
        Fate.FINISHED: (COLOURS[2], COLOURS[2], PAPER),
        Fate.CUT: (COLOURS[4], COLOURS[4], PAPER),
    }
    face, edge, ink = colours[fate]
    if best:
        face, edge, ink = COLOURS[0], COLOURS[0], PAPER
    axes.text(
        x,
        y,
        text,
        ha="center",
        va="center",
        fontsize=9,
        color=ink,
        zorder=3,
        bbox={
            "boxstyle": "round,pad=0.28",
            "facecolor": face,
            "edgecolor": edge,
            "linewidth": 0.9,
        },
    )
