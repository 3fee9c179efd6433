"""Parts of the standard library and of NumPy, written in the language itself.

The reader follows these in place of the originals, so that they are differentiated
like code of the user's. Each does what the original does for the arguments it takes.
"""

# mypy: ignore-errors

from __future__ import annotations

import functools
import heapq
import itertools
import math
import operator
from typing import Any

import numpy as np

from anadrome.errors import UnsupportedSyntax
from anadrome.primitives.registry import nondifferentiable

REPLACED: dict[Any, Any] = {}


def replaces(original):
    """Enter a function or class in place of one of the library's."""

    def enter(made):
        REPLACED[original] = made
        return made

    return enter


@replaces(functools.lru_cache)
def lru_cache(maxsize=128, typed=False):
    """A cache changes nothing but the time that a function takes, or is refused."""
    if callable(maxsize):
        return cached(maxsize)
    return cached


@replaces(functools.cache)
def cache(function):
    return cached(function)


def cached(function):
    """A function whose results are kept; the reader has its own way to call it."""
    raise NotImplementedError


def call_cached(function, /, *args, **keywords):
    """A call of such a function."""
    raise NotImplementedError


def memoised(function):
    found = {}

    def call(*args):
        if args in found:
            return found[args]
        result = function(*args)
        found[args] = result
        return result

    return call


@replaces(functools.wraps)
def wraps(wrapped, *rest, **more):
    return lambda function: named_as(function, wrapped)


def named_as(function, wrapped):
    """A function with the name of another; the reader has its own way to make it."""
    raise NotImplementedError


@replaces(operator.itemgetter)
def itemgetter(*keys):
    if len(keys) == 1:
        return lambda value: value[keys[0]]
    return lambda value: tuple([value[key] for key in keys])


@replaces(operator.attrgetter)
def attrgetter(*names):
    if len(names) == 1:
        return lambda value: attribute_at(value, names[0])
    return lambda value: tuple([attribute_at(value, name) for name in names])


def attribute_at(value, path):
    for name in names_on(path):
        value = getattr(value, name)
    return value


@nondifferentiable
def names_on(path):
    return tuple(path.split("."))


@replaces(operator.methodcaller)
def methodcaller(name, /, *args, **keywords):
    return lambda value: getattr(value, name)(*args, **keywords)


@replaces(heapq.nsmallest)
def nsmallest(n, iterable, key=None):
    return sorted(iterable, key=key)[: max(n, 0)]


@replaces(heapq.nlargest)
def nlargest(n, iterable, key=None):
    return sorted(iterable, key=key, reverse=True)[: max(n, 0)]


@replaces(math.prod)
def product(iterable, *, start=1):
    for factor in iterable:
        start = start * factor
    return start


@replaces(np.asarray_chkfinite)
def asarray_chkfinite(a, dtype=None, order=None):
    found = np.asarray(a, dtype, order)
    if not np.all(np.isfinite(found)):
        raise ValueError("array must not contain infs or NaNs")
    return found


# Iterators ----------------------------------------------------------------------------


def append_each(found, items):
    for item in items:
        found.append(item)


def add_each(found, items):
    for item in items:
        found.add(item)


def put_each(found, pairs):
    for key, value in pairs:
        found[key] = value


def zip_together(*items):
    iterators = tuple([iter(i) for i in items])
    while True:
        row = next_row(iterators)
        if row is None:
            return
        yield row


def next_row(iterators):
    """The next item of each iterator, None if one has none."""
    row = ()
    for iterator in iterators:
        if at_end(iterator):
            return None
        item = item_of(iterator)
        row = (*row, item)
    return row


def zip_strictly(*items):
    iterators = tuple([iter(i) for i in items])
    while True:
        row = ()
        for iterator in iterators:
            if at_end(iterator):
                if len(row) > 0:
                    raise ValueError("zip() arguments have different lengths")
                for other in iterators[1:]:
                    if not at_end(other):
                        raise ValueError("zip() arguments have different lengths")
                return
            item = item_of(iterator)
            row = (*row, item)
        yield row


def zip_sized_strictly(*items):
    yield from zip(*items)
    length = len(items[0])
    for other in items[1:]:
        if len(other) != length:
            raise ValueError("zip() arguments have different lengths")


def enumerate_items(items, start):
    number = start
    for item in items:
        yield number, item
        number = number + 1


def map_items(function, *items):
    if len(items) == 1:
        for item in items[0]:
            yield function(item)
    elif len(items) == 2:
        for first, second in zip(*items):
            yield function(first, second)
    else:
        for row in zip(*items):
            yield function(*row)


def filter_items(test, items):
    for item in items:
        if test(item):
            yield item


def filter_true(items):
    for item in items:
        if item:
            yield item


def any_item(items):
    for item in items:  # noqa: SIM110
        if item:
            return True
    return False


def all_items(items):
    for item in items:  # noqa: SIM110
        if not item:
            return False
    return True


def contains_item(items, wanted):
    for item in items:  # noqa: SIM110
        if item == wanted:
            return True
    return False


def answers(asked, name):
    try:
        getattr(asked, name)
    except AttributeError:
        return False
    return True


def answer_or(asked, name, default):
    try:
        return getattr(asked, name)
    except AttributeError:
        return default


def in_range(wanted, start, stop, step):
    if step > 0:
        return bool(start <= wanted < stop and (wanted - start) % step == 0)
    return bool(stop < wanted <= start and (start - wanted) % -step == 0)


def pop_or_default(mapping, key, default):
    if key in mapping:
        found = mapping[key]
        del mapping[key]
        return found
    return default


@nondifferentiable
def at_end(iterator):
    """Whether an iterator has no next item; the reader has its own way to know."""
    raise NotImplementedError


@nondifferentiable
def item_of(iterator):
    """The item that `at_end` has gone on to; the reader has its own way to take it."""
    raise NotImplementedError


@replaces(itertools.accumulate)
def accumulate(iterable, func=operator.add, *, initial=None):
    iterator = iter(iterable)
    if initial is None:
        if at_end(iterator):
            return
        total = item_of(iterator)
    else:
        total = initial
    yield total
    for item in iterator:
        total = func(total, item)
        yield total


@replaces(itertools.chain)
def chain(*parts):
    for part in parts:
        yield from part


@replaces(itertools.chain.from_iterable)
def chain_from_iterable(parts):
    for part in parts:
        yield from part


@replaces(itertools.pairwise)
def pairwise(iterable):
    started = False
    for item in iterable:
        if started:
            yield before, item  # noqa: F821
        before, started = item, True  # noqa: F841


@replaces(itertools.islice)
def islice(items, *bounds):
    held = slice(*bounds)
    start = 0 if held.start is None else held.start
    step = 1 if held.step is None else held.step
    if start < 0 or step < 1 or (held.stop is not None and held.stop < 0):
        raise ValueError("Indices for islice() must be None or non-negative integers")
    if isinstance(items, (list, tuple)):
        stop = len(items) if held.stop is None else min(held.stop, len(items))
        for k in range(start, stop, step):
            yield items[k]
        return
    iterator = iter(items)
    k = 0
    while held.stop is None or k < held.stop:
        if at_end(iterator):
            return
        item = item_of(iterator)
        if k >= start and (k - start) % step == 0:
            yield item
        k = k + 1


@replaces(itertools.starmap)
def starmap(function, iterable):
    for row in iterable:
        yield function(*row)


@replaces(itertools.cycle)
def cycle(iterable):
    held = list(iterable)
    while len(held) > 0:
        yield from held


@replaces(itertools.combinations)
def combinations(iterable, r):
    held = list(iterable)
    if r == 1:
        return iter([(a,) for a in held])
    size = len(held)
    if r == 2:
        pairs = [(held[i], held[j]) for i in range(size) for j in range(i + 1, size)]
        return iter(pairs)
    rows = _orders(itertools.combinations, size, r)
    return iter([tuple([held[i] for i in row]) for row in rows])


@replaces(itertools.permutations)
def permutations(iterable, r=None):
    held = list(iterable)
    size = len(held)
    if r == 1:
        return iter([(a,) for a in held])
    if r == 2:
        both = [(i, j) for i in range(size) for j in range(size) if i != j]
        return iter([(held[i], held[j]) for i, j in both])
    rows = _orders(itertools.permutations, size, r)
    return iter([tuple([held[i] for i in row]) for row in rows])


@replaces(itertools.combinations_with_replacement)
def combinations_with_replacement(iterable, r):
    held = list(iterable)
    rows = _orders(itertools.combinations_with_replacement, len(held), r)
    return iter([tuple([held[i] for i in row]) for row in rows])


@nondifferentiable
def _orders(choose, size, count):
    return [list(row) for row in choose(range(size), count)]


@replaces(itertools.zip_longest)
def zip_longest(*rows, fillvalue=None):
    held = [list(row) for row in rows]
    longest = max([len(row) for row in held], default=0)
    return iter(
        [
            tuple([row[k] if k < len(row) else fillvalue for row in held])
            for k in range(longest)
        ]
    )


@replaces(itertools.takewhile)
def takewhile(predicate, iterable):
    for item in iterable:
        if not predicate(item):
            return
        yield item


@replaces(itertools.dropwhile)
def dropwhile(predicate, iterable):
    dropping = True
    for item in iterable:
        if dropping and predicate(item):
            continue
        dropping = False
        yield item


@replaces(itertools.filterfalse)
def filterfalse(function, iterable):
    for item in iterable:
        if not (item if function is None else function(item)):
            yield item


@replaces(itertools.compress)
def compress(data, selectors):
    for item, chosen in zip(data, selectors):
        if chosen:
            yield item


@replaces(itertools.groupby)
def groupby(iterable, key=None):
    held = list(iterable)
    keys = [item if key is None else key(item) for item in held]
    starts = [k for k in range(len(held)) if k == 0 or keys[k] != keys[k - 1]]
    ends = [*starts[1:], len(held)]
    return iter([(keys[a], held[a:b]) for a, b in zip(starts, ends)])


@replaces(np.ndenumerate)
def ndenumerate(arr):
    return iter([(where, arr[where]) for where in _positions(np.shape(arr))])


@replaces(np.ndindex)
def ndindex(*shape):
    if len(shape) == 1 and isinstance(shape[0], tuple):
        return iter(_positions(shape[0]))
    return iter(_positions(shape))


def _positions(shape):
    if len(shape) == 1:
        return [(i,) for i in range(shape[0])]
    if len(shape) == 2:
        return [(i, j) for i in range(shape[0]) for j in range(shape[1])]
    if len(shape) == 3:
        return [
            (i, j, k)
            for i in range(shape[0])
            for j in range(shape[1])
            for k in range(shape[2])
        ]
    raise UnsupportedSyntax("np.ndindex over more than three axes")


@replaces(np.vectorize)
def vectorize(function):
    def apply(*arrays):
        spread = np.broadcast_arrays(*arrays)
        shape = np.shape(spread[0])
        if 0 in shape:
            raise ValueError(
                "cannot call `vectorize` on size 0 inputs unless `otypes` is set"
            )
        rows = [np.ravel(a) for a in spread]
        # It asks for the dtype first; then it gives numbers of Python's.
        dtype = np.asarray(function(*[row[0] for row in rows])).dtype
        made = [function(*[row[i].item() for row in rows]) for i in range(len(rows[0]))]
        if any(type(item) is not type(made[0]) for item in made):
            raise UnsupportedSyntax("np.vectorize of a function of several types")
        return np.reshape(np.array(made).astype(dtype), shape)

    return apply


@replaces(np.apply_along_axis)
def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    rows = np.moveaxis(arr, axis, -1)
    shape = np.shape(rows)
    count = 1
    for n in shape[:-1]:
        count = count * n
    if count == 0:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    flat = np.reshape(rows, (count, shape[-1]))
    made = np.array([func1d(row, *args, **kwargs) for row in flat])
    if np.ndim(made) == 1:
        return np.reshape(made, shape[:-1])
    return np.moveaxis(np.reshape(made, (*shape[:-1], -1)), -1, axis)


@replaces(np.apply_over_axes)
def apply_over_axes(func, a, axes):
    held = np.asarray(a)
    for axis in (axes,) if isinstance(axes, int) else axes:
        found = func(held, axis)
        held = found if np.ndim(found) == np.ndim(held) else np.expand_dims(found, axis)
    return held


@replaces(np.piecewise)
def piecewise(x, condlist, funclist, *args, **kw):
    if np.ndim(x) == 0:
        several = condlist if np.ndim(condlist) else [condlist]
        conditions = [np.reshape(c, (1,)) for c in several]
        found = _pieces(np.reshape(x, (1,)), conditions, funclist, args, kw)
        return np.reshape(found, ())
    if np.ndim(condlist) == 1:
        # One condition need not be put into a list.
        return _pieces(x, [np.asarray(condlist)], funclist, args, kw)
    if not isinstance(condlist, (list, tuple)):
        raise UnsupportedSyntax("np.piecewise with the conditions in one array")
    return _pieces(x, condlist, funclist, args, kw)


def _pieces(x, conditions, funclist, args, kw):
    found = np.zeros_like(x)
    if len(funclist) == len(conditions) + 1:
        elsewhere = np.ones(np.shape(x), bool)
        for condition in conditions:
            elsewhere = elsewhere & np.logical_not(condition)
        if np.any(elsewhere):
            found[elsewhere] = _piece(funclist[-1], x[elsewhere], args, kw)
    elif len(funclist) != len(conditions):
        raise ValueError("np.piecewise: as many functions as conditions, or one more")
    # Of two conditions that hold the last one counts. A function is given what was
    # chosen for it, and is not called if that is nothing.
    for k in range(len(conditions)):
        condition, function = conditions[k], funclist[k]
        if np.any(condition):
            found[condition] = _piece(function, x[condition], args, kw)
    return found


def _piece(function, chosen, args, keywords):
    return function(chosen, *args, **keywords) if callable(function) else function


# Objects that join what is in their brackets ------------------------------------------


def join_rows(key, dtype):
    parts = key if isinstance(key, tuple) else (key,)
    joined = np.concatenate([np.atleast_1d(_spread(part)) for part in parts])
    return joined if dtype is None else joined.astype(dtype)


def join_columns(key, dtype):
    parts = key if isinstance(key, tuple) else (key,)
    joined = np.concatenate([_as_columns(_spread(part)) for part in parts], axis=-1)
    return joined if dtype is None else joined.astype(dtype)


def _as_columns(part):
    return np.atleast_1d(part)[:, None] if np.ndim(part) < 2 else part


def _spread(part):
    if isinstance(part, str):
        raise UnsupportedSyntax("text in the brackets of np.r_ and np.c_")
    if not isinstance(part, slice):
        return np.asarray(part) if isinstance(part, list | tuple) else part
    start = 0 if part.start is None else part.start
    if isinstance(part.step, complex):
        return np.linspace(start, part.stop, int(abs(part.step)))
    return np.arange(start, part.stop, 1 if part.step is None else part.step)


JOINERS = {type(np.r_): join_rows, type(np.c_): join_columns}
"""What `np.r_[…]` and `np.c_[…]` do, by their classes."""


def check_shape_of_out(out, found):
    if out.shape != found.shape:
        raise ValueError(
            f"output array has the shape {out.shape}, the result {found.shape}"
        )
