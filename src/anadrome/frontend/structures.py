"""Functions on dataclasses, and copies of whole structures."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import numpy as np

from anadrome.errors import TypeMismatch, UnsupportedSyntax
from anadrome.frontend import containers, iteration
from anadrome.frontend.attributes import get_attribute
from anadrome.frontend.builtins import FUNCTIONS, handles
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.iteration import iterate
from anadrome.frontend.regions import make_tuple, take
from anadrome.ir import operations as ops
from anadrome.ir.graph import Node
from anadrome.ir.types import (
    Dict,
    List,
    Num,
    Object,
    Optional,
    Tuple,
    VarTuple,
    deref,
    strip_optional,
)
from anadrome.primitives.registry import find_primitive

Keywords = dict[str, Node]


def _fields(it: Interpreter, node: Node, what: str) -> tuple[Any, list[str]]:
    t = strip_optional(node.type)
    if not (isinstance(t, Object) and dataclasses.is_dataclass(t.cls)):
        raise it.fail(
            TypeMismatch,
            f"{what} needs a dataclass, this is {t!r}",
            "decorate the class with @dataclass",
            python=TypeError,
        )
    return t.cls, [f.name for f in dataclasses.fields(t.cls)]


@handles(dataclasses.replace)
def _replace(it: Interpreter, args: list[Node], keywords: Keywords) -> Node:
    from anadrome.frontend.calls import call_value

    cls, names = _fields(it, args[0], "replace")
    made = {n: get_attribute(it, args[0], n) for n in names if n not in keywords}
    return call_value(it, cls, [], {**made, **keywords})


@handles(dataclasses.asdict)
def _asdict(it: Interpreter, args: list[Node], keywords: Keywords) -> Node:
    _, names = _fields(it, args[0], "asdict")
    made = containers.new_dict(it)
    for n in names:
        value = _plain(it, get_attribute(it, args[0], n), _asdict)
        containers.set_item(it, made, it.constant(n), value)
    return made


@handles(dataclasses.astuple)
def _astuple(it: Interpreter, args: list[Node], keywords: Keywords) -> Node:
    _, names = _fields(it, args[0], "astuple")
    values = [_plain(it, get_attribute(it, args[0], n), _astuple) for n in names]
    return make_tuple(it, values)


def _plain(it: Interpreter, node: Node, convert: Any) -> Node:
    """A field's value as `asdict` and `astuple` give it: converted and copied."""
    t = strip_optional(node.type)
    if isinstance(t, Object) and dataclasses.is_dataclass(t.cls):
        found: Node = convert(it, [node], {})
        return found
    return deep_copy(it, node)


@handles(dataclasses.fields)
def _dataclass_fields(it: Interpreter, args: list[Node], keywords: Keywords) -> Node:
    t = strip_optional(args[0].type)
    cls = t.cls if isinstance(t, Object) else getattr(args[0], "value", None)
    if not (isinstance(cls, type) and dataclasses.is_dataclass(cls)):
        raise it.fail(
            TypeMismatch,
            "fields needs a dataclass",
            "decorate the class with @dataclass",
            python=TypeError,
        )
    return it.constant(dataclasses.fields(cls))


@handles(copy.copy)
def _copy(it: Interpreter, args: list[Node], keywords: Keywords) -> Node:
    node = args[0]
    t = strip_optional(node.type)
    _refuse_own_copy(it, t)
    if isinstance(t, List):
        return containers.as_list(it, node)
    if isinstance(t, Num):
        return _copy_array(it, node, t)
    if isinstance(t, Dict):
        return FUNCTIONS[dict](it, [node], {})
    if isinstance(t, Object):
        return _copy_object(it, node, t, lambda v: v)
    return node


@handles(copy.deepcopy)
def _deepcopy(it: Interpreter, args: list[Node], keywords: Keywords) -> Node:
    return deep_copy(it, args[0])


def deep_copy(it: Interpreter, node: Node) -> Node:
    """A copy of a value and of everything in it."""
    t = deref(node.type)
    if isinstance(t, Optional):
        from anadrome.frontend.expressions import choose

        inner, none = t.inner, it.constant(None)
        test = it.emit(ops.IS, (node, none), _bool())
        return choose(
            it,
            test,
            lambda: none,
            lambda: deep_copy(it, it.emit(ops.CAST, (node,), inner)),
        )
    _refuse_own_copy(it, t)
    if isinstance(t, Num):
        return _copy_array(it, node, t)
    if isinstance(t, List | VarTuple):
        made = iteration.mapped(it, [iterate(it, node)], lambda v: deep_copy(it, v[0]))
        listed = containers.from_iteration(it, made)
        return listed if isinstance(t, List) else containers.as_tuple(it, listed)
    if isinstance(t, Tuple):
        items = [deep_copy(it, take(it, node, k)) for k in range(len(t.items))]
        return make_tuple(it, items, t.cls)
    if isinstance(t, Dict):
        return _copy_dict(it, node)
    if isinstance(t, Object):
        return _copy_object(it, node, t, lambda v: deep_copy(it, v))
    return node


def _bool() -> Any:
    from anadrome.ir.types import BOOL

    return BOOL


def _copy_dict(it: Interpreter, node: Node) -> Node:
    from anadrome.frontend.builtins import each
    from anadrome.frontend.methods import DICT

    pairs = iterate(it, DICT["items"](it, node, [], {}))
    made = containers.new_dict(it)
    if pairs.items is None:
        made = it.concrete(made)

    def enter(pair: Node) -> None:
        value = deep_copy(it, take(it, pair, 1))
        containers.set_item(it, made, take(it, pair, 0), value)

    each(it, pairs, enter)
    return made


def _copy_array(it: Interpreter, node: Node, t: Num) -> Node:
    if t.scalar:
        return node
    primitive = find_primitive(np.copy)
    assert primitive is not None
    return it.apply(primitive, (node,))


def _copy_object(it: Interpreter, node: Node, t: Object, part: Any) -> Node:
    made = it.new_virtual(t.cls, Object(t.cls))
    names = list(it.fields_of(node)) if it.is_virtual(node) else list(t.fields)  # type: ignore[arg-type]
    for name in names:
        it.env[(made, name)] = part(get_attribute(it, node, name))
    return made


def _refuse_own_copy(it: Interpreter, t: Any) -> None:
    if isinstance(t, Object):
        for name in ("__copy__", "__deepcopy__", "__reduce__", "__getstate__"):
            if any(name in c.__dict__ for c in t.cls.__mro__ if c is not object):
                raise it.fail(
                    UnsupportedSyntax,
                    f"'{t.cls.__name__}' is copied by its own '{name}'",
                    "copy its attributes by hand",
                )
