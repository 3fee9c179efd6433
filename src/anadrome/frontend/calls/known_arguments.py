"""The arguments of a call that is known here: none of them may be overlooked."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from anadrome.errors import TypeMismatch
from anadrome.frontend.interpreter import Interpreter
from anadrome.ir.graph import Node

# The methods of classes that are written in C, which take `self` too.
_METHODS = (types.MethodDescriptorType, types.WrapperDescriptorType)


class GivenKeywords(dict[str, Node]):
    """Keyword arguments that remember which of them were read."""

    def __init__(self, given: dict[str, Node]) -> None:
        super().__init__(given)
        self.unread = set(given)

    def __getitem__(self, name: str) -> Node:
        self.unread.discard(name)
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        self.unread.discard(name)
        return super().__contains__(name)

    def __iter__(self) -> Iterator[str]:
        self.unread.clear()
        return super().__iter__()

    def get(self, name: str, default: Any = None) -> Any:
        self.unread.discard(name)
        return super().get(name, default)

    def pop(self, name: str, *default: Any) -> Any:
        self.unread.discard(name)
        return super().pop(name, *default)

    def keys(self) -> Any:
        self.unread.clear()
        return super().keys()

    def values(self) -> Any:
        self.unread.clear()
        return super().values()

    def items(self) -> Any:
        self.unread.clear()
        return super().items()


class MissingArgument(Exception):
    """Thrown where a positional argument is read that was not given."""


class GivenArguments(list[Node]):
    """Positional arguments that remember which of them were read."""

    def __init__(self, given: list[Node]) -> None:
        super().__init__(given)
        self.unread = set(range(len(given)))

    def __getitem__(self, index: Any) -> Any:
        try:
            found = range(len(self))[index]
        except IndexError:
            raise MissingArgument from None
        self.unread -= set(found) if isinstance(found, range) else {found}
        return super().__getitem__(index)

    def __iter__(self) -> Iterator[Node]:
        self.unread.clear()
        return super().__iter__()


def call_known(
    it: Interpreter,
    name: str,
    run: Callable[[list[Node], dict[str, Node]], Node],
    args: list[Node],
    keywords: dict[str, Node],
    function: Any = None,
) -> Node:
    """The value of a call, refused if one of its arguments had no part in it.

    `function` is what Python calls, if that is one of NumPy's.
    """
    bound = isinstance(function, _METHODS)
    taken = function is not None and takes(function, len(args) + bound, keywords)
    if function is not None and not taken:
        raise it.fail(
            TypeMismatch,
            f"'{name}' cannot be called with these arguments",
            "give it what it needs, and nothing else",
            python=TypeError,
        )
    positional, named = GivenArguments(args), GivenKeywords(keywords)
    try:
        found = run(positional, named)
    except MissingArgument:
        raise it.fail(
            TypeMismatch,
            f"'{name}' is given {len(args)} argument{'s' * (len(args) != 1)}: too few",
            "write them in order, without their names",
            python=None if taken else TypeError,
        ) from None
    for what in (
        *(f"the argument '{k}'" for k in sorted(named.unread)),
        *(f"argument {k + 1}" for k in sorted(positional.unread)),
    ):
        raise it.fail(
            TypeMismatch,
            f"{what} of '{name}' is not known here",
            "leave it away, or write the function out",
        )
    return found


def takes(function: Any, count: int, keywords: dict[str, Node]) -> bool:
    """Whether a function of NumPy's can be called with so many arguments."""
    if isinstance(function, np.ufunc):
        return function.nin <= count <= function.nargs
    try:
        inspect.signature(function).bind(*range(count), **keywords)
    except TypeError:
        return not callable(function)
    except ValueError:
        pass  # Python does not know its signature
    return True
