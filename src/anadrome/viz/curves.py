"""Training drawn from its log: losses, scores, learning rate and gradients."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from anadrome.viz.figures import (
    COLOURS,
    FAINT,
    add_axes,
    new_figure,
    save_figure,
    set_title,
)


@dataclass(frozen=True)
class History:
    """What a log says, as numbers: steps with losses, and steps with scores."""

    steps: np.ndarray  # (N,)
    losses: np.ndarray  # (N,)
    rates: np.ndarray  # (N,)
    norms: np.ndarray  # (N,)
    seconds: np.ndarray  # (N,) of each step
    sizes: np.ndarray  # (N,) tokens of each step
    scored: np.ndarray  # (M,) steps with a validation
    scores: np.ndarray  # (M,)
    texts: tuple[str, ...]  # M scores in words

    @classmethod
    def of(cls, events: Iterable[Mapping[str, Any]]) -> History:
        """The history that the events of a log tell."""
        steps, scored = [], []
        for event in events:
            if _is_number(event.get("loss")):
                steps.append(event)
            elif _is_number(event.get("score")):
                scored.append(event)

        def column(rows: Sequence[Mapping[str, Any]], name: str) -> np.ndarray:
            values = [row.get(name) for row in rows]
            return np.array([v if _is_number(v) else np.nan for v in values], float)

        return cls(
            steps=column(steps, "step"),
            losses=column(steps, "loss"),
            rates=column(steps, "rate"),
            norms=column(steps, "norm"),
            seconds=column(steps, "seconds"),
            sizes=column(steps, "size"),
            scored=column(scored, "step"),
            scores=column(scored, "score"),
            texts=tuple(str(row.get("text", "")) for row in scored),
        )

    def __len__(self) -> int:
        return len(self.steps)

    def smooth_losses(self) -> np.ndarray:
        """The losses without the noise of batches."""
        return smooth(self.losses)


def smooth(values: np.ndarray, share: float = 0.03) -> np.ndarray:
    """The mean around every value, over a share of all of them; it does not lag."""
    if not len(values):
        return values
    reach = max(2, round(share * len(values) / 2))
    sums = np.concatenate(([0.0], np.cumsum(values)))
    first = np.maximum(0, np.arange(len(values)) - reach)
    last = np.minimum(len(values), np.arange(len(values)) + reach + 1)
    made: np.ndarray = (sums[last] - sums[first]) / (last - first)
    return made


def draw_curves(path: Path, history: History) -> Path:
    """Draw how training went: loss, validation score, learning rate, gradients."""
    if not len(history):
        raise ValueError("there is nothing to draw: the log has no steps")
    with_scores = len(history.scored) > 0
    rows = 3 if with_scores else 2
    figure = new_figure(8.2, 1.1 + 2.0 * rows)
    grid = figure.add_gridspec(rows, 1, height_ratios=[2, 2, 1][3 - rows :])
    first = None
    place = 0
    if with_scores:
        first = axes = add_axes(figure, grid[0])
        axes.plot(history.scored, history.scores, "o-", color=COLOURS[2], ms=4, lw=1.5)
        best = int(np.argmax(history.scores))
        axes.annotate(
            f"{history.scores[best]:.2f}",
            (history.scored[best], history.scores[best]),
            textcoords="offset points",
            xytext=(0, -14),
            ha="center",
            color=COLOURS[2],
            weight="bold",
        )
        set_title(axes, "Validation score")
        place = 1
    axes = add_axes(figure, grid[place], sharex=first)
    axes.plot(history.steps, history.losses, color=FAINT, lw=0.7)
    axes.plot(history.steps, history.smooth_losses(), color=COLOURS[0], lw=1.8)
    set_title(axes, "Loss, and its running mean")
    low, high = np.nanpercentile(history.losses, [0, 99.5])
    axes.set_ylim(low - 0.05 * (high - low), high + 0.05 * (high - low) + 1e-9)
    last = add_axes(figure, grid[place + 1], sharex=axes)
    last.plot(history.steps, history.norms, color=FAINT, lw=0.7)
    last.plot(history.steps, smooth(history.norms), color=COLOURS[5], lw=1.4)
    set_title(last, "Norm of the gradient, and the learning rate")
    last.set_ylim(0, np.nanpercentile(history.norms, 99) * 1.2 + 1e-9)
    twin = last.twinx()
    twin.plot(history.steps, history.rates, color=COLOURS[1], lw=1.4)
    twin.set_ylim(0, None)
    twin.ticklabel_format(axis="y", style="sci", scilimits=(0, 0))
    twin.tick_params(axis="y", colors=COLOURS[1])
    twin.spines["top"].set_visible(False)
    twin.spines["right"].set_color(COLOURS[1])
    last.set_xlabel("step")
    return save_figure(figure, path)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and bool(np.isfinite(value))
