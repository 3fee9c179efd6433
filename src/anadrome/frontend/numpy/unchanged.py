"""Functions of NumPy that give back the array itself for some value of an option."""

from __future__ import annotations

from typing import Any

import numpy as np

from anadrome.frontend.calls.builtins import handles
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.numpy.arraylike import as_array
from anadrome.frontend.values.known import is_known, static_value
from anadrome.ir.graph import Node
from anadrome.primitives.registry import find_primitive


@handles(np.diff)
def _diff(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    if args and _is_known_as(_second(args, keywords), 0):
        # Nothing else is looked at.
        list(args), list(keywords)
        return args[0]
    return _call(it, np.diff, args, keywords)


@handles(np.linalg.matrix_power)
def _matrix_power(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    found = _call(it, np.linalg.matrix_power, args, keywords)
    if args and _is_known_as(_second(args, keywords), 1):
        # What was computed fails where the matrix is not square.
        return as_array(it, args[0])
    return found


def _second(args: list[Node], keywords: dict[str, Node]) -> Node | None:
    return args[1] if len(args) > 1 else keywords.get("n")


def _is_known_as(option: Node | None, number: int) -> bool:
    if option is None or not is_known(option):
        return False
    value = static_value(option)
    return type(value) is int and value == number


def _call(
    it: Interpreter, target: Any, args: list[Node], keywords: dict[str, Node]
) -> Node:
    from anadrome.frontend.calls.calls import call_primitive

    primitive = find_primitive(target)
    assert primitive is not None
    return call_primitive(it, primitive, list(args), dict(keywords.items()), target)
