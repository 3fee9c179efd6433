"""Dictionaries and sets that are iterated over: their size must stay what it is.

Python raises a RuntimeError when it comes to the next item. A loop here runs over the
keys that there were, so the change itself is refused.
"""

from __future__ import annotations

from anadrome.errors import MutationError, UnsupportedSyntax
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.values.known import static_value
from anadrome.ir import operations as ops
from anadrome.ir.graph import Constant, Node
from anadrome.ir.types import INT, NONE, Dict, Other, alias_of, strip_optional

_MESSAGE = "a dictionary or a set changes its size while it is iterated over"
_HELP = "run over list(…) of it, or collect the changes and make them afterwards"


def keep_size(it: Interpreter, node: Node, index: Node, deletes: bool = False) -> None:
    """Refuse a new key of a dictionary that lives as variables and is iterated over."""
    present = (node, static_value(index)) in it.env
    if any(n is node for n in it.iterated) and present is deletes:
        raise it.fail(MutationError, _MESSAGE, _HELP)


def size_to_keep(it: Interpreter, node: Node) -> Node | None:
    """The size of something that may be iterated over now, before it is changed."""
    t = strip_optional(node.type)
    if isinstance(node, Constant) or not isinstance(t, Dict | Other):
        return None
    alias = alias_of(t)
    for n in it.iterated:
        shared = alias is not None and alias_of(strip_optional(n.type)) is alias
        if n is node or shared:
            return it.emit(ops.OBSERVE, (it.constant(len), node), INT)
    return None


def check_size(it: Interpreter, node: Node, size: Node | None) -> None:
    """Let the program refuse to go on if the size is not what it was."""
    if size is not None:
        it.emit(ops.OBSERVE, (it.constant(require_size), node, size), NONE)


def require_size(value: object, size: int) -> None:
    """Refuse a change of the size of what is iterated over."""
    if len(value) != size:  # type: ignore[arg-type]
        raise MutationError(_MESSAGE, None, _HELP)


def require_items(length: int, count: int) -> None:
    """Refuse to go on beyond the end of one of the things that `zip` goes over."""
    if length < count:
        raise UnsupportedSyntax(
            f"'zip' goes over {count} things of several kinds, and over something "
            f"that has {length} items",
            help="give both the same length",
        )
