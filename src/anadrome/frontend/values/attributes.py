"""Attributes: of modules, classes, objects, arrays and named tuples."""

from __future__ import annotations

import ast
import builtins
import dataclasses
import enum
import functools
import operator
import types as pytypes
from typing import Any

import numpy as np

from anadrome.errors import AnadromeError, TypeMismatch, UnsupportedSyntax
from anadrome.frontend.calls.library_containers import original_of
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.speculation.fixed_lists import refuse_tuple
from anadrome.frontend.values.bindings import (
    binding,
    check_attribute,
    flag_key,
    is_bound,
    unbind,
    unbound,
)
from anadrome.frontend.values.compile_time import (
    ArrayMethod,
    BoundMethod,
    Closure,
    FunctionChoice,
    Partial,
    Super,
    Virtual,
)
from anadrome.frontend.values.functions import unpack
from anadrome.frontend.values.item_writes import note_write
from anadrome.frontend.values.iteration import Iteration
from anadrome.frontend.values.iterators import Cursor, Generator
from anadrome.frontend.values.tuples import make_tuple, take
from anadrome.frontend.values.unions import for_each_class
from anadrome.infer.examples import example_of
from anadrome.infer.values import callable_data, can_have, type_of
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Node
from anadrome.ir.joins import join_members
from anadrome.ir.types import (
    ANY,
    FLOAT,
    INT,
    NEVER,
    STR,
    AnyType,
    Cell,
    Dict,
    Function,
    GivenFunction,
    List,
    NeverType,
    Num,
    Object,
    Other,
    Str,
    Tuple,
    Type,
    Union,
    VarTuple,
    deref,
    is_stored,
    strip_optional,
)
from anadrome.primitives.registry import METHODS, PROPERTIES, find_primitive

# Numbers in these modules are mathematical constants, not data of the user's.
_CONSTANT_MODULES = ("numpy", "math", "scipy", "cmath")


# Which exceptions an exception follows is known to the interpreter alone.
_CHAIN = (
    *("__context__", "__suppress_context__", "__traceback__"),
    *("__notes__", "with_traceback", "add_note"),
)
_OF_SLICES = ("start", "stop", "step")


def get_attribute(it: Interpreter, node: Node, name: str) -> Node:
    """`node.name`."""
    if isinstance(node, Virtual) and not node.is_dict:
        return _object_attribute(it, node, name, node.cls)
    if isinstance(node, Constant):
        found = _constant_attribute(it, node, name)
        if found is not None:
            return found
    if isinstance(node, Apply) and node.op is ops.SLICE and name in _OF_SLICES:
        return node.args[_OF_SLICES.index(name)]
    if name in ("args", "value"):
        given = _given_to_exception(node, StopIteration if name == "value" else object)
        if given is not None:
            return (
                make_tuple(it, given)
                if name == "args"
                else (*given, it.constant(None))[0]
            )
    t = strip_optional(node.type)
    if name == "base" and isinstance(t, Num) and not t.scalar:
        raise it.fail(
            UnsupportedSyntax,
            "whose memory an array lies in is not kept track of",
            "ask np.shares_memory(x, y)",
        )
    if isinstance(t, Union):
        if all(_is_method(o.cls, name) for o in t.options):
            return it.constant(ArrayMethod(node, name))
        return for_each_class(it, node, lambda o: get_attribute(it, o, name))
    if isinstance(t, Object):
        return _object_attribute(it, node, name, t.cls)
    if hasattr(t, "get_attribute"):
        return t.get_attribute(it, node, name)
    if isinstance(t, Tuple) and t.cls is not tuple:
        it.note_class(t.cls)
        fields = t.cls._fields  # type: ignore[attr-defined]
        if name in fields:
            return take(it, node, fields.index(name))
        defined = _class_attribute(t.cls, name)
        built_in = name in ("_replace", "_asdict") or (
            getattr(t.cls, name, None) is getattr(tuple, name, None)
        )
        if not built_in:
            return bind_class_attribute(it, defined, node, t.cls, name)
        return it.constant(ArrayMethod(node, name))
    if isinstance(t, Num):
        cls = None if it.in_rule else class_of(t)
        if cls is not None:
            _require(it, cls, name, "")
        if name == "numerator" and t.scalar:
            return it.apply(find_primitive(operator.pos), (node,), target=operator.pos)  # type: ignore[arg-type]
        if name == "flat":
            ravel = find_primitive(np.ravel)
            assert ravel is not None
            copied = find_primitive(np.copy)
            assert copied is not None
            flat = it.apply(copied, (it.apply(ravel, (node,)),))
            it.flat[id(flat)] = node
            return flat
        if name in PROPERTIES:
            return it.apply(PROPERTIES[name], (node,))
        owners = np.ndarray, float, int
        if not (any(hasattr(o, name) for o in owners) or name in METHODS):
            raise it.fail(
                TypeMismatch,
                f"{t!r} has no attribute '{name}'",
                "check its spelling; only objects of your own classes have attributes",
                python=AttributeError,
            )
        return it.constant(ArrayMethod(node, name))
    if isinstance(t, Other) and issubclass(t.cls, BaseException):
        if name in _CHAIN:
            raise _refuse_chain(it, name)
        if t.cls is BaseException and name != "__cause__":
            raise it.fail(
                UnsupportedSyntax,
                f"'{name}' of an exception from elsewhere cannot be followed",
                "return the value instead of raising it",
            )
        return it.emit(ops.GETATTR, (node, it.constant(name)), ANY)
    for kind, builtin in _BUILTIN:
        if isinstance(t, kind):
            if not hasattr(builtin, name):
                refuse_tuple(it, t)
            _require(it, builtin, name)
    if isinstance(t, AnyType) and name in _CHAIN and name.startswith("__"):
        raise _refuse_chain(it, name)
    if isinstance(t, AnyType) and name not in METHODS:
        return it.emit(ops.GETATTR, (node, it.constant(name)), ANY)
    if isinstance(t, NeverType):
        return it.emit(ops.GETATTR, (node, it.constant(name)), NEVER)
    if isinstance(t, Other) and issubclass(t.cls, np.finfo | np.iinfo):
        return it.emit(ops.GETATTR, (node, it.constant(name)), _limit(node, name))
    if isinstance(t, Other) and _is_enumeration(t.cls):
        if name in ("name", "value"):
            return it.emit(ops.GETATTR, (node, it.constant(name)), _of_any(t.cls, name))
    if isinstance(t, Other) and not callable(getattr(t.cls, name, len)):
        return it.emit(ops.GETATTR, (node, it.constant(name)), ANY)
    return it.constant(ArrayMethod(node, name))


def _is_enumeration(cls: type) -> bool:
    """Whether a class has members alone; those of flags can be put together."""
    return issubclass(cls, enum.Enum) and not issubclass(cls, enum.Flag)


def _of_any(cls: type[enum.Enum], name: str) -> Type:
    """The type of the name or the value of any member of an enumeration."""
    kinds = {type(getattr(member, name)) for member in cls}
    known = {int: INT, float: FLOAT, str: STR}
    return known.get(kinds.pop(), ANY) if len(kinds) == 1 else ANY


def _refuse_chain(it: Interpreter, name: str) -> AnadromeError:
    return it.fail(
        UnsupportedSyntax,
        f"'{name}' of an exception is not kept track of",
        "catch the first exception and keep it in a variable",
    )


def _given_to_exception(node: Node, kind: type) -> list[Node] | None:
    """What an exception of Python's own that is made here is made of."""
    if not isinstance(node, Apply) or node.op is not ops.PYCALL or node.keywords:
        return None
    cls = node.args[0].value if isinstance(node.args[0], Constant) else None
    if cls not in _PLAIN_EXCEPTIONS or not issubclass(cls, kind):
        return None
    return list(node.args[1:])


_PLAIN_EXCEPTIONS = tuple(
    e
    for e in vars(builtins).values()
    if isinstance(e, type)
    and issubclass(e, Exception)
    and not issubclass(e, OSError | ImportError | SyntaxError | UnicodeError | Warning)
    and not issubclass(e, NameError | AttributeError | StopAsyncIteration)
    and e.__module__ == "builtins"
    and "Group" not in e.__name__
)


_BUILTIN = ((List, list), (Dict, dict), (Tuple | VarTuple, tuple), (Str, str))


_CONSTANTS = (str, bytes, list, tuple, dict, set, frozenset, type(None))
_NUMBERS: dict[str, type] = {"b": bool, "i": int, "f": float, "c": complex}


def class_of(t: Num) -> type | None:
    """The class of a number or an array, if that is sure."""
    if t.varied or t.dtype is None or t.ndim is None:
        return None
    if not t.scalar:
        return np.ndarray
    return _NUMBERS.get(t.dtype.kind) if t.python else t.dtype.type


def _require(it: Interpreter, cls: type, name: str, article: str = "a ") -> None:
    """Refuse attributes that values of a builtin type do not have."""
    if not hasattr(cls, name):
        raise it.fail(
            TypeMismatch,
            f"{article}{cls.__name__} has no attribute '{name}'",
            "check its spelling; only objects of your own classes have attributes",
            python=AttributeError,
        )


def _limit(node: Node, name: str) -> Type:
    """The type of what is asked of the limits of a dtype."""
    try:
        assert isinstance(node, Apply)
        limits = node.op.impl(*(example_of(a) for a in node.args))
        return type_of(getattr(limits, name))
    except Exception:
        return ANY


def _is_method(cls: type, name: str) -> bool:
    return isinstance(
        _class_attribute(cls, name), pytypes.FunctionType | staticmethod | classmethod
    )


def _constant_attribute(it: Interpreter, node: Constant, name: str) -> Node | None:
    value = node.value
    if isinstance(value, pytypes.ModuleType):
        if not hasattr(value, name):
            raise it.fail(
                TypeMismatch,
                f"module '{value.__name__}' has no attribute '{name}'",
                "check its spelling and the version of the module",
                python=AttributeError,
            )
        found = getattr(value, name)
        if value.__name__.split(".")[0] in _CONSTANT_MODULES:
            return it.constant(found)
        return it.lift(lambda: getattr(value, name), (id(value), name), name)
    if isinstance(value, Super):
        return _super_attribute(it, value, name)
    if isinstance(value, Closure | Partial | FunctionChoice):
        return _function_attribute(it, value, name)
    if isinstance(value, Iteration) and name in _OF_SLICES and value.index_is_item:
        assert value.bounds is not None
        return value.bounds[_OF_SLICES.index(name)]
    if isinstance(value, Iteration | BoundMethod | ArrayMethod | Cursor | Generator):
        return it.constant(ArrayMethod(node, name))
    if isinstance(value, type):
        it.note_class(value)
        if not hasattr(value, name):
            raise it.fail(
                TypeMismatch,
                f"class '{value.__name__}' has no attribute '{name}'",
                "define it in the class body",
                python=AttributeError,
            )
        return it.lift(lambda: getattr(value, name), (id(value), name), name)
    if isinstance(value, _CONSTANTS):
        _require(it, type(value), name)
        return it.constant(ArrayMethod(node, name))
    if isinstance(deref(node.type), Num):
        return None
    if isinstance(value, enum.Enum) and name in ("value", "name"):
        return it.constant(getattr(value, name))
    if hasattr(value, name):
        return it.lift(lambda: getattr(value, name), (id(value), name), name)
    return None


def _function_attribute(
    it: Interpreter, value: Closure | Partial | FunctionChoice, name: str
) -> Node:
    """What a function that is made in the program says of itself."""
    if isinstance(value, Closure) and name == "__name__":
        return it.constant(value.name.rpartition(".")[2])
    if isinstance(value, Partial) and name == "__name__" and value.wrapped is not None:
        return get_attribute(it, value.wrapped, name)
    if isinstance(value, Closure) and name == "__doc__":
        syntax = value.source.node
        text = None if isinstance(syntax, ast.Lambda) else ast.get_docstring(syntax)
        if text is None:
            return it.constant(None)
    if isinstance(value, Closure) and not hasattr(pytypes.FunctionType, name):
        raise it.fail(
            TypeMismatch,
            f"function '{value.name}' has no attribute '{name}'",
            "keep what belongs to it in a variable",
            python=AttributeError,
        )
    raise it.fail(
        UnsupportedSyntax,
        f"'{name}' of a function that is made here cannot be followed",
        "write down what it is",
    )


def _object_attribute(it: Interpreter, node: Node, name: str, cls: type) -> Node:
    if name == "__dict__":
        raise it.fail(
            UnsupportedSyntax,
            "the attributes of an object are taken as a dictionary",
            "name the attributes, or use getattr and setattr",
        )
    defined = _class_attribute(cls, name)
    _refuse_hooks(it, cls, defined, name)
    if isinstance(defined, property):
        return _call_property(it, defined, node, cls)
    if isinstance(node, Virtual) and it.is_virtual(node):
        found = it.env.get((node, name))
        if found is not None:
            return _own_or_inherited(it, node, name, found, defined)
        if isinstance(defined, functools.cached_property):
            made = _call_property(it, defined, node, cls)
            # Elsewhere it may be that the value is kept, and may be that it is not.
            if it.is_virtual(node) and it.graph is node.home:
                it.env[(node, name)] = made
            return made
    else:
        heap = it.concrete(node)
        t = strip_optional(heap.type)
        assert isinstance(t, Object)
        if t.fields is not None and name in t.fields:
            kind = deref(t.fields[name])
            if isinstance(kind, Function | GivenFunction):
                if callable_data(kind.value):
                    return it.constant(kind.value)
            return unpack(it, it.emit(ops.GETATTR, (heap, it.constant(name)), kind))
        if isinstance(defined, functools.cached_property):
            it.computed.append((heap.type, it.span, f"'{name}'"))
            return _call_property(it, defined, node, cls)
        node = node if isinstance(node, Virtual) else heap
    if defined is None:
        if hasattr(cls, "__getattr__"):
            return _ask_for(it, node, name, cls)
        t2 = strip_optional(node.type)
        if isinstance(t2, Object) and name == "__class__":
            return it.constant(cls)
        original = original_of(cls)
        if original is not cls and hasattr(original, name):
            raise it.fail(
                UnsupportedSyntax,
                f"'{name}' of a {original.__name__} cannot be followed",
                "use a list or a dictionary, or write it out",
            )
        raise unbound(
            it,
            AttributeError,
            f"'{cls.__name__}' object has no attribute '{name}'",
            f"'{cls.__name__}' has no attribute '{name}'",
            "assign it before it is read, for instance in __init__",
        )
    return bind_class_attribute(it, defined, node, cls, name)


def _own_or_inherited(
    it: Interpreter, node: Virtual, name: str, found: Node, defined: Any
) -> Node:
    """An attribute of an object, which may only be that of its class."""
    from anadrome.frontend.syntax.expressions import choose

    if is_bound(it, it.env, (node, name)):
        return found
    asked = defined is None and hasattr(node.cls, "__getattr__")
    if defined is None and not asked:
        check_attribute(it, node, name)
        return found

    def other() -> Node:
        if asked:
            return _ask_for(it, node, name, node.cls)
        return bind_class_attribute(it, defined, node, node.cls, name)

    flag = binding(it, it.env, (node, name))
    if isinstance(flag, Constant):
        return other()
    return choose(it, flag, lambda: found, other)


def _ask_for(it: Interpreter, node: Node, name: str, cls: type) -> Node:
    """What `__getattr__` gives for an attribute that an object has not."""
    from anadrome.frontend.calls.calls import call

    defined = _class_attribute(cls, "__getattr__")
    heap = not (isinstance(node, Virtual) and it.is_virtual(node))
    # Where an object is kept, it may have been given the attribute elsewhere.
    if not isinstance(defined, pytypes.FunctionType) or (heap and is_stored(node.type)):
        raise it.fail(
            UnsupportedSyntax,
            f"'{name}' is found by '{cls.__name__}.__getattr__'",
            "make it an ordinary attribute or a property",
        )
    method = BoundMethod(defined, node, _owner(cls, "__getattr__"))
    return call(it, it.constant(method), [it.constant(name)], {})


def bind_class_attribute(
    it: Interpreter, defined: Any, node: Node, cls: type, name: str
) -> Node:
    """What a class attribute gives when read on an instance."""
    if isinstance(defined, staticmethod):
        return it.constant(defined.__func__)
    if isinstance(defined, classmethod):
        return it.constant(BoundMethod(defined.__func__, it.constant(cls), cls))
    if isinstance(defined, pytypes.FunctionType) or hasattr(
        type(defined), "__anadrome_inline__"
    ):
        return it.constant(BoundMethod(defined, node, _owner(cls, name)))
    if isinstance(defined, property):
        return _call_property(it, defined, node, cls)
    if isinstance(defined, functools._lru_cache_wrapper):
        from anadrome.frontend.calls import library

        heap = it.concrete(node)
        it.computed.append((heap.type, it.span, f"what '{name}' returns"))
        given = it.constant(defined.__wrapped__), heap
        return it.constant(Partial(it.constant(library.call_cached), given, {}))
    return it.lift(lambda: getattr(cls, name), (id(cls), name), name)


def _call_property(it: Interpreter, defined: Any, node: Node, cls: type) -> Node:
    from anadrome.frontend.calls.calls import call

    getter = defined.fget if isinstance(defined, property) else defined.func
    return call(it, it.constant(BoundMethod(getter, node, cls)), [], {})


def _class_attribute(cls: type, name: str) -> Any:
    for base in cls.__mro__:
        if name in base.__dict__:
            if base is object:
                return None
            found = base.__dict__[name]
            # Slots and dataclass defaults only say that instances have the attribute.
            if isinstance(found, pytypes.MemberDescriptorType):
                return None
            return found
    return None


def has_own(t: Type, name: str) -> bool:
    """Whether values of a type have a special method that their class defines."""
    if not isinstance(t, Object | Tuple):
        return False
    if not defines(t.cls, name):
        return False
    found = getattr(t.cls, name)
    return found is not None and not isinstance(found, pytypes.WrapperDescriptorType)


def defines(cls: type, name: str) -> bool:
    """Whether instances of a class have a special method; the class itself may too."""
    return any(name in base.__dict__ for base in cls.__mro__)


def _owner(cls: type, name: str) -> type:
    for base in cls.__mro__:
        if name in base.__dict__:
            return base
    return cls


def _super_attribute(it: Interpreter, value: Super, name: str) -> Node:
    node = value.instance
    if isinstance(node, Constant) and isinstance(node.value, type):
        cls = node.value
    else:
        t = strip_optional(node.type)
        cls = node.cls if isinstance(node, Virtual) else t.cls  # type: ignore[attr-defined]
    chain = cls.__mro__
    for base in chain[chain.index(value.owner) + 1 :]:
        if name in base.__dict__:
            if base is object:
                return it.constant(getattr(object, name))
            defined = base.__dict__[name]
            if isinstance(defined, pytypes.FunctionType):
                return it.constant(BoundMethod(defined, node, base))
            return bind_class_attribute(it, defined, node, cls, name)
    raise it.fail(
        TypeMismatch,
        f"no base class of '{cls.__name__}' has '{name}'",
        "check the name of the inherited method",
        python=AttributeError,
    )


_PLAIN_ATTRIBUTES = (
    pytypes.FunctionType,
    staticmethod,
    classmethod,
    property,
    functools.cached_property,
    functools._lru_cache_wrapper,
    pytypes.MemberDescriptorType,
    pytypes.GetSetDescriptorType,
    type,
)


def _refuse_hooks(it: Interpreter, cls: type, defined: Any, name: str) -> None:
    """Refuse attributes that run code of their own when they are read or set."""
    if defined is None or isinstance(defined, _PLAIN_ATTRIBUTES):
        return
    kind = type(defined)
    if callable_data(defined) or (kind.__module__ or "").split(".")[0] == "numpy":
        return
    if hasattr(kind, "__get__") or hasattr(kind, "__set__"):
        raise it.fail(
            UnsupportedSyntax,
            f"'{name}' of '{cls.__name__}' is a descriptor of class '{kind.__name__}'",
            "make it a property",
        )


def _refuse_setattr(it: Interpreter, cls: type, name: str) -> None:
    setter: Any = cls.__setattr__
    if setter is object.__setattr__:
        return
    parameters = getattr(cls, "__dataclass_params__", None)
    if parameters is not None and parameters.frozen:
        raise it.fail(
            TypeMismatch,
            f"'{cls.__name__}' is frozen, its attribute '{name}' cannot be assigned",
            "make a changed copy with dataclasses.replace",
            python=dataclasses.FrozenInstanceError,
        )
    raise it.fail(
        UnsupportedSyntax,
        f"'{cls.__name__}' defines '__setattr__'",
        "make the attribute a property with a setter",
    )


def delete_attribute(it: Interpreter, node: Node, name: str) -> None:
    """`del node.name`."""
    t = strip_optional(node.type)
    own = isinstance(t, Object) and it.is_virtual(node)
    if not own or _class_attribute(t.cls, name) is not None:  # type: ignore[attr-defined]
        raise it.fail(
            UnsupportedSyntax,
            f"'del' of the attribute '{name}' of this object cannot be differentiated",
            "set the attribute to None",
        )
    assert isinstance(node, Virtual)
    check_attribute(it, node, name)
    unbind(it, (node, name))


def set_attribute(
    it: Interpreter, node: Node, name: str, value: Node, plain: bool = False
) -> None:
    """`node.name = value`; `plain` as `object.__setattr__` does it."""
    t = strip_optional(node.type)
    if isinstance(t, Union):

        def set_one(option: Node) -> Node:
            set_attribute(it, option, name, value, plain)
            return it.constant(None)

        for_each_class(it, node, set_one)
        return
    if not isinstance(t, Object):
        raise it.fail(
            UnsupportedSyntax,
            f"the attribute '{name}' of {t!r} cannot be assigned",
            "assign attributes of objects of your own classes only",
        )
    defined = _class_attribute(t.cls, name)
    _refuse_hooks(it, t.cls, defined, name)
    if not plain:
        _refuse_setattr(it, t.cls, name)
    if isinstance(defined, property):
        from anadrome.frontend.calls.calls import call

        if defined.fset is None:
            raise it.fail(
                TypeMismatch,
                f"the property '{name}' has no setter",
                "give the property a setter",
                python=AttributeError,
            )
        call(it, it.constant(BoundMethod(defined.fset, node, t.cls)), [value], {})
        return
    if not can_have(t.cls, name):
        raise it.fail(
            TypeMismatch,
            f"'{t.cls.__name__}' has no slot for '{name}'",
            "name it in __slots__",
            python=AttributeError,
        )
    if it.is_virtual(node):
        it.env[(node, name)] = value
        it.env.pop(flag_key((node, name)), None)
        if value.name is None and not it.in_rule:
            it.name_value(value, name)
        return
    node, value = it.concrete(node), it.concrete(it.stored_form(value))
    assert isinstance(t, Cell)
    t = strip_optional(node.type)
    assert isinstance(t, Object)
    assert t.fields is not None
    if isinstance(deref(t.fields.get(name, NEVER)), GivenFunction):
        raise it.fail(
            UnsupportedSyntax,
            f"the function in the attribute '{name}' is replaced",
            "replace it outside, or keep it in a variable",
        )
    t.fields[name] = join_members(t.fields.get(name, NEVER), value.type)
    note_write(it, node)
    it.emit(ops.SETATTR, (node, it.constant(name), value), NEVER)
