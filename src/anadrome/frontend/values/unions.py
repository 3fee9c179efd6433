"""Objects of which the class is known only at run time to be one of a few.

What is done with such an object is read once for each class, in a chain of branches on
its class.
"""

from __future__ import annotations

from collections.abc import Callable

from anadrome.frontend.interpreter import Interpreter
from anadrome.ir import operations as ops
from anadrome.ir.graph import Node
from anadrome.ir.types import BOOL, Object, Union, deref, strip_optional


def is_union(node: Node) -> bool:
    """Whether a value is an object of one of several classes."""
    return isinstance(strip_optional(node.type), Union)


def for_each_class(it: Interpreter, node: Node, step: Callable[[Node], Node]) -> Node:
    """What `step` makes of an object, whichever of its classes it is of."""
    from anadrome.frontend.syntax.expressions import choose

    t = strip_optional(node.type)
    assert isinstance(t, Union)
    options = sorted((deref(o) for o in t.options), key=_depth, reverse=True)

    def pick(k: int) -> Node:
        option = options[k]
        assert isinstance(option, Object)

        def run() -> Node:
            return step(it.emit(ops.CAST, (node,), option))

        if k == len(options) - 1:
            return run()
        test = it.emit(
            ops.OBSERVE, (it.constant(isinstance), node, it.constant(option.cls)), BOOL
        )
        return choose(it, test, run, lambda: pick(k + 1))

    return pick(0)


def _depth(t: object) -> int:
    """Derived classes are asked for before their bases."""
    return len(t.cls.__mro__)  # type: ignore[attr-defined]
