"""Pictures of what models do.

In: sentences, attention weights, arcs of a lattice.
Out: PNG and SVG files.
"""

from anadrome.viz.alignment import MissingPlots, draw_alignment
from anadrome.viz.lattice import draw_lattice

__all__ = ["MissingPlots", "draw_alignment", "draw_lattice"]
