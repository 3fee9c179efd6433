"""Methods of arrays, lists, dictionaries, strings and other values."""

from __future__ import annotations

import logging
from collections.abc import Callable, ItemsView
from typing import Any

import numpy as np

from anadrome.errors import NotDifferentiable, TypeMismatch, UnsupportedSyntax
from anadrome.frontend.calls.known_arguments import call_known
from anadrome.frontend.calls.opaque import Keywords, opaque_method
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.methods.dicts import DICT
from anadrome.frontend.methods.draws import draw
from anadrome.frontend.methods.lists import LIST, Method
from anadrome.frontend.values import item_reads, item_writes, sequences
from anadrome.frontend.values.compile_time import ArrayMethod
from anadrome.frontend.values.draws import legacy_type
from anadrome.frontend.values.iteration import (
    Iteration,
    as_node,
    is_own_iterator,
    length_of,
)
from anadrome.frontend.values.iterators import iterator_of
from anadrome.frontend.values.known import is_known, static_value
from anadrome.frontend.values.tuples import make_tuple, take
from anadrome.frontend.values.unions import for_each_class, is_union
from anadrome.ir.graph import Apply, Constant, Node
from anadrome.ir.types import (
    ANY,
    INT,
    STR,
    AnyType,
    Dict,
    List,
    Num,
    Other,
    Str,
    Tuple,
    VarTuple,
    deref,
    is_differentiable,
    strip_optional,
)
from anadrome.primitives.registry import METHODS, find_primitive


def call_array_method(
    it: Interpreter, method: ArrayMethod, args: list[Node], keywords: Keywords
) -> Node:
    """`instance.name(*args, **keywords)` of something that is not a user's object."""

    def run(args: list[Node], keywords: Keywords) -> Node:
        return _call_method(it, method.instance, method.name, args, keywords)

    t = strip_optional(method.instance.type)
    own = None
    if isinstance(t, Num) and not t.varied and not t.python:
        own = getattr(np.generic if t.scalar else np.ndarray, method.name, None)
    return call_known(it, method.name, run, args, keywords, own)


def _call_method(
    it: Interpreter, node: Node, name: str, args: list[Node], keywords: Keywords
) -> Node:
    if (
        isinstance(node, Constant)
        and is_known(node)
        and not isinstance(deref(node.type), Num)
        and not isinstance(node.value, Iteration)
    ):
        if all(is_known(a) for a in (*args, *keywords.values())):
            return _known(it, node, name, args, keywords)
    if iterator_of(node) is not None:
        return _iterator_method(it, node, name, args)
    if isinstance(node, Constant) and isinstance(node.value, Iteration):
        over = node.value
        if over.index_is_item and over.bounds and name in ("index", "count"):
            counted = item_reads.range_object(it, over.bounds)
            return opaque_method(it, counted, name, args, keywords, INT)
        node = sequences.as_list(it, node)
    if is_union(node):
        return for_each_class(it, node, lambda o: _call_of(it, o, name, args, keywords))
    t = strip_optional(node.type)
    if isinstance(t, Num) or (isinstance(t, AnyType) and name in METHODS):
        return _array_method(it, node, name, args, keywords)
    if name in _DUNDERS and isinstance(t, List | Tuple | VarTuple | Dict | Str):
        return _DUNDERS[name](it, node, args)
    table: dict[str, Method] = {}
    if isinstance(t, List | Tuple | VarTuple):
        table = LIST
    elif isinstance(t, Dict):
        table = DICT
    if name in table:
        return table[name](it, node, args, keywords)
    if isinstance(t, Tuple) and t.cls is not tuple:
        return _named_tuple_method(it, node, t, name, keywords)
    if isinstance(t, Str):
        kind: Any = STR
        if name in ("split", "rsplit", "splitlines"):
            kind = List(STR)
        elif name in ("find", "index", "count"):
            kind = INT
        elif name.startswith(("is", "starts", "ends")):
            kind = Num(np.dtype(bool), 0, True)
        return opaque_method(it, node, name, args, keywords, kind)
    if isinstance(t, Other) and issubclass(t.cls, np.random.Generator):
        return draw(it, node, name, args, keywords)
    if isinstance(t, Other) and issubclass(t.cls, np.random.RandomState):
        kind = legacy_type(name, args, keywords)
        return opaque_method(it, node, name, args, keywords, kind)
    if isinstance(t, List | Dict | Tuple | VarTuple):
        raise it.fail(
            UnsupportedSyntax, f"'{name}' of {t!r} is not known here", "write a loop"
        )
    if isinstance(t, Other) and issubclass(t.cls, logging.Logger):
        from anadrome.frontend.calls.builtins import FUNCTIONS

        observe = FUNCTIONS.get(getattr(t.cls, name, None))
        if observe is not None:
            return observe(it, [node, *args], keywords)
    if isinstance(t, Other) and issubclass(t.cls, set) and name == "update":
        return _update_set(it, node, args)
    return opaque_method(it, node, name, args, keywords, ANY)


def _update_set(it: Interpreter, node: Node, args: list[Node]) -> Node:
    """`node.update(*args)`: what is done for an item comes after those before it."""
    from anadrome.frontend.calls import calls, library

    for a in args:
        if iterator_of(a) is not None or is_own_iterator(a):
            calls.call_value(it, library.add_each, [node, a], {})
        else:
            opaque_method(it, node, "update", [a], {}, ANY)
    return it.constant(None)


def _iterator_method(it: Interpreter, node: Node, name: str, args: list[Node]) -> Node:
    """A method of an iterator or a generator."""
    from anadrome.frontend.calls.calls import call_value
    from anadrome.frontend.syntax.generators import close, send

    if name == "__next__":
        return call_value(it, next, [node], {})
    if name == "__iter__":
        return node
    if name == "send":
        return send(it, node, args[0])
    if name == "close":
        close(it, node)
        return it.constant(None)
    raise it.fail(
        UnsupportedSyntax,
        f"'{name}' of an iterator cannot be followed",
        "run over it in a for loop",
    )


def _call_of(
    it: Interpreter, node: Node, name: str, args: list[Node], keywords: Keywords
) -> Node:
    from anadrome.frontend.calls.calls import call_method

    return call_method(it, node, name, args, keywords)


def _set_item(it: Interpreter, node: Node, args: list[Node]) -> Node:
    item_writes.set_item(it, node, args[0], args[1])
    return it.constant(None)


_DUNDERS: dict[str, Callable[[Interpreter, Node, list[Node]], Node]] = {
    "__getitem__": lambda it, node, args: item_reads.get_item(it, node, args[0]),
    "__setitem__": _set_item,
    "__len__": lambda it, node, args: length_of(it, node),
    "__contains__": lambda it, node, args: item_reads.contains(it, node, args[0]),
}


def _known(
    it: Interpreter, node: Constant, name: str, args: list[Node], keywords: Keywords
) -> Node:
    function = getattr(node.value, name)
    named = {k: static_value(v) for k, v in keywords.items()}
    found = it.by_python(function, *map(static_value, args), **named)
    if isinstance(found, list | dict) or hasattr(found, "__next__"):
        return sequences.make_list(it, [it.constant(v) for v in found])
    if isinstance(found, ItemsView):
        return as_node(Iteration(items=[it.constant(v) for v in found]))
    return it.constant(found)


# Arrays -------------------------------------------------------------------------------


def _array_method(
    it: Interpreter, node: Node, name: str, args: list[Node], keywords: Keywords
) -> Node:
    from anadrome.frontend.calls.calls import call_primitive

    if name in _DUNDERS:
        return _DUNDERS[name](it, node, args)
    whole = it.constant(Ellipsis)
    number = strip_optional(node.type)
    if name in ("fill", "put") and isinstance(number, Num) and number.scalar:
        # NumPy changes an array that it makes of it.
        list(args)
        return it.constant(None)
    if name == "view" and not (args or keywords) and isinstance(number, Num):
        return node if number.scalar else item_reads.get_item(it, node, whole)
    if name == "byteswap" and (args or keywords):
        raise it.fail(
            UnsupportedSyntax,
            "'byteswap' is given an argument, and may change the array itself",
            "call it without one: x = x.byteswap()",
        )
    if name == "view" and _are_bits_of_numbers(node):
        raise it.fail(
            NotDifferentiable,
            "the bits of numbers are taken for integers and for numbers again",
            "use the numbers themselves, or wrap them in ad.stop_gradient",
        )
    if name == "fill":
        filler = deref(args[0].type)
        if isinstance(filler, Num) and filler.ndim:
            raise it.fail(
                TypeMismatch,
                "'fill' takes a number, this is an array",
                "store it: x[...] = values",
                python=ValueError,
            )
        item_writes.store_array(it, node, whole, args[0])
        return it.constant(None)
    if name in ("sort", "partition"):
        function = np.sort if name == "sort" else np.partition
        primitive = find_primitive(function)
        assert primitive is not None
        result = call_primitive(it, primitive, [node, *args], keywords)
        item_writes.store_array(it, node, whole, result)
        return it.constant(None)
    if name == "put":
        from anadrome.frontend.numpy.stores import put

        return put(it, [node, *args], keywords)
    if name in ("std", "var") and "correction" in keywords:
        raise it.fail(
            TypeMismatch,
            f"the method '{name}' has no option 'correction'",
            f"write ddof=…, or np.{name}(x, correction=…)",
            python=TypeError,
        )
    if name == "clip" and len(args) == 1 and "max" not in keywords:
        # The function wants both ends, the method does not.
        args = [*args, it.constant(None)]
    if name in METHODS:
        # The method makes rows of columns, where the function of that name keeps them.
        t = strip_optional(node.type)
        if name == "copy" and isinstance(t, Num) and t.scalar and not t.varied:
            return node
        own = name == "copy" and isinstance(t, Num) and bool(t.ndim)
        # What is not known to be an array may have a method of its own.
        own = own or not isinstance(t, Num)
        target = getattr(np.ndarray, name, None) if own else None
        return call_primitive(it, METHODS[name], [node, *args], keywords, target)
    if any(hasattr(owner, name) for owner in (np.ndarray, float, int)):
        if name in _LOOKING:
            return opaque_method(it, node, name, args, keywords, ANY)
        raise it.fail(
            UnsupportedSyntax,
            f"the array method '{name}' has no derivative here",
            "use the NumPy function of that name, if there is one",
        )
    raise it.fail(
        TypeMismatch,
        f"{node.type!r} has no attribute '{name}'",
        "check its spelling",
        python=AttributeError,
        given=node,
    )


def _are_bits_of_numbers(node: Node) -> bool:
    """Whether integers are computed from the bits of what has a derivative."""
    t = deref(node.type)
    if not isinstance(t, Num) or t.inexact:
        return False
    waiting, seen = [node], set()
    while waiting:
        n = waiting.pop()
        if not isinstance(n, Apply) or id(n) in seen:
            continue
        seen.add(id(n))
        if n.op is METHODS["view"] and is_differentiable(n.args[0].type):
            return True
        waiting.extend(n.inputs)
    return False


_LOOKING = frozenset(
    [
        "is_integer",
        "tobytes",
        "bit_length",
        "bit_count",
        "hex",
        "as_integer_ratio",
        "to_bytes",
    ]
)
"""Methods of numbers that are called as they are."""


def _named_tuple_method(
    it: Interpreter, node: Node, t: Tuple, name: str, keywords: Keywords
) -> Node:
    fields: Any = t.cls._fields  # type: ignore[attr-defined]
    if name == "_replace":
        items = [keywords.get(f, take(it, node, k)) for k, f in enumerate(fields)]
        return make_tuple(it, items, t.cls)
    if name == "_asdict":
        made = item_writes.new_dict(it)
        for k, f in enumerate(fields):
            item_writes.set_item(it, made, it.constant(f), take(it, node, k))
        return made
    raise it.fail(
        TypeMismatch,
        f"'{t.cls.__name__}' has no attribute '{name}'",
        "check its spelling",
        python=AttributeError,
    )
