"""Variables, attributes and keys: what outlives a region, and what differs after it."""

from __future__ import annotations

from typing import Any

from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.values.compile_time import Key, Scope, Virtual
from anadrome.ir.graph import Constant, Node


def is_hidden(key: Key) -> bool:
    """Whether a variable is one of the reader's own, such as a flag."""
    return isinstance(key[1], str) and key[1].startswith("%")


def celled_name(key: Key) -> str | None:
    """The variable that a list holds because a recursive function assigns it."""
    if isinstance(key[1], str) and key[1].startswith("%cell "):
        return key[1].removeprefix("%cell ")
    return None


def label_of(key: Key) -> str | None:
    """What the user calls a variable, an attribute or a key."""
    return key[1] if isinstance(key[1], str) and not is_hidden(key) else None


def is_active(it: Interpreter, scope: Scope) -> bool:
    """Whether a scope belongs to a function that is being read."""
    for f in it.frames:
        s: Scope | None = f.scope
        while s is not None:
            if s is scope:
                return True
            s = s.parent if s.is_comprehension else None
    return False


def alive(
    it: Interpreter, key: Key, live: frozenset[str], before: dict[Key, Node]
) -> bool:
    """Whether a variable can be read after the region."""
    owner, name = key
    if isinstance(owner, Scope):
        if it.frames and owner is it.frame.scope:
            # What functions in it have captured is always live; which variables a
            # generator needs depends on where it will go on.
            return name in live or is_hidden(key) or (owner.suspended and key in before)
        return owner.captured or is_active(it, owner)
    return any(k[0] is owner for k in before)


def differing_dicts(
    a: dict[Key, Node], b: dict[Key, Node], before: dict[Key, Node]
) -> list[Virtual]:
    """The dictionaries that existed and differ in their keys or in the order of them.

    Which keys such a one has is known only at run time, so it must exist then.
    """
    owners = {k[0] for k in (*a, *b) if isinstance(k[0], Virtual) and k[0].is_dict}
    found = []
    for owner in owners:
        if (owner, "%heap") in a or (owner, "%heap") in b:
            continue
        if [k for k in a if k[0] is owner] == [k for k in b if k[0] is owner]:
            continue
        if existed(owner, before):
            found.append(owner)
    return sorted(found, key=lambda v: v.number)


def existed(owner: Any, before: dict[Key, Node]) -> bool:
    """Whether an object was there already, be it without attributes."""
    return any(k[0] is owner for k in before) or any(
        v is owner for v in before.values()
    )


def same_constant(x: Node, y: Node) -> bool:
    """Whether two nodes are equal constants of one type."""
    if not (isinstance(x, Constant) and isinstance(y, Constant)):
        return False
    if x.value is y.value:
        return True
    try:
        return type(x.value) is type(y.value) and bool(x.value == y.value)
    except Exception:
        return False
