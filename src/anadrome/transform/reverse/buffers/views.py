"""Views and other names of objects that have shadows, and lists made of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anadrome import runtime
from anadrome.errors import MutationError
from anadrome.ir import operations as ops
from anadrome.ir.graph import (
    Apply,
    Constant,
    Graph,
    Node,
)
from anadrome.ir.types import (
    BOOL,
    NEVER,
    NONE,
    Num,
    Type,
    deref,
    strip_optional,
)
from anadrome.primitives.registry import Primitive
from anadrome.transform.dependence.zero_d_arrays import LIST_MAKERS
from anadrome.transform.reverse.buffers.slots import give_back, view_at
from anadrome.transform.rules import bound_arguments, call_rule

if TYPE_CHECKING:
    from anadrome.transform.reverse.walk import Reverse


_VIEWS = frozenset(
    (
        "array_split",
        "dsplit",
        "expand_dims",
        "flip",
        "fliplr",
        "flipud",
        "hsplit",
        "matrix_transpose",
        "moveaxis",
        "rollaxis",
        "rot90",
        "split",
        "squeeze",
        "swapaxes",
        "transpose",
        "transpose_all",
        "transpose_method",
        "unstack",
        "vsplit",
    )
)
"""Operations that always return views."""

_READ_ONLY = frozenset(("broadcast_to", "diagonal", "linalg_diagonal"))
"""Operations whose views NumPy protects from being written to."""

_MAY_COPY = frozenset(
    (
        "asarray",
        "atleast_1d",
        "atleast_2d",
        "atleast_3d",
        "conjugate_method",
        "diag",
        "ravel",
        "real",
        "reshape",
        "reshape_method",
    )
)
"""Operations that return a view if they can."""


_AS_COPIES = frozenset(("imag", "real_if_close", "require"))
"""Operations whose views are like copies once nothing is stored any more."""


def changes_later(r: Reverse, node: Apply) -> bool:
    """Whether something of the class of a value may be stored into after it is made."""
    alias = r.activity.alias(node.type)

    def writes(other: Apply) -> bool:
        if other.op is ops.SETITEM:
            return r.activity.alias(other.args[0].type) is alias
        if other.op in (ops.CALL, ops.TRY):
            return True
        return any(writes(n) for region in other.regions for n in region.body)

    def within(region: Graph) -> bool | None:
        """What holds of the rest of a region, if the value is made in it."""
        for k, other in enumerate(region.body):
            found: bool | None = False if other is node else None
            for inner in other.regions:
                found = within(inner) if found is None else found
            if found is None:
                continue
            around = other.regions and other.op not in (ops.IF,) and writes(other)
            return bool(found or around or any(map(writes, region.body[k + 1 :])))
        return None

    return within(r.old) is not False


def rebuild(r: Reverse, node: Apply, t: Type) -> bool:
    """Lists of objects with shadows, sliced, copied or concatenated."""
    it = r.it
    if isinstance(node.op, Primitive) and node.op.name in LIST_MAKERS:
        args = tuple(
            r.shadows.of(a) if r.activity.shadowed(a.type) else r.value(a)
            for a in node.args
        )
        r.shadows.set(node, it.emit(node.op, args, t, target=node.target))
        return True
    if node.op is ops.GETITEM:
        args = (r.shadows.of(node.args[0]), r.value(node.args[1]))
        r.shadows.set(node, it.emit(ops.GETITEM, args, t))
        return True
    if node.op is ops.COPY:
        r.shadows.created(node)
        return True
    return False


def give_back_number(r: Reverse, node: Apply) -> None:
    """Add to a shadow what has arrived at an element of it that may be a number."""
    it = r.it
    shadow, index = r.shadows.of(node.args[0]), r.value(node.args[1])
    args = it.constant(give_back), shadow, index, r.shadows.of(node)
    it.emit(ops.PYCALL, args, NONE)


def mirror(r: Reverse, node: Apply) -> bool:
    """Do to the shadow what a view or a lookup does to the object."""
    it = r.it
    t = r.shadows.type_of(node.type)
    if isinstance(node.op, Primitive):
        if not node.op.view:
            return False
        rest = tuple(r.value(a) for a in node.args[1:])
        named = {k: r.value(v) for k, v in node.keywords.items()}
        source, shadow = r.value(node.args[0]), r.shadows.of(node.args[0])
        if isinstance(shadow, Constant):
            return False
        if node.op.name in _AS_COPIES and not changes_later(r, node):
            r.shadows.copied.add(id(node))
            return False
        made = it.emit(node.op, (shadow, *rest), t, keywords=named, target=node.target)
        if node.op.name in _MAY_COPY:
            check = it.constant(runtime.shadow_of_view)
            args: tuple[Node, ...] = (check, source, r.value(node), made, shadow)
            made = it.emit(ops.PYCALL, args, t, target=True)
        elif node.op.name in _READ_ONLY:
            opened = (it.constant(runtime.writable), made)
            made = it.emit(ops.PYCALL, opened, t, target=True)
        elif node.op.name not in _VIEWS:
            raise MutationError(
                f"an array that is changed in place goes through '{node.op.name}'",
                node.span,
                "copy it before with .copy()",
            )
    elif node.op in (ops.GETITEM, ops.GETATTR):
        if id(node.args[0]) not in r.shadows.nodes:
            if not isinstance(node.args[0], Constant):
                # What it was unified with has hidden what changes in it.
                r.accumulation.place(node.args[0])
            return False
        args = r.shadows.of(node.args[0]), r.value(node.args[1])
        array = isinstance(strip_optional(node.args[0].type), Num)
        if array and getattr(deref(node.type), "ndim", 0) is None:
            # It may be a view or one number.
            view = it.constant(view_at)
            made = it.emit(ops.PYCALL, (view, *args), t, target=True)
            r.shadows.accumulators.add(id(node))
        else:
            made = it.emit(node.op, args, t)
    elif node.op is ops.CAST:
        r.shadows.alias(node, node.args[0])
        return True
    else:
        return False
    r.shadows.set(node, made)
    return True


def undo_view(r: Reverse, node: Apply) -> None:
    """The backward pass through what returned a view, or a copy after all."""
    it = r.it
    if not r.activity.buffer(node.type):
        return
    source = node.args[0]
    if node.op.name in _AS_COPIES and id(node) in r.shadows.copied:
        _give_back_copy(r, node)
        return
    if node.op.name not in _MAY_COPY:
        return
    args = (it.constant(runtime.is_copy), r.value(source), r.value(node))
    test = it.emit(ops.PYCALL, args, BOOL, target=True)
    region, other = Graph("then", it.graph), Graph("else", it.graph)
    with it.region(region):
        _give_back_copy(r, node)
    made = Apply(ops.IF, (test,), NEVER, regions=(region, other), span=node.span)
    made.comment = it.comment
    it.graph.append(made)


def _give_back_copy(r: Reverse, node: Apply) -> None:
    """Add what has arrived at a copy to what it was copied from."""
    it = r.it
    values = bound_arguments(
        it,
        node.op,
        tuple(r.value(a) for a in node.args),
        {k: r.value(v) for k, v in node.keywords.items()},
    )
    dz = {"dz": r.shadows.of(node)}
    found = call_rule(it, node.op.vjp_rule, [r.value(node), *values.values()], dz)
    r.contribute(node.args[0], found)


def check_copy(r: Reverse, node: Apply) -> None:
    """Make sure that a result is no view where something is changed in place.

    Products of several operands never are.
    """
    if len(node.args) > 2:
        return
    it, active = r.it, r.activity
    for a in node.args[1:]:
        if active.buffer(a.type) or active.buffer(node.type):
            args = (it.constant(runtime.check_copy), r.value(a))
            it.emit(ops.PYCALL, (*args, r.value(node)), NONE)


__all__ = ["check_copy", "mirror", "rebuild", "undo_view"]
