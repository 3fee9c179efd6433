"""The same computation for every array of nested records.

Records are dataclasses, tuples, lists and dictionaries of records and arrays, such as
the parameters of a model, their gradients, and the state of an optimiser. When the
compiler meets these functions it writes the computation out for each array, so an
update of all parameters is differentiated and compiled like anything else.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from anadrome.errors import UnsupportedSyntax

if TYPE_CHECKING:
    from anadrome.frontend.interpreter import Interpreter
    from anadrome.ir.graph import Node

Record = TypeVar("Record")


def map_arrays(function: Callable[..., Any], record: Record, *others: Any) -> Record:
    """A record like the first, of `function(array, *arrays_at_its_place)`.

    All records must be built alike. None, where a record leaves a part out, stays None.
    """
    if record is None:
        return None  # type: ignore[return-value]
    if dataclasses.is_dataclass(record) and not isinstance(record, type):
        parts = {
            f.name: map_arrays(
                function,
                getattr(record, f.name),
                *(getattr(other, f.name) for other in others),
            )
            for f in dataclasses.fields(record)
        }
        return type(record)(**parts)
    if isinstance(record, dict):
        return {  # type: ignore[return-value]
            key: map_arrays(function, part, *(other[key] for other in others))
            for key, part in record.items()
        }
    if isinstance(record, tuple | list):
        items = [
            map_arrays(function, *parts) for parts in zip(record, *others, strict=True)
        ]
        if hasattr(record, "_fields"):
            return type(record)(*items)
        return type(record)(items)
    return function(record, *others)


def fold_arrays(function: Callable[[Any, Any], Any], first: Any, record: Any) -> Any:
    """`function(… function(function(first, a), b) …)` for the arrays of a record."""
    for array in arrays_of(record):
        first = function(first, array)
    return first


def arrays_of(record: Any) -> list[np.ndarray]:
    """The arrays of a record, in order."""
    found: list[np.ndarray] = []
    map_arrays(found.append, record)
    return found


def number_arrays(record: Record) -> Record:
    """A record like the given one, with 0, 1, 2, … in the places of its arrays."""
    count = itertools.count()
    return map_arrays(lambda _: next(count), record)


# When the compiler reads them ----------------------------------------------------


def _map_inside(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    from anadrome.frontend.calls.calls import call

    function, *records = args
    return _unfold(it, lambda parts: call(it, function, parts, {}), records)


def _fold_inside(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    from anadrome.frontend.calls.calls import call

    function, total, record = args

    def visit(parts: list[Node]) -> Node:
        nonlocal total
        total = call(it, function, [total, *parts], {})
        return parts[0]

    _unfold(it, visit, [record])
    return total


def _number_inside(
    it: Interpreter, args: list[Node], keywords: dict[str, Node]
) -> Node:
    count = itertools.count()
    return _unfold(it, lambda parts: it.constant(next(count)), args)


def _unfold(
    it: Interpreter, visit: Callable[[list[Node]], Node], records: list[Node]
) -> Node:
    """The record of what `visit` makes of the arrays at each place of the records."""
    import ast

    from anadrome.frontend.calls.calls import call
    from anadrome.frontend.values.attributes import get_attribute
    from anadrome.frontend.values.compile_time import Virtual
    from anadrome.frontend.values.item_reads import get_item
    from anadrome.frontend.values.item_writes import set_item
    from anadrome.frontend.values.sequences import known, make_list, static_items
    from anadrome.frontend.values.tuples import make_tuple
    from anadrome.ir.types import (
        Dict,
        List,
        NoneType_,
        Object,
        Tuple,
        strip_optional,
    )

    first = records[0]
    t = strip_optional(first.type)
    if isinstance(t, NoneType_):
        return it.constant(None)
    nowhere = ast.Constant(None)
    cls = first.cls if isinstance(first, Virtual) else getattr(t, "cls", None)
    if isinstance(t, Object) and dataclasses.is_dataclass(cls):
        parts = {
            f.name: _unfold(
                it, visit, [get_attribute(it, record, f.name) for record in records]
            )
            for f in dataclasses.fields(cls)
        }
        return call(it, it.constant(cls), [], parts)
    if isinstance(t, Dict):
        keys = known(it, first)
        if keys is None and t.fields is not None:
            keys = [it.constant(key) for key in t.fields]
        if keys is None:
            raise it.fail(
                UnsupportedSyntax,
                "the keys of this dictionary are known only at run time",
                "use a dataclass, or a dictionary with constant keys",
            )
        made = call(it, it.constant(dict), [], {})
        for name in keys:
            items = [get_item(it, record, name) for record in records]
            set_item(it, made, name, _unfold(it, visit, items))
        return made
    if isinstance(t, Tuple | List):
        rows = zip(*(static_items(it, record, nowhere) for record in records))
        items = [_unfold(it, visit, list(row)) for row in rows]
        if isinstance(t, List):
            return make_list(it, items)
        return make_tuple(it, items, t.cls)
    return visit(records)


map_arrays.__anadrome_inline__ = _map_inside  # type: ignore[attr-defined]
fold_arrays.__anadrome_inline__ = _fold_inside  # type: ignore[attr-defined]
number_arrays.__anadrome_inline__ = _number_inside  # type: ignore[attr-defined]
