"""How the arguments of a call meet a function's parameters."""

from __future__ import annotations

from anadrome.errors import TypeMismatch
from anadrome.frontend.calls import star_arguments
from anadrome.frontend.calls.star_arguments import is_splat
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.syntax.source import FunctionSource
from anadrome.frontend.values.tuples import make_tuple
from anadrome.ir.graph import Node

Keywords = dict[str, Node]


def bind_arguments(
    it: Interpreter,
    source: FunctionSource,
    args: list[Node],
    keywords: Keywords,
    defaults: tuple[Node, ...],
    named: dict[str, Node],
) -> dict[str, Node]:
    """The parameters of a function and the values that a call gives them."""

    spec = source.node.args
    positional = [*spec.posonlyargs, *spec.args]
    if any(is_splat(a) for a in args):
        filled = [
            p.arg not in keywords and k < len(positional) - len(defaults)
            for k, p in enumerate(positional)
        ]
        args = star_arguments.spread(it, args, filled, spec.vararg is not None)
    values: dict[str, Node] = {}
    given = dict(keywords)
    for p, value in zip(positional, args):
        values[p.arg] = value
    extra = args[len(positional) :]
    whole = extra[0] if len(extra) == 1 and is_splat(extra[0]) else None
    if extra and spec.vararg is None:
        raise it.fail(
            TypeMismatch,
            f"{source.name}() takes {len(positional)} positional arguments "
            f"but {len(args)} were given",
            "leave the last ones out, or give the function a *args",
            python=TypeError,
        )
    required = len(positional) - len(defaults)
    for k, p in enumerate(positional):
        if p.arg in given and p not in spec.posonlyargs:
            if p.arg in values:
                raise it.fail(
                    TypeMismatch,
                    f"{source.name}() got two values for '{p.arg}'",
                    "pass it by position or by name, not both",
                    python=TypeError,
                )
            values[p.arg] = given.pop(p.arg)
        elif p.arg not in values:
            if k < required:
                raise it.fail(
                    TypeMismatch,
                    f"{source.name}() is missing the argument '{p.arg}'",
                    "pass it, or give it a default",
                    python=TypeError,
                )
            values[p.arg] = defaults[k - required]
    for p in spec.kwonlyargs:
        if p.arg in given:
            values[p.arg] = given.pop(p.arg)
        elif p.arg in named:
            values[p.arg] = named[p.arg]
        else:
            raise it.fail(
                TypeMismatch,
                f"{source.name}() is missing the keyword '{p.arg}'",
                "pass it by name, or give it a default",
                python=TypeError,
            )
    if spec.vararg is not None:
        values[spec.vararg.arg] = (
            whole.value.sequence  # type: ignore[attr-defined]
            if whole is not None
            else make_tuple(it, list(extra))
        )
    if spec.kwarg is not None:
        from anadrome.frontend.values.item_writes import new_dict, set_item

        rest = new_dict(it)
        for name, value in given.items():
            set_item(it, rest, it.constant(name), value)
        values[spec.kwarg.arg] = rest
    elif given:
        raise it.fail(
            TypeMismatch,
            f"{source.name}() does not take the keyword '{next(iter(given))}'",
            "check the names of its parameters",
            python=TypeError,
        )
    return values
