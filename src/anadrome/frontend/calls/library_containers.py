"""The containers of `collections`, written in the language itself.

The reader follows these in place of the originals, as it does what stands in `library`.
They never leave what is read: see `values.given_back`.
"""

# mypy: ignore-errors

from __future__ import annotations

import collections

from anadrome.frontend.calls.library import REPLACED, replaces


@replaces(collections.deque)
class Deque:
    """A list that is pushed and popped at both ends."""

    def __init__(self, items=(), maxlen=None):
        self.items = list(items)
        self.maxlen = maxlen
        if maxlen is not None:
            self.items = self.items[max(0, len(self.items) - maxlen) :]

    def append(self, item):
        self.items.append(item)
        if self.maxlen is not None and len(self.items) > self.maxlen:
            self.items.pop(0)

    def appendleft(self, item):
        self.items.insert(0, item)
        if self.maxlen is not None and len(self.items) > self.maxlen:
            self.items.pop()

    def extend(self, items):
        if isinstance(items, collections.deque):
            items = list(items)
        for item in items:
            self.append(item)

    def extendleft(self, items):
        for item in list(items):
            self.appendleft(item)

    def insert(self, index, item):
        if self.maxlen is not None and len(self.items) >= self.maxlen:
            raise IndexError("deque already at its maximum size")
        self.items.insert(index, item)

    def pop(self):
        return self.items.pop()

    def popleft(self):
        return self.items.pop(0)

    def remove(self, item):
        self.items.remove(item)

    def clear(self):
        self.items.clear()

    def reverse(self):
        self.items.reverse()

    def rotate(self, n=1):
        if len(self.items) > 1:
            for _ in range(n):
                self.items.insert(0, self.items.pop())
            for _ in range(-n):
                self.items.append(self.items.pop(0))

    def index(self, item, *where):
        return self.items.index(item, *where)

    def count(self, item):
        return self.items.count(item)

    def copy(self):
        return Deque(self.items, self.maxlen)

    def __len__(self):
        return len(self.items)

    def __bool__(self):
        return len(self.items) > 0

    def __getitem__(self, index):
        return self.items[index]

    def __setitem__(self, index, value):
        self.items[index] = value

    def __delitem__(self, index):
        del self.items[index]

    def __contains__(self, item):
        return item in self.items

    def __reversed__(self):
        return reversed(self.items)

    def __iadd__(self, items):
        self.extend(items)
        return self

    def __eq__(self, other):
        return isinstance(other, collections.deque) and self.items == other.items


class Table:
    """What is kept in a dictionary of its own."""

    def __setitem__(self, key, value):
        self.table[key] = value

    def __delitem__(self, key):
        del self.table[key]

    def __contains__(self, key):
        return key in self.table

    def __len__(self):
        return len(self.table)

    def __bool__(self):
        return len(self.table) > 0

    def __iter__(self):
        return list(self.table.keys())

    def __eq__(self, other):
        return self.table == plain_table(other)

    def keys(self):
        return self.table.keys()

    def values(self):
        return self.table.values()

    def items(self):
        return self.table.items()

    def get(self, key, default=None):
        return self.table.get(key, default)

    def pop(self, key, *default):
        return self.table.pop(key, *default)

    def setdefault(self, key, default=None):
        return self.table.setdefault(key, default)

    def clear(self):
        self.table.clear()


def plain_table(mapping):
    """A dictionary in place of what keeps one."""
    if isinstance(
        mapping,
        collections.Counter | collections.defaultdict | collections.OrderedDict,
    ):
        return mapping.table
    return mapping


def dict_of(mapping):
    """What `dict` makes of an object with `keys`."""
    return {key: mapping[key] for key in mapping.keys()}  # noqa: SIM118


@replaces(collections.defaultdict)
class DefaultDict(Table):
    """A dictionary that makes the values of missing keys."""

    def __init__(self, factory=None, items=(), /, **more):
        self.factory = factory
        self.table = dict(plain_table(items), **more)

    def __getitem__(self, key):
        if key not in self.table:
            if self.factory is None:
                raise KeyError(key)
            self.table[key] = self.factory()
        return self.table[key]

    def update(self, items=(), /, **more):
        self.table.update(plain_table(items), **more)

    def copy(self):
        return DefaultDict(self.factory, self.table)


@replaces(collections.OrderedDict)
class OrderedDict(Table):
    """A dictionary whose keys can be moved to either end."""

    def __init__(self, items=(), /, **more):
        self.table = dict(plain_table(items), **more)

    def __getitem__(self, key):
        return self.table[key]

    def __eq__(self, other):
        if not isinstance(other, collections.OrderedDict):
            return self.table == plain_table(other)
        return list(self.table.items()) == list(other.table.items())

    def __reversed__(self):
        return reversed(list(self.table.keys()))

    def update(self, items=(), /, **more):
        self.table.update(plain_table(items), **more)

    def move_to_end(self, key, last=True):
        value = self.table.pop(key)
        if last:
            self.table[key] = value
        else:
            self.table = {key: value, **self.table}

    def popitem(self, last=True):
        if len(self.table) == 0:
            raise KeyError("dictionary is empty")
        key = list(self.table.keys())[-1 if last else 0]
        return key, self.table.pop(key)

    def copy(self):
        return OrderedDict(self.table)


@replaces(collections.Counter)
class Counter(Table):
    """How often each item occurs."""

    def __init__(self, items=(), /, **more):
        self.table = {}
        self.update(items, **more)

    def __getitem__(self, key):
        return self.table.get(key, 0)

    def __delitem__(self, key):
        if key in self.table:
            del self.table[key]

    def __eq__(self, other):
        if not isinstance(other, collections.Counter):
            return self.table == plain_table(other)
        for key in self.table:
            if self.table[key] != other[key]:
                return False
        return all(self[key] == other.table[key] for key in other.table)

    def __add__(self, other):
        made = Counter()
        for key in self.table:
            if self.table[key] + other[key] > 0:
                made[key] = self.table[key] + other[key]
        for key in other.table:
            if key not in self.table and other.table[key] > 0:
                made[key] = other.table[key]
        return made

    def __sub__(self, other):
        made = Counter()
        for key in self.table:
            if self.table[key] - other[key] > 0:
                made[key] = self.table[key] - other[key]
        for key in other.table:
            if key not in self.table and other.table[key] < 0:
                made[key] = -other.table[key]
        return made

    def update(self, items=(), /, **more):
        if isinstance(items, dict):
            for key, count in items.items():
                self.table[key] = self.table.get(key, 0) + count
        else:
            for item in items:
                self.table[item] = self.table.get(item, 0) + 1
        for key, count in more.items():
            self.table[key] = self.table.get(key, 0) + count

    def subtract(self, items=(), /, **more):
        if isinstance(items, dict):
            for key, count in items.items():
                self.table[key] = self.table.get(key, 0) - count
        else:
            for item in items:
                self.table[item] = self.table.get(item, 0) - 1
        for key, count in more.items():
            self.table[key] = self.table.get(key, 0) - count

    def most_common(self, n=None):
        found = sorted(self.table.items(), key=lambda pair: pair[1], reverse=True)
        return found if n is None else found[: max(n, 0)]

    def elements(self):
        for key, count in self.table.items():
            for _ in range(count):
                yield key

    def total(self):
        return sum(self.table.values())

    def copy(self):
        return Counter(self.table)


@replaces(dict.fromkeys)
def dict_from_keys(keys, value=None):
    return {key: value for key in keys}  # noqa: C420


ORIGINALS = {
    made: original for original, made in REPLACED.items() if isinstance(made, type)
}
"""The classes of the library that the reader's own stand for."""


def original_of(cls: type) -> type:
    """The class that a program sees in place of the reader's own."""
    return ORIGINALS.get(cls, cls)
