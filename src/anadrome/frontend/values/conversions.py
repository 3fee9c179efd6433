"""Conversions, and queries about the types and attributes of values."""

from __future__ import annotations

import abc
import functools
import operator
import types as pytypes
from collections.abc import Callable
from typing import Any

import numpy as np

from anadrome.errors import NotDifferentiable, TypeMismatch, UnsupportedSyntax
from anadrome.frontend.calls import library_containers
from anadrome.frontend.calls.builtins import handles
from anadrome.frontend.calls.library_containers import original_of
from anadrome.frontend.captures import Guard
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.speculation.fixed_lists import (
    is_list_of_functions,
    refuse_tuple,
)
from anadrome.frontend.values import item_writes, sequences
from anadrome.frontend.values.bindings import binding, is_true
from anadrome.frontend.values.compile_time import (
    BoundMethod,
    Closure,
    LazyIterator,
    Partial,
    Virtual,
)
from anadrome.frontend.values.identity import has_no_identity, is_singleton
from anadrome.frontend.values.iteration import (
    Iteration,
    is_own_iterator,
    iterate,
    own_iterator,
)
from anadrome.frontend.values.iterators import (
    Cursor,
    Generator,
    as_iterator,
    is_range,
    iterator_of,
)
from anadrome.frontend.values.known import is_known, static_value
from anadrome.frontend.values.tuples import make_tuple
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Node
from anadrome.ir.types import (
    ANY,
    BOOL,
    FLOAT,
    INT,
    STR,
    AnyType,
    Dict,
    Function,
    List,
    NoneType_,
    Num,
    Object,
    Other,
    Str,
    Tuple,
    Type,
    VarTuple,
    deref,
    is_differentiable,
    same_form,
    strip_optional,
)
from anadrome.primitives.helpers import _is_left_to_numpy, is_literal
from anadrome.primitives.registry import Primitive, find_primitive


@handles(list)
def _list(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    return sequences.as_list(it, args[0]) if args else sequences.make_list(it, [])


@handles(tuple)
def _tuple(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    return sequences.as_tuple(it, args[0]) if args else it.constant(())


@handles(dict)
def _dict(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    from anadrome.frontend.calls.builtins import each
    from anadrome.frontend.calls.calls import call_value

    given = strip_optional(args[0].type) if args else None
    if isinstance(given, Object) and hasattr(given.cls, "keys"):
        args = [call_value(it, library_containers.dict_of, args, {})]
    made = item_writes.new_dict(it)
    if args:
        items = sequences.known(it, args[0])
        t = strip_optional(args[0].type)
        if isinstance(t, Dict | AnyType) or it.is_virtual(args[0]):
            if isinstance(t, Dict) and t.fields is None:
                return it.emit(
                    ops.PYCALL, (it.constant(dict), args[0]), Dict(None, t.key, t.item)
                )
            item_writes.update_dict(it, made, args[0])
        elif items is not None:
            for pair in items:
                item_writes.set_pair(it, made, pair)
        else:
            made = it.concrete(made)
            each(
                it,
                iterate(it, args[0]),
                lambda p: item_writes.set_pair(it, made, p),
            )
    for k, v in keywords.items():
        item_writes.set_item(it, made, it.constant(k), v)
    return made


@handles(set)
def _set(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    return _made_set(it, set, args)


@handles(frozenset)
def _frozenset(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    return _made_set(it, frozenset, args)


def _made_set(it: Interpreter, kind: type, args: list[Node]) -> Node:
    from anadrome.frontend.calls.opaque import runtime_form

    given = [runtime_form(it, a) for a in args]
    return it.emit(ops.PYCALL, (it.constant(kind), *given), Other(kind), target=True)


@handles(float)
def _float(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    return _convert(it, float, args, FLOAT)


@handles(int)
def _int(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    if len(args) == 2 or "base" in keywords:
        text, base = args if len(args) == 2 else (args[0], keywords["base"])
        if is_known(text) and is_known(base):
            found = it.by_python(int, static_value(text), static_value(base))
            return it.constant(found)
        return it.emit(ops.OBSERVE, (it.constant(int), text, base), INT)
    return _convert(it, int, args, INT)


@handles(bool)
def _bool(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    from anadrome.frontend.syntax.expressions import truth

    if not args:
        return it.constant(False)
    found = truth(it, args[0])
    if isinstance(found, Constant):
        return found
    return _convert(it, bool, [found], BOOL)


@handles(complex)
def _complex(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    from anadrome.frontend.syntax.expressions import binary

    if keywords:
        zero = it.constant(0)
        real = args[0] if args else keywords.get("real", zero)
        args = [real, keywords.get("imag", zero)]
    if len(args) == 2:
        imaginary = binary(it, operator.mul, args[1], it.constant(1j))
        args = [binary(it, operator.add, args[0], imaginary)]
        t = deref(args[0].type)
        if isinstance(t, Num) and t.python and not t.varied:
            return args[0]
    from anadrome.ir.types import COMPLEX

    return _convert(it, complex, args, COMPLEX)


@handles(str)
def _str(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    given = list(args)
    if given and all(map(is_known, given)) and not keywords:
        return it.constant(it.by_python(str, *map(static_value, given)))
    callee = it.constant(str)
    return it.emit(ops.OBSERVE, (callee, *given), STR, keywords=dict(keywords))


def _spelled(function: Callable[[Any], str]) -> None:
    """Let a function of integers that returns text be called."""

    @handles(function)
    def run(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
        if all(is_known(a) for a in args):
            return it.constant(it.by_python(function, *map(static_value, args)))
        return it.emit(ops.OBSERVE, (it.constant(function), *args), STR, target=True)


for _function in (bin, hex, oct, chr):
    _spelled(_function)


@handles(ord)
def _ord(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    if is_known(args[0]):
        return it.constant(it.by_python(ord, static_value(args[0])))
    return it.emit(ops.OBSERVE, (it.constant(ord), *args), INT, target=True)


def _convert(it: Interpreter, cls: type, args: list[Node], kind: Type) -> Node:
    if not args:
        return it.constant(cls())
    if isinstance(args[0], Constant) and is_known(args[0]):
        return it.constant(it.by_python(cls, args[0].value))
    t = deref(args[0].type)
    if isinstance(t, Str) and _shows_numbers(args[0]):
        raise it.fail(
            NotDifferentiable,
            f"a number is turned into text and read back with {cls.__name__}()",
            "use the number itself, or wrap it in ad.stop_gradient",
        )
    if isinstance(t, Num) and t.python and same_form(t, kind):  # type: ignore[arg-type]
        if not t.varied:
            return args[0]
    if isinstance(strip_optional(t), Object):
        from anadrome.frontend.calls.calls import call_method

        return call_method(it, args[0], f"__{cls.__name__}__", [], {})
    return it.emit(ops.CONVERT, (it.constant(cls), args[0]), kind)


def _shows_numbers(node: Node) -> bool:
    """Whether a text is made from numbers that have derivatives."""
    if not isinstance(node, Apply):
        return False
    made = (ops.OBSERVE, ops.FORMAT, ops.METHOD, ops.PYCALL, ops.GETITEM)
    printed = isinstance(node.op, Primitive) and isinstance(deref(node.type), Str)
    if node.op not in made and not printed:
        return False
    for a in node.inputs:
        if isinstance(a, Constant):
            continue
        if isinstance(deref(a.type), Str) or not is_differentiable(a.type):
            if _shows_numbers(a):
                return True
        else:
            return True
    return False


@handles(is_literal)
def _is_literal(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    return it.constant(is_known(args[0]))


@handles(_is_left_to_numpy)
def _left_to_numpy(
    it: Interpreter, args: list[Node], keywords: dict[str, Node]
) -> Node:
    x, y, z = (deref(a.type) for a in args)
    known = is_known(args[1]) and static_value(args[1])
    if known or not isinstance(x, Num) or not isinstance(y, Num):
        return it.constant(False)
    if any(t.ndim != 0 or t.dtype is None or t.dtype.kind == "c" for t in (x, y)):
        return it.constant(False)
    # What a loop or a branch gives may be Python's on some path.
    python = x.python or not isinstance(args[0], Apply)
    return it.constant(python and y.python and not getattr(z, "python", False))


@handles(isinstance)
def _isinstance(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    if not is_known(args[1]):
        return it.emit(ops.OBSERVE, (it.constant(isinstance), *args), BOOL)
    kinds = static_value(args[1])
    try:
        answer = is_instance(it, args[0], kinds)
    except TypeError as error:
        raise it.fail(
            TypeMismatch,
            str(error),
            "name a class, or a tuple of them",
            python=TypeError,
        ) from None
    if answer is None:
        return it.emit(ops.OBSERVE, (it.constant(isinstance), *args), BOOL)
    return it.constant(answer)


_CLASSES: dict[type[Type], type] = {
    VarTuple: tuple,
    List: list,
    Dict: dict,
    Str: str,
    NoneType_: type(None),
}


def _class_of_iterator(iterator: Cursor | Generator) -> type:
    """A class that can do what an iterator can."""
    return pytypes.GeneratorType if isinstance(iterator, Generator) else type(iter(()))


def _is_subclass(it: Interpreter, cls: type, kinds: Any) -> bool:
    cls = original_of(cls)
    answer = issubclass(cls, kinds)
    some = kinds if isinstance(kinds, tuple) else (kinds,)
    if any(isinstance(k, abc.ABCMeta) and k not in cls.__mro__ for k in some):
        # Classes can be registered with it later.
        key = ("subclass", id(cls), tuple(map(id, some)))
        it.guards.append(Guard(lambda: issubclass(cls, kinds), answer, key))
    return answer


def is_instance(it: Interpreter, node: Node, kinds: Any) -> bool | None:
    """Whether a value is of some classes, if its type tells."""
    if isinstance(node, Virtual):
        return _is_subclass(it, node.cls, kinds)
    if isinstance(node, Constant) and _is_made_here(node.value):
        return _is_function_of(it, node, kinds)
    if isinstance(node, Constant) and is_known(node):
        return isinstance(node.value, kinds)
    t = deref(node.type)
    if isinstance(t, Object):
        return _is_subclass(it, t.cls, kinds)
    if isinstance(t, Num) and t.ndim is not None and t.dtype is not None:
        if t.varied and kinds is not np.ndarray:
            return None
        if t.python:
            sample: Any = {"b": True, "i": 1, "f": 1.0, "c": 1j}.get(t.dtype.kind)
        else:
            array = t.ndim or t.boxed
            sample = np.ones((1,) * t.ndim, t.dtype) if array else t.dtype.type(1)
        return isinstance(sample, kinds)
    if isinstance(t, Other) and not issubclass(t.cls, kinds):
        # The value may be of a class derived from the known one.
        some = kinds if isinstance(kinds, tuple) else (kinds,)
        if any(isinstance(k, type) and issubclass(k, t.cls) for k in some):
            return None
    for kind, cls in _CLASSES.items():
        if isinstance(t, kind):
            return issubclass(cls, kinds)
    if is_list_of_functions(t):
        return issubclass(list, kinds)
    refuse_tuple(it, t)
    if isinstance(t, Tuple | Other):
        return issubclass(t.cls, kinds)
    if isinstance(t, Function):
        return _is_function_of(it, node, kinds)
    return None


def _is_made_here(value: Any) -> bool:
    """Whether a value stands for one that the program makes when it runs."""
    own = Iteration, LazyIterator, *_FUNCTIONS
    return isinstance(value, own)


_FUNCTIONS: dict[type, type] = {
    Closure: pytypes.FunctionType,
    BoundMethod: pytypes.MethodType,
    Partial: functools.partial,
    Generator: pytypes.GeneratorType,
}
_NO_FUNCTIONS = (int, float, complex, str, bytes, list, tuple, dict, set, frozenset)


def _is_function_of(it: Interpreter, node: Node, kinds: Any) -> bool | None:
    """Whether a function, a range, a view or an iterator is of some classes."""
    value = node.value if isinstance(node, Constant) else None
    cls = range if is_range(node) else _FUNCTIONS.get(type(value))
    if cls is not None:
        return issubclass(cls, kinds)
    some = kinds if isinstance(kinds, tuple) else (kinds,)
    plain = (*_NO_FUNCTIONS, type(None), np.ndarray)
    if all(k in plain or issubclass(k, np.generic) for k in some):
        return False
    if iterator_of(node) is not None and all(map(_gives_no_items, some)):
        return False
    raise it.fail(
        UnsupportedSyntax,
        "which class a function or an iterator is of is not kept track of",
        "ask for it outside, and pass the answer",
    )


def _gives_no_items(cls: type) -> bool:
    """Whether no iterator is of a class."""
    open_to_others = isinstance(cls, abc.ABCMeta) or cls is object
    return not open_to_others and not hasattr(cls, "__next__")


@handles(type)
def _type(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    t = deref(args[0].type)
    if isinstance(args[0], Virtual):
        return it.constant(original_of(args[0].cls))
    if is_range(args[0]):
        return it.constant(range)
    if isinstance(args[0], Constant) and is_known(args[0]):
        return it.constant(type(args[0].value))
    if isinstance(t, Object):
        return it.constant(original_of(t.cls))
    if is_list_of_functions(t):
        return it.constant(list)
    refuse_tuple(it, t)
    if isinstance(t, Tuple):
        return it.constant(t.cls)
    if isinstance(t, List):
        return it.constant(list)
    return it.emit(ops.OBSERVE, (it.constant(type), args[0]), Other(type))


@handles(id)
def _id(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    t = deref(args[0].type)
    if has_no_identity(t) or is_singleton(t):
        raise it.fail(
            UnsupportedSyntax,
            f"which object a {t!r} is, is not kept track of",
            "use the value itself, or keep it in an object",
        )
    return it.emit(ops.OBSERVE, (it.constant(id), args[0]), INT)


@handles(callable)
def _callable(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    node = args[0]
    if iterator_of(node) is not None:
        return it.constant(False)
    if isinstance(deref(node.type), Function):
        return it.constant(True)
    if is_known(node):
        return it.constant(callable(static_value(node)))
    t = deref(node.type)
    if isinstance(t, Object | Tuple):
        it.note_class(t.cls)
        return it.constant(any("__call__" in vars(c) for c in t.cls.__mro__))
    if isinstance(t, Num | Str | List | Dict | VarTuple):
        return it.constant(False)
    return it.emit(ops.OBSERVE, (it.constant(callable), node), BOOL)


@handles(hasattr)
def _hasattr(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    name = static_value(args[1])
    t = strip_optional(args[0].type)
    if isinstance(args[0], Virtual) and it.is_virtual(args[0]):
        if hasattr(args[0].cls, name):
            return it.constant(True)
        return _or_asked(it, binding(it, it.env, (args[0], name)), args[0], name)
    if isinstance(t, Object):
        if name in (t.fields or {}) or hasattr(t.cls, name):
            return it.constant(True)
        return _or_asked(it, it.constant(False), args[0], name)
    if (iterator := iterator_of(args[0])) is not None:
        return it.constant(hasattr(_class_of_iterator(iterator), name))
    if isinstance(args[0], Constant):
        if isinstance(args[0].value, type):
            it.note_class(args[0].value)
        return it.constant(hasattr(args[0].value, name))
    if isinstance(t, Num) and not t.python:
        return it.constant(hasattr(np.ndarray, name))
    return it.emit(ops.OBSERVE, (it.constant(hasattr), *args), BOOL)


def _or_asked(it: Interpreter, found: Node, node: Node, name: str) -> Node:
    """Whether an object has an attribute; `__getattr__` of its class may have it."""
    from anadrome.frontend.calls import calls, library

    if is_true(found) or not _has_hook(node):
        return found
    return calls.call_value(it, library.answers, [node, it.constant(name)], {})


def _has_hook(node: Node) -> bool:
    t = strip_optional(node.type)
    return isinstance(t, Object) and hasattr(t.cls, "__getattr__")


@handles(getattr)
def _getattr(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    from anadrome.frontend.values.attributes import get_attribute

    if not is_known(args[1]):
        raise it.fail(
            UnsupportedSyntax,
            "which attribute is read is known only at run time",
            "use a dictionary",
        )
    if len(args) > 2:
        from anadrome.frontend.calls import calls, library
        from anadrome.frontend.syntax.expressions import choose

        default = args[2]  # it has been evaluated, whether or not it is wanted
        if _has_hook(args[0]):
            return calls.call_value(it, library.answer_or, args, {})
        has = _hasattr(it, args[:2], {})
        if not isinstance(has, Constant):
            name = static_value(args[1])
            return choose(
                it, has, lambda: get_attribute(it, args[0], name), lambda: default
            )
        if not has.value:
            return default
    return get_attribute(it, args[0], static_value(args[1]))


@handles(setattr, object.__setattr__)
def _setattr(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    from anadrome.frontend.values.attributes import set_attribute

    if not is_known(args[1]):
        raise it.fail(
            UnsupportedSyntax,
            "which attribute is set is known only at run time",
            "use a dictionary",
        )
    set_attribute(it, args[0], static_value(args[1]), args[2], plain=True)
    return it.constant(None)


@handles(np.ndarray)
def _ndarray(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    """An array that nothing has been stored into, or one of a given memory."""
    from anadrome.frontend.calls.calls import call_value
    from anadrome.frontend.calls.opaque import call_opaque

    if len(args) <= 2 and keywords.keys() <= {"shape", "dtype"}:
        return call_value(it, np.empty, list(args), dict(keywords))
    return call_opaque(it, np.ndarray, list(args), dict(keywords))


@handles(object.__init__)
def _object_init(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    return it.constant(None)


@handles(round)
def _round(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    kind: Type = INT if len(args) == 1 and not keywords else FLOAT
    t = strip_optional(args[0].type)
    if isinstance(t, List | Tuple | VarTuple):
        it.by_python(round, ())
    if isinstance(t, Object):
        from anadrome.frontend.calls.calls import call_method

        return call_method(it, args[0], "__round__", args[1:], keywords)
    if isinstance(t, Num) and t.python and not t.inexact:
        kind = INT
    # Without digits, numbers of NumPy's become integers of Python's too.
    if isinstance(t, Num) and t.scalar and (t.python or kind is INT):
        return it.emit(ops.OBSERVE, (it.constant(round), *args), kind)
    if isinstance(t, AnyType) and kind is INT:
        return it.emit(ops.OBSERVE, (it.constant(round), *args), ANY)
    if isinstance(t, Num) and (t.ndim or t.boxed):
        raise it.fail(
            TypeMismatch,
            "an array has no '__round__'",
            "use np.round",
            python=TypeError,
        )
    primitive = find_primitive(np.round)
    assert primitive is not None
    return it.apply(primitive, tuple(args), keywords)


@handles(divmod)
def _divmod(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    from anadrome.frontend.calls.calls import call_method
    from anadrome.frontend.syntax.expressions import binary
    from anadrome.frontend.values.attributes import has_own

    for node, other, name in zip(args, args[::-1], ("__divmod__", "__rdivmod__")):
        if has_own(strip_optional(node.type), name):
            return call_method(it, node, name, [other], {})
    quotient = binary(it, operator.floordiv, *args)
    return make_tuple(it, [quotient, binary(it, operator.mod, *args)])


@handles(slice)
def _slice(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    none = it.constant(None)
    parts = [none, args[0], none] if len(args) == 1 else [*args, none, none][:3]
    return sequences.make_slice(it, parts)


@handles(iter)
def _iter(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    if len(args) > 1:
        from anadrome.frontend.values.own_iterators import until

        return until(it, *args)
    found = own_iterator(it, args[0])
    return found if is_own_iterator(found) else as_iterator(it, found)
