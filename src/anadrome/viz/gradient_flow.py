"""How far errors travel back: a recurrent network beside LSTMs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from anadrome.evaluate import GradientFlow
from anadrome.viz.figures import (
    COLOURS,
    FAINT,
    INK,
    add_axes,
    new_figure,
    save_figure,
    set_title,
)

_FLOOR = 1e-12
"""Below this a gradient is nothing beside the error of the last step."""


def draw_gradient_flow(path: Path, flows: Sequence[GradientFlow]) -> Path:
    """Draw what each step adds to the gradient of the input weights.

    Above, its norm as a share of that of the last step, where the error is; below, the
    same for every column of the weights, as a picture for each network.
    """
    steps = len(flows[0].norms)
    figure = new_figure(8.4, 3.4 + 0.85 * len(flows))
    grid = figure.add_gridspec(
        1 + len(flows), 1, height_ratios=[3.2] + [1] * len(flows)
    )
    axes = add_axes(figure, grid[0])
    times = np.arange(1, steps + 1)
    for colour, flow in zip(_colours(len(flows)), flows):
        share = np.maximum(flow.norms / flow.norms[-1], _FLOOR)
        axes.semilogy(times, share, color=colour, lw=2)
    axes.set_ylim(_FLOOR, 100)
    axes.set_xlim(0.5, steps + 0.5)
    axes.grid(axis="y", color=FAINT, lw=0.5, alpha=0.7)
    axes.set_ylabel("gradient, as a share of\nthat of the last step")
    set_title(axes, f"An error at step {steps}, propagated back")
    _label(axes, flows)
    image = None
    for k, (colour, flow) in enumerate(zip(_colours(len(flows)), flows), start=1):
        below = add_axes(figure, grid[k], sharex=axes)
        share = np.maximum(flow.units / flow.units[-1].max(), 1e-6)
        image = below.imshow(
            np.log10(share).T,
            cmap="magma",
            vmin=-6,
            vmax=0,
            aspect="auto",
            extent=(0.5, steps + 0.5, 0, share.shape[1]),
            interpolation="nearest",
        )
        below.set_yticks([])
        below.set_ylabel(
            flow.name.replace(", ", ",\n"),
            rotation=0,
            ha="right",
            va="center",
            fontsize=8.5,
            color=colour,
        )
        for spine in below.spines.values():
            spine.set_visible(False)
        if k < len(flows):
            below.tick_params(axis="x", length=0, labelbottom=False)
    below.set_xlabel("step (the columns of the input weights, one under the other)")
    bar = figure.colorbar(image, ax=figure.axes[1:], fraction=0.025, pad=0.01)
    bar.set_ticks([-6, -3, 0], labels=["$10^{-6}$", "$10^{-3}$", "1"])
    bar.outline.set_visible(False)
    return save_figure(figure, path)


def _label(axes: Any, flows: Sequence[GradientFlow]) -> None:
    """Write the names beside the curves, each at a height of its own."""
    vanishing = 0
    for colour, flow in zip(_colours(len(flows)), flows):
        share = flow.norms / flow.norms[-1]
        level = 10.0 ** (-9.5 + 1.5 * vanishing)
        below = np.flatnonzero(share < level)
        if len(below):
            vanishing += 1
            x, y, side = int(below[-1]) - 2.0, level, "right"
        else:
            x, y, side = 2.0, float(share[:40].max()) * 3, "left"
        axes.text(
            x, y, flow.name, color=colour, weight="bold", ha=side, va="center", size=9
        )


def _colours(count: int) -> list[str]:
    return [COLOURS[1], COLOURS[4], COLOURS[2], COLOURS[0], INK][:count]
