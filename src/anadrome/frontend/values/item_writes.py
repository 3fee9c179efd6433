"""What changes a container: `node[index] = value`, keys, appended items."""

from __future__ import annotations

from typing import Any

import numpy as np

from anadrome.errors import TypeMismatch, UnsupportedSyntax
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.numpy.indexing import (
    list_index,
    refuse_fractional_index,
    refuse_too_many,
)
from anadrome.frontend.numpy.readonly_views import refuse_readonly
from anadrome.frontend.speculation.fixed_lists import refuse_tuple
from anadrome.frontend.syntax.loop_fixpoint import Loop, run_loop
from anadrome.frontend.values.functions import is_function
from anadrome.frontend.values.item_reads import check_index, check_key, get_item
from anadrome.frontend.values.iterated import check_size, keep_size, size_to_keep
from anadrome.frontend.values.iteration import has_function, is_own_iterator, iterate
from anadrome.frontend.values.iterators import Generator, iterator_of
from anadrome.frontend.values.known import is_known, static_value
from anadrome.frontend.values.list_indices import check_list_index, whole_index
from anadrome.frontend.values.sequences import as_array, as_list, known
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Node
from anadrome.ir.joins import generalise_dict, join, join_members, type_of_key
from anadrome.ir.types import (
    NEVER,
    AnyType,
    Dict,
    Function,
    List,
    NeverType,
    Num,
    Object,
    Other,
    Packed,
    Tuple,
    Union,
    VarTuple,
    alias_of,
    deref,
    is_differentiable,
    parts,
    same,
    strip_optional,
)
from anadrome.primitives.registry import find_primitive


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


def set_item(it: Interpreter, node: Node, index: Node, value: Node) -> None:
    """`node[index] = value`."""
    check_index(it, node, index)
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
    t = deref(node.type)
    if isinstance(t, Num):
        refuse_too_many(it, t, index)
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
            UnsupportedSyntax, f"None is stored in {t!r}", "store np.nan, or a number"
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
    from anadrome.frontend.methods.dicts import DICT as METHODS

    METHODS["update"](it, node, [other], {})


def set_pair(it: Interpreter, node: Node, pair: Node) -> None:
    """Give a dictionary a key and its value, which are an item of any kind."""
    from anadrome.frontend.syntax.assignment import check_length

    check_length(it, pair, 2)
    key, value = (get_item(it, pair, it.constant(k)) for k in range(2))
    set_item(it, node, key, value)


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
