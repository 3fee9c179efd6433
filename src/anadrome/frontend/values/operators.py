"""Operators, comparisons and the truth of values."""

from __future__ import annotations

import ast
import dataclasses
import enum
import numbers
import operator
from typing import Any

import numpy as np

from anadrome.errors import TypeMismatch, UnexpectedType, UnsupportedSyntax
from anadrome.frontend.calls import calls
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.numpy.symbolic_zeros import SymbolicZero
from anadrome.frontend.speculation.fixed_lists import refuse_tuple
from anadrome.frontend.values import item_reads, sequences
from anadrome.frontend.values.attributes import get_attribute, has_own
from anadrome.frontend.values.compile_time import BoundMethod, FunctionChoice
from anadrome.frontend.values.identity import are_apart, has_no_identity, is_singleton
from anadrome.frontend.values.iteration import Iteration, looked_at
from anadrome.frontend.values.iterators import is_range
from anadrome.frontend.values.known import is_known, static_value
from anadrome.frontend.values.tuples import make_tuple
from anadrome.frontend.values.unions import for_each_class
from anadrome.ir import operations as ops
from anadrome.ir.graph import Constant, Node
from anadrome.ir.types import (
    ANY,
    BOOL,
    NONE,
    STR,
    AnyType,
    Cell,
    Dict,
    Function,
    List,
    NeverType,
    NoneType_,
    Num,
    Object,
    Optional,
    Other,
    Str,
    Tuple,
    Type,
    Union,
    VarTuple,
    deref,
    is_certain,
    is_differentiable,
    strip_optional,
)
from anadrome.primitives.registry import find_primitive

BINARY = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.MatMult: operator.matmul,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
}


_DUNDER = {
    operator.add: "add",
    operator.sub: "sub",
    operator.mul: "mul",
    operator.truediv: "truediv",
    operator.floordiv: "floordiv",
    operator.mod: "mod",
    operator.pow: "pow",
    operator.matmul: "matmul",
    operator.and_: "and",
    operator.or_: "or",
    operator.xor: "xor",
    operator.lshift: "lshift",
    operator.rshift: "rshift",
    operator.lt: "lt",
    operator.le: "le",
    operator.gt: "gt",
    operator.ge: "ge",
    operator.eq: "eq",
    operator.ne: "ne",
}


_SWAPPED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}


def binary(it: Interpreter, function: Any, x: Node, y: Node) -> Node:
    """`x op y` for whatever the two are."""
    x, y = _plain_number(it, x), _plain_number(it, y)
    s, t = strip_optional(x.type), strip_optional(y.type)
    if isinstance(s, NeverType) or isinstance(t, NeverType):
        if not (isinstance(x, Constant) and isinstance(y, Constant)):
            return it.emit(
                find_primitive(function), (x, y), NeverType(), target=function
            )
    if isinstance(s, Union):
        return for_each_class(it, x, lambda o: binary(it, function, o, y))
    if isinstance(t, Union):
        return for_each_class(it, y, lambda o: binary(it, function, x, o))
    if isinstance(s, Object) or isinstance(t, Object) or _overloads(function, s, t):
        return _dunder(it, function, x, y)
    for other, n in ((s, y), (t, x)):
        if isinstance(other, Num) and is_range(n) and _makes_array(function, other):
            arrays = [sequences.as_array(it, a) for a in (x, y)]
            return numeric(it, function, *arrays)
    if isinstance(s, Num) and isinstance(t, Num):
        return numeric(it, function, x, y)
    sequence = List | Tuple | VarTuple
    if isinstance(s, Num | sequence) and isinstance(t, Num | sequence):
        if any(isinstance(u, Num) and _makes_array(function, u) for u in (s, t)):
            for u, n in ((s, x), (t, y)):
                if isinstance(u, Num) and (u.ndim is None or u.boxed):
                    check = it.constant(check_no_plain_number)
                    it.emit(ops.OBSERVE, (check, it.constant(function), n), NONE)
            return numeric(
                it, function, sequences.as_array(it, x), sequences.as_array(it, y)
            )
        if function not in (operator.add, operator.mul):
            refuse_tuple(it, s, t)
        return _sequence_operator(it, function, x, y)
    if isinstance(s, Dict) and isinstance(t, Dict) and function is operator.or_:
        from anadrome.frontend.calls.builtins import FUNCTIONS
        from anadrome.frontend.methods.dicts import DICT

        merged = FUNCTIONS[dict](it, [x], {})
        DICT["update"](it, merged, [y], {})
        return merged
    equality = function in (operator.eq, operator.ne)
    if equality and isinstance(s, Dict) and isinstance(t, Dict):
        return it.emit(ops.OBSERVE, (it.constant(function), x, y), BOOL)
    if isinstance(s, Str) and function is operator.mod:
        return _format_percent(it, x, y)
    if is_known(x) and is_known(y):
        return it.constant(it.by_python(function, static_value(x), static_value(y)))
    if function in (operator.eq, operator.ne) and (number := _beside_text(s, t)):
        if number.scalar and not number.varied:
            differs = function is operator.ne
            return it.constant(differs if number.python else np.bool_(differs))
        return it.emit(ops.OBSERVE, (it.constant(function), x, y), ANY)
    if not is_differentiable(s) and not is_differentiable(t):
        kind: Any = STR if isinstance(s, Str) or isinstance(t, Str) else s
        if _DUNDER[function] in _SWAPPED:
            kind = BOOL
        return it.emit(ops.PYCALL, (it.constant(function), x, y), kind)
    primitive = find_primitive(function)
    if primitive is not None and any(isinstance(n, SymbolicZero) for n in (x, y)):
        return numeric(it, function, x, y)
    if primitive is not None and (isinstance(s, AnyType) or isinstance(t, AnyType)):
        return it.emit(primitive, (x, y), ANY, target=function)
    foreign = [k for k in (s, t) if isinstance(k, Other)]
    # Of some object it is not known what it can do; everything can be compared.
    known = not any(k.cls is object for k in foreign)
    known = known and all(is_certain(k) or isinstance(k, Other) for k in (s, t))
    fails = known and function not in (operator.eq, operator.ne)
    raise it.fail(
        TypeMismatch,
        f"'{_DUNDER[function]}' of {s!r} and {t!r} is not known",
        f"make a plain array of the {foreign[0]!r} first"
        if foreign
        else "give both sides a number or an array on every path",
        python=TypeError if fails else None,
    )


def _plain_number(it: Interpreter, node: Node) -> Node:
    """A member of an enumeration of numbers as the number it stands for."""
    if isinstance(node, Constant) and isinstance(node.value, enum.Enum):
        if isinstance(node.value, int | float):
            return it.constant(node.value.value)
    return node


def _makes_array(function: Any, number: Num) -> bool:
    """Whether a list or a tuple on the other side of an operator becomes an array.

    So it does beside numbers of NumPy, but where they say how often it is repeated.
    """
    if number.ndim != 0 or number.boxed:
        return True
    known = number.dtype is not None and not number.python and not number.varied
    return known and function is not operator.mul


def check_no_plain_number(function: Any, value: Any) -> None:
    """Fail where one of Python's numbers stands beside a list, as an array may."""
    if type(value) not in (bool, int, float, complex):
        return
    function(value, [])
    raise UnexpectedType(
        "a number repeats a list on this path, and an array is computed with on others",
        help="make an array of the list: np.array(…)",
    )


def unary(it: Interpreter, function: Any, value: Node) -> Node:
    """`op value` for whatever it is."""
    name = f"__{function.__name__.strip('_')}__"
    t = strip_optional(value.type)
    if isinstance(t, Object) or has_own(t, name):
        return calls.call_method(it, value, name, [], {})
    if isinstance(value, Constant) and type(value.value) in (int, float, complex):
        return it.constant(it.by_python(function, value.value))
    if isinstance(t, List | Tuple | VarTuple | Dict):
        it.by_python(function, ())
    primitive = find_primitive(function)
    assert primitive is not None
    return it.apply(primitive, (value,), target=function)


def numeric(it: Interpreter, function: Any, x: Node, y: Node) -> Node:
    """An operator on numbers and arrays."""
    primitive = find_primitive(function)
    if primitive is None:
        raise it.fail(
            UnsupportedSyntax,
            f"'{function.__name__}' has no rule",
            "write it with operators that have one",
        )
    return it.apply(primitive, (x, y), target=function)


def _overloads(function: Any, s: Type, t: Type) -> bool:
    """Whether the class of a named tuple defines an operator on it.

    Numbers of NumPy on its left make an array of it before they ask.
    """
    name, reflected = _names(function)
    asked = not isinstance(s, Num) or s.python
    return has_own(s, name) or (asked and has_own(t, reflected))


def _names(function: Any) -> tuple[str, str]:
    """The special methods for an operator, on the left and on the right."""
    name = _DUNDER[function]
    return f"__{name}__", f"__{_SWAPPED.get(name) or f'r{name}'}__"


def _dunder(it: Interpreter, function: Any, x: Node, y: Node) -> Node:
    """An operator that a class of the user's defines."""
    name = _DUNDER[function]
    own, reflected = _names(function)
    for node, other, method in _candidates(x, y, own, reflected):
        if has_own(strip_optional(node.type), method):
            if node is y and method == reflected:
                other = _handed_over(it, x, y, name)
            if node is y and isinstance(deref(x.type), AnyType):
                check = it.constant(_check_number), x, it.constant(own)
                it.emit(ops.OBSERVE, check, NONE)
            found = _compare_dataclass(it, node, other, method)
            if found is None:
                found = calls.call_method(it, node, method, [other], {})
            if not (isinstance(found, Constant) and found.value is NotImplemented):
                return found
    if name == "ne" and any(has_own(strip_optional(n.type), "__eq__") for n in (x, y)):
        return negate_truth(it, binary(it, operator.eq, x, y))
    if name in ("eq", "ne"):
        return it.emit(ops.OBSERVE, (it.constant(function), x, y), BOOL)
    classes = [getattr(strip_optional(n.type), "cls", None) for n in (x, y)]
    raise it.fail(
        TypeMismatch,
        f"neither {x.type!r} nor {y.type!r} defines '__{name}__'",
        "define the operator in the class",
        # NumPy asks it whether it is an array.
        python=None if any(hasattr(c, "__getattr__") for c in classes) else TypeError,
    )


def _handed_over(it: Interpreter, x: Node, y: Node, name: str) -> Node:
    """What the method of an object on the right is given by what stands on the left.

    NumPy takes the object for an array of it, unless its class says otherwise, and so
    hands over a number of Python's.
    """
    t = deref(x.type)
    cls = getattr(strip_optional(y.type), "cls", object)
    own = ("__array_ufunc__", "__array_priority__")
    if not isinstance(t, Num) or t.python or any(hasattr(cls, n) for n in own):
        return x
    if name == "matmul" and t.scalar:
        return x
    as_array = hasattr(cls, "__array__")
    as_array |= hasattr(cls, "__len__") and hasattr(cls, "__getitem__")
    compares = name in _SWAPPED or name in ("eq", "ne")
    if as_array or t.ndim != 0 or name == "matmul" or (t.boxed and compares):
        raise it.fail(
            UnsupportedSyntax,
            f"NumPy makes an array of objects of '{cls.__name__}' here",
            "put the object on the left, or set __array_ufunc__ = None in its class",
        )
    return calls.call_method(it, x, "item", [], {})


def _compare_dataclass(it: Interpreter, x: Node, y: Node, method: str) -> Node | None:
    """A comparison that a dataclass was given, by its fields; else None."""
    s, t = strip_optional(x.type), strip_optional(y.type)
    if not isinstance(s, Object) or not is_generated(s.cls, method):
        return None
    if not isinstance(t, Object) or t.cls is not s.cls:
        if isinstance(t, Object) or not isinstance(t, AnyType | Union):
            return it.constant(NotImplemented)
        return None
    names = [f.name for f in dataclasses.fields(s.cls) if f.compare]
    pair = [make_tuple(it, [get_attribute(it, n, a) for a in names]) for n in (x, y)]
    function = getattr(operator, method)
    return binary(it, function, *pair)


def is_generated(cls: type, method: str) -> bool:
    """Whether a method was written by `@dataclass`."""
    code = getattr(getattr(cls, method, None), "__code__", None)
    return dataclasses.is_dataclass(cls) and (
        code is not None and code.co_filename == "<string>"
    )


def _candidates(
    x: Node, y: Node, own: str, reflected: str
) -> list[tuple[Node, Node, str]]:
    """Whose methods are asked, in order, as Python asks them."""
    left, right = (x, y, own), (y, x, reflected)
    s, t = (getattr(strip_optional(n.type), "cls", None) for n in (x, y))
    compares = reflected.strip("_") in _SWAPPED
    if isinstance(s, type) and isinstance(t, type):
        if s is t and not compares:
            return [left]
        if s is not t and issubclass(t, s):
            overrides = getattr(t, reflected, None) is not getattr(s, reflected, None)
            if compares or overrides:
                return [right, left]
    return [left, right]


def _check_number(value: Any, method: str) -> None:
    """Refuse what has an operator of its own, of which nothing was known before."""
    own = isinstance(value, np.ndarray | np.generic)
    if own or not isinstance(value, numbers.Number):
        raise TypeMismatch(
            f"'{method}' of a '{type(value).__name__}' that may be something else, too",
            None,
            "start with an object of the same class",
        )


def _sequence_operator(it: Interpreter, function: Any, x: Node, y: Node) -> Node:
    """`+` and `*` of lists and tuples, and their comparisons."""
    if function is operator.add:
        return sequences.concatenate(it, x, y)
    if function is operator.mul:
        if isinstance(deref(x.type), Num):
            x, y = y, x
        return sequences.repeat(it, x, y)
    if function in (
        operator.eq,
        operator.ne,
        operator.lt,
        operator.le,
        operator.gt,
        operator.ge,
    ):
        if is_known(x) and is_known(y):
            found = it.by_python(function, static_value(x), static_value(y))
            return it.constant(found)
        return it.emit(ops.OBSERVE, (it.constant(function), x, y), BOOL)
    raise it.fail(
        TypeMismatch,
        f"'{_DUNDER[function]}' of {x.type!r} and {y.type!r} is not known",
        "convert lists to arrays with np.array",
        # A number on whose type paths disagree may be one of NumPy's.
        python=None if any(map(_is_varied, (x, y))) else TypeError,
    )


def _is_varied(node: Node) -> bool:
    t = strip_optional(node.type)
    return isinstance(t, Num) and (t.dtype is None or t.varied)


def _beside_text(s: Type, t: Type) -> Num | None:
    """The number of which one value is, if the other is a text."""
    for number, other in ((s, t), (t, s)):
        if isinstance(number, Num) and isinstance(other, Str):
            return number
    return None


def _format_percent(it: Interpreter, x: Node, y: Node) -> Node:
    return it.emit(ops.OBSERVE, (it.constant(operator.mod), x, y), STR)


UNARY: dict[type[ast.unaryop], Any] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}


def negate_truth(it: Interpreter, value: Node) -> Node:
    """`not value`."""
    value = truth(it, value)
    if is_known(value):
        return it.constant(not static_value(value))
    return it.emit(ops.NOT, (value,), BOOL)


def truth(it: Interpreter, value: Node) -> Node:
    """The value as a condition: a constant if it is decided by what is known."""
    value = looked_at(value)
    if isinstance(value, Constant) and isinstance(value.value, FunctionChoice):
        return _choice_is(it, value.value, it.constant(None), True)
    if isinstance(value, Constant) and isinstance(value.value, Iteration):
        # A range or the view of a dictionary.
        return truth(it, value.value.count(it))
    if isinstance(deref(value.type), Function):
        return it.constant(True)
    if isinstance(deref(value.type), NoneType_):
        return it.constant(False)
    if is_known(value):
        return it.constant(bool(static_value(value)))
    items = it.known_items.get(value)
    if items is not None:
        return it.constant(bool(items))
    t = deref(value.type)
    if isinstance(t, Tuple) and not has_own(t, "__bool__"):
        return it.constant(bool(t.items))
    if isinstance(t, Object | Tuple):
        if hasattr(t.cls, "__bool__"):
            return _own_truth(it, value)
        if hasattr(t.cls, "__len__"):
            from anadrome.frontend.values.iteration import own_length

            return truth(it, own_length(it, value))
        return it.constant(True)
    if it.is_virtual(value):
        return it.constant(bool(it.fields_of(value)))  # type: ignore[arg-type]
    if isinstance(t, Optional) and isinstance(deref(t.inner), Object | Union):
        return _truth_unless_none(it, value, t.inner)
    if isinstance(t, Union):
        return for_each_class(it, value, lambda o: truth(it, o))
    return value


def _own_truth(it: Interpreter, value: Node) -> Node:
    """What `__bool__` of an object gives, which must be a bool."""
    from anadrome.frontend.calls import calls

    found = calls.call_method(it, value, "__bool__", [], {})
    t = deref(found.type)
    plain = isinstance(t, Num) and t.dtype is not None and not t.varied
    if plain and not (t.python and t.dtype.kind == "b"):  # type: ignore[attr-defined]
        raise it.fail(
            TypeMismatch,
            "__bool__ should return bool",
            "convert it with bool(…)",
            python=TypeError,
        )
    return truth(it, found)


def _truth_unless_none(it: Interpreter, value: Node, inner: Type) -> Node:
    from anadrome.frontend.syntax.expressions import choose

    none = it.emit(ops.IS, (value, it.constant(None)), BOOL)
    t = deref(inner)
    options = t.options if isinstance(t, Union) else (t,)
    if not any(
        hasattr(deref(o).cls, name)  # type: ignore[attr-defined]
        for o in options
        for name in ("__bool__", "__len__")
    ):
        return it.emit(ops.NOT, (none,), BOOL)

    def inside() -> Node:
        return truth(it, it.emit(ops.CAST, (value,), inner))

    return choose(it, none, lambda: it.constant(False), inside)


COMPARE = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


def compare(it: Interpreter, op: ast.cmpop, x: Node, y: Node) -> Node:
    """One comparison."""
    if isinstance(op, ast.Is | ast.IsNot):
        return _identity(it, x, y, isinstance(op, ast.IsNot))
    if isinstance(op, ast.In | ast.NotIn):
        found = item_reads.contains(it, y, x)
        return negate_truth(it, found) if isinstance(op, ast.NotIn) else found
    function = COMPARE[type(op)]
    s, t = deref(x.type), deref(y.type)
    if isinstance(s, NoneType_) or isinstance(t, NoneType_):
        if isinstance(s, NoneType_) and isinstance(t, NoneType_):
            return it.constant(function is operator.eq)
        array = next((u for u in (s, t) if isinstance(u, Num) and not u.scalar), None)
        kind: Type = BOOL
        if array is not None and function in (operator.eq, operator.ne):
            # NumPy compares its elements.
            kind = Num(np.dtype(bool), array.ndim)
        return it.emit(ops.OBSERVE, (it.constant(function), x, y), kind)
    if function in (operator.eq, operator.ne):
        f, g = (getattr(n, "value", None) for n in (x, y))
        if isinstance(f, BoundMethod) and isinstance(g, BoundMethod):
            return _same_method(it, f, g, function is operator.ne)
        ranges = [is_range(n) for n in (x, y)]
        if all(ranges):
            return binary(it, function, *(sequences.as_list(it, n) for n in (x, y)))
        if any(ranges) and range in (getattr(s, "cls", None), getattr(t, "cls", None)):
            both = [_range_object(it, n) if r else n for n, r in zip((x, y), ranges)]
            return it.emit(ops.OBSERVE, (it.constant(function), *both), BOOL)
        known = Num | List | Tuple | VarTuple | Str | Dict
        other = t if ranges[0] else s
        beside_array = isinstance(other, Num) and _makes_array(function, other)
        if any(ranges) and isinstance(other, known) and not beside_array:
            return it.constant(function is operator.ne)
    return binary(it, function, x, y)


def _same_method(
    it: Interpreter, x: BoundMethod, y: BoundMethod, negated: bool
) -> Node:
    """Whether two methods are one function of one object."""
    if x.function is not y.function:
        return it.constant(negated)
    return _identity(it, x.instance, y.instance, negated)


def _range_object(it: Interpreter, node: Node) -> Node:
    """A range that is run over, as the object that it is in Python."""
    assert isinstance(node, Constant)
    return item_reads.range_object(it, node.value.bounds)


def _identity(it: Interpreter, x: Node, y: Node, negated: bool) -> Node:
    s, t = deref(x.type), deref(y.type)
    if is_known(x) and is_known(y):
        return it.constant((static_value(x) is static_value(y)) is not negated)
    if x is y or (isinstance(s, NoneType_) and isinstance(t, NoneType_)):
        return it.constant(not negated)
    for a, b in ((x, y), (y, x)):
        if isinstance(a, Constant) and isinstance(a.value, FunctionChoice):
            return _choice_is(it, a.value, b, negated)
    for kind, other in ((s, t), (t, s)):
        if isinstance(kind, NoneType_) and not isinstance(
            other, Optional | AnyType | NeverType | NoneType_
        ):
            return it.constant(negated)
    if it.is_virtual(x) or it.is_virtual(y):
        # An object that has not left the reader's hands is not any other.
        return it.constant(negated)
    if has_no_identity(s) and has_no_identity(t):
        raise it.fail(
            UnsupportedSyntax,
            f"whether {s!r} and {t!r} are one object is not kept track of",
            "compare numbers and tuples with ==",
        )
    for kind, other in ((s, t), (t, s)):
        if has_no_identity(kind) and (is_singleton(other) or isinstance(other, Cell)):
            return it.constant(negated)
    if are_apart(x, y):
        return it.constant(negated)
    if it.prepare is not None and x is not y and all(map(_has_no_axes, (s, t))):
        # Native code holds the number that it is.
        raise it.fail(
            UnsupportedSyntax,
            "whether two arrays without axes are one object is not kept track of",
            "compare them with ==",
        )
    found = it.emit(ops.IS, (x, y), BOOL)
    return it.emit(ops.NOT, (found,), BOOL) if negated else found


def _has_no_axes(t: Type) -> bool:
    return isinstance(t, Num) and t.boxed and t.ndim == 0


def _choice_is(it: Interpreter, choice: FunctionChoice, y: Node, negated: bool) -> Node:
    """Whether a function chosen at run time is a given one, or None."""
    same = [
        key
        for key, option in zip(choice.keys, choice.options)
        if isinstance(option, Constant)
        and isinstance(y, Constant)
        and option.value is y.value
    ]
    if not same:
        return it.constant(negated)
    found = it.emit(ops.CONTAINS, (choice.selector, it.constant(tuple(same))), BOOL)
    return it.emit(ops.NOT, (found,), BOOL) if negated else found
