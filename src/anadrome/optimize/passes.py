"""The passes, in the order in which they run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anadrome.ir.graph import Graph
from anadrome.ir.verify import verify
from anadrome.optimize.linear.contractions import canonicalise_contractions
from anadrome.optimize.linear.defer_rank1 import defer_products
from anadrome.optimize.linear.hoist_products import hoist_everything, hoist_products
from anadrome.optimize.linear.join_products import join_products
from anadrome.optimize.linear.reassociate import reassociate_sums
from anadrome.optimize.linear.scaling import scale_products
from anadrome.optimize.linear.sums_over_iterations import sum_over_iterations
from anadrome.optimize.linear.transposes import transpose_products
from anadrome.optimize.lists.append_to_residual import (
    keep_appended,
    stack_before_reversing,
)
from anadrome.optimize.lists.concatenate import join_parts
from anadrome.optimize.lists.covered_zeros import elide_covered_zeros
from anadrome.optimize.lists.list_to_array import lists_to_arrays
from anadrome.optimize.lists.scalar_replacement import take_lists_apart
from anadrome.optimize.lists.slots import read_slots_once
from anadrome.optimize.lists.split_to_slices import slice_splits
from anadrome.optimize.lists.stack import nest_arrays, stack_arrays
from anadrome.optimize.memory.accumulate_products import accumulate_products
from anadrome.optimize.memory.accumulators import accumulate_through_calls
from anadrome.optimize.memory.buffer_promotion import promote_buffers
from anadrome.optimize.memory.clear_elision import elide_clears
from anadrome.optimize.memory.copy_elision import elide_copies
from anadrome.optimize.memory.layout import lay_out_buffers
from anadrome.optimize.memory.rematerialise import rematerialise_views
from anadrome.optimize.memory.transpose_buffers import transpose_buffers
from anadrome.optimize.simplify.algebra import (
    cancel_signs,
    replace_flags,
    simplify_algebra,
)
from anadrome.optimize.simplify.broadcasts import remove_broadcasts
from anadrome.optimize.simplify.common_subexpressions import share_expressions
from anadrome.optimize.simplify.dead_code import remove_dead_code
from anadrome.optimize.simplify.decompose import decompose_calls
from anadrome.optimize.simplify.fields import forward_fields, read_fields_once
from anadrome.optimize.simplify.fold_queries import fold_queries
from anadrome.optimize.simplify.implied_checks import remove_implied_checks
from anadrome.optimize.simplify.loop_invariants import (
    drop_constant_carries,
    hoist_invariants,
)
from anadrome.optimize.simplify.passed_refusals import pass_refusals
from anadrome.optimize.simplify.retained_statements import retain_statements
from anadrome.optimize.speculation.equal_shapes import assume_shapes
from anadrome.optimize.speculation.vectorise_loops import vectorise_loops

Pass = Callable[[Graph], Graph]

PASSES: Sequence[Pass] = (
    pass_refusals,
    retain_statements,
    remove_dead_code,
    keep_appended,
    stack_before_reversing,
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
    decompose_calls,
    take_lists_apart,
    fold_queries,
    lists_to_arrays,
    read_slots_once,
    elide_copies,
    rematerialise_views,
    promote_buffers,
    remove_dead_code,
    canonicalise_contractions,
    scale_products,
    transpose_products,
    hoist_everything,
    share_expressions,
    hoist_products,
    sum_over_iterations,
    remove_dead_code,
    assume_shapes,
    join_parts,
    elide_covered_zeros,
    hoist_everything,
    share_expressions,
    elide_clears,
    lay_out_buffers,
    reassociate_sums,
    remove_dead_code,
    accumulate_products,
    join_products,
    defer_products,
    transpose_buffers,
)
"""What only native code gains from; Python is easier to read without it.

Statements may move to where they fail sooner, so a program that fails after these
passes falls back to one without them.
"""


class Ahead:
    """What native code gains from before it is differentiated.

    It remembers whether anything was changed: such a program may fail where the one
    that was written would not, and then falls back to that one.
    """

    def __init__(self, fixes_lists: bool = False) -> None:
        self.changed = False
        self.fixes_lists = fixes_lists

    def run(self, graph: Graph) -> Graph:
        """The graph with loops vectorised, splits read as slices, lists stacked."""
        nest_arrays(graph)
        for change in (vectorise_loops, slice_splits, stack_arrays):
            self.changed |= change(graph)
        return graph


FINAL: Sequence[Pass] = (accumulate_through_calls,)
"""What changes arrays in place, in programs that will not be differentiated again."""

PLAIN: Sequence[Pass] = (pass_refusals, retain_statements, remove_dead_code)
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
