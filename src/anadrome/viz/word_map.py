"""Words on a plane: those with like vectors are near each other (t-SNE)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from anadrome.text.errors import MissingExtra
from anadrome.viz.figures import COLOURS, INK, PAPER, add_axes, new_figure, save_figure

_SPOTS = ((1, 1), (-1, 1), (1, -1), (-1, -1), (0, 1.25), (0, -1.25))
"""Where a word may stand beside its point: right and above first."""


def place_words(vectors: np.ndarray, *, seed: int = 0) -> np.ndarray:
    """The places (N, 2) of vectors (N, E) on a plane.

    Barnes-Hut t-SNE (van der Maaten 2014) of cosine distances, as the pictures of words
    and phrases of chapter 4 of the thesis.
    """
    try:
        from openTSNE import TSNE
    except ImportError:
        raise MissingExtra("openTSNE", "a map of words", "pictures") from None
    count = len(vectors)
    if count < 4:
        raise ValueError(f"a map of {count} words is none: give four or more")
    tsne = TSNE(
        perplexity=max(1.0, min(30.0, (count - 1) / 3)),
        metric="cosine",
        negative_gradient_method="bh",
        random_state=seed,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about perplexities of small sets
        return np.array(tsne.fit(np.asarray(vectors, np.float64)))


def draw_word_map(
    path: Path, words: Sequence[str], places: np.ndarray, *, size: float = 9.0
) -> Path:
    """Draw words at their places (N, 2); those first in the list are named first.

    A word that would cover another has a point but no name.
    """
    if len(words) != len(places):
        raise ValueError(f"{len(places)} places for {len(words)} words")
    figure = new_figure(size, size)
    axes = add_axes(figure)
    axes.axis("off")
    axes.set_aspect("equal")
    axes.scatter(*places.T, s=7, color=COLOURS[0], alpha=0.55, linewidths=0)
    figure.draw_without_rendering()
    renderer = figure.canvas.get_renderer()
    taken: list[Any] = []
    for word, (x, y) in zip(words, places):
        label = None
        for dx, dy in _SPOTS:
            label = axes.annotate(
                word,
                (x, y),
                xytext=(3.0 * dx, 3.0 * dy),
                textcoords="offset points",
                ha={1: "left", -1: "right", 0: "center"}[dx],
                va="bottom" if dy > 0 else "top",
                fontsize=8,
                color=INK,
            )
            box = label.get_window_extent(renderer).expanded(1.02, 1.05)
            if not any(box.overlaps(other) for other in taken):
                taken.append(box)
                break
            label.remove()
            label = None
        if label is not None:
            label.set_path_effects(_halo())
    return save_figure(figure, path)


def _halo() -> list[Any]:
    from matplotlib import patheffects

    return [patheffects.withStroke(linewidth=2, foreground=PAPER)]
