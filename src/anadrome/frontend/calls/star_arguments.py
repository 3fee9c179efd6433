"""`f(*sequence)` where the length of the sequence is known only at run time."""

from __future__ import annotations

import inspect
import types
from typing import Any

import numpy as np

from anadrome.errors import UnsupportedSyntax
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.values import item_reads, iteration, sequences
from anadrome.frontend.values.compile_time import ArrayMethod, Splat
from anadrome.frontend.values.iteration import Iteration, as_node, counted, iterate
from anadrome.frontend.values.tuples import make_tuple, take
from anadrome.ir import operations as ops
from anadrome.ir.graph import Constant, Node
from anadrome.ir.types import INT, NONE, Num, Tuple, VarTuple, deref, strip_optional
from anadrome.primitives.checks import check_arguments
from anadrome.primitives.registry import METHODS

Keywords = dict[str, Node]

# Methods that take the numbers of a tuple one by one, or the tuple itself.
_SPREADING = ("reshape", "transpose", "sum")


def is_splat(node: Node) -> bool:
    """Whether an argument is a star of unknown length."""
    return isinstance(node, Constant) and isinstance(node.value, Splat)


def _refuse(it: Interpreter) -> Exception:
    return it.fail(
        UnsupportedSyntax,
        "how many items the star unpacks is not known",
        "unpack a tuple or a list literal, or pass the list itself",
    )


def spread(
    it: Interpreter, args: list[Node], required: list[bool], variadic: bool
) -> list[Node]:
    """The arguments of a user's function with a star spread over its parameters.

    `required` says of each positional parameter whether the star must fill it. What is
    left goes to a variadic parameter as one tuple, which stays a star.
    """
    k = next(k for k, a in enumerate(args) if is_splat(a))
    sequence = args[k].value.sequence  # type: ignore[attr-defined]
    if k != len(args) - 1:
        sequence = _together(it, args[k:])
    t = strip_optional(sequence.type)
    if not isinstance(t, Num) and not isinstance(t, VarTuple):
        sequence = sequences.as_list(it, sequence)
    wanted = required[k:]
    count = len(wanted) - wanted[::-1].index(True) if True in wanted else 0
    if not all(wanted[:count]) or (not all(wanted) and not variadic):
        raise _refuse(it)
    if variadic and not all(wanted):
        raise _refuse(it)
    items = _taken(it, sequence, count, variadic)
    if not variadic:
        return [*args[:k], *items]
    rest = sequence
    if count:
        none = it.constant(None)
        part = sequences.make_slice(it, [it.constant(count), none, none])
        rest = item_reads.get_item(it, sequence, part)
    return [*args[:k], *items, it.constant(Splat(sequences.as_tuple(it, rest)))]


def _taken(it: Interpreter, sequence: Node, count: int, more: bool) -> list[Node]:
    """The first items of a sequence that must have so many, or more."""
    length = iteration.length_of(it, sequence)
    given = (length, it.constant(count), *([it.constant(True)] if more else []))
    it.emit(check_arguments, given, NONE, target=check_arguments.impl)
    return [item_reads.get_item(it, sequence, it.constant(i)) for i in range(count)]


def _together(it: Interpreter, args: list[Node]) -> Node:
    """A list of arguments of which some are stars."""
    import operator

    from anadrome.frontend.syntax.expressions import binary

    parts = [
        sequences.as_list(it, a.value.sequence)  # type: ignore[attr-defined]
        if is_splat(a)
        else sequences.make_list(it, [a])
        for a in args
    ]
    whole = parts[0]
    for part in parts[1:]:
        whole = binary(it, operator.add, whole, part)
    return whole


def call(it: Interpreter, value: Any, args: list[Node], keywords: Keywords) -> Node:
    """A call with a star of something that is not looked into."""
    from anadrome.frontend.calls.builtins import FUNCTIONS
    from anadrome.frontend.calls.calls import call_value

    sequence = args[-1].value.sequence if is_splat(args[-1]) else None  # type: ignore[attr-defined]
    if sequence is None or any(is_splat(a) for a in args[:-1]):
        raise _refuse(it)
    alone = len(args) == 1
    if value is zip and alone:
        return transpose(it, sequence)
    if value in (max, min) and alone:
        return FUNCTIONS[value](it, [sequence], keywords)
    if isinstance(value, ArrayMethod):
        if value.name in _SPREADING and value.name in METHODS and alone:
            from anadrome.frontend.methods.dispatch import call_array_method

            return call_array_method(
                it, value, [sequences.as_tuple(it, sequence)], keywords
            )
        raise _refuse(it)
    if value is print:
        leading = make_tuple(it, args[:-1])
        given = (it.constant(call_with), it.constant(value), leading, sequence)
        return it.emit(ops.OBSERVE, given, it.constant(None).type, keywords=keywords)
    if value in (np.broadcast_shapes, range) or value is slice:
        leading = make_tuple(it, args[:-1])
        given = (it.constant(call_with), it.constant(value), leading, sequence)
        return it.emit(ops.PYCALL, given, VarTuple(INT))
    if value in (set, list, tuple, dict) and alone:
        return call_value(it, value, [sequence], keywords)
    if value in (max, min):
        _taken(it, sequence, 1, True)
        return FUNCTIONS[value](it, [_together(it, args)], keywords)
    count = _taken_by(value) - len(args) + 1
    if count >= 0 and not keywords:
        taken = _taken(it, sequence, count, False)
        # One array more would be what a ufunc stores into.
        if not isinstance(value, np.ufunc) or all(map(_is_number, taken)):
            return call_value(it, value, [*args[:-1], *taken], keywords)
    raise _refuse(it)


def _is_number(node: Node) -> bool:
    t = deref(node.type)
    return isinstance(t, Num) and t.scalar


def _taken_by(value: Any) -> int:
    """How many arguments a function takes if it always takes as many, or -1."""
    if isinstance(value, np.ufunc):
        return value.nin
    if not isinstance(value, types.BuiltinFunctionType):
        return -1
    try:
        parameters = inspect.signature(value).parameters.values()
    except ValueError:
        return -1
    plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    fixed = all(p.kind in plain and p.default is p.empty for p in parameters)
    return len(parameters) if fixed else -1


def call_with(function: Any, leading: Any, rest: Any, /, **keywords: Any) -> Any:
    """`function(*leading, *rest)`."""
    return function(*leading, *rest, **keywords)


def transpose(it: Interpreter, rows: Node) -> Node:
    """`zip(*rows)`: the columns of rows, each a tuple."""
    over = iterate(it, rows)
    assert over.bounds is not None
    assert over.item is not None
    t = strip_optional(rows.type)
    item = deref(getattr(t, "item", t))

    def column(index: Node) -> Node:
        def pick(row: list[Node]) -> Node:
            if isinstance(deref(row[0].type), Tuple) and isinstance(index, Constant):
                return take(it, row[0], index.value)
            return item_reads.get_item(it, row[0], index)

        picked = iteration.mapped(it, [over], pick)
        return sequences.as_tuple(it, sequences.from_iteration(it, picked))

    if isinstance(item, Tuple):
        columns = [column(it.constant(k)) for k in range(len(item.items))]
        return as_node(Iteration(items=columns))
    whole = (
        rows
        if over.index_is_item or isinstance(t, Num)
        else sequences.as_list(it, rows)
    )
    length = it.emit(ops.OBSERVE, (it.constant(shortest), whole), INT)
    return as_node(counted(it, length, column))


def shortest(rows: Any) -> int:
    """The length of the shortest row; 0 if there is none."""
    return min((len(r) for r in rows), default=0)
