"""Views that NumPy gives out to be read and not to be written to."""

from __future__ import annotations

from anadrome.errors import MutationError
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.numpy.indexing import is_basic
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Node
from anadrome.ir.types import Num, deref
from anadrome.primitives.registry import Primitive


def refuse_readonly(it: Interpreter, node: Node) -> None:
    """Refuse to write to a diagonal, or to an array that has been broadcast."""
    name = _read_only(node)
    if name is not None:
        raise it.fail(
            MutationError,
            f"what '{name}' gives is a view that cannot be written to",
            "write to the array itself, or to a copy",
            python=ValueError,
        )


def _read_only(node: Node) -> str | None:
    """The function that gave a view to be read only, if one did."""
    while isinstance(node, Apply):
        if node.op is ops.GETITEM:
            if not isinstance(deref(node.args[0].type), Num) or not is_basic(
                node.args[1]
            ):
                return None
        elif not isinstance(node.op, Primitive) or not node.args:
            return None
        elif node.op.name in ("diagonal", "broadcast_to"):
            return str(getattr(node.target, "__name__", node.op.name))
        elif not node.op.view:
            return None
        node = node.args[0]
    return None
