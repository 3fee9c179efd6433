"""Calls of functions of NumPy with one of several dtypes, or with a dtype or None."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.values.compile_time import FunctionChoice
from anadrome.frontend.values.known import is_known
from anadrome.ir.graph import Constant, Node
from anadrome.primitives.registry import Primitive


def chosen_option(args: Iterable[Node]) -> Constant | None:
    """An argument of which it is known at run time only which of several it is."""
    for node in args:
        value = node.value if isinstance(node, Constant) else None
        if isinstance(value, FunctionChoice) and all(map(is_known, value.options)):
            return node  # type: ignore[return-value]
    return None


def call_for_each(
    it: Interpreter,
    primitive: Primitive,
    args: list[Node],
    keywords: dict[str, Node],
    target: Any,
    several: Constant,
) -> Node:
    """The call with each of them: a chain of branches."""
    from anadrome.frontend.calls.calls import call_primitive
    from anadrome.frontend.syntax.expressions import binary, choose

    choice: FunctionChoice = several.value

    def called(option: Node) -> Node:
        given = [option if a is several else a for a in args]
        named = {n: option if v is several else v for n, v in keywords.items()}
        return call_primitive(it, primitive, given, named, target)

    def pick(k: int) -> Node:
        if k == len(choice.options) - 1:
            return called(choice.options[k])
        test = binary(it, operator.eq, choice.selector, it.constant(choice.keys[k]))
        return choose(it, test, lambda: called(choice.options[k]), lambda: pick(k + 1))

    return pick(0)


__all__ = ["call_for_each", "chosen_option"]
