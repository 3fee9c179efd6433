"""The structure that a gated recursive convolutional network finds in a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from anadrome.viz.figures import COLOURS, INK, PAPER, add_axes, new_figure, save_figure


def draw_parse(path: Path, words: Sequence[str], gates: Sequence[np.ndarray]) -> Path:
    """Draw the gates of all nodes above a sentence, and the tree that they choose.

    `gates[l]` (N, 3) are those of the N nodes of level l + 1: new activation, left
    child, right child (figure 6.6 a of the thesis). The darker a line, the more of what
    is below goes up along it; the tree that the largest gates choose is in colour.
    """
    expected = list(range(len(words) - 1, 0, -1))
    if [len(level) for level in gates] != expected:
        raise ValueError(
            f"gates of {[len(level) for level in gates]} nodes for {len(words)} words"
        )
    step = max(0.62, 0.1 * max(map(len, words)) + 0.14)
    figure = new_figure(step * len(words) + 0.4, 0.42 * len(words) + 0.9)
    axes = add_axes(figure)
    axes.axis("off")
    # How much of each node reaches the top, as a share of the most of its level.
    flow = [level / level.max() for level in _flow(gates, len(words))]
    for level, rows in enumerate(gates, start=1):
        for j, (new, left, right) in enumerate(rows):
            top = (j + level / 2, float(level))
            shares = (left + new / 2, right + new / 2)
            for k, share in zip((j, j + 1), shares):
                strength = float(share * flow[level][j])
                if strength > 0.03:
                    axes.plot(
                        (top[0], k + (level - 1) / 2),
                        (top[1], level - 1.0),
                        color=INK,
                        alpha=min(1.0, 0.12 + 0.88 * strength),
                        lw=0.4 + 1.6 * strength,
                        zorder=1,
                        solid_capstyle="round",
                    )
    chosen = set(_chosen(gates, len(words)))
    for level, j, k in chosen:
        axes.plot(
            (j + level / 2, k + (level - 1) / 2),
            (level, level - 1),
            color=COLOURS[1],
            lw=2.4,
            alpha=0.85,
            zorder=2,
            solid_capstyle="round",
        )
    merged = [(level, j) for level, j, _ in chosen if gates[level - 1][j].argmax() == 0]
    if merged:
        axes.scatter(
            [j + level / 2 for level, j in merged],
            [level for level, _ in merged],
            s=42,
            color=COLOURS[1],
            edgecolors=PAPER,
            zorder=3,
        )
    for j, word in enumerate(words):
        axes.text(j, -0.35, word, ha="center", va="top", fontsize=10)
    axes.set_xlim(-0.6, len(words) - 0.4)
    axes.set_ylim(-1.1, len(words) - 0.4)
    return save_figure(figure, path)


def _flow(gates: Sequence[np.ndarray], count: int) -> list[np.ndarray]:
    """How much of every node reaches the top, level by level from the words."""
    flow = [np.zeros(count - level) for level in range(count)]
    flow[-1][0] = 1.0
    for level in range(count - 1, 0, -1):
        for j, (new, left, right) in enumerate(gates[level - 1]):
            flow[level - 1][j] += flow[level][j] * (left + new / 2)
            flow[level - 1][j + 1] += flow[level][j] * (right + new / 2)
    return flow


def _chosen(gates: Sequence[np.ndarray], count: int) -> Iterator[tuple[int, int, int]]:
    """The lines (level, node, child) of the tree that the largest gates choose."""
    open_nodes = {0}
    for level in range(count - 1, 0, -1):
        below: set[int] = set()
        for j in open_nodes:
            children = ((j, j + 1), (j,), (j + 1,))[int(np.argmax(gates[level - 1][j]))]
            for k in children:
                yield level, j, k
            below.update(children)
        open_nodes = below
