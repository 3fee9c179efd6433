"""The lattice of a text drawn: its characters, and the tokens that arch over them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from anadrome.options import OptionError
from anadrome.viz.figures import COLOURS, add_axes, new_figure, save_figure

LONGEST = 500
"""How many characters have room in a picture."""


def draw_lattice(
    path: Path,
    text: str,
    starts: Sequence[int],
    ends: Sequence[int],
    posteriors: Sequence[float],
    best: Sequence[int] = (),
) -> Path:
    """Draw the arcs between the places of a text into a picture.

    As figure 8.3 of the thesis. The darker an arc, the likelier a segmentation uses it;
    those of the likeliest one, `best`, are above the text, the others below it.
    """
    if not len(starts) == len(ends) == len(posteriors):
        raise ValueError("arcs need a start, an end and a posterior each")
    N = len(text)
    if N > LONGEST:
        raise OptionError(
            f"{path}: a text of {N:,} characters is too long for a picture\n"
            f"help: {LONGEST} are the most"
        )
    chosen = set(map(int, best))
    spans = np.subtract(ends, starts)
    tall, deep = (
        int(max((s for n, s in enumerate(spans) if (n in chosen) == above), default=1))
        for above in (True, False)
    )
    figure = new_figure(1 + 0.32 * N, 1 + 0.17 * (tall + deep))
    from matplotlib.patches import Arc

    axes = add_axes(figure)
    for n, (a, b, weight) in enumerate(zip(starts, ends, posteriors)):
        above = n in chosen
        axes.add_patch(
            Arc(
                ((a + b) / 2, 0.35 if above else -0.35),
                b - a,
                0.9 * (b - a),
                theta1=0 if above else 180,
                theta2=180 if above else 360,
                color=COLOURS[1] if above else COLOURS[0],
                alpha=0.12 + 0.88 * min(1.0, max(0.0, float(weight))),
                linewidth=0.6 + 1.6 * float(weight),
            )
        )
    for i, character in enumerate(text):
        shown = {" ": "·", "\n": "⏎", "\t": "⇥"}.get(character, character)
        axes.text(i + 0.5, 0, shown, ha="center", va="center", family="DejaVu Sans")
    axes.set_xlim(-0.2, N + 0.2)
    axes.set_ylim(-0.5 * deep - 0.5, 0.5 * tall + 0.5)
    axes.set_axis_off()
    return save_figure(figure, path)
