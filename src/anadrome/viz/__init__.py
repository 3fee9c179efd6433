"""Pictures of what models do.

In: sentences and attention weights.
Out: PNG and SVG files.
"""

from anadrome.viz.alignment import MissingPlots, draw_alignment

__all__ = ["MissingPlots", "draw_alignment"]
