"""The pictures of the report, as SVG."""

from __future__ import annotations

from typing import Any

from benchmarks.report import RESULTS, entries, kernel_ratios, load
from benchmarks.timing import short

COLOURS = {True: "#2a6f97", False: "#c9ada7"}


def draw_all() -> None:
    """Draw what there are results for."""
    speed = [(f"{entry.case} · {entry.peer}", entry.ratio) for entry in entries()]
    if speed:
        draw_bars(speed, "time of the fastest peer ÷ ours", "speed")
    kernels = sorted(kernel_ratios(load("kernels") or []).items(), key=lambda p: -p[1])
    if kernels:
        draw_bars(kernels, "JAX's time ÷ ours", "kernels")


def draw_bars(bars: list[tuple[str, float]], label: str, name: str) -> None:
    """Ratios on a logarithmic scale, with a line where both are as fast."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "anadrome", "svg.fonttype": "none"})
    import matplotlib.pyplot as plt

    axes: Any
    figure, axes = plt.subplots(figsize=(7, 0.6 + 0.22 * len(bars)))
    for k, (_, ratio) in enumerate(reversed(bars)):
        axes.barh(k, ratio - 1, 0.62, left=1, color=COLOURS[ratio >= 1])
        side = "left" if ratio >= 1 else "right"
        text = f" {short(ratio)}× "
        axes.text(ratio, k, text, va="center", ha=side, fontsize=7)
    axes.axvline(1, color="#444444", linewidth=0.8)
    axes.set_yticks(range(len(bars)), [text for text, _ in reversed(bars)], fontsize=7)
    axes.set_xscale("log")
    low = min(1.0, *(ratio for _, ratio in bars))
    axes.set_xlim(low / 4, max(2.0, *(ratio for _, ratio in bars)) * 3)
    axes.set_xlabel(label, fontsize=8)
    axes.tick_params(axis="x", labelsize=7)
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(RESULTS / f"{name}.svg", metadata={"Date": None})
    plt.close(figure)
