"""Figure 8.4 again: bits for a character on validation text while models train.

    python experiments/lm/curves.py OUT.png STEPS RUN …

STEPS is how many steps an epoch has; each RUN is the folder of a training run.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path

from anadrome.viz.figures import (
    COLOURS,
    FAINT,
    add_axes,
    new_figure,
    save_figure,
    set_title,
)


def validations(run: Path) -> tuple[list[int], list[float]]:
    """The steps at which a run was validated, and the bits for a character."""
    rows = [json.loads(line) for line in (run / "log.jsonl").open(encoding="utf-8")]
    judged = [row for row in rows if "score" in row]
    steps = [row["step"] for row in judged]
    return steps, [-row["score"] / math.log(2) for row in judged]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("steps", type=int)
    parser.add_argument("runs", type=Path, nargs="+")
    given = parser.parse_args()
    figure = new_figure(6.4, 3.6)
    axes = add_axes(figure)
    for colour, run in zip(COLOURS, given.runs):
        steps, bits = validations(run)
        epochs = [step / given.steps for step in steps]
        axes.plot(epochs, bits, "o-", color=colour, lw=2, ms=4, label=run.name)
        last = epochs[-1], bits[-1]
        above = {"xytext": (0, 6), "textcoords": "offset points", "ha": "center"}
        axes.annotate(f"{bits[-1]:.3f}", last, fontsize=8, **above)
    axes.set_xlabel("epochs")
    axes.set_ylabel("bits for a character")
    axes.grid(axis="y", color=FAINT, lw=0.6, alpha=0.6)
    axes.legend()
    set_title(axes, "Penn Treebank, validation")
    save_figure(figure, given.out)


if __name__ == "__main__":
    main()
