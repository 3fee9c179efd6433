"""Objects with `__next__`, and functions that are called until they give a sentinel.

Whoever takes their items is given a generator that asks them: so all that holds for
generators holds for them. That generator is read like one that the user has written.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.values.iteration import is_own_iterator, own_iterator
from anadrome.ir.graph import Node

# Functions of which the first argument is run over, every one, or all but the first.
_FIRST = frozenset(
    [
        *(all, any, dict, enumerate, frozenset, list, set, sorted, sum, tuple),
        *(itertools.accumulate, itertools.cycle, itertools.islice, itertools.pairwise),
        *(itertools.combinations, itertools.permutations, itertools.tee),
        *(itertools.combinations_with_replacement, itertools.groupby),
    ]
)
_EVERY = frozenset(
    [zip, itertools.chain, itertools.product, itertools.zip_longest, itertools.compress]
)
_REST = frozenset(
    [
        *(map, filter, itertools.takewhile, itertools.dropwhile),
        *(itertools.filterfalse, itertools.starmap),
    ]
)


def items_of(iterator: Any) -> Iterator[Any]:
    """What an object with `__next__` gives."""
    while True:
        try:
            item = iterator.__next__()
        except StopIteration:
            return
        yield item


def items_until(function: Callable[[], Any], sentinel: Any) -> Iterator[Any]:
    """What a function gives until it gives the sentinel."""
    while True:
        try:
            item = function()
        except StopIteration:
            return
        if sentinel == item:
            return
        yield item


def next_or(iterator: Any, default: Any) -> Any:
    """The next item of an object with `__next__`, or something else at its end."""
    try:
        return iterator.__next__()
    except StopIteration:
        return default


def opened(it: Interpreter, node: Node) -> Node:
    """A generator in the place of an object that gives its own items."""
    from anadrome.frontend.calls.calls import call

    found = own_iterator(it, node)
    if is_own_iterator(found):
        return call(it, it.constant(items_of), [found], {})
    return found


def until(it: Interpreter, function: Node, sentinel: Node) -> Node:
    """`iter(function, sentinel)`."""
    from anadrome.frontend.calls.calls import call

    return call(it, it.constant(items_until), [function, sentinel], {})


def next_of(it: Interpreter, args: list[Node]) -> Node:
    """`next(iterator)` and `next(iterator, default)` of an object with `__next__`."""
    from anadrome.frontend.calls.calls import call, call_method

    if len(args) == 1:
        return call_method(it, args[0], "__next__", [], {})
    return call(it, it.constant(next_or), args, {})


def opened_for(it: Interpreter, function: Any, args: list[Node]) -> list[Node]:
    """The arguments of a function, opened if it takes the items of them."""
    try:
        first, last = function in _FIRST or function in _EVERY, function in _REST
    except TypeError:
        return args
    if function in (max, min):
        first = len(args) == 1
    if not (first or last):
        return args
    start, stop = int(last), len(args) if function not in _FIRST else 1
    return [
        opened(it, a) if start <= k < stop and is_own_iterator(a) else a
        for k, a in enumerate(args)
    ]
