"""The passes, in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anadrome.ir.graph import Graph
from anadrome.ir.verify import verify
from anadrome.optimize.linear.contractions import name_contractions
from anadrome.optimize.linear.defer_rank1 import defer_products
from anadrome.optimize.linear.hoist_products import hoist_everything, hoist_products
from anadrome.optimize.linear.join_products import join_products
from anadrome.optimize.linear.reassociate import add_late_terms_last
from anadrome.optimize.linear.scaling import scale_products
from anadrome.optimize.linear.sums_over_iterations import batch_accumulations
from anadrome.optimize.linear.transposes import turn_products
from anadrome.optimize.lists.append_to_residual import (
    keep_appended,
    stack_before_turning,
)
from anadrome.optimize.lists.concatenate import join_parts
from anadrome.optimize.lists.covered_zeros import take_covering_parts
from anadrome.optimize.lists.list_to_array import join_lists
from anadrome.optimize.lists.scalar_replacement import take_lists_apart
from anadrome.optimize.lists.slots import read_places_once
from anadrome.optimize.lists.split_to_slices import slice_splits
from anadrome.optimize.lists.stack import nest_arrays, stack_arrays
from anadrome.optimize.memory.accumulate_products import add_products_in_place
from anadrome.optimize.memory.accumulators import accumulate_through_calls
from anadrome.optimize.memory.buffer_promotion import replace_wholes
from anadrome.optimize.memory.clear_elision import settle_updates
from anadrome.optimize.memory.copy_elision import read_finals
from anadrome.optimize.memory.layout import lay_out_buffers
from anadrome.optimize.memory.rematerialise import recompute_views
from anadrome.optimize.memory.transpose_buffers import turn_buffers
from anadrome.optimize.simplify.algebra import (
    cancel_signs,
    replace_flags,
    simplify_algebra,
)
from anadrome.optimize.simplify.broadcasts import remove_broadcasts
from anadrome.optimize.simplify.common_subexpressions import share_expressions
from anadrome.optimize.simplify.dead_code import remove_dead_code
from anadrome.optimize.simplify.decompose import spell_out
from anadrome.optimize.simplify.fields import forward_fields, read_fields_once
from anadrome.optimize.simplify.fold_queries import answer_questions
from anadrome.optimize.simplify.loop_invariants import (
    drop_constant_carries,
    hoist_invariants,
)
from anadrome.optimize.simplify.retained_checks import remove_implied_checks
from anadrome.optimize.speculation.equal_shapes import assume_shapes
from anadrome.optimize.speculation.vectorise_loops import widen_loops

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
