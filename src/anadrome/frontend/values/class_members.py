"""What classes define, as far as it decides what a program does.

A method, a property or a base class may be replaced after a function was read. The
functions and descriptors of every class that was met are therefore compared, one look
at a class at a time; what else a class holds is data, and read like other data.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import lru_cache
from operator import itemgetter
from typing import Any

from anadrome.ir.types import Object, Tuple, Type, deref, parts

_LIBRARIES = ("numpy", "scipy", "anadrome", "builtins")


@lru_cache(maxsize=1024)
def has_members(cls: type) -> bool:
    """Whether a class is the user's, so that what it defines may change."""
    root = (cls.__module__ or "").split(".")[0]
    return root not in _LIBRARIES and root not in sys.stdlib_module_names


def classes_in(t: Type) -> Iterator[type]:
    """The classes of the objects in values of a type."""
    pending, seen = [t], set()
    while pending:
        t = deref(pending.pop())
        if id(t) in seen:
            continue
        seen.add(id(t))
        pending += parts(t)
        if isinstance(t, Object) or (isinstance(t, Tuple) and t.cls is not tuple):
            yield t.cls


_SAY_NOTHING = frozenset(
    (
        *("__module__", "__qualname__", "__doc__", "__dict__", "__weakref__"),
        *("__annotations__", "__slots__", "__static_attributes__", "_abc_impl"),
        *("__firstlineno__", "__dataclass_fields__", "__dataclass_params__"),
    )
)


def member_reader(cls: type) -> Callable[[], Any]:
    """A function that reads what a class defines and inherits from.

    How many members there are shows whether one has been added. Of data the type is
    enough: it shows whether a property has taken their place.
    """
    table = vars(cls)
    names = [n for n in table if n not in _SAY_NOTHING]
    code = [n for n in names if callable(table[n]) or hasattr(table[n], "__get__")]
    data = [n for n in names if n not in code]
    # There is always more than one item to pick, and so always a tuple.
    pick = itemgetter("__module__", "__module__", *code)
    if not data:
        return lambda: (len(table), cls.__mro__, pick(table))
    look = itemgetter("__module__", *data)
    return lambda: (
        len(table),
        cls.__mro__,
        pick(table),
        tuple(map(type, look(table))),
    )


def itself(function: Any) -> Any:
    """How a guard reads a function of which only the code may change."""
    return function


__all__ = ["classes_in", "has_members", "itself", "member_reader"]
