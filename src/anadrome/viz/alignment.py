"""Alignments drawn as heat maps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from anadrome.viz.figures import add_axes, new_figure, save_figure


def draw_alignment(
    path: Path, source: Sequence[str], target: Sequence[str], weights: np.ndarray
) -> Path:
    """Draw the weights (T, S) of target over source tokens into a picture.

    As figure 3 of Bahdanau et al. (2015): source words across, target words down, the
    lighter a square the more the model looked there.
    """
    weights = np.asarray(weights)
    if weights.shape != (len(target), len(source)):
        raise ValueError(
            f"weights of shape {weights.shape} for {len(target)} target and "
            f"{len(source)} source tokens"
        )
    side = 0.34  # inches of a square
    widest = max(map(len, target), default=1)
    tallest = max(map(len, source), default=1)
    figure = new_figure(
        0.5 + side * len(source) + 0.09 * widest,
        0.4 + side * len(target) + 0.085 * tallest,
    )
    axes = add_axes(figure)
    axes.imshow(weights, cmap="gray", vmin=0.0, vmax=1.0, aspect="equal")
    axes.set_xticks(
        range(len(source)), source, rotation=60, ha="left", rotation_mode="anchor"
    )
    axes.set_yticks(range(len(target)), target)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)
    return save_figure(figure, path)
