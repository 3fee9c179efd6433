"""Lists, tuples, dictionaries and arrays as containers: making, reading, changing."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from anadrome.errors import AnadromeError, TypeMismatch, UnsupportedSyntax
from anadrome.frontend.calls.library import JOINERS
from anadrome.frontend.interpreter import Interpreter, is_known, static_value
from anadrome.frontend.numpy.indexing import (
    _array_item,
    index_parts,
    is_basic,
    joined_dtype,
    list_index,
    refuse_fractional_index,
)
from anadrome.frontend.numpy.readonly_views import refuse_readonly
from anadrome.frontend.speculation.fixed_lists import (
    is_list_of_functions,
    part_of_tuple,
    refuse_tuple,
)
from anadrome.frontend.syntax.loop_fixpoint import Loop, run_loop
from anadrome.frontend.values.compile_time import Virtual
from anadrome.frontend.values.functions import is_function, pack, unpack
from anadrome.frontend.values.iterated import check_size, keep_size, size_to_keep
from anadrome.frontend.values.iteration import (
    Iteration,
    has_function,
    is_own_iterator,
    iterate,
    length_of,
    looked_at,
)
from anadrome.frontend.values.iterators import (
    Cursor,
    Generator,
    is_range,
    iterator_of,
    refuse_iterator,
    remaining,
    take_rest,
)
from anadrome.frontend.values.list_indices import check_list_index, whole_index
from anadrome.frontend.values.tuples import make_tuple, take
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Node
from anadrome.ir.joins import generalise_dict, join, join_members, type_of_key
from anadrome.ir.types import (
    ANY,
    BOOL,
    INT,
    NEVER,
    STR,
    AnyType,
    Dict,
    Function,
    List,
    NeverType,
    Num,
    Object,
    Other,
    Packed,
    Stack,
    Str,
    Tuple,
    Type,
    Union,
    VarTuple,
    alias_of,
    deref,
    is_differentiable,
    parts,
    same,
    strip_optional,
)
from anadrome.primitives.containers import (
    concatenate_lists,
    copy_list,
    copy_tuple,
    repeat_list,
)
from anadrome.primitives.registry import find_primitive

# Lists and tuples ---------------------------------------------------------------------


def make_list(it: Interpreter, items: list[Node]) -> Node:
    """A list of nodes; its items are known one by one until it is changed."""
    if any(has_function(i.type) for i in items):
        return _list_of_functions(it, items)
    items = [it.concrete(i) for i in items]
    item: Type = NEVER
    for i in items:
        item = join_members(item, i.type)
    node = it.emit(ops.LIST, tuple(items), List(item))
    it.known_items[node] = items
    return node


def _list_of_functions(it: Interpreter, items: list[Node]) -> Node:
    """A list with functions; where they cannot be stored, the reader alone has it."""
    if not all(is_function(i) and not _is_iteration(i) for i in items):
        return make_tuple(it, items, listed=True)
    stored = [pack(it, i) for i in items]
    item: Type = NEVER
    for i in stored:
        item = join_members(item, i.type)
    if not isinstance(item, Packed):
        return make_tuple(it, items, listed=True)
    node = it.emit(ops.LIST, tuple(stored), List(item))
    it.known_items[node] = items
    return node


def _is_iteration(node: Node) -> bool:
    return isinstance(node, Constant) and isinstance(
        node.value, Iteration | Cursor | Generator
    )


def known(it: Interpreter, node: Node) -> list[Node] | None:
    """The items of a sequence if they are known one by one."""
    node = looked_at(node)
    if isinstance(node, Constant):
        if isinstance(node.value, Iteration):
            return node.value.items
        if isinstance(node.value, Cursor):
            over = remaining(it, node.value)
            if over.size is None:
                return None
            return take_rest(it, node.value).items
        if isinstance(node.value, tuple | list | str):
            return [it.constant(v) for v in node.value]
        return None
    found = it.known_items.get(node)
    if found is not None:
        return found
    t = deref(node.type)
    if isinstance(t, Tuple):
        return [take(it, node, i) for i in range(len(t.items))]
    if it.is_virtual(node) and isinstance(t, Dict):
        return [it.constant(k) for k in it.fields_of(node)]  # type: ignore[arg-type]
    return None


def static_items(it: Interpreter, node: Node, syntax: ast.AST) -> list[Node]:
    """The items that a star unpacks into a call or a tuple."""
    if iterator_of(node) is not None:
        node = as_list(it, node)
    found = known(it, node)
    if found is None:
        found = iterate(it, node).items
    if found is None:
        raise it.fail(
            UnsupportedSyntax,
            "how many items the star unpacks is not known",
            "unpack a tuple or a list literal, or pass the list itself",
            it.frame.source.span(syntax),
        )
    return found


def static_mapping(it: Interpreter, node: Node, syntax: ast.AST) -> dict[str, Node]:
    """The keyword arguments that a double star unpacks."""
    if isinstance(node, Virtual) and node.is_dict and it.is_virtual(node):
        return dict(it.fields_of(node))
    if isinstance(node, Constant) and isinstance(node.value, dict):
        return {k: it.constant(v) for k, v in node.value.items()}
    t = strip_optional(node.type)
    if isinstance(t, Dict) and t.fields is not None:
        return {k: get_item(it, node, it.constant(k)) for k in t.fields}
    raise it.fail(
        UnsupportedSyntax,
        "which keywords the double star unpacks is not known",
        "unpack a dictionary with constant keys",
        it.frame.source.span(syntax),
    )


def as_list(it: Interpreter, node: Node) -> Node:
    """`list(node)`: always a new list."""
    node = looked_at(node)
    items = known(it, node)
    if items is not None:
        return make_list(it, items)
    if isinstance(node, Constant) and isinstance(node.value, Iteration):
        return from_iteration(it, node.value)
    if isinstance(node, Constant) and isinstance(node.value, Generator):
        from anadrome.frontend.syntax.generators import collected

        return collected(it, node)
    t = strip_optional(node.type)
    if isinstance(t, List | VarTuple | Stack):
        return it.apply(copy_list, (node,))
    return from_iteration(it, iterate(it, node))


def as_tuple(it: Interpreter, node: Node) -> Node:
    """`tuple(node)`."""
    items = known(it, node)
    if items is not None:
        return make_tuple(it, items)
    t = deref(node.type)
    if isinstance(t, VarTuple):
        return node
    made = node if isinstance(t, List) else as_list(it, node)
    return it.apply(copy_tuple, (made,))


def from_iteration(it: Interpreter, over: Iteration) -> Node:
    """A list of everything that an iteration gives."""
    if over.items is not None:
        return make_list(it, list(over.items))
    return _loop_list(it, over, lambda item: item)


def _loop_list(it: Interpreter, over: Iteration, value: Callable[[Node], Node]) -> Node:
    assert over.bounds is not None
    assert over.item is not None
    found: list[Node] = []

    def body(index: Node | None) -> None:
        assert index is not None
        assert over.item is not None
        found.append(it.stored_form(value(over.item(index))))

    kept = run_loop(
        it, Loop(over.bounds, None, body, [], it.frame_live(), keep=lambda: found[-1])
    )
    assert kept is not None
    return kept


def as_array(it: Interpreter, node: Node) -> Node:
    """A list, tuple or range of numbers as an array, as NumPy's operators make it."""
    if isinstance(deref(node.type), Num):
        return node
    refuse_iterator(it, node)
    if is_range(node):
        assert isinstance(node, Constant)
        arange = find_primitive(np.arange)
        assert arange is not None
        return it.apply(arange, node.value.bounds)
    primitive = find_primitive(np.asarray)
    assert primitive is not None
    return it.apply(primitive, (node,))


def _is_tuple(it: Interpreter, node: Node) -> bool:
    """Whether a sequence is a tuple, and no list that is kept as one."""
    if is_list_of_functions(node.type):
        return False
    refuse_tuple(it, node.type)
    return isinstance(deref(node.type), Tuple | VarTuple)


def concatenate(it: Interpreter, x: Node, y: Node) -> Node:
    """`x + y` of lists or tuples."""
    a, b = known(it, x), known(it, y)
    tuples = _is_tuple(it, x)
    if tuples != _is_tuple(it, y):
        raise it.fail(
            TypeMismatch,
            f"a {'tuple' if tuples else 'list'} and a "
            f"{'list' if tuples else 'tuple'} cannot be concatenated",
            "convert one of them with list(…) or tuple(…)",
            python=TypeError,
        )
    if a is not None and b is not None:
        return make_tuple(it, a + b) if tuples else make_list(it, a + b)
    return it.apply(concatenate_lists, (x, y))


def repeat(it: Interpreter, x: Node, count: Node) -> Node:
    """`x * count` of a list or tuple."""
    a = known(it, x)
    tuples = _is_tuple(it, x)
    whole = tuples or is_list_of_functions(x.type)
    t = deref(count.type)
    if is_known(count):
        it.by_python(operator.mul, (), static_value(count))
    elif isinstance(t, Num) and t.dtype is not None and t.dtype.kind in "fc":
        it.by_python(operator.mul, (), t.dtype.type(1))
    if (
        a is not None
        and is_known(count)
        and (whole or len(a) * static_value(count) <= 8)
    ):
        items = a * static_value(count)
        return make_tuple(it, items) if tuples else make_list(it, items)
    return it.apply(repeat_list, (x, count))


def make_slice(it: Interpreter, parts: list[Node]) -> Node:
    """A slice of nodes."""
    return it.emit(ops.SLICE, tuple(parts), Other(slice))


# Reading ------------------------------------------------------------------------------


def no_key(it: Interpreter, key: Node, help: str) -> AnadromeError:
    """The error for a key that a dictionary surely has not."""
    text = f"the dictionary has no key {static_value(key)!r}"
    error = it.fail(TypeMismatch, text, help, python=KeyError)
    error.python_args = (key,)
    return error


def get_item(it: Interpreter, node: Node, index: Node) -> Node:
    """`node[index]`."""
    if iterator_of(node) is not None:
        raise it.fail(
            TypeMismatch,
            "an iterator has no items to be indexed",
            "make a list of it first: list(…)",
            python=TypeError,
        )
    if isinstance(node, Constant) and isinstance(node.value, Iteration):
        over = node.value
        if over.items is not None and is_known(index):
            return over.items[static_value(index)]
        if over.index_is_item and over.bounds is not None:
            return _item_of_range(it, over.bounds, index)
        return over.at(it, index)
    if isinstance(node, Constant) and type(node.value) in JOINERS:
        from anadrome.frontend.calls import calls

        dtype = it.constant(joined_dtype(index))
        return calls.call_value(it, JOINERS[type(node.value)], [index, dtype], {})
    dictionary = it.is_virtual(node) and isinstance(deref(node.type), Dict)
    if dictionary:
        check_key(it, index)
    _check_index(it, node, index)
    items = None if dictionary else known(it, node)
    if items is not None and is_known(index):
        which = static_value(index)
        if isinstance(which, slice):
            it.by_python(operator.getitem, (), which)
        try:
            if isinstance(which, slice):
                if isinstance(node, Constant) and isinstance(node.value, str):
                    return it.constant(node.value[which])
                part = items[which]
                if isinstance(deref(node.type), Tuple):
                    return make_tuple(it, part)
                return make_list(it, part)
            if isinstance(which, int | np.integer):
                return items[which]
            it.by_python(operator.getitem, (), which)
        except IndexError:
            raise it.fail(
                TypeMismatch,
                f"there is no item {which}, there are {len(items)}",
                "check the length before you index",
                python=IndexError,
            ) from None
    if it.is_virtual(node) and isinstance(deref(node.type), Dict):
        assert isinstance(node, Virtual)
        if is_known(index):
            found = it.env.get((node, static_value(index)))
            if found is not None:
                return found
            raise no_key(
                it, index, "test with 'in' first, or read with get(key, default)"
            )
        fields = it.fields_of(node)
        if any(has_function(v.type) for v in fields.values()):
            return _choose_by_key(it, fields, index)
    if isinstance(node, Constant) and isinstance(node.value, dict) and node.value:
        constants: dict[Any, Node] = {k: it.constant(v) for k, v in node.value.items()}
        if not is_known(index) and any(
            has_function(c.type) for c in constants.values()
        ):
            return _choose_by_key(it, constants, index)
    if isinstance(node, Constant) and is_known(index):
        found = it.by_python(operator.getitem, node.value, static_value(index))
        return it.constant(found)
    t = strip_optional(node.type)
    if isinstance(t, Num):
        return _array_item(it, node, index, t)
    if isinstance(t, Tuple | VarTuple | List | Stack):
        return _sequence_item(it, node, index, t)
    if isinstance(t, Dict):
        check_key(it, index)
        # Its values have no common type before it exists.
        node = it.concrete(node)
        t = strip_optional(node.type)
        return unpack(it, it.emit(ops.GETITEM, (node, index), dict_item_type(t, index)))
    if isinstance(t, Object):
        from anadrome.frontend.calls import calls

        return calls.call_method(it, node, "__getitem__", [index], {})
    if isinstance(t, Str):
        return it.emit(ops.GETITEM, (node, index), STR)
    if isinstance(t, NeverType):
        return it.emit(ops.GETITEM, (node, index), NEVER)
    if hasattr(t, "get_item"):
        return t.get_item(it, node, index)
    if isinstance(t, AnyType | Other):
        return it.emit(ops.GETITEM, (node, index), ANY)
    raise it.fail(
        TypeMismatch,
        f"{t!r} cannot be indexed",
        "index a list, a tuple, a dictionary or an array",
        python=TypeError,
        given=node,
    )


def _sequence_item(it: Interpreter, node: Node, index: Node, t: Type) -> Node:
    s = deref(index.type)
    if isinstance(s, Other) and s.cls is slice:
        if it.prepare is not None and isinstance(t, Tuple) and is_known(index):
            return part_of_tuple(it, node, t, static_value(index))
        refuse_tuple(it, t)
        item: Type = NEVER
        for p in t.items if isinstance(t, Tuple) else (t.item,):  # type: ignore[attr-defined]
            item = join_members(item, p)
        made = VarTuple(item) if isinstance(t, Tuple | VarTuple) else List(item)
        return it.emit(ops.GETITEM, (node, index), made)
    if not isinstance(t, Stack):
        index = whole_index(it, index)
        check_list_index(it, index)
    if isinstance(t, Tuple):
        if is_known(index):
            return take(it, node, range(len(t.items))[static_value(index)])
        item = NEVER
        for p in t.items:
            item = join_members(item, p)
        if any(has_function(p) for p in t.items):
            return _choose_function(it, node, index, t)
        if _has_several_kinds(t):
            return _choose_item(it, node, index, len(t.items))
        if isinstance(item, Num) and item.varied and item.dtype is not None:
            # In a list each number is what it is.
            node = make_list(it, [take(it, node, k) for k in range(len(t.items))])
        return it.emit(ops.GETITEM, (node, index), item)
    return unpack(it, it.emit(ops.GETITEM, (node, index), t.item))  # type: ignore[attr-defined]


def _choose_function(it: Interpreter, node: Node, index: Node, t: Tuple) -> Node:
    from anadrome.frontend.values.compile_time import FunctionChoice

    options = [take(it, node, k) for k in range(len(t.items))]
    if any(not is_function(o) and has_function(o.type) for o in options):
        return _choose_item(it, node, index, len(options))
    # Python raises if there is no such item, and negative positions count backwards.
    positions = it.constant(tuple(range(len(options))))
    position = it.emit(ops.GETITEM, (positions, index), INT)
    return it.constant(FunctionChoice(position, list(range(len(options))), options))


def _has_several_kinds(t: Tuple) -> bool:
    """Whether a tuple holds what is changed in place beside something else."""
    items = [deref(p) for p in t.items]
    kinds = {(type(p), isinstance(p, Num) and p.scalar) for p in items}
    return len(kinds) > 1 and any(alias_of(p) is not None for p in items)


def _choose_item(it: Interpreter, node: Node, index: Node, size: int) -> Node:
    """An item as one of several values: each keeps a derivative of its own kind."""
    from anadrome.frontend.syntax.expressions import choose, numeric

    # Python raises if there is no such item, and negative positions count backwards.
    positions = it.constant(tuple(range(size)))
    position = it.emit(ops.GETITEM, (positions, index), INT)

    def of(first: int) -> Node:
        if first == size - 1:
            return take(it, node, first)
        test = numeric(it, operator.eq, position, it.constant(first))
        return choose(it, test, lambda: take(it, node, first), lambda: of(first + 1))

    return of(0)


def _item_of_range(
    it: Interpreter, bounds: tuple[Node, Node, Node], index: Node
) -> Node:
    """`range(…)[index]`: Python counts, and finds what lies outside."""
    if all(map(is_known, (*bounds, index))):
        which = static_value(index)
        try:
            return it.constant(range(*map(static_value, bounds))[which])
        except (IndexError, TypeError) as error:
            raise it.fail(
                TypeMismatch,
                f"there is no item {which} in this range",
                "check the length before you index",
                python=type(error),
            ) from None
    t: Type = Other(range) if _is_slice(index) else INT
    return it.emit(ops.GETITEM, (range_object(it, bounds), index), t)


def range_object(it: Interpreter, bounds: tuple[Node, Node, Node]) -> Node:
    """A range as the object that it is in Python."""
    given = it.constant(range), *bounds
    return it.emit(ops.PYCALL, given, Other(range), target=True)


def _is_slice(node: Node) -> bool:
    t = deref(node.type)
    return isinstance(t, Other) and t.cls is slice


def _choose_by_key(it: Interpreter, fields: dict[Any, Node], index: Node) -> Node:
    """`functions[key]` of a dictionary of functions, for a key known at run time."""
    from anadrome.frontend.values.compile_time import FunctionChoice

    table = it.constant({key: k for k, key in enumerate(fields)})
    position = it.emit(ops.GETITEM, (table, index), INT)
    options = list(fields.values())
    return it.constant(FunctionChoice(position, list(range(len(options))), options))


def check_key(it: Interpreter, index: Node) -> None:
    """Refuse a key that no dict can have, as Python does."""
    if not is_known(index):
        return
    try:
        hash(static_value(index))
    except TypeError as error:
        raise it.fail(
            TypeMismatch,
            f"TypeError: {error}",
            "use a key that can be hashed: a number, a string or a tuple of them",
            python=TypeError,
        ) from None


def dict_item_type(t: Any, index: Node) -> Type:
    """The type of the value under a key."""
    if t.fields is not None:
        if is_known(index):
            return t.fields.get(static_value(index), NEVER)
        item: Type = NEVER
        for v in t.fields.values():
            item = join_members(item, v)
        return item
    return t.item


# Changing -----------------------------------------------------------------------------


def note_write(it: Interpreter, node: Node) -> None:
    """Record that an object is changed in place."""
    alias = alias_of(strip_optional(node.type))
    if alias is not None:
        alias.store()
    written = alias.find() if alias is not None else None
    if alias and any(
        alias_of(strip_optional(n.type)) is written for n in it.flat.values()
    ):
        it.resized.append(alias)  # a loop over `x.flat` would see it
    it.known_items = {
        k: v
        for k, v in it.known_items.items()
        if k is not node and alias_of(k.type) is not written
    }


def note_resize(it: Interpreter, node: Node) -> None:
    """Record that a list gets longer or shorter."""
    note_write(it, node)
    alias = alias_of(strip_optional(node.type))
    if alias is not None:
        it.resized.append(alias)


def note_exposed(it: Interpreter, nodes: list[Node]) -> None:
    """Record that code which is not looked into may change objects, all of them."""
    given = [n.type for n in nodes]
    numbers = [t for t in given if isinstance(deref(t), Num) and is_differentiable(t)]
    seen: set[int] = set()
    pending = [n.type for n in nodes if not isinstance(n, Constant)]
    while pending:
        t = deref(pending.pop())
        if id(t) in seen:
            continue
        seen.add(id(t))
        pending += parts(t)
        alias = alias_of(t)
        if alias is None:
            continue
        alias.store()
        it.resized.append(alias)
        if isinstance(t, List):
            # One argument may be put into the other.
            for number in numbers:
                t.item = join_members(t.item, number)
        it.known_items = {
            k: v
            for k, v in it.known_items.items()
            if alias_of(k.type) is not alias.find()
        }


def _check_index(it: Interpreter, node: Node, index: Node) -> None:
    """Refuse an index that is a float on one path: on another it may be an integer."""
    from anadrome.frontend.syntax.assignment import has_certain_kind

    t, s = strip_optional(node.type), deref(index.type)
    if it.prepare is None or not isinstance(t, List | Tuple | VarTuple):
        return
    if isinstance(s, Num) and s.inexact and s.ndim == 0 and not has_certain_kind(index):
        raise it.fail(
            UnsupportedSyntax,
            "an index is a float on one path, and may be an integer on another",
            "give it to int(…)",
        )


def set_item(it: Interpreter, node: Node, index: Node, value: Node) -> None:
    """`node[index] = value`."""
    _check_index(it, node, index)
    if isinstance(strip_optional(node.type), Dict):
        check_key(it, index)
    if it.is_virtual(node) and isinstance(deref(node.type), Dict):
        if is_known(index):
            keep_size(it, node, index)
            it.env[(node, static_value(index))] = value
            return
    t = strip_optional(node.type)
    if isinstance(t, Object):
        from anadrome.frontend.calls import calls

        calls.call_method(it, node, "__setitem__", [index, value], {})
        return
    s = deref(index.type)
    stretch = isinstance(t, List) and isinstance(s, Other) and s.cls is slice
    if isinstance(deref(value.type), Function) and (stretch or isinstance(t, Num)):
        value = as_list(it, value) if stretch else as_array(it, value)
    node, value = it.concrete(node), it.concrete(it.stored_form(value))
    t = strip_optional(node.type)
    if isinstance(t, Num):
        if t.scalar:
            raise it.fail(
                TypeMismatch,
                "a number has no items to assign",
                "make it an array, or assign the variable itself",
                python=TypeError,
            )
        store_array(it, node, index, value)
        return
    if isinstance(t, List):
        if stretch:
            value = as_list(it, value)
            note_resize(it, node)
            given = deref(value.type)
            if not isinstance(given, List):
                raise it.fail(
                    UnsupportedSyntax,
                    "functions or iterators are put into a stretch of a list",
                    "put them into a list that holds nothing else",
                )
            t.item = join_members(t.item, given.item)
        else:
            index = whole_index(it, index)
            check_list_index(it, index)
            t.item = join_members(t.item, value.type)
    elif isinstance(t, Dict):
        _note_key(t, index, value)
    elif is_foreign(node):
        note_exposed(it, [value])
    elif not isinstance(t, NeverType):
        refuse_tuple(it, t)
        raise it.fail(
            TypeMismatch,
            f"items of {t!r} cannot be assigned",
            "use a list, a dictionary or an array of numbers",
            python=None if isinstance(t, AnyType) else TypeError,
        )
    items = it.known_items.get(node)
    note_write(it, node)
    size = size_to_keep(it, node)
    it.emit(ops.SETITEM, (node, index, value), NEVER)
    check_size(it, node, size)
    if items is not None and isinstance(t, List) and is_known(index):
        which = static_value(index)
        if isinstance(which, int) and -len(items) <= which < len(items):
            changed = list(items)
            changed[which] = value
            it.known_items[node] = changed


def is_foreign(node: Node) -> bool:
    """Whether a value of unknown type comes from a function that is not looked into.

    What it may share with others has been noted where they were given to that function.
    """
    if isinstance(strip_optional(node.type), Union) or not isinstance(node, Apply):
        return False
    if not isinstance(deref(node.type), AnyType):
        return False
    if node.op in (ops.GETITEM, ops.GETATTR):
        return is_foreign(node.args[0])
    return node.op in (ops.PYCALL, ops.METHOD)


def store_array(it: Interpreter, node: Node, index: Node, value: Node) -> None:
    """A store into an array."""
    if id(node) in it.flat:
        raise it.fail(
            UnsupportedSyntax,
            "this store through 'flat' cannot be followed",
            "write x.flat[k] = v, or index the array itself",
        )
    refuse_readonly(it, node)
    index = list_index(it, it.concrete(index))
    refuse_fractional_index(it, index)
    if is_known(value) and static_value(value) is None:
        value = _none_stored(it, node)
    if isinstance(deref(value.type), List | Tuple | VarTuple):
        value = _items_to_store(it, node, value)
    note_write(it, node)
    it.emit(ops.SETITEM, (node, index, value), NEVER)


def _items_to_store(it: Interpreter, node: Node, value: Node) -> Node:
    """A list as an array that is stored into one: what cannot be an integer fails."""
    made, t = as_array(it, value), deref(node.type)
    found = deref(made.type)
    if isinstance(t, Num) and isinstance(found, Num) and t.dtype is not None:
        floating = found.dtype is None or found.dtype.kind == "f"
        if t.dtype.kind in "iu" and floating:
            primitive = find_primitive(np.asarray)
            assert primitive is not None
            return it.apply(primitive, (value, it.constant(t.dtype)))
    return made


def _none_stored(it: Interpreter, node: Node) -> Node:
    """What NumPy makes of None that is stored in an array."""
    t = deref(node.type)
    kind = t.dtype.kind if isinstance(t, Num) and t.dtype is not None else "O"
    if kind in "iu":
        it.by_python(int, None)
    if kind not in "bfc":
        raise it.fail(
            UnsupportedSyntax,
            f"None is stored in {t!r}",
            "store np.nan, or a number",
        )
    return it.constant({"b": False, "f": np.nan, "c": complex(np.nan, np.nan)}[kind])


def _note_key(t: Any, index: Node, value: Node) -> None:
    if is_known(index) and t.fields is not None:
        key = static_value(index)
        t.fields[key] = join_members(t.fields.get(key, NEVER), value.type)
        return
    generalise_dict(t)
    t.key = join(
        t.key, index.type if not is_known(index) else type_of_key(static_value(index))
    )
    t.item = join_members(t.item, value.type)


def new_dict(it: Interpreter) -> Node:
    """An empty dictionary, living as variables while its keys are constant."""
    return it.new_virtual(dict, Dict({}))


def update_dict(it: Interpreter, node: Node, other: Node) -> None:
    """`node.update(other)`."""
    from anadrome.frontend.values.methods import DICT as METHODS

    METHODS["update"](it, node, [other], {})


def set_pair(it: Interpreter, node: Node, pair: Node) -> None:
    """Give a dictionary a key and its value, which are an item of any kind."""
    from anadrome.frontend.syntax.assignment import check_length

    check_length(it, pair, 2)
    key, value = (get_item(it, pair, it.constant(k)) for k in range(2))
    set_item(it, node, key, value)


def contains(it: Interpreter, node: Node, item: Node) -> Node:
    """`item in node`."""
    node = looked_at(node)
    if iterator_of(node) is not None:
        from anadrome.frontend.calls import calls, library

        return calls.call_value(it, library.contains_item, [node, item], {})
    over = node.value if isinstance(node, Constant) else None
    if isinstance(over, Iteration):
        from anadrome.frontend.calls import calls, library

        t = deref(item.type)
        ordered = isinstance(t, Num) and t.dtype is not None and t.dtype.kind != "c"
        if over.index_is_item and over.bounds is not None and ordered:
            return calls.call_value(it, library.in_range, [item, *over.bounds], {})
        node = as_list(it, node)
    if isinstance(strip_optional(node.type), Dict):
        check_key(it, item)
    if it.is_virtual(node) and is_known(item) and isinstance(deref(node.type), Dict):
        return it.constant((node, static_value(item)) in it.env)
    if is_known(node) and is_known(item):
        given = static_value(node), static_value(item)
        return it.constant(it.by_python(operator.contains, *given))
    t = strip_optional(node.type)
    if isinstance(t, Dict) and t.fields is not None and is_known(item) and not t.stored:
        return it.constant(static_value(item) in t.fields)
    if isinstance(t, Object) and hasattr(t.cls, "__contains__"):
        from anadrome.frontend.calls import calls

        found = calls.call_method(it, node, "__contains__", [item], {})
        return calls.call(it, it.constant(bool), [found], {})
    if isinstance(t, Num) and t.ndim == 0:
        raise it.fail(
            TypeMismatch,
            "a number holds nothing",
            "look for it in a list or an array",
            python=TypeError,
            given=node,
        )
    return it.emit(ops.CONTAINS, (item, node), BOOL)


# Comprehensions -----------------------------------------------------------------------


def append(it: Interpreter, node: Node, value: Node) -> None:
    """`node.append(value)`."""
    node, value = it.concrete(node), it.concrete(value)
    t = strip_optional(node.type)
    if not isinstance(t, List):
        raise it.fail(
            TypeMismatch,
            f"{t!r} has no 'append'",
            "append to a list",
            python=AttributeError,
            given=node,
        )
    stored = it.stored_form(value)
    t.item = join_members(t.item, stored.type)
    if has_function(stored.type) or (
        is_function(value) and not isinstance(t.item, Packed)
    ):
        raise it.fail(
            UnsupportedSyntax,
            "functions of different kinds are collected in a list",
            "write the list of functions as a literal or a comprehension",
        )
    items = it.known_items.get(node)
    note_resize(it, node)
    it.emit(ops.APPEND, (node, stored), NEVER)
    if items is not None:
        it.known_items[node] = [*items, value]


def extend(it: Interpreter, node: Node, values: Node) -> None:
    """`node.extend(values)`."""
    if isinstance(iterator_of(values), Generator) or is_own_iterator(values):
        from anadrome.frontend.calls import calls, library

        # What it does comes between the items, and these stay if it raises.
        calls.call_value(it, library.append_each, [node, values], {})
        return
    items = known(it, values)
    if items is not None and len(items) <= 4:
        for i in items:
            append(it, node, i)
        return
    over = iterate(it, as_list(it, values) if same(values.type, node.type) else values)
    if over.size is not None:
        for k in range(over.size):
            append(it, node, over.now(k))
        return

    def body(index: Node | None) -> None:
        assert index is not None
        assert over.item is not None
        append(it, node, over.item(index))

    assert over.bounds is not None
    run_loop(it, Loop(over.bounds, None, body, [], it.frame_live()))


__all__ = [
    "_array_item",
    "append",
    "as_array",
    "as_list",
    "as_tuple",
    "check_size",
    "concatenate",
    "contains",
    "dict_item_type",
    "extend",
    "from_iteration",
    "get_item",
    "index_parts",
    "is_basic",
    "keep_size",
    "known",
    "length_of",
    "list_index",
    "make_list",
    "make_slice",
    "new_dict",
    "note_exposed",
    "note_resize",
    "note_write",
    "repeat",
    "set_item",
    "size_to_keep",
    "static_items",
    "static_mapping",
    "store_array",
    "update_dict",
]
