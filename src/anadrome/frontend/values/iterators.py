"""Iterators: values that are consumed once, lazily, by whoever asks first.

A cursor runs over something that has an item for each position; its own position is a
variable of the reader, so it is followed through branches and loops. A generator is a
function that is suspended between its `yield`s: `generators` runs it. Neither exists
when the program runs.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from anadrome.errors import UnsupportedSyntax
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.syntax.source import FunctionSource
from anadrome.frontend.values.compile_time import (
    BoundMethod,
    Key,
    LazyIterator,
    Partial,
    Scope,
)
from anadrome.frontend.values.iteration import Iteration, arithmetic, counted, iterate
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Node
from anadrome.ir.types import Function

ENDLESS = sys.maxsize
"""The length of what has no end."""


@dataclass(frozen=True, eq=False)
class Cursor(LazyIterator):
    """An iterator over positions; `make` says what there is when it is asked.

    It is given how many items have been taken.
    """

    make: Callable[[Node], Iteration]
    name: str = "iterator"

    @property
    def position(self) -> Key:
        """The variable of the reader that says how far it has come; -1 is the end."""
        return (self, "%position")


@dataclass(frozen=True)
class Origin:
    """The call that made a generator."""

    key: Any
    make_scope: Callable[[], Scope]
    values: dict[str, Node]
    function: Node


@dataclass(frozen=True, eq=False)
class Generator(LazyIterator):
    """A function with `yield`, called: its variables, and where it is suspended."""

    source: FunctionSource
    scope: Scope
    # A generator expression has none.
    origin: Origin | None = None
    # The parameters of a generator expression come from the function around it.
    name: str = field(default="generator")

    @property
    def state(self) -> Key:
        """The variable that says where it goes on: 0 at its start, -1 at its end."""
        return (self.scope, "%state")


def is_position(key: Key) -> bool:
    """Whether a variable says how far an iterator has come."""
    owner, name = key
    return isinstance(owner, Cursor) or (name == "%state" and isinstance(owner, Scope))


class Interleaved(Exception):
    """Thrown where an iterator is asked that a loop is running over."""

    def __init__(self, iterator: Cursor | Generator) -> None:
        self.iterator = iterator


RUNNING = Constant("running", Function("running"))
"""The position of an iterator while a loop runs over all of it."""


def iterator_of(node: Node) -> Cursor | Generator | None:
    """The iterator that a node stands for, if it does."""
    if isinstance(node, Constant) and isinstance(node.value, Cursor | Generator):
        return node.value
    return None


def make_cursor(it: Interpreter, make: Callable[[Node], Iteration]) -> Constant:
    """An iterator at the start of what `make` gives."""
    cursor = Cursor(make)
    it.env[cursor.position] = it.constant(0)
    return Constant(cursor, Function(cursor))


def unknown_iterator() -> Constant:
    """An iterator that is another one on another path: it cannot be asked."""
    cursor = Cursor(lambda taken: Iteration(items=[]))
    return Constant(cursor, Function(cursor))


def is_range(node: Node) -> bool:
    """Whether a value is a range."""
    over = node.value if isinstance(node, Constant) else None
    return isinstance(over, Iteration) and over.index_is_item


def refuse_iterator(it: Interpreter, node: Node) -> None:
    """Refuse what NumPy takes for one object, though one can run over it."""
    over = node.value if isinstance(node, Constant) else None
    if isinstance(over, LazyIterator | Iteration) and not is_range(node):
        raise it.fail(
            UnsupportedSyntax,
            "NumPy makes no array of the items of an iterator or of a view",
            "make a list of it first: list(…)",
        )


def as_iterator(it: Interpreter, node: Node) -> Node:
    """`iter(node)`."""
    if iterator_of(node) is not None:
        return node
    # What is run over is decided now, how long it is only when it is asked.
    iterate(it, node)
    return make_cursor(it, lambda taken: iterate(it, node))


def is_fresh(it: Interpreter, node: Node) -> bool:
    """Whether an iterator has not been asked yet, and nobody else can ask it."""
    found = iterator_of(node)
    if found is None:
        return True
    if isinstance(found, Generator):
        return False
    return _is_number(position_of(it, found), 0) and not is_shared(it, found)


def are_fresh(it: Interpreter, nodes: list[Node]) -> bool:
    """Whether iterators are all fresh, and no two of them are one."""
    found = [i for i in map(iterator_of, nodes) if i is not None]
    one = len({id(i) for i in found}) < len(found)
    return not one and all(is_fresh(it, n) for n in nodes)


def is_shared(
    it: Interpreter, iterator: Cursor | Generator, dead: Key | None = None
) -> bool:
    """Whether some variable, list or function still knows an iterator.

    A variable that is `dead` does not count.
    """
    pending: list[Any] = [
        v for key, v in it.env.items() if key[1] != "%return" and key != dead
    ]
    for items in it.known_items.values():
        pending += items
    seen: set[int] = set()
    while pending:
        node = pending.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        value = getattr(node, "value", None) if isinstance(node, Constant) else None
        if value is iterator:
            return True
        if isinstance(value, Partial):
            pending += [value.function, *value.args, *value.keywords.values()]
        elif isinstance(value, BoundMethod):
            pending.append(value.instance)
        elif isinstance(node, Apply) and node.op in (ops.TUPLE, ops.LIST):
            pending += node.args
    return False


# Cursors ----------------------------------------------------------------------------


def _is_number(node: Node, value: int) -> bool:
    return (
        isinstance(node, Constant) and type(node.value) is int and node.value == value
    )


def position_of(it: Interpreter, cursor: Cursor) -> Node:
    """How far an iterator has come."""
    found = it.env.get(cursor.position)
    if found is None:
        raise it.fail(
            UnsupportedSyntax,
            "which iterator this is, or how far it has come, depends on the path that "
            "is taken",
            "choose between lists, and make the iterator where it is used",
        )
    if found is RUNNING:
        raise Interleaved(cursor)
    return found


def remaining(it: Interpreter, cursor: Cursor) -> Iteration:
    """What an iterator has not given yet."""
    position = position_of(it, cursor)
    if _is_number(position, -1):
        return Iteration(items=[])
    over = cursor.make(position)
    if _is_number(position, 0):
        return over
    size = over.size
    if size is not None and isinstance(position, Constant):
        first = min(position.value, size)
        rest = Iteration.lazily(size - first, lambda k: over.now(first + k))
        return rest.over(over)
    from anadrome.frontend.values.iteration import as_indexed

    indexed = as_indexed(it, over)
    start = position
    if not isinstance(position, Constant):
        from anadrome.frontend.syntax.expressions import choose, numeric

        ended = numeric(it, operator.lt, position, it.constant(0))
        start = choose(it, ended, lambda: indexed.length(it), lambda: position)
    bounds = (start, indexed.length(it), it.constant(1))
    return Iteration(bounds, lambda i: indexed.at(it, i)).over(over)


def take_rest(it: Interpreter, cursor: Cursor) -> Iteration:
    """What an iterator has not given yet, for somebody who takes all of it."""
    over = remaining(it, cursor)
    it.env[cursor.position] = it.constant(-1)
    return over


def is_at_end(it: Interpreter, cursor: Cursor) -> Node:
    """Whether a cursor has no next item."""
    from anadrome.frontend.syntax.expressions import choose, numeric

    position = position_of(it, cursor)
    if _is_number(position, -1):
        return it.constant(True)
    length = cursor.make(position).length(it)
    if isinstance(position, Constant):
        ended = numeric(it, operator.ge, position, length)
        if isinstance(ended, Constant) and ended.value:
            finish(it, cursor)
        return ended
    before = numeric(it, operator.lt, position, it.constant(0))
    return choose(
        it,
        before,
        lambda: it.constant(True),
        lambda: numeric(it, operator.ge, position, length),
    )


def finish(it: Interpreter, cursor: Cursor) -> None:
    """An iterator that was at its end stays there, if what it runs over grows too."""
    it.env[cursor.position] = it.constant(-1)


def take_item(it: Interpreter, cursor: Cursor) -> Node:
    """The next item of a cursor that is not at its end, which goes on."""
    position = position_of(it, cursor)
    over = cursor.make(position)
    # It has come this far also if what makes the item raises.
    it.env[cursor.position] = arithmetic(it, operator.add, position, it.constant(1))
    if over.size is not None and isinstance(position, Constant):
        return over.now(position.value)
    from anadrome.frontend.values.iteration import as_indexed

    return as_indexed(it, over).at(it, position)


# Iterators without an end -----------------------------------------------------------


def endless(it: Interpreter, item: Callable[[Node], Node]) -> Iteration:
    """An iteration that has an item for every position."""
    return counted(it, it.constant(ENDLESS), item)


def is_endless(over: Iteration) -> bool:
    """Whether an iteration has no end."""
    return over.bounds is not None and _is_number(over.bounds[1], ENDLESS)
