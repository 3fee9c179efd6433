"""Operations as Python expressions, with no more parentheses than needed."""

from __future__ import annotations

import builtins
import copy
import math
import operator
import types as pytypes
from collections.abc import Callable
from typing import Any

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node
from anadrome.ir.types import Dict, List, Num, deref
from anadrome.primitives.containers import concatenate_lists, repeat_list
from anadrome.primitives.registry import Primitive

(
    TERNARY,
    OR,
    AND,
    NOT,
    COMPARE,
    BITOR,
    XOR,
    BITAND,
    SHIFT,
    SUM,
    PRODUCT,
    UNARY,
    POWER,
) = range(1, 14)
POSTFIX, ATOM = 15, 16

INFIX: dict[Any, tuple[str, int]] = {
    operator.add: ("+", SUM),
    operator.sub: ("-", SUM),
    operator.mul: ("*", PRODUCT),
    operator.truediv: ("/", PRODUCT),
    operator.floordiv: ("//", PRODUCT),
    operator.mod: ("%", PRODUCT),
    operator.matmul: ("@", PRODUCT),
    operator.pow: ("**", POWER),
    operator.and_: ("&", BITAND),
    operator.or_: ("|", BITOR),
    operator.xor: ("^", XOR),
    operator.lshift: ("<<", SHIFT),
    operator.rshift: (">>", SHIFT),
    operator.lt: ("<", COMPARE),
    operator.le: ("<=", COMPARE),
    operator.gt: (">", COMPARE),
    operator.ge: (">=", COMPARE),
    operator.eq: ("==", COMPARE),
    operator.ne: ("!=", COMPARE),
}

PREFIX: dict[Any, tuple[str, int]] = {
    operator.neg: ("-", UNARY),
    operator.pos: ("+", UNARY),
    operator.invert: ("~", UNARY),
}

_MODULES: dict[str, str] = {
    "np": "numpy",
    "np.linalg": "numpy.linalg",
    "np.fft": "numpy.fft",
    "math": "math",
    "special": "scipy.special",
    "linalg": "scipy.linalg",
    "signal": "scipy.signal",
}

Text = tuple[str, int]


class Namespace:
    """The names that printed code needs: modules, functions, classes, odd constants."""

    def __init__(self) -> None:
        self.bound: dict[str, Any] = {"np": np}
        self.names: dict[int, str] = {}
        self.kept: list[Any] = []

    def reference(self, value: Any, hint: str) -> str:
        """An expression that evaluates to a value."""
        import sys

        name = getattr(value, "__name__", None)
        if name:
            for prefix, module in _MODULES.items():
                loaded = sys.modules.get(module)
                if loaded is not None and getattr(loaded, name, None) is value:
                    root = prefix.split(".")[0]
                    self.bound[root] = np if root == "np" else loaded
                    return f"{prefix}.{name}"
        owner = getattr(value, "__self__", None)
        if isinstance(owner, np.ufunc):
            return f"{self.reference(owner, 'ufunc')}.{name}"
        known = self.names.get(id(value))
        if known is not None:
            return known
        base = hint if hint.isidentifier() else "value"
        if getattr(builtins, base, value) is not value:
            # Printed code calls Python's own function of that name.
            base += "_"
        found, k = base, 1
        while found in self.bound and self.bound[found] is not value:
            found, k = f"{base}_{k}", k + 1
        self.bound[found] = value
        self.names[id(value)] = found
        self.kept.append(value)
        return found


class Expressions:
    """Prints nodes; asks `atom` for the text of a value that has a variable."""

    def __init__(
        self,
        namespace: Namespace,
        atom: Callable[[Node], Text],
        graph_name: Callable[[Graph], str],
        is_own: Callable[[Node], bool],
    ) -> None:
        self.namespace = namespace
        self.atom = atom
        self.graph_name = graph_name
        self.is_own = is_own

    def text(self, node: Node, level: int = 0) -> str:
        """A value as an operand of something that binds as tightly as `level`."""
        if isinstance(node, Constant):
            found, own = self.constant(node.value)
        else:
            found, own = self.atom(node)
        return f"({found})" if own < level else found

    def constant(self, value: Any) -> Text:
        """A constant."""
        kind = type(value)
        if kind is float:
            if math.isnan(value) and value is not np.nan:
                # Which nan it is may be asked: `v in [v]` is true.
                return self.namespace.reference(value, "nan"), ATOM
            if math.isnan(value) or math.isinf(value):
                sign = "-" if value < 0 else ""
                word = "nan" if math.isnan(value) else "inf"
                return f"{sign}np.{word}", UNARY if sign else ATOM
            return repr(value), UNARY if value < 0 or str(value)[0] == "-" else ATOM
        if kind is int:
            return repr(value), UNARY if value < 0 else ATOM
        if kind in (bool, str, bytes, type(None), complex):
            return repr(value), ATOM
        if value is Ellipsis:
            return "...", ATOM
        if kind is tuple:
            items = [self.constant(v)[0] for v in value]
            return f"({', '.join(items)}{',' if len(items) == 1 else ''})", ATOM
        if kind is slice:
            parts = [self.constant(v)[0] for v in (value.start, value.stop, value.step)]
            return f"slice({', '.join(parts)})", ATOM
        if isinstance(value, np.generic):
            return f"np.{value.dtype.name}({value.item()!r})", POSTFIX
        if isinstance(value, np.dtype):
            return f"np.dtype({value.name!r})", POSTFIX
        if isinstance(value, Graph):
            return self.graph_name(value), ATOM
        if callable(value) and value in _PLAIN_BUILTINS:
            return value.__name__, ATOM
        hint = getattr(value, "__name__", None) or type(value).__name__.lower()
        return self.namespace.reference(value, hint), POSTFIX

    # Operations ---------------------------------------------------------------------

    def apply(self, node: Apply) -> Text:
        """An operation as an expression."""
        if isinstance(node.op, Primitive):
            return self._primitive(node)
        printer = _PRINTERS.get(node.op)
        if printer is None:
            raise AssertionError(f"{node.op} has no expression")
        return printer(self, node)

    def _primitive(self, node: Apply) -> Text:
        op, target = node.op, node.target
        if target in INFIX and len(node.args) == 2:
            sign, level = INFIX[target]
            return self.infix(sign, level, node.args[0], node.args[1])
        if target in PREFIX:
            sign, level = PREFIX[target]
            return f"{sign}{self.text(node.args[0], level)}", level
        if op is concatenate_lists:
            return self.infix("+", SUM, *node.args)
        if op is repeat_list:
            return self.infix("*", PRODUCT, *node.args)
        args = list(node.args)
        if op.properties and len(args) == 1 and target is op.impl and is_array(args[0]):
            return f"{self.text(args[0], POSTFIX)}.{op.properties[0]}", POSTFIX
        if isinstance(target, pytypes.MethodDescriptorType):
            instance = self.text(args[0], POSTFIX)
            return (
                f"{instance}.{target.__name__}{self.arguments(args[1:], node)}",
                POSTFIX,
            )
        plain = target in _PLAIN_BUILTINS
        name = (
            target.__name__ if plain else self.namespace.reference(target, op.__name__)
        )
        return f"{name}{self.arguments(args, node)}", POSTFIX

    def infix(self, sign: str, level: int, x: Node, y: Node) -> Text:
        """A binary operator."""
        if level == POWER:
            return f"{self.text(x, POWER + 1)}**{self.text(y, UNARY)}", level
        left = level + 1 if level == COMPARE else level
        return f"{self.text(x, left)} {sign} {self.text(y, level + 1)}", level

    def arguments(self, args: list[Node], node: Apply) -> str:
        """The arguments of a call, in parentheses."""
        given = [self.text(a, TERNARY) for a in args]
        given += [f"{k}={self.text(v, TERNARY)}" for k, v in node.keywords.items()]
        return f"({', '.join(given)})"

    def index(self, node: Node) -> str:
        """What stands between square brackets."""
        if isinstance(node, Apply) and self._is_inline(node):
            if node.op is ops.TUPLE and node.args:
                parts = [self.index(a) for a in node.args]
                return ", ".join(parts) + ("," if len(parts) == 1 else "")
            if node.op is ops.SLICE:
                return self._slice(node.args)
        if isinstance(node, Constant):
            if isinstance(node.value, slice):
                bounds = (node.value.start, node.value.stop, node.value.step)
                return self._slice([Constant(p, node.type) for p in bounds])
            if isinstance(node.value, tuple) and node.value:
                inner = [self.index(Constant(v, node.type)) for v in node.value]
                return ", ".join(inner) + ("," if len(inner) == 1 else "")
        return self.text(node, TERNARY)

    def _is_inline(self, node: Apply) -> bool:
        found, _ = self.atom(node)
        return not found.isidentifier()

    def _slice(self, parts: Any) -> str:
        start, stop, step = (
            ""
            if isinstance(p, Constant) and p.value is None
            else self.text(p, TERNARY + 1)
            for p in parts
        )
        return f"{start}:{stop}" + (f":{step}" if step else "")


_PLAIN_BUILTINS = [
    list,
    tuple,
    dict,
    set,
    int,
    float,
    bool,
    str,
    complex,
    range,
    len,
    print,
    sum,
    max,
    min,
    abs,
    isinstance,
    round,
    repr,
    sorted,
    type,
    hasattr,
    BaseException,
    Exception,
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    ZeroDivisionError,
    ArithmeticError,
    RuntimeError,
    AssertionError,
    LookupError,
    OverflowError,
    NotImplementedError,
    AttributeError,
    FloatingPointError,
    StopIteration,
]


def is_array(node: Node) -> bool:
    """Whether a value is surely an array, which has attributes and methods."""
    t = deref(node.type)
    return isinstance(t, Num) and bool(t.ndim) and not isinstance(node, Constant)


def _sequence(opening: str, closing: str) -> Any:
    def run(e: Expressions, node: Apply) -> Text:
        items = [e.text(a, TERNARY) for a in node.args]
        comma = "," if opening == "(" and len(items) == 1 else ""
        return f"{opening}{', '.join(items)}{comma}{closing}", ATOM

    return run


def _set(e: Expressions, node: Apply) -> Text:
    if not node.args:
        return "set()", POSTFIX
    found: Text = _sequence("{", "}")(e, node)
    return found


def _dict(e: Expressions, node: Apply) -> Text:
    pairs = zip(node.args[::2], node.args[1::2])
    inner = ", ".join(f"{e.text(k, TERNARY)}: {e.text(v, TERNARY)}" for k, v in pairs)
    return f"{{{inner}}}", ATOM


def _namedtuple(e: Expressions, node: Apply) -> Text:
    return (
        f"{e.text(node.args[0], POSTFIX)}{e.arguments(list(node.args[1:]), node)}",
        POSTFIX,
    )


def _record(e: Expressions, node: Apply) -> Text:
    from anadrome.runtime import record

    names = node.args[1].value  # type: ignore[attr-defined]
    fields = [f"{n}={e.text(v, TERNARY)}" for n, v in zip(names, node.args[2:])]
    make = e.namespace.reference(record, "record")
    cls = e.text(node.args[0], TERNARY)
    return f"{make}({', '.join([cls, *fields])})", POSTFIX


def _slice(e: Expressions, node: Apply) -> Text:
    return f"slice({', '.join(e.text(a, TERNARY) for a in node.args)})", POSTFIX


def _format(e: Expressions, node: Apply) -> Text:
    template = e.text(node.args[0], POSTFIX)
    return f"{template}.format{e.arguments(list(node.args[1:]), node)}", POSTFIX


def _getitem(e: Expressions, node: Apply) -> Text:
    return f"{e.text(node.args[0], POSTFIX)}[{e.index(node.args[1])}]", POSTFIX


def _getattr(e: Expressions, node: Apply) -> Text:
    name = node.args[1].value  # type: ignore[attr-defined]
    return f"{e.text(node.args[0], POSTFIX)}.{name}", POSTFIX


def _length(e: Expressions, node: Apply) -> Text:
    return f"len({e.text(node.args[0], TERNARY)})", POSTFIX


def _call(e: Expressions, node: Apply) -> Text:
    return (
        f"{e.text(node.args[0], POSTFIX)}{e.arguments(list(node.args[1:]), node)}",
        POSTFIX,
    )


def _pycall(e: Expressions, node: Apply) -> Text:
    target = node.args[0]
    if isinstance(target, Constant) and len(node.args) == 3:
        infix = _lookup(INFIX, target.value)
        if infix is not None:
            return e.infix(infix[0], infix[1], node.args[1], node.args[2])
    return _call(e, node)


def _lookup(table: dict[Any, Any], value: Any) -> Any:
    try:
        return table.get(value)
    except TypeError:
        return None


def _method(e: Expressions, node: Apply) -> Text:
    instance = e.text(node.args[0], POSTFIX)
    if type(getattr(node.args[0], "value", None)) is int and instance.isdigit():
        instance = f"({instance})"  # its dot would be that of a float
    name = node.args[1].value  # type: ignore[attr-defined]
    return f"{instance}.{name}{e.arguments(list(node.args[2:]), node)}", POSTFIX


def _is(e: Expressions, node: Apply) -> Text:
    return e.infix("is", COMPARE, node.args[0], node.args[1])


def _contains(e: Expressions, node: Apply) -> Text:
    return e.infix("in", COMPARE, node.args[0], node.args[1])


def _not(e: Expressions, node: Apply) -> Text:
    return f"not {e.text(node.args[0], NOT)}", NOT


def _cast(e: Expressions, node: Apply) -> Text:
    return e.text(node.args[0], ATOM), ATOM


def _copy(e: Expressions, node: Apply) -> Text:
    source = node.args[0]
    if e.is_own(source):
        # The only one to see it may keep it.
        return e.atom(source)
    if not is_array(source) and not isinstance(deref(source.type), List | Dict):
        t = deref(node.type)
        array = isinstance(t, Num) and t.boxed
        make = e.namespace.reference(np.array if array else copy.copy, "copy")
        return f"{make}({e.text(source, TERNARY)})", POSTFIX
    return f"{e.text(node.args[0], POSTFIX)}.copy()", POSTFIX


def _pop(e: Expressions, node: Apply) -> Text:
    return f"{e.text(node.args[0], POSTFIX)}.pop()", POSTFIX


_PRINTERS: dict[Any, Callable[[Expressions, Apply], Text]] = {
    ops.TUPLE: _sequence("(", ")"),
    ops.LIST: _sequence("[", "]"),
    ops.SET: _set,
    ops.DICT: _dict,
    ops.NAMEDTUPLE: _namedtuple,
    ops.RECORD: _record,
    ops.SLICE: _slice,
    ops.FORMAT: _format,
    ops.GETITEM: _getitem,
    ops.GETATTR: _getattr,
    ops.LENGTH: _length,
    ops.CONVERT: _call,
    ops.CALL: _call,
    ops.PYCALL: _pycall,
    ops.OBSERVE: _pycall,
    ops.METHOD: _method,
    ops.IS: _is,
    ops.CONTAINS: _contains,
    ops.NOT: _not,
    ops.CAST: _cast,
    ops.COPY: _copy,
    ops.POP: _pop,
    ops.INSERT: _cast,
}
