"""Making instances: of classes, dataclasses and named tuples."""

from __future__ import annotations

import dataclasses
import inspect
import types as pytypes
from typing import Any

from anadrome.errors import TypeMismatch, UnsupportedSyntax
from anadrome.frontend.calls import star_arguments
from anadrome.frontend.calls.builtins import CONVERSIONS
from anadrome.frontend.calls.star_arguments import is_splat
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.values.compile_time import BoundMethod, Virtual
from anadrome.frontend.values.tuples import make_tuple
from anadrome.infer.values import is_namedtuple, is_record_class
from anadrome.ir.graph import Node
from anadrome.ir.types import (
    Object,
)

Keywords = dict[str, Node]


def instantiate(
    it: Interpreter, cls: type, args: list[Node], keywords: Keywords
) -> Node:
    """`cls(*args, **keywords)`."""

    from anadrome.frontend.calls.calls import _call_bound, _defining_class
    from anadrome.frontend.calls.opaque import call_opaque

    convert = CONVERSIONS.get(cls)
    if convert is not None:
        return convert(it, args, keywords)
    if is_namedtuple(cls):
        return _make_namedtuple(it, cls, args, keywords)
    if not is_record_class(cls):
        return call_opaque(it, cls, args, keywords)
    _refuse_special_creation(it, cls)
    if missing := getattr(cls, "__abstractmethods__", None):
        raise it.fail(
            TypeMismatch,
            f"'{cls.__name__}' is abstract: {', '.join(sorted(missing))}",
            "make an object of a class that defines these methods",
            python=TypeError,
        )
    made = it.new_virtual(cls, Object(cls))
    init: Any = cls.__init__  # type: ignore[misc]
    if dataclasses.is_dataclass(cls) and _generated_init(cls):
        _dataclass_init(it, cls, made, args, keywords)
        return made
    if isinstance(init, pytypes.FunctionType):
        owner = _defining_class(cls, init)
        _call_bound(it, BoundMethod(init, made, owner), args, keywords)
        return made
    if args or keywords:
        raise it.fail(
            TypeMismatch,
            f"{cls.__name__}() takes no arguments",
            "give the class an __init__ that takes them",
            python=TypeError,
        )
    return made


def _refuse_special_creation(it: Interpreter, cls: type) -> None:
    """Refuse classes that make their instances in a way of their own."""
    if type(cls).__call__ is not type.__call__:
        raise it.fail(
            UnsupportedSyntax,
            f"the metaclass '{type(cls).__name__}' makes '{cls.__name__}' its own way",
            "make the object outside the differentiated function, or do it in __init__",
        )
    new: Any = cls.__new__
    if new is not object.__new__ and not hasattr(cls, "__orig_bases__"):
        raise it.fail(
            UnsupportedSyntax,
            f"'{cls.__name__}' defines '__new__'",
            "do what it does in __init__",
        )


def _generated_init(cls: type) -> bool:
    init = cls.__dict__.get("__init__")
    if init is None:
        return any(_generated_init(b) for b in cls.__mro__[1:] if b is not object)
    return isinstance(init, pytypes.FunctionType) and (
        init.__code__.co_filename == "<string>"
    )


def _make_namedtuple(
    it: Interpreter, cls: Any, args: list[Node], keywords: Keywords
) -> Node:

    defaults = cls._field_defaults
    if any(is_splat(a) for a in args):
        args = star_arguments.spread(it, args, [True] * len(cls._fields), False)
    values = dict(zip(cls._fields, args))
    values.update(keywords)
    items = []
    for name in cls._fields:
        if name in values:
            items.append(values[name])
        elif name in defaults:
            items.append(it.lift(lambda n=name: defaults[n], (id(cls), name), name))  # type: ignore[misc]
        else:
            raise it.fail(
                TypeMismatch,
                f"{cls.__name__}() is missing '{name}'",
                "pass it, or give the field a default",
                python=TypeError,
            )
    return make_tuple(it, items, cls)


def _dataclass_init(
    it: Interpreter, cls: Any, made: Virtual, args: list[Node], keywords: Keywords
) -> None:
    from anadrome.frontend.calls.calls import call_method, call_value

    if any(is_splat(a) for a in args):
        count = len([f for f in dataclasses.fields(cls) if f.init])
        args = star_arguments.spread(it, args, [True] * (count - len(keywords)), False)
    try:
        bound = inspect.signature(cls).bind(*args, **keywords)
    except TypeError as error:
        raise it.fail(
            TypeMismatch,
            f"{cls.__name__}(): {error}",
            "check the fields of the dataclass",
            python=TypeError,
        ) from None
    for f in dataclasses.fields(cls):
        if f.init and f.name in bound.arguments:
            value = bound.arguments[f.name]
        elif f.default is not dataclasses.MISSING:
            if not f.init and "__slots__" not in vars(cls):
                continue  # the class has it
            default = f.default
            value = it.lift(lambda d=default: d, (id(cls), f.name), f.name)  # type: ignore[misc]
        elif f.default_factory is not dataclasses.MISSING:
            value = call_value(it, f.default_factory, [], {})
        else:
            continue
        it.env[(made, f.name)] = value
    if isinstance(getattr(cls, "__post_init__", None), pytypes.FunctionType):
        call_method(it, made, "__post_init__", _init_only(it, cls, bound), {})


def _init_only(it: Interpreter, cls: Any, bound: inspect.BoundArguments) -> list[Node]:
    """What `__post_init__` is given: the fields that are for it alone."""
    found: list[Node] = []
    for name, f in cls.__dataclass_fields__.items():
        if f._field_type is dataclasses._FIELD_INITVAR:  # type: ignore[attr-defined]
            if name in bound.arguments:
                found.append(bound.arguments[name])
            else:
                default = f.default
                found.append(it.lift(lambda d=default: d, (id(cls), name), name))  # type: ignore[misc]
    return found
