"""Pictures of what models do, and the page that reports a run.

In: sentences, weights, searches, lattices, logs.
Out: PNG and SVG files, and HTML that needs nothing else.
"""

from anadrome.viz.alignment import draw_alignment
from anadrome.viz.curves import History, draw_curves
from anadrome.viz.figures import ForeignFile, MissingPlots
from anadrome.viz.gradient_flow import draw_gradient_flow
from anadrome.viz.lattice import draw_lattice
from anadrome.viz.parse import draw_parse
from anadrome.viz.score_curve import draw_score_curve
from anadrome.viz.search_tree import TreeLayout, draw_search_tree, lay_out
from anadrome.viz.statistical import (
    draw_phrase_scores,
    draw_phrases,
    draw_stacks,
    draw_tuning,
)
from anadrome.viz.word_map import draw_word_map, place_words

__all__ = [
    "ForeignFile",
    "History",
    "MissingPlots",
    "TreeLayout",
    "draw_alignment",
    "draw_curves",
    "draw_gradient_flow",
    "draw_lattice",
    "draw_parse",
    "draw_phrase_scores",
    "draw_phrases",
    "draw_score_curve",
    "draw_search_tree",
    "draw_stacks",
    "draw_tuning",
    "draw_word_map",
    "lay_out",
    "place_words",
]
