"""Figures: made without a window, written as PNG or SVG, never over a foreign file."""

from __future__ import annotations

import errno
import io
from pathlib import Path
from typing import Any

from anadrome.options import OptionError

INK, FAINT, PAPER = "#1f2430", "#c9ccd3", "#ffffff"
"""Text and axes, what is in the background, and what everything is drawn on."""

COLOURS = ("#2f5d8a", "#c8553d", "#4a8f6d", "#8a5a9e", "#b98b2d", "#5b6472")
"""Of systems and curves, in this order."""

MARK = "anadrome"
"""What our pictures say of their origin, so that they may be drawn anew."""

_STYLE: Any = {
    "font.family": "sans-serif",
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "svg.hashsalt": MARK,
}


class MissingPlots(ImportError):
    """Matplotlib is not installed."""


class ForeignFile(FileExistsError):
    """A file that is there already and is none of ours."""


def new_figure(width: float, height: float) -> Any:
    """An empty figure of so many inches."""
    try:
        from matplotlib import rc_context
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingPlots(
            "pictures need matplotlib\nhelp: pip install 'anadrome[toolkit]'"
        ) from None
    with rc_context(_STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasAgg(figure)
    return figure


def add_axes(figure: Any, *place: Any, **options: Any) -> Any:
    """Axes of a figure in the style of all pictures."""
    from matplotlib import rc_context

    with rc_context(_STYLE):
        return figure.add_subplot(*place, **options)


def set_title(axes: Any, text: str) -> None:
    """Write the title of axes, at their left."""
    axes.set_title(text, loc="left", fontsize=11, weight="bold", color=INK)


def save_figure(figure: Any, path: Path) -> Path:
    """Write a figure to a file, PNG or SVG by its name."""
    from matplotlib import rc_context

    kind = path.suffix.lower().removeprefix(".")
    if kind not in ("png", "svg"):
        raise OptionError(f"{path}: pictures are .png or .svg")
    refuse_foreign(path)
    # Without a date equal pictures are equal files.
    notes: dict[str, Any] = {"Software": MARK} if kind == "png" else {}
    if kind == "svg":
        notes = {"Creator": MARK, "Date": None}
    content = io.BytesIO()
    with rc_context(_STYLE):
        figure.savefig(content, format=kind, dpi=160, metadata=notes, facecolor=PAPER)
    path.write_bytes(content.getvalue())
    return path


def figure_svg(figure: Any) -> str:
    """A figure as the SVG element of a page."""
    from matplotlib import rc_context

    content = io.StringIO()
    with rc_context(_STYLE):
        figure.savefig(
            content,
            format="svg",
            metadata={"Creator": MARK, "Date": None},
            facecolor="none",
        )
    text = content.getvalue()
    return text[text.index("<svg") :]


def refuse_foreign(path: Path) -> None:
    """Fail if a file is there that no picture or report of ours is in."""
    try:
        with path.open("rb") as file:
            if MARK.encode() in file.read(4096):
                return
    except FileNotFoundError:
        return
    raise ForeignFile(
        errno.EEXIST, "there is another file already, which is left alone", str(path)
    )
