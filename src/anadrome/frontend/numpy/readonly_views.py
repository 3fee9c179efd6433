"""Views that NumPy gives out to be read and not to be written to."""

from __future__ import annotations

from anadrome.errors import MutationError
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.numpy.indexing import is_basic
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Graph, Node, Parameter, walk
from anadrome.ir.types import Num, alias_of, deref
from anadrome.primitives.registry import Primitive


def refuse_readonly(it: Interpreter, node: Node) -> None:
    """Refuse to write to a diagonal, or to an array that has been broadcast."""
    name = _read_only(_array_seen(node))
    if name is not None:
        raise it.fail(
            MutationError,
            f"what '{name}' gives is a view that cannot be written to",
            "write to the array itself, or to a copy",
            python=ValueError,
        )


def check_stores(graph: Graph) -> None:
    """Refuse to write to what paths, iterations or containers hand over, which may be
    such a view."""
    stores, views = [], {}
    for node in walk(graph):
        name = _read_only(node)
        if name is not None:
            views[alias_of(node.type)] = name
        if node.op is ops.SETITEM and isinstance(deref(node.args[0].type), Num):
            stores.append(node)
    for node in stores if views else ():
        seen = _array_seen(node.args[0])
        name = views.get(alias_of(seen.type))
        if name is not None and not _is_own(seen):
            raise MutationError(
                f"this may be what '{name}' gives, a view that cannot be written to",
                node.span,
                "write to the array itself, or to a copy",
            )


def _is_own(node: Node) -> bool:
    """Whether an array is an argument, or is made here by a function of NumPy's."""
    if isinstance(node, Parameter):
        return node.graph.parent is None
    return isinstance(node, Apply) and isinstance(node.op, Primitive)


def _array_seen(node: Node) -> Node:
    """The array that a value is a view of, or the first view that is read only."""
    while isinstance(node, Apply) and _read_only(node) is None:
        if node.op is ops.GETITEM:
            if not isinstance(deref(node.args[0].type), Num) or not is_basic(
                node.args[1]
            ):
                break
        elif not isinstance(node.op, Primitive) or not node.args or not node.op.view:
            break
        node = node.args[0]
    return node


def _read_only(node: Node) -> str | None:
    """The function that gives a view to be read only, if one does."""
    if not isinstance(node, Apply) or not isinstance(node.op, Primitive):
        return None
    title = str(getattr(node.target, "__name__", node.op.name))
    if node.op.name in ("diagonal", "broadcast_to"):
        return title
    t = deref(node.args[0].type) if node.args else None
    if node.op.name == "imag" and isinstance(t, Num) and t.dtype is not None:
        return None if t.scalar or t.dtype.kind == "c" else title
    return None
