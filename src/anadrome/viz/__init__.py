"""Pictures."""

from anadrome.viz.alignment import MissingPlots, draw_alignment

__all__ = ["MissingPlots", "draw_alignment"]
