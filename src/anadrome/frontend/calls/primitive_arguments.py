"""The arguments of a primitive as its rules take them."""

from __future__ import annotations

from anadrome.ir.graph import Constant, Node
from anadrome.primitives.registry import Primitive


def by_position(
    primitive: Primitive, args: tuple[Node, ...], keywords: dict[str, Node]
) -> tuple[tuple[Node, ...], dict[str, Node]]:
    """Arguments of a call, those without a default by position even if named."""
    if not keywords:
        return args, keywords
    named = dict(keywords)
    for p in list(primitive.signature.parameters.values())[len(args) :]:
        positional = p.kind is p.POSITIONAL_OR_KEYWORD and p.default is p.empty
        if not positional or p.name not in named:
            break
        args = (*args, named.pop(p.name))
    return args, named


def without_defaults(
    primitive: Primitive, keywords: dict[str, Node]
) -> dict[str, Node]:
    """Keyword arguments that say something: rules pass all of them on."""
    declared = primitive.signature.parameters
    return {
        name: value
        for name, value in keywords.items()
        if not (
            isinstance(value, Constant)
            and name in declared
            and value.value is declared[name].default
        )
    }
