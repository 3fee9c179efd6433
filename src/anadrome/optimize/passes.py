"""The passes, in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anadrome.ir.graph import Graph
from anadrome.ir.verify import verify
from anadrome.optimize.accumulators import accumulate_through_calls
from anadrome.optimize.algebra import cancel_signs, replace_flags, simplify_algebra
from anadrome.optimize.appending import keep_appended, stack_before_turning
from anadrome.optimize.assumptions import assume_shapes
from anadrome.optimize.batching import batch_accumulations
from anadrome.optimize.broadcasts import remove_broadcasts
from anadrome.optimize.contractions import name_contractions
from anadrome.optimize.covering import take_covering_parts
from anadrome.optimize.dead_code import remove_dead_code
from anadrome.optimize.deferring import defer_products
from anadrome.optimize.factors import join_products
from anadrome.optimize.fields import forward_fields, read_fields_once
from anadrome.optimize.finals import read_finals
from anadrome.optimize.hoisting import hoist_everything, hoist_products
from anadrome.optimize.items import join_lists
from anadrome.optimize.joining import join_parts
from anadrome.optimize.lateness import add_late_terms_last
from anadrome.optimize.layouts import lay_out_buffers
from anadrome.optimize.lists import take_lists_apart
from anadrome.optimize.loops import drop_constant_carries, hoist_invariants
from anadrome.optimize.places import read_places_once
from anadrome.optimize.products import turn_products
from anadrome.optimize.questions import answer_questions
from anadrome.optimize.recomputing import recompute_views
from anadrome.optimize.scaling import scale_products
from anadrome.optimize.settling import settle_updates
from anadrome.optimize.sharing import share_expressions
from anadrome.optimize.spelling import spell_out
from anadrome.optimize.splits import slice_splits
from anadrome.optimize.stacking import nest_arrays, stack_arrays
from anadrome.optimize.turning import turn_buffers
from anadrome.optimize.updates import add_products_in_place
from anadrome.optimize.wholes import replace_wholes
from anadrome.optimize.widening import widen_loops
from anadrome.optimize.witnesses import remove_implied_checks

Pass = Callable[[Graph], Graph]

PASSES: Sequence[Pass] = (
    remove_dead_code,
    keep_appended,
    stack_before_turning,
    read_fields_once,
    forward_fields,
    simplify_algebra,
    replace_flags,
    drop_constant_carries,
    remove_broadcasts,
    simplify_algebra,
    cancel_signs,
    hoist_invariants,
    share_expressions,
    remove_dead_code,
    remove_implied_checks,
)

NATIVE: Sequence[Pass] = (
    spell_out,
    take_lists_apart,
    answer_questions,
    join_lists,
    read_places_once,
    read_finals,
    recompute_views,
    replace_wholes,
    remove_dead_code,
    name_contractions,
    scale_products,
    turn_products,
    hoist_everything,
    share_expressions,
    hoist_products,
    batch_accumulations,
    remove_dead_code,
    assume_shapes,
    join_parts,
    take_covering_parts,
    hoist_everything,
    share_expressions,
    settle_updates,
    lay_out_buffers,
    add_late_terms_last,
    remove_dead_code,
    add_products_in_place,
    join_products,
    defer_products,
    turn_buffers,
)
"""What only native code gains from; Python is easier to read without it.

Statements may move to where they fail sooner, so a program that fails after these
passes is run again without them.
"""


class Ahead:
    """What native code gains from before it is differentiated.

    It remembers whether anything was changed: such a program may fail where the one
    that was written would not, and is then run again as it was.
    """

    def __init__(self, fixes_lists: bool = False) -> None:
        self.changed = False
        self.fixes_lists = fixes_lists

    def run(self, graph: Graph) -> Graph:
        """The graph with loops widened, splits read as slices, lists stacked."""
        nest_arrays(graph)
        for change in (widen_loops, slice_splits, stack_arrays):
            self.changed |= change(graph)
        return graph


FINAL: Sequence[Pass] = (accumulate_through_calls,)
"""What changes arrays in place, in programs that will not be differentiated again."""

PLAIN: Sequence[Pass] = (remove_dead_code,)
"""Nothing but what makes programs readable at all."""


observers: list[Callable[[Pass, Graph], object]] = []
"""What is shown each graph that a pass leaves; `tools/same.py` hashes them."""


def optimize(
    graph: Graph, passes: Sequence[Pass] = PASSES, *, check: bool = False
) -> Graph:
    """The graph after every pass; with `check` it is verified after each."""
    if check:
        verify(graph)
    for run in passes:
        graph = run(graph)
        for observe in observers:
            observe(run, graph)
        if check:
            verify(graph)
    return graph
