"""The functions of `operator`: what the syntax that they stand for does."""

from __future__ import annotations

import ast
import functools
import operator
from collections.abc import Callable
from typing import Any

from anadrome.frontend.calls.builtins import FUNCTIONS, Handler
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.methods.lists import delete_item
from anadrome.frontend.syntax.assignment import update
from anadrome.frontend.values import item_reads, item_writes
from anadrome.frontend.values.operators import (
    BINARY,
    COMPARE,
    binary,
    compare,
    negate_truth,
    unary,
)
from anadrome.ir.graph import Node

_IN_PLACE = {
    operator.iadd: operator.add,
    operator.isub: operator.sub,
    operator.imul: operator.mul,
    operator.itruediv: operator.truediv,
    operator.ifloordiv: operator.floordiv,
    operator.imod: operator.mod,
    operator.ipow: operator.pow,
    operator.imatmul: operator.matmul,
    operator.iand: operator.and_,
    operator.ior: operator.or_,
    operator.ixor: operator.xor,
    operator.ilshift: operator.lshift,
    operator.irshift: operator.rshift,
    operator.iconcat: operator.add,
}
_COMPARISONS = {
    **{function: op() for op, function in COMPARE.items()},
    operator.is_: ast.Is(),
    operator.is_not: ast.IsNot(),
}


def _enter(function: Any, read: Any, count: int) -> None:
    """Let a function be read so if it is given as many arguments as it takes."""

    def handler(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
        if len(args) != count or keywords:
            # Python says what is wrong with it.
            it.by_python(function, *range(len(args)), **dict.fromkeys(keywords))
        return read(it, *args) or it.constant(None)

    handle: Handler = handler
    FUNCTIONS[function] = handle


def _compare(op: ast.cmpop, it: Interpreter, x: Node, y: Node) -> Node:
    return compare(it, op, x, y)


def _apply(
    read: Callable[..., Node], function: Any, it: Interpreter, *args: Node
) -> Node:
    return read(it, function, *args)


_function: Any
for _function in BINARY.values():
    _enter(_function, functools.partial(_apply, binary, _function), 2)
for _function, _op in _COMPARISONS.items():
    _enter(_function, functools.partial(_compare, _op), 2)
for _function, _plain in _IN_PLACE.items():
    _enter(_function, functools.partial(_apply, update, _plain), 2)
_UNARY: tuple[Any, ...] = operator.neg, operator.pos, operator.invert, operator.abs, abs
for _function in _UNARY:
    _enter(_function, functools.partial(_apply, unary, _function), 1)
_enter(operator.inv, functools.partial(_apply, unary, operator.invert), 1)
_enter(operator.not_, negate_truth, 1)
_enter(operator.truth, lambda it, x: negate_truth(it, negate_truth(it, x)), 1)
_enter(operator.concat, functools.partial(_apply, binary, operator.add), 2)
_enter(operator.contains, item_reads.contains, 2)
_enter(operator.getitem, item_reads.get_item, 2)
_enter(operator.setitem, item_writes.set_item, 3)
_enter(operator.delitem, delete_item, 2)
