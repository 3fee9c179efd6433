"""Methods of arrays, lists, dictionaries, strings and other values."""

from __future__ import annotations

import ast
from collections.abc import Callable, ItemsView
from typing import Any

import numpy as np

from anadrome.errors import TypeMismatch, UnsupportedSyntax
from anadrome.frontend.calls.known_arguments import call_known
from anadrome.frontend.interpreter import Interpreter, is_known, static_value
from anadrome.frontend.values import item_reads, item_writes, iteration, sequences
from anadrome.frontend.values.compile_time import ArrayMethod, Virtual
from anadrome.frontend.values.draws import draw_type, generator_type, legacy_type
from anadrome.frontend.values.functions import unpack
from anadrome.frontend.values.iterated import check_size, keep_size, size_to_keep
from anadrome.frontend.values.iteration import (
    Iteration,
    View,
    as_node,
    counted,
    iterate,
    length_of,
)
from anadrome.frontend.values.iterators import Generator, iterator_of
from anadrome.frontend.values.list_indices import check_list_index
from anadrome.frontend.values.tuples import make_tuple, take
from anadrome.frontend.values.unions import for_each_class, is_union
from anadrome.ir import operations as ops
from anadrome.ir.graph import Constant, Node
from anadrome.ir.joins import join
from anadrome.ir.types import (
    ANY,
    INT,
    NEVER,
    NONE,
    STR,
    AnyType,
    Dict,
    List,
    Num,
    Object,
    Other,
    Str,
    Tuple,
    Type,
    VarTuple,
    deref,
    strip_optional,
)
from anadrome.primitives.registry import METHODS, find_primitive

Keywords = dict[str, Node]
Method = Callable[[Interpreter, Node, list[Node], Keywords], Node]


def call_array_method(
    it: Interpreter, method: ArrayMethod, args: list[Node], keywords: Keywords
) -> Node:
    """`instance.name(*args, **keywords)` of something that is not a user's object."""

    def run(args: list[Node], keywords: Keywords) -> Node:
        return _call_method(it, method.instance, method.name, args, keywords)

    return call_known(it, method.name, run, args, keywords)


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
            return _opaque(it, counted, name, args, keywords, INT)
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
        return _namedtuple_method(it, node, t, name, keywords)
    if isinstance(t, Str):
        kind: Any = STR
        if name in ("split", "rsplit", "splitlines"):
            kind = List(STR)
        elif name in ("find", "index", "count"):
            kind = INT
        elif name.startswith(("is", "starts", "ends")):
            kind = Num(np.dtype(bool), 0, True)
        return _opaque(it, node, name, args, keywords, kind)
    if isinstance(t, Other) and issubclass(t.cls, np.random.Generator):
        return _draw(it, node, name, args, keywords)
    if isinstance(t, Other) and issubclass(t.cls, np.random.RandomState):
        kind = legacy_type(name, args, keywords)
        return _opaque(it, node, name, args, keywords, kind)
    if isinstance(t, List | Dict | Tuple | VarTuple):
        raise it.fail(
            UnsupportedSyntax, f"'{name}' of {t!r} is not known here", "write a loop"
        )
    return _opaque(it, node, name, args, keywords, ANY)


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


def _opaque(
    it: Interpreter,
    node: Node,
    name: str,
    args: list[Node],
    keywords: Keywords,
    kind: Any,
) -> Node:
    from anadrome.frontend.calls.calls import _runtime

    given = [_runtime(it, a) for a in args]
    named = {k: _runtime(it, v) for k, v in keywords.items()}
    if not _only_reads(deref(node.type), name, keywords):
        item_writes.note_exposed(it, [node, *given, *named.values()])
    size = size_to_keep(it, node)
    made = it.emit(ops.METHOD, (node, it.constant(name), *given), kind, keywords=named)
    check_size(it, node, size)
    return made


def call_opaque_method(
    it: Interpreter, node: Node, name: str, args: list[Node], keywords: Keywords
) -> Node:
    """A method of an object of which nothing is known."""
    return _opaque(it, node, name, args, keywords, ANY)


def _only_reads(t: Type, name: str, keywords: Keywords) -> bool:
    """Whether a method that is not looked into leaves its arguments as they are."""
    if isinstance(t, Other) and issubclass(
        t.cls, np.random.Generator | np.random.RandomState
    ):
        return name != "shuffle" and "out" not in keywords
    return isinstance(t, Str)


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
            return _opaque(it, node, name, args, keywords, ANY)
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


# Lists --------------------------------------------------------------------------------


def _append(it: Interpreter, node: Node, args: list[Node], keywords: Keywords) -> Node:
    item_writes.append(it, node, args[0])
    return it.constant(None)


def _extend(it: Interpreter, node: Node, args: list[Node], keywords: Keywords) -> Node:
    item_writes.extend(it, node, args[0])
    return it.constant(None)


def _insert(it: Interpreter, node: Node, args: list[Node], keywords: Keywords) -> Node:
    check_list_index(it, args[0])
    where = sequences.make_slice(it, [args[0], args[0], it.constant(None)])
    item_writes.set_item(it, node, where, sequences.make_list(it, [args[1]]))
    return it.constant(None)


def _pop(it: Interpreter, node: Node, args: list[Node], keywords: Keywords) -> Node:
    node = it.concrete(node)
    t = strip_optional(node.type)
    if not isinstance(t, List):
        raise it.fail(
            UnsupportedSyntax,
            "'pop' of a list whose items are not known here",
            "make the list of items of one kind",
        )
    if not args or (is_known(args[0]) and static_value(args[0]) == -1):
        items = it.known_items.get(node)
        item_writes.note_resize(it, node)
        made: Node = it.emit(ops.POP, (node,), t.item)
        if items:
            it.known_items[node] = items[:-1]
        return unpack(it, made)
    found = item_reads.get_item(it, node, args[0])
    delete_item(it, node, args[0])
    return found


def delete_item(it: Interpreter, node: Node, index: Node) -> None:
    """`del node[index]`."""
    dictionary = isinstance(strip_optional(node.type), Dict)
    if dictionary:
        item_reads.check_key(it, index)
    if dictionary and it.is_virtual(node) and is_known(index):
        key = static_value(index)
        keep_size(it, node, index, deletes=True)
        if it.env.pop((node, key), None) is None:
            raise item_reads.no_key(it, index, "test with 'in' first")
        return
    node = it.concrete(node)
    t = strip_optional(node.type)
    if isinstance(t, Object):
        from anadrome.frontend.calls.calls import call_method

        call_method(it, node, "__delitem__", [index], {})
        return
    if not isinstance(t, List | Dict):
        raise it.fail(
            TypeMismatch,
            f"items of {t!r} cannot be deleted",
            "delete items of lists and dictionaries only",
            python=ValueError if isinstance(t, Num) and t.ndim else TypeError,
            given=node,
        )
    if isinstance(t, Dict):
        from anadrome.ir.joins import generalise_dict

        generalise_dict(t)
    elif deref(index.type) != Other(slice):
        check_list_index(it, index)
    item_writes.note_resize(it, node)
    size = size_to_keep(it, node)
    it.emit(ops.DELITEM, (node, index), NEVER)
    check_size(it, node, size)


def _clear(it: Interpreter, node: Node, args: list[Node], keywords: Keywords) -> Node:
    none = it.constant(None)
    delete_item(it, node, sequences.make_slice(it, [none, none, none]))
    return none


def _reverse(it: Interpreter, node: Node, args: list[Node], keywords: Keywords) -> Node:
    over = iteration.backwards(it, iterate(it, node))
    _replace_items(it, node, sequences.from_iteration(it, over))
    return it.constant(None)


def _sort(it: Interpreter, node: Node, args: list[Node], keywords: Keywords) -> Node:
    from anadrome.frontend.calls.builtins import FUNCTIONS

    _replace_items(it, node, FUNCTIONS[sorted](it, [node], keywords))
    return it.constant(None)


def _replace_items(it: Interpreter, node: Node, items: Node) -> None:
    none = it.constant(None)
    whole = sequences.make_slice(it, [none, none, none])
    item_writes.set_item(it, node, whole, items)


def _copy_list(
    it: Interpreter, node: Node, args: list[Node], keywords: Keywords
) -> Node:
    return sequences.as_list(it, node)


def _search(find: Callable[..., int]) -> Method:
    def run(it: Interpreter, node: Node, args: list[Node], keywords: Keywords) -> Node:
        items = sequences.as_list(it, node)
        found = (it.constant(find), items, *(it.concrete(a) for a in args))
        return it.emit(ops.OBSERVE, found, INT, target=True)

    return run


def _remove(it: Interpreter, node: Node, args: list[Node], keywords: Keywords) -> Node:
    delete_item(it, node, _search(list.index)(it, node, args, keywords))
    return it.constant(None)


LIST: dict[str, Method] = {
    "append": _append,
    "extend": _extend,
    "insert": _insert,
    "pop": _pop,
    "remove": _remove,
    "clear": _clear,
    "reverse": _reverse,
    "sort": _sort,
    "copy": _copy_list,
    "index": _search(list.index),
    "count": _search(list.count),
}


# Dictionaries -------------------------------------------------------------------------


def _keys_of(it: Interpreter, node: Node) -> list[Any] | None:
    if it.is_virtual(node):
        assert isinstance(node, Virtual)
        return list(it.fields_of(node))
    t = strip_optional(node.type)
    if isinstance(t, Dict) and t.fields is not None and not t.stored:
        return list(t.fields)
    return None


def _dict_iteration(it: Interpreter, node: Node, pick: Callable[[Node], Node]) -> Node:
    return as_node(View(lambda: _dict_items(it, node, pick)))


def _dict_items(it: Interpreter, node: Node, pick: Callable[[Node], Node]) -> Iteration:
    keys = _keys_of(it, node)
    if keys is not None:
        found = Iteration.lazily(len(keys), lambda k: pick(it.constant(keys[k])))
        found.sized = (node,)
        return found
    node = it.concrete(node)
    t = strip_optional(node.type)
    assert isinstance(t, Dict)
    key: Any = t.key
    if t.fields is not None:
        from anadrome.ir.joins import type_of_key

        key = NEVER
        for k in t.fields:
            key = join(key, type_of_key(k))
    listed = it.emit(ops.OBSERVE, (it.constant(list), node), List(key))
    found = counted(
        it,
        length_of(it, listed),
        lambda i: pick(item_reads.get_item(it, listed, i)),
    )
    found.sized = (node,)
    return found


def _items(it: Interpreter, node: Node, args: list[Node], keywords: Keywords) -> Node:
    return _dict_iteration(
        it, node, lambda k: make_tuple(it, [k, item_reads.get_item(it, node, k)])
    )


def _keys(it: Interpreter, node: Node, args: list[Node], keywords: Keywords) -> Node:
    return _dict_iteration(it, node, lambda k: k)


def _values(it: Interpreter, node: Node, args: list[Node], keywords: Keywords) -> Node:
    return _dict_iteration(it, node, lambda k: item_reads.get_item(it, node, k))


def _get(it: Interpreter, node: Node, args: list[Node], keywords: Keywords) -> Node:
    from anadrome.frontend.syntax.expressions import choose, truth

    default = args[1] if len(args) > 1 else it.constant(None)
    test = truth(it, item_reads.contains(it, node, args[0]))
    if isinstance(test, Constant):
        return item_reads.get_item(it, node, args[0]) if test.value else default
    node = it.concrete(node)
    return choose(
        it, test, lambda: item_reads.get_item(it, node, args[0]), lambda: default
    )


def _setdefault(
    it: Interpreter, node: Node, args: list[Node], keywords: Keywords
) -> Node:
    from anadrome.frontend.syntax.expressions import choose_statement, truth

    default = args[1] if len(args) > 1 else it.constant(None)
    test = truth(it, item_reads.contains(it, node, args[0]))
    if not isinstance(test, Constant):
        node = it.concrete(node)
    choose_statement(
        it,
        test,
        lambda: None,
        lambda: item_writes.set_item(it, node, args[0], default),
        it.frame_live(),
    )
    return item_reads.get_item(it, node, args[0])


def _update(it: Interpreter, node: Node, args: list[Node], keywords: Keywords) -> Node:
    for other in args:
        if isinstance(strip_optional(other.type), AnyType):
            # Python knows whether it is a dictionary or pairs.
            other = it.emit(
                ops.PYCALL,
                (it.constant(dict), other),
                Dict(None, ANY, ANY),
                target=True,
            )
        if isinstance(iterator_of(other), Generator):
            from anadrome.frontend.calls import calls, library

            node = it.concrete(node)
            calls.call_value(it, library.put_each, [node, other], {})
        elif _keys_of(it, other) is not None:
            syntax = ast.Constant(None)
            for k, v in item_reads.static_mapping(it, other, syntax).items():
                item_writes.set_item(it, node, it.constant(k), v)
        else:
            from anadrome.frontend.calls.builtins import each

            node = it.concrete(node)
            maps = isinstance(strip_optional(other.type), Dict)
            pairs = _items(it, other, [], {}) if maps else other
            each(
                it,
                iterate(it, pairs),
                lambda p, node=node: item_writes.set_pair(it, node, p),  # type: ignore[misc]
            )
    for name, v in keywords.items():
        item_writes.set_item(it, node, it.constant(name), v)
    return it.constant(None)


def _dict_pop(
    it: Interpreter, node: Node, args: list[Node], keywords: Keywords
) -> Node:
    if len(args) > 1 and not (it.is_virtual(node) and is_known(args[0])):
        from anadrome.frontend.calls import calls, library

        return calls.call_value(it, library.pop_or_default, [node, *args], {})
    if len(args) > 1:
        found = _get(it, node, args, {})
        if (node, static_value(args[0])) not in it.env:
            return found
    else:
        found = item_reads.get_item(it, node, args[0])
    delete_item(it, node, args[0])
    return found


def _popitem(it: Interpreter, node: Node, args: list[Node], keywords: Keywords) -> Node:
    keys = _keys_of(it, node)
    if not keys or not it.is_virtual(node):
        raise it.fail(
            UnsupportedSyntax,
            "which key 'popitem' takes is known only at run time",
            "name the key: write d.pop(key)",
        )
    key = it.constant(keys[-1])
    found = item_reads.get_item(it, node, key)
    delete_item(it, node, key)
    return make_tuple(it, [key, found])


def _copy_dict(
    it: Interpreter, node: Node, args: list[Node], keywords: Keywords
) -> Node:
    from anadrome.frontend.calls.builtins import FUNCTIONS

    return FUNCTIONS[dict](it, [node], {})


DICT: dict[str, Method] = {
    "items": _items,
    "keys": _keys,
    "values": _values,
    "get": _get,
    "setdefault": _setdefault,
    "update": _update,
    "pop": _dict_pop,
    "popitem": _popitem,
    "copy": _copy_dict,
}


# Named tuples and random draws --------------------------------------------------------


def _namedtuple_method(
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


# Draws that are a shift and a scaling of a standard one can be differentiated.
_STANDARD = {
    "normal": ("standard_normal", "loc", "scale"),
    "logistic": ("logistic", "loc", "scale"),
    "laplace": ("laplace", "loc", "scale"),
    "gumbel": ("gumbel", "loc", "scale"),
    "exponential": ("standard_exponential", None, "scale"),
}


def _draw(
    it: Interpreter, node: Node, name: str, args: list[Node], keywords: Keywords
) -> Node:
    import operator

    from anadrome.frontend.syntax.expressions import binary

    size = keywords.get("size")
    if name == "uniform":
        low = keywords.get("low", args[0] if args else it.constant(0.0))
        high = keywords.get("high", args[1] if len(args) > 1 else it.constant(1.0))
        size = size or (args[2] if len(args) > 2 else _common_size(it, [low, high]))
        unit = _opaque(it, node, "random", [size], {}, draw_type(size))
        width = binary(it, operator.sub, high, low)
        return binary(it, operator.add, low, binary(it, operator.mul, width, unit))
    if name in _STANDARD:
        standard, location, scale = _STANDARD[name]
        names = [n for n in (location, scale) if n is not None]
        given = dict(zip([*names, "size"], args))
        given.update(keywords)
        size = given.get("size") or _common_size(
            it, [given[n] for n in names if n in given]
        )
        extra = [it.constant(0.0), it.constant(1.0)] if standard == name else []
        made: Node = _opaque(it, node, standard, [*extra, size], {}, draw_type(size))
        if scale in given:
            made = binary(it, operator.mul, given[scale], made)
        if location in given:
            made = binary(it, operator.add, given[location], made)
        return made
    kind = generator_type(name, args, keywords)
    return _opaque(it, node, name, args, keywords, kind)


def _is_number(t: Any) -> bool:
    return isinstance(t, Num) and t.ndim == 0


def _common_size(it: Interpreter, given: list[Node]) -> Node:
    arrays = [g for g in given if not _is_number(deref(g.type))]
    if not arrays:
        return it.constant(None)
    if len(arrays) == 1:
        primitive = find_primitive(np.shape)
        assert primitive is not None
        return it.apply(primitive, (arrays[0],))
    return it.emit(ops.OBSERVE, (it.constant(_broadcast_shape), *arrays), VarTuple(INT))


def _broadcast_shape(*arrays: Any) -> tuple[int, ...]:
    return np.broadcast_shapes(*(np.shape(a) for a in arrays))


__all__ = [
    "DICT",
    "LIST",
    "NONE",
    "call_array_method",
    "call_opaque_method",
    "delete_item",
]
