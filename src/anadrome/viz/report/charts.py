"""Charts as SVG: lines with a readout under the pointer, and bars."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anadrome.viz.report.markup import Markup, tag

WIDTH, LEFT, RIGHT, TOP, BOTTOM = 760.0, 52.0, 16.0, 12.0, 30.0


@dataclass(frozen=True)
class Line:
    """A curve of a chart: its class in the style sheet, and its points."""

    name: str
    kind: str
    xs: np.ndarray
    ys: np.ndarray
    dots: bool = False


def line_chart(
    lines: Sequence[Line], *, height: float = 220.0, label: str = "", digits: int = 3
) -> Markup:
    """Curves over the same axes; the pointer reads those that have a name."""
    xs = np.concatenate([line.xs for line in lines])
    ys = np.concatenate([line.ys for line in lines if line.kind != "noise"])
    ys = ys[np.isfinite(ys)]
    x_low, x_high = float(xs.min()), float(max(xs.max(), xs.min() + 1))
    y_low, y_high = float(ys.min()), float(ys.max())
    room = 0.08 * (y_high - y_low) or abs(y_high) * 0.1 or 1.0
    ticks = nice_ticks(y_low - room, y_high + room, 5)
    y_low, y_high = min(y_low - room, ticks[0]), max(y_high + room, ticks[-1])

    def across(x: float) -> float:
        return LEFT + (x - x_low) / (x_high - x_low) * (WIDTH - LEFT - RIGHT)

    def down(y: float) -> float:
        y = min(max(y, y_low), y_high)  # the noise may be above the curve's range
        return TOP + (y_high - y) / (y_high - y_low) * (height - TOP - BOTTOM)

    parts: list[Markup] = []
    for y in ticks:
        parts.append(
            tag(
                "line", x1=LEFT, x2=WIDTH - RIGHT, y1=down(y), y2=down(y), class_="grid"
            )
        )
        parts.append(_text(LEFT - 8, down(y) + 4, _number(y), "end"))
    for x in nice_ticks(x_low, x_high, min(7, round(x_high - x_low))):
        parts.append(_text(across(x), height - 10, f"{x:,.0f}", "middle"))
    for line in lines:
        points = [
            (across(float(x)), down(float(y)))
            for x, y in zip(line.xs, line.ys)
            if math.isfinite(y)
        ]
        d = "M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in thin(points))
        parts.append(tag("path", d=d, class_=f"line {line.kind}"))
        if line.dots:
            parts += [
                tag("circle", cx=x, cy=y, r=3.4, class_=f"dot {line.kind}")
                for x, y in points
            ]
    parts.append(tag("line", y1=TOP, y2=height - BOTTOM, class_="cross"))
    shown = [line for line in lines if line.name]
    data = {
        "frame": [LEFT, WIDTH - RIGHT, x_low, x_high],
        "lines": [
            {
                "name": line.name,
                "points": [
                    [round(float(x), 2), round(float(y), digits)]
                    for x, y in thin(list(zip(line.xs, line.ys)), 400)
                    if math.isfinite(float(y))
                ],
            }
            for line in shown
        ],
    }
    drawing = tag(
        "svg",
        parts,
        viewBox=f"0 0 {WIDTH:g} {height:g}",
        role="img",
        aria_label=label,
        data_chart=json.dumps(data),
    )
    return tag(
        "figure",
        tag("figcaption", label, tag("output", "")),
        drawing,
        class_="chart",
    )


def bar_chart(
    labels: Sequence[str],
    values: Sequence[float | None],
    notes: Sequence[str],
    *,
    label: str,
    height: float = 200.0,
) -> Markup:
    """Bars with their values above and notes under their names."""
    highest = max((value for value in values if value is not None), default=1.0) or 1.0
    step = (WIDTH - 2 * RIGHT) / max(1, len(labels))
    wide = min(72.0, 0.6 * step)
    parts = []
    for i, (name, value, note) in enumerate(zip(labels, values, notes)):
        x = RIGHT + (i + 0.5) * step
        tall = 0.0 if value is None else value / highest * (height - 78)
        parts.append(
            tag(
                "rect",
                x=x - wide / 2,
                y=height - 42 - tall,
                width=wide,
                height=max(tall, 0.5),
                rx=2.0,
                class_="bar",
            )
        )
        text = "–" if value is None else f"{value:.1f}"
        parts.append(_text(x, height - 48 - tall, text, "middle", "value"))
        parts.append(_text(x, height - 24, name, "middle"))
        parts.append(_text(x, height - 8, note, "middle", "note"))
    drawing = tag(
        "svg", parts, viewBox=f"0 0 {WIDTH:g} {height:g}", role="img", aria_label=label
    )
    return tag("figure", tag("figcaption", label), drawing, class_="chart")


def thin(
    points: Sequence[tuple[float, float]], most: int = 700
) -> list[tuple[float, float]]:
    """At most about so many points, the ends among them."""
    if len(points) <= most:
        return list(points)
    chosen = np.unique(np.linspace(0, len(points) - 1, most).round().astype(int))
    return [points[i] for i in chosen]


def nice_ticks(low: float, high: float, count: int) -> list[float]:
    """Round numbers between two others, about so many."""
    rough = (high - low) / max(1, count)
    size = 10.0 ** math.floor(math.log10(rough)) if rough > 0 else 1.0
    step = next(k * size for k in (1, 2, 2.5, 5, 10) if k * size >= rough - 1e-12)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [k * step for k in range(first, last + 1)] or [low]


def _number(value: float) -> str:
    if value == 0:
        return "0"
    if abs(value) < 0.01 or abs(value) >= 100_000:
        return f"{value:.0e}"
    return f"{value:,.4g}"


def _text(x: float, y: float, text: str, anchor: str, kind: str = "tick") -> Markup:
    return tag("text", text, x=x, y=y, text_anchor=anchor, class_=kind)
