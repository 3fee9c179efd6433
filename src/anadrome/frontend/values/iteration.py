"""What a `for` runs over: every iterable becomes a count and a way to get an item.

With counted loops only, the derivative of any `for` is a counted loop backwards.
"""

from __future__ import annotations

import collections.abc
import operator
import sys
import types as pytypes
from collections.abc import Callable
from typing import Any

from anadrome.errors import TypeMismatch, UnsupportedSyntax
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.values.compile_time import LazyIterator, Virtual
from anadrome.frontend.values.iterated import require_items
from anadrome.frontend.values.known import is_known, static_value
from anadrome.frontend.values.tuples import make_tuple, take
from anadrome.infer.values import LONGEST_FIXED, type_of
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Node
from anadrome.ir.joins import join, type_of_key
from anadrome.ir.types import (
    ANY,
    INT,
    NEVER,
    NONE,
    STR,
    AnyType,
    Dict,
    Function,
    List,
    Num,
    Object,
    Optional,
    Other,
    Stack,
    Str,
    Tuple,
    Type,
    VarTuple,
    alias_of,
    deref,
    is_certain,
    is_differentiable,
    same,
    strip_optional,
)

ItemAt = Callable[[Node], Node]


class Iteration:
    """Something to run over.

    `items` lists the items if they are known one by one; else `bounds` are the start,
    stop and step of the index and `item` gives the value at an index.
    """

    def __init__(
        self,
        bounds: tuple[Node, Node, Node] | None = None,
        item: ItemAt | None = None,
        items: list[Node] | None = None,
        index_is_item: bool = False,
        name: str = "iterator",
        source: Node | None = None,
        lists: tuple[Node, ...] = (),
        sized: tuple[Node, ...] = (),
        current: Callable[[int], Node] | None = None,
    ) -> None:
        self.bounds, self.item = bounds, item
        self._items = items
        self.index_is_item, self.name = index_is_item, name
        # The list that is run over, if it may change meanwhile.
        self.source = source
        # Every list whose items are run over, also those zipped or enumerated.
        self.lists = lists
        # Dictionaries and sets that are run over, whose size must stay what it is.
        self.sized = sized
        # The item at a position as it is when it is asked for, where items are known.
        self.current = current
        # How many items there are, if that is known.
        self.size = None if items is None else len(items)
        # Whether making an item calls a function, which may do anything.
        self.calls = False

    @classmethod
    def lazily(cls, size: int, current: Callable[[int], Node]) -> Iteration:
        """So many items, each made when it is asked for."""
        made = cls(current=current)
        made.size = size
        return made

    @property
    def items(self) -> list[Node] | None:
        """All items, if their number is known; they are made now."""
        if self._items is None and self.size is not None:
            assert self.current is not None
            self._items = [self.current(k) for k in range(self.size)]
        return self._items

    def now(self, k: int) -> Node:
        """Item number k, if the number of items is known, as it is now."""
        if self.current is not None:
            return self.current(k)
        assert self._items is not None
        return self._items[k]

    def over(self, *parts: Iteration) -> Iteration:
        """The same, known to run over the lists that others run over."""
        self.lists = tuple(n for p in parts for n in p.lists)
        self.sized = tuple(n for p in parts for n in p.sized)
        self.calls = self.calls or any(p.calls for p in parts)
        return self

    def count(self, it: Interpreter) -> Node:
        """How many items there are, as `len` says it."""
        found = self.length(it)
        if self.bounds is None or found is not self.bounds[1] or _counts(found):
            return found
        from anadrome.frontend.calls.builtins import FUNCTIONS

        # A range that ends below zero has no items.
        whole = FUNCTIONS[int](it, [found], {})
        return FUNCTIONS[max](it, [whole, it.constant(0)], {})

    def length(self, it: Interpreter) -> Node:
        """How many items there are; where there are none it may be negative."""
        if self.size is not None:
            return it.constant(self.size)
        assert self.bounds is not None
        start, stop, step = self.bounds
        if is_constant(start, 0) and is_constant(step, 1):
            return stop
        given = it.constant(range), start, stop, step
        r = it.emit(ops.PYCALL, given, Other(range), target=True)
        return it.emit(ops.LENGTH, (r,), INT)

    def at(self, it: Interpreter, position: Node) -> Node:
        """The item at a position counted from zero."""
        assert self.item is not None
        assert self.bounds is not None
        start, _, step = self.bounds
        index = position
        if not is_constant(step, 1):
            index = arithmetic(it, operator.mul, index, step)
        if not is_constant(start, 0):
            index = arithmetic(it, operator.add, start, index)
        return self.item(index)


def is_constant(node: Node, value: Any) -> bool:
    """Whether a node is a given constant."""
    return (
        isinstance(node, Constant)
        and type(node.value) is type(value)
        and (node.value == value)
    )


def arithmetic(it: Interpreter, function: Any, x: Node, y: Node) -> Node:
    """An operator on integers."""
    from anadrome.frontend.syntax.expressions import numeric

    return numeric(it, function, x, y)


def counted(it: Interpreter, length: Node, item: ItemAt) -> Iteration:
    """An iteration over positions 0 … length-1."""
    return Iteration((it.constant(0), length, it.constant(1)), item)


def make_range(it: Interpreter, args: list[Node]) -> Node:
    """`range(…)` as something to run over."""
    args = [integer(it, a) for a in args]
    if len(args) == 1:
        args = [it.constant(0), args[0]]
    if len(args) == 2:
        args.append(it.constant(1))
    if is_constant(args[2], 0):
        raise it.fail(
            TypeMismatch,
            "the step of a range is zero",
            "count up or down",
            python=ValueError,
        )
    from anadrome.frontend.syntax.exits import innermost_try

    if not isinstance(args[2], Constant) and innermost_try(it) is not None:
        from anadrome.frontend.calls.builtins import require

        # The loop itself would fail where it can no longer be caught.
        test = arithmetic(it, operator.ne, args[2], it.constant(0))
        message = it.constant("range() arg 3 must not be zero")
        given = it.constant(require), test, it.constant(ValueError), message
        it.emit(ops.OBSERVE, given, NONE)
    made = Iteration((args[0], args[1], args[2]), lambda i: i, index_is_item=True)
    return as_node(made)


_KINDS = {"b": "bool", "f": "float", "c": "complex number"}


def integer(it: Interpreter, node: Node) -> Node:
    """A value used as an integer."""
    from anadrome.frontend.values.list_indices import whole_index

    node = whole_index(it, node)
    t = deref(node.type)
    kind = t.dtype.kind if isinstance(t, Num) and t.dtype is not None else "i"
    wrong = kind in "fc" or (kind == "b" and not t.python)  # type: ignore[attr-defined]
    if wrong or (is_certain(t) and not isinstance(t, Num | Optional)):
        raise it.fail(
            UnsupportedSyntax,
            "a range needs integers, this is "
            + (f"a {_KINDS[kind]}" if wrong else repr(t)),
            "convert it with int(…)",
            python=TypeError,
        )
    return node


def _counts(node: Node) -> bool:
    """Whether a number is surely the length of something."""
    if isinstance(node, Constant):
        return type(node.value) is int and node.value >= 0
    return isinstance(node, Apply) and node.op is ops.LENGTH


class View(Iteration):
    """What is looked at anew whenever it is run over: the keys of a dictionary."""

    def __init__(self, make: Callable[[], Iteration]) -> None:
        super().__init__()
        self.make = make


def looked_at(node: Node) -> Node:
    """A value of the reader as it is now."""
    if isinstance(node, Constant) and isinstance(node.value, View):
        return as_node(node.value.make())
    return node


def as_node(iteration: Iteration) -> Constant:
    """An iteration as a value of the reader."""
    return Constant(iteration, Function(iteration))


def iterate(it: Interpreter, node: Node) -> Iteration:
    """How to run over a value."""
    node = looked_at(node)
    if isinstance(node, Constant):
        if isinstance(node.value, Iteration):
            return node.value
        if isinstance(node.value, LazyIterator):
            return _rest_of(it, node)
        if isinstance(node.value, tuple | list | str | dict | range | set | frozenset):
            return _over_constant(it, node)
    known = it.known_items.get(node)
    if known is not None:
        found = _uniform(it, node, known)
        if found.items is None:
            return found

        def current(k: int) -> Node:
            items = it.known_items.get(node)
            return known[k] if items is known else item_of(it, node, it.constant(k))

        found.lists, found.current = (node,), current
        return found
    if isinstance(node, Virtual) and node.is_dict and it.is_virtual(node):
        items: list[Node] = [it.constant(k) for k in it.fields_of(node)]
        return Iteration(items=items, sized=(node,))
    node = it.concrete(node)
    t = strip_optional(node.type)
    if isinstance(t, Tuple):
        return _uniform(it, node, [take(it, node, i) for i in range(len(t.items))])
    if isinstance(t, List | VarTuple | Stack):
        return _over(it, node)
    if hasattr(t, "get_item"):
        return counted(it, length_of(it, node), lambda i: item_of(it, node, i))
    if isinstance(t, Num):
        if t.ndim == 0:
            raise it.fail(
                UnsupportedSyntax,
                "a number cannot be iterated over",
                "use range(n)",
                python=TypeError,
            )
        over = counted(it, length_of(it, node), lambda i: item_of(it, node, i))
        if id(node) in it.flat:
            over.lists = (it.flat[id(node)],)
        return over
    if isinstance(t, Dict):
        if t.fields is not None and not t.stored:
            return Iteration(items=[it.constant(k) for k in t.fields], sized=(node,))
        keys = it.emit(ops.OBSERVE, (it.constant(list), node), List(_key_type(t)))
        found = counted(it, length_of(it, keys), lambda i: item_of(it, keys, i))
        found.sized = (node,)
        return found
    if isinstance(t, Object):
        return _iterate_object(it, node, t)
    if isinstance(t, Str):
        made = it.emit(ops.PYCALL, (it.constant(list), node), List(STR))
        return counted(it, length_of(it, made), lambda i: item_of(it, made, i))
    if isinstance(t, Other | AnyType) or not is_differentiable(t):
        item: Type = INT if t == Other(range) else ANY
        if isinstance(t, Other) and t.cls in (set, frozenset):
            item = _NonDifferentiable
        made = it.emit(ops.PYCALL, (it.constant(list), node), List(item))
        found = counted(it, length_of(it, made), lambda i: item_of(it, made, i))
        found.sized = (node,)
        return found
    raise it.fail(
        UnsupportedSyntax,
        f"{t!r} cannot be iterated over",
        "run over a list, a tuple, a dictionary, an array or a range",
        python=TypeError,
        given=node,
    )


_LONGEST_UNROLLED = 64
"""Constants with more items are run over by a loop, if the items are of one type."""


def _over_constant(it: Interpreter, node: Constant) -> Iteration:
    """A copy of the body for each item, which is then known; a loop over many."""
    items = list(node.value)
    if len(items) > _LONGEST_UNROLLED and not it.in_rule:
        t = type_of(items[0])
        if _plain(t) and all(same(t, type_of(item)) for item in items[1:]):
            made = it.emit(ops.PYCALL, (it.constant(list), node), List(t))
            return counted(it, length_of(it, made), lambda i: item_of(it, made, i))
    return Iteration(items=[it.constant(v) for v in items])


def _rest_of(it: Interpreter, node: Constant) -> Iteration:
    """What an iterator has not given yet, for somebody who takes all of it."""
    from anadrome.frontend.syntax.generators import collected
    from anadrome.frontend.values.iterators import Cursor, take_rest

    if isinstance(node.value, Cursor):
        return take_rest(it, node.value)
    return iterate(it, collected(it, node))


_NonDifferentiable = Other(object)


def _key_type(t: Dict) -> Type:
    """The type of the keys of a dictionary."""
    found: Type = t.key
    for key in t.fields or ():
        found = join(found, type_of_key(key))
    return found


def own_iterator(it: Interpreter, node: Node) -> Node:
    """What `iter(node)` gives, if that is an object with `__next__`."""
    from anadrome.frontend.calls import calls

    t = strip_optional(node.type)
    if not isinstance(t, Object) or _runs_over_places(t.cls):
        return node
    if not isinstance(getattr(t.cls, "__iter__", None), pytypes.FunctionType):
        return node
    found = calls.call_method(it, node, "__iter__", [], {})
    if is_own_iterator(found) or isinstance(deref(found.type), List):
        return found
    return node if isinstance(strip_optional(found.type), Object) else found


def _runs_over_places(cls: type) -> bool:
    """Whether iterating over an object means asking for its items by their places."""
    if not (hasattr(cls, "__len__") and hasattr(cls, "__getitem__")):
        return False
    return getattr(cls, "__iter__", None) in (None, collections.abc.Sequence.__iter__)


def is_own_iterator(node: Node) -> bool:
    """Whether a value is an object of the user's with `__next__`."""
    t = strip_optional(node.type)
    return isinstance(t, Object) and hasattr(t.cls, "__next__")


def _iterate_object(it: Interpreter, node: Node, t: Object) -> Iteration:
    from anadrome.frontend.calls import calls

    if hasattr(t.cls, "__next__"):
        from anadrome.frontend.values.own_iterators import opened

        return iterate(it, opened(it, node))
    if _runs_over_places(t.cls):
        length = own_length(it, node)
        found = counted(
            it,
            length,
            lambda i: calls.call_method(it, node, "__getitem__", [i], {}),
        )
        found.calls = True
        return found
    if hasattr(t.cls, "__iter__"):
        return iterate(it, calls.call_method(it, node, "__iter__", [], {}))
    raise it.fail(
        UnsupportedSyntax,
        f"'{t.cls.__name__}' cannot be iterated over",
        "give the class __len__ and __getitem__",
    )


def _uniform(it: Interpreter, node: Node, known: list[Node]) -> Iteration:
    """Items known one by one run in a loop if they are of one type, else unrolled."""
    if it.in_rule or not known:
        return Iteration(items=known)
    t = known[0].type
    alike = all(same(t, k.type) and not has_function(k.type) for k in known)
    cells = all(_plain(k.type) for k in known)
    if alike and cells and len(known) > 1 and not _worth_unrolling(it, known):
        if not _are_keys(known):
            return _over(it, node)
    return Iteration(items=known)


def _are_keys(known: list[Node]) -> bool:
    """Whether constant strings are run over: they mostly say what is looked up."""
    few = len(known) <= LONGEST_FIXED
    return few and all(isinstance(getattr(k, "value", None), str) for k in known)


def _worth_unrolling(it: Interpreter, known: list[Node]) -> bool:
    """Whether native code is better off with a copy of the body for each item.

    Arrays in a tuple are at hand one by one; in a loop Python would have to find them.
    """
    native = it.prepare is not None
    return native and len(known) <= LONGEST_FIXED and holds_arrays(known[0].type)


def holds_arrays(t: Type) -> bool:
    """Whether a value is an array, or a tuple that holds one."""
    t = deref(t)
    if isinstance(t, Tuple):
        return any(map(holds_arrays, t.items))
    return isinstance(t, Num) and t.ndim != 0


def _over(it: Interpreter, node: Node) -> Iteration:
    start, step = it.constant(0), it.constant(1)
    bounds = (start, length_of(it, node), step)
    return Iteration(bounds, lambda i: item_of(it, node, i), source=node, lists=(node,))


def _plain(t: Any) -> bool:
    t = deref(t)
    if isinstance(t, Tuple):
        return all(_plain(i) for i in t.items)
    return isinstance(t, Num | Str)


def has_function(t: Any) -> bool:
    """Whether a function is part of a value of this type."""
    t = deref(t)
    if isinstance(t, Tuple):
        return any(has_function(i) for i in t.items)
    return isinstance(t, Function)


def length_of(it: Interpreter, node: Node) -> Node:
    """`len(node)` of a sequence or an array."""
    node = looked_at(node)
    if isinstance(node, Constant) and isinstance(node.value, Iteration):
        return node.value.count(it)
    if isinstance(node, Constant) and isinstance(node.value, LazyIterator):
        raise it.fail(
            UnsupportedSyntax,
            "an iterator has no length",
            "make a list of it: len(list(…))",
            python=TypeError,
        )
    known = it.known_items.get(node)
    if known is not None:
        return it.constant(len(known))
    if is_known(node):
        try:
            return it.constant(len(static_value(node)))
        except TypeError as error:
            raise it.fail(
                TypeMismatch,
                str(error),
                "ask for the length of a list, a string or an array",
                python=TypeError,
            ) from None
    if it.is_virtual(node) and deref(node.type).__class__ is Dict:
        return it.constant(len(it.fields_of(node)))  # type: ignore[arg-type]
    t = strip_optional(node.type)
    if isinstance(t, Tuple):
        return it.constant(len(t.items))
    if isinstance(t, Object):
        return own_length(it, node)
    return it.emit(ops.LENGTH, (node,), INT)


def own_length(it: Interpreter, node: Node) -> Node:
    """What `__len__` of an object gives, which must be a length."""
    from anadrome.frontend.calls import calls
    from anadrome.frontend.syntax.expressions import numeric

    found = calls.call_method(it, node, "__len__", [], {})
    t = deref(found.type)
    if isinstance(t, Num) and not t.varied and t.dtype is not None:
        if t.ndim or t.dtype.kind not in "biu":
            raise it.fail(
                TypeMismatch,
                "what __len__ returns cannot be interpreted as an integer",
                "return an integer",
                python=TypeError,
            )
        if not (isinstance(found, Apply) and found.op is ops.LENGTH):
            fits = numeric(it, operator.ge, found, it.constant(0))
            _require(it, fits, ValueError, "__len__() should return >= 0")
    return found


def _require(it: Interpreter, test: Node, kind: type[Exception], text: str) -> None:
    """Raise what Python raises unless something holds."""
    if not isinstance(test, Constant):
        it.emit(ops.ASSERT, (test, it.constant(text), it.constant(kind)), NEVER)
    elif not test.value:
        raise it.fail(TypeMismatch, text, None, python=kind)


def item_of(it: Interpreter, node: Node, index: Node) -> Node:
    """`node[index]`."""
    from anadrome.frontend.values.item_reads import get_item

    return get_item(it, node, index)


def zipped(it: Interpreter, parts: list[Iteration]) -> Iteration:
    """`zip(…)`."""
    return _zipped(it, parts).over(*parts)


def _zipped(it: Interpreter, parts: list[Iteration]) -> Iteration:
    sizes = [p.size for p in parts if p.size is not None]
    if len(sizes) == len(parts):
        return Iteration.lazily(
            min(sizes, default=0), lambda k: make_tuple(it, [p.now(k) for p in parts])
        )
    known = [p for p in parts if p.size is not None]
    if known and (it.in_rule or any(_needs_unrolling(p) for p in known)):
        lengths = [p.length(it) for p in parts]
        count = min(n.value for n in lengths if isinstance(n, Constant))
        if not it.in_rule:
            for n in lengths:
                if not isinstance(n, Constant):
                    check = it.constant(require_items), n, it.constant(count)
                    it.emit(ops.OBSERVE, check, NONE)

        def row(k: int) -> Node:
            items = [
                p.now(k) if p.size is not None else p.at(it, it.constant(k))
                for p in parts
            ]
            return make_tuple(it, items)

        return Iteration.lazily(count, row)
    indexed = [as_indexed(it, p) for p in parts]
    different: list[Node] = []
    for p in indexed:
        n = p.length(it)
        if is_constant(n, sys.maxsize) and len(indexed) > 1:
            continue  # it has no end
        if not any(n is m or _same_length(n, m) for m in different):
            different.append(n)
    length = different[0] if different else it.constant(sys.maxsize)
    if len(different) > 1:
        length = it.emit(ops.PYCALL, (it.constant(min), *different), INT, target=True)
    return counted(it, length, lambda i: make_tuple(it, [p.at(it, i) for p in indexed]))


def _needs_unrolling(p: Iteration) -> bool:
    items = p.items or []
    return any(has_function(i.type) or not _plain(i.type) for i in items) or (
        len({type(deref(i.type)) for i in items}) > 1
    )


def _same_length(a: Node, b: Node) -> bool:
    return isinstance(a, Constant) and isinstance(b, Constant) and a.value == b.value


def as_indexed(it: Interpreter, p: Iteration) -> Iteration:
    """An iteration whose items are found by an index."""
    if p.size is None:
        return p
    if p.calls and p.size is not None and p.size > 1:
        return counted(it, it.constant(p.size), lambda i: _only(it, p, i))
    assert p.items is not None
    whole = make_tuple(it, p.items)
    t: Any = NEVER
    for i in p.items:
        t = join(t, i.type)
    return counted(it, it.constant(len(p.items)), lambda i: item_of(it, whole, i))


def _only(it: Interpreter, p: Iteration, index: Node, k: int = 0) -> Node:
    """The item at an index; no function is called for any other."""
    from anadrome.frontend.syntax.expressions import choose, numeric

    assert p.size is not None
    if k == p.size - 1:
        return p.now(k)
    here = numeric(it, operator.eq, index, it.constant(k))
    return choose(it, here, lambda: p.now(k), lambda: _only(it, p, index, k + 1))


def enumerated(it: Interpreter, p: Iteration, start: Node) -> Iteration:
    """`enumerate(…)`."""
    return _enumerated(it, p, start).over(p)


def _enumerated(it: Interpreter, p: Iteration, start: Node) -> Iteration:

    def number(i: Node) -> Node:
        return i if is_constant(start, 0) else arithmetic(it, operator.add, start, i)

    if p.size is not None:

        def row(k: int) -> Node:
            return make_tuple(it, [number(it.constant(k)), p.now(k)])

        return Iteration.lazily(p.size, row)
    return counted(it, p.length(it), lambda i: make_tuple(it, [number(i), p.at(it, i)]))


def backwards(it: Interpreter, p: Iteration) -> Iteration:
    """`reversed(…)`."""
    return _backwards(it, p).over(p)


def _backwards(it: Interpreter, p: Iteration) -> Iteration:
    if p.size is not None:
        last = p.size - 1
        return Iteration.lazily(p.size, lambda k: p.now(last - k))
    assert p.bounds is not None
    start, stop, step = p.bounds
    if p.index_is_item and is_constant(start, 0) and is_constant(step, 1):
        top = arithmetic(it, operator.sub, stop, it.constant(1))
        minus = it.constant(-1)
        return Iteration((top, minus, minus), p.item, index_is_item=True)
    length = p.length(it)

    def item(i: Node) -> Node:
        last = arithmetic(it, operator.sub, length, it.constant(1))
        return p.at(it, arithmetic(it, operator.sub, last, i))

    return counted(it, length, item)


def backwards_lazily(it: Interpreter, node: Node) -> Callable[[Node], Iteration]:
    """`reversed(…)`: it begins at the end that there is now, whenever it is asked.

    It comes to its end where the list has become too short for the next item.
    """
    whole = iterate(it, node)
    over = backwards(it, whole)
    if not whole.lists:
        return lambda taken: over
    (node,) = whole.lists
    before, resized = whole.length(it), len(it.resized)

    def make(taken: Node) -> Iteration:
        changed = {a.find() for a in it.resized[resized:]}
        if is_constant(taken, 0) and alias_of(strip_optional(node.type)) not in changed:
            return over
        length = _length_backwards(it, before, length_of(it, node), taken)

        def item(k: Node) -> Node:
            last = arithmetic(it, operator.sub, before, it.constant(1))
            return item_of(it, node, arithmetic(it, operator.sub, last, k))

        if isinstance(length, Constant):
            made = Iteration.lazily(length.value, lambda k: item(it.constant(k)))
        else:
            made = counted(it, length, item)
        return made.over(whole)

    return make


def _length_backwards(it: Interpreter, before: Node, now: Node, taken: Node) -> Node:
    """How many items there are backwards, of which some have been taken."""
    from anadrome.frontend.syntax.expressions import choose

    next_one = arithmetic(it, operator.sub, before, taken)
    is_short = arithmetic(it, operator.lt, now, next_one)
    if isinstance(is_short, Constant):
        return taken if is_short.value else before
    return choose(it, is_short, lambda: taken, lambda: before)


def mapped(
    it: Interpreter, parts: list[Iteration], apply: Callable[[list[Node]], Node]
) -> Iteration:
    """`map(f, …)`."""
    made = _mapped(it, parts, apply).over(*parts)
    made.calls = True
    return made


def _mapped(
    it: Interpreter, parts: list[Iteration], apply: Callable[[list[Node]], Node]
) -> Iteration:
    if len(parts) == 1:
        p = parts[0]
        if p.size is not None:
            return Iteration.lazily(p.size, lambda k: apply([p.now(k)]))
        return counted(it, p.length(it), lambda i: apply([p.at(it, i)]))
    together = zipped(it, parts)

    def call(row: Node) -> Node:
        return apply([take(it, row, k) for k in range(len(parts))])

    if together.size is not None:
        return Iteration.lazily(together.size, lambda k: call(together.now(k)))
    return counted(it, together.length(it), lambda i: call(together.at(it, i)))
