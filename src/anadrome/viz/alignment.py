"""Alignments drawn as heat maps."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np


class MissingPlots(ImportError):
    """Matplotlib is not installed."""


def draw_alignment(
    path: Path, source: Sequence[str], target: Sequence[str], weights: np.ndarray
) -> Path:
    """Draw the weights (T, S) of target over source tokens into a picture.

    As figure 3 of Bahdanau et al. (2015): source words across, target words down, the
    lighter a square the more the model looked there.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingPlots(
            "pictures need matplotlib\nhelp: pip install 'anadrome[toolkit]'"
        ) from None
    weights = np.asarray(weights)
    if weights.shape != (len(target), len(source)):
        raise ValueError(
            f"weights of shape {weights.shape} for {len(target)} target and "
            f"{len(source)} source tokens"
        )
    figure = Figure(figsize=(1.5 + 0.42 * len(source), 1.2 + 0.36 * len(target)))
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.imshow(weights, cmap="gray", vmin=0.0, vmax=1.0, aspect="auto")
    axes.set_xticks(range(len(source)), source, rotation=60, ha="left")
    axes.set_yticks(range(len(target)), target)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    figure.tight_layout()
    figure.savefig(path, dpi=150)
    return path
