"""Statistical translation drawn: phrases, stacks of the search, tuning, scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from anadrome.smt import Derivation, Searched
from anadrome.viz.figures import (
    COLOURS,
    FAINT,
    INK,
    add_axes,
    new_figure,
    save_figure,
    set_title,
)

_LETTER, _GAP = 0.085, 0.16  # inches of a letter, and between words


def draw_phrases(
    path: Path,
    words: Sequence[str],
    made: Derivation,
    points: Sequence[tuple[int, int]] = (),
) -> Path:
    """Draw which source phrase became which target phrase."""
    return save_figure(phrases_figure(words, made, points), path)


def phrases_figure(
    words: Sequence[str], made: Derivation, points: Sequence[tuple[int, int]] = ()
) -> Any:
    """Both sentences one above the other, their phrases in boxes that are tied."""
    above, wide = _places(words)
    below, other = _places(made.words)
    width = max(wide, other, 1.0)
    above = above + (width - wide) / 2
    below = below + (width - other) / 2
    figure = new_figure(width + 0.4, 2.0)
    axes = add_axes(figure)
    axes.axis("off")
    axes.set_xlim(-0.1, width + 0.1)
    axes.set_ylim(-0.28, 1.28)
    at = 0
    for k, phrase in enumerate(made.phrases):
        colour = COLOURS[k % len(COLOURS)]
        size = len(phrase.target)
        top = above[phrase.start, 0], above[phrase.end - 1, 1]
        bottom = below[at, 0], below[at + size - 1, 1]
        _box(axes, top, 1.0, colour)
        _box(axes, bottom, 0.0, colour)
        axes.fill(
            [top[0], top[1], bottom[1], bottom[0]],
            [0.86, 0.86, 0.14, 0.14],
            color=colour,
            alpha=0.16,
            lw=0,
        )
        at += size
    for s, t in points:
        axes.plot(
            [above[s].mean(), below[t].mean()],
            [0.86, 0.14],
            color=INK,
            lw=0.7,
            alpha=0.5,
        )
    for spans, texts, height in ((above, words, 1.0), (below, made.words, 0.0)):
        for span, word in zip(spans, texts):
            axes.text(span.mean(), height, word, ha="center", va="center", fontsize=10)
    return figure


def _places(words: Sequence[str]) -> tuple[np.ndarray, float]:
    """Where each word begins and ends (N, 2), and how wide all are."""
    spans = np.zeros((len(words), 2))
    at = 0.0
    for k, word in enumerate(words):
        wide = _LETTER * max(len(word), 1) + 0.06
        spans[k] = at, at + wide
        at += wide + _GAP
    return spans, max(at - _GAP, 0.0)


def _box(axes: Any, span: tuple[float, float], height: float, colour: str) -> None:
    axes.fill(
        [span[0] - 0.04, span[1] + 0.04, span[1] + 0.04, span[0] - 0.04],
        [height - 0.14, height - 0.14, height + 0.14, height + 0.14],
        facecolor=colour,
        alpha=0.22,
        edgecolor=colour,
        lw=1.2,
    )


def draw_stacks(path: Path, searched: Searched) -> Path:
    """Draw what the stacks of a search held."""
    return save_figure(stacks_figure(searched), path)


def stacks_figure(searched: Searched) -> Any:
    """Hypotheses by the words they cover: kept, dropped, and those of the best way."""
    n = int(searched.covered.max(initial=0))
    figure = new_figure(max(4.5, 0.55 * n + 1.6), 4.4)
    grid = figure.add_gridspec(2, 1, height_ratios=[4, 1.2])
    axes = add_axes(figure, grid[0])
    rng = np.random.default_rng(0)
    aside = searched.covered + rng.uniform(-0.3, 0.3, len(searched.covered))
    gone = ~searched.kept
    finite = searched.totals[np.isfinite(searched.totals)]
    axes.plot(
        aside[gone], searched.totals[gone], ".", ms=2, color=FAINT, label="dropped"
    )
    kept = searched.kept
    axes.plot(
        aside[kept], searched.totals[kept], ".", ms=3.5, color=COLOURS[0], label="kept"
    )
    best = list(searched.best)
    axes.plot(
        searched.covered[best],
        searched.totals[best],
        "o-",
        ms=5,
        lw=1.6,
        color=COLOURS[1],
        label="the best translation",
    )
    if len(finite):
        # What was dropped far below says nothing.
        low = float(np.min(searched.totals[kept | (searched.covered == 0)]))
        high = float(finite.max())
        room = max(high - low, 1e-3)
        axes.set_ylim(low - 0.35 * room, high + 0.08 * room)
    axes.set_ylabel("score with future cost")
    set_title(axes, "The stacks of the search")
    axes.legend(loc="lower left", fontsize=8)
    counts = add_axes(figure, grid[1], sharex=axes)
    covered = np.arange(n + 1)
    everything = np.bincount(searched.covered, minlength=n + 1)
    left = np.bincount(searched.covered[kept], minlength=n + 1)
    counts.bar(covered, everything, color=FAINT, width=0.7)
    counts.bar(covered, left, color=COLOURS[0], width=0.7)
    counts.set_yscale("symlog")
    counts.set_ylabel("hypotheses")
    counts.set_xlabel("source words covered")
    counts.set_xticks(covered[:: max(1, (n + 1) // 20)])
    axes.tick_params(axis="x", labelbottom=False)
    return figure


def draw_tuning(path: Path, steps: Sequence[Mapping[str, Any]]) -> Path:
    """Draw how tuning went."""
    return save_figure(tuning_figure(steps), path)


def tuning_figure(steps: Sequence[Mapping[str, Any]]) -> Any:
    """BLEU of each iteration, decoded and hoped for, and the weights."""
    figure = new_figure(7.2, 5.2)
    grid = figure.add_gridspec(2, 1)
    axes = add_axes(figure, grid[0])
    numbers = [int(step["iteration"]) for step in steps]
    axes.plot(
        numbers,
        [step["bleu"] for step in steps],
        "o-",
        color=COLOURS[0],
        lw=2,
        label="of the translations",
    )
    axes.plot(
        numbers,
        [step["expected"] for step in steps],
        "s--",
        color=COLOURS[1],
        lw=1.2,
        ms=4,
        label="of the next weights, on the candidates",
    )
    axes.set_ylabel("BLEU")
    axes.legend(fontsize=8)
    set_title(axes, "Tuning")
    weights = add_axes(figure, grid[1], sharex=axes)
    names = [name for name in steps[0]["weights"] if name != "UnknownWordPenalty0"]
    colours = list(COLOURS) * 3
    for colour, name in zip(colours, names):
        rows = np.array([_unit(step["weights"], name) for step in steps])
        for k in range(rows.shape[1]):
            weights.plot(
                numbers,
                rows[:, k],
                "-",
                color=colour,
                lw=1.3,
                alpha=0.85,
                label=name if k == 0 else None,
            )
    weights.axhline(0, color=FAINT, lw=0.8, zorder=0)
    weights.set_ylabel("weight (they sum to 1)")
    weights.set_xlabel("iteration")
    weights.set_xticks(numbers)
    weights.legend(fontsize=7, ncol=3)
    axes.tick_params(axis="x", labelbottom=False)
    return figure


def _unit(named: Mapping[str, Sequence[float]], name: str) -> list[float]:
    """The weights of a feature, as shares of all."""
    total = sum(
        abs(value)
        for key, values in named.items()
        if key != "UnknownWordPenalty0"
        for value in values
    )
    return [value / max(total, 1e-12) for value in named[name]]


def draw_phrase_scores(
    path: Path, first: np.ndarray, second: np.ndarray, names: tuple[str, str]
) -> Path:
    """Draw phrase pairs by two logarithms of scores (figure 4.3 of the thesis)."""
    figure = new_figure(5.4, 5.2)
    axes = add_axes(figure)
    axes.plot(first, second, ".", ms=2, alpha=0.35, color=COLOURS[0], mew=0)
    both = np.corrcoef(first, second)[0, 1] if len(first) > 1 else np.nan
    axes.set_xlabel(f"log {names[0]}")
    axes.set_ylabel(f"log {names[1]}")
    set_title(axes, f"{len(first):,} phrase pairs, correlation {both:.2f}")
    return save_figure(figure, path)
