"""Scores against lengths or unknown words, as figures 6.4 and 6.5 of the thesis."""

from __future__ import annotations

from pathlib import Path

from anadrome.evaluate import ScoreCurve
from anadrome.viz.figures import (
    COLOURS,
    FAINT,
    add_axes,
    new_figure,
    save_figure,
    set_title,
)


def draw_score_curve(path: Path, curve: ScoreCurve) -> Path:
    """Draw BLEU of every system in the ranges of a number, over how many there are."""
    figure = new_figure(6.4, 4.0)
    grid = figure.add_gridspec(2, 1, height_ratios=[5, 1])
    axes = add_axes(figure, grid[0])
    buckets = next(iter(curve.systems.values()))
    shown = [i for i, bucket in enumerate(buckets) if bucket.count]
    places = range(len(shown))
    for colour, (name, mine) in zip(_repeat(COLOURS), curve.systems.items()):
        scores = [mine[i].score for i in shown]
        values = [0.0 if score is None else score.score for score in scores]
        axes.plot(places, values, "o-", color=colour, lw=2, ms=5, label=name)
    axes.set_ylabel("BLEU")
    axes.set_ylim(0, None)
    axes.grid(axis="y", color=FAINT, lw=0.6, alpha=0.6)
    axes.set_axisbelow(True)
    set_title(axes, f"BLEU by {curve.title}")
    if len(curve.systems) > 1:
        axes.legend()
    counts = add_axes(figure, grid[1], sharex=axes)
    heights = [buckets[i].count for i in shown]
    counts.bar(places, heights, color=FAINT, width=0.6)
    for place, count in zip(places, heights):
        counts.text(place, 0, f"{count}", ha="center", va="bottom", fontsize=8)
    counts.set_xticks(places, [buckets[i].label for i in shown])
    counts.set_yticks([])
    counts.spines["left"].set_visible(False)
    counts.set_xlabel(f"{curve.title}; the bars count sentences")
    axes.tick_params(axis="x", labelbottom=False)
    return save_figure(figure, path)


def _repeat(colours: tuple[str, ...]) -> list[str]:
    return list(colours) * 10
