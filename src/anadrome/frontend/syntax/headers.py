"""What stands in front of a block in the body of a `try`, and may raise of itself.

The test of an `if` and what a `for` takes its items from get a statement of their own,
so that they are tried without the block.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.syntax.liveness import liveness_of
from anadrome.frontend.values.attributes import has_own
from anadrome.frontend.values.bindings import is_bound
from anadrome.frontend.values.compile_time import Key
from anadrome.ir.types import (
    NEVER,
    AnyType,
    NoneType_,
    Num,
    Object,
    Type,
    Union,
    deref,
    strip_optional,
)

HEADER = "%header"
_RISKY = (
    ast.Call,
    ast.Subscript,
    ast.Attribute,
    ast.BinOp,
    ast.FormattedValue,
    ast.Starred,
    ast.comprehension,
)


def is_risky(it: Interpreter, syntax: ast.expr) -> bool:
    """Whether an expression may raise, as far as its syntax and its names tell."""
    scope = it.frame.scope

    def is_sure(key: Key) -> bool:
        return key not in it.env or is_bound(it, it.env, key)

    return any(
        isinstance(n, _RISKY)
        or (isinstance(n, ast.Name) and not is_sure((scope, n.id)))
        for n in ast.walk(syntax)
    )


def split_header(it: Interpreter, s: ast.stmt) -> list[ast.stmt] | None:
    """An `if` or `for` of a `try` body with its condition or iterable apart."""
    if isinstance(s, ast.If) and _is_asked(it, s.test):
        # Whether it is true is another question that may fail.
        no = ast.copy_location(ast.UnaryOp(ast.Not(), s.test), s.test)
        header: ast.expr = ast.copy_location(ast.UnaryOp(ast.Not(), no), s.test)
    elif isinstance(s, ast.If) and is_risky_test(it, s.test):
        header = s.test
    elif isinstance(s, ast.For) and is_risky(it, s.iter):
        header = s.iter
    elif isinstance(s, ast.For) and (taken := _taken_by(it, s.iter)) is not None:
        called = ast.copy_location(ast.Constant(taken), s.iter)  # type: ignore[arg-type]
        header = ast.copy_location(ast.Call(called, [s.iter], []), s.iter)
    elif isinstance(s, ast.Raise) and len(given := _risky_arguments(it, s)) == 1:
        header = given[0]
    else:
        return None
    name = ast.copy_location(ast.Name(HEADER, ast.Store()), header)
    first = ast.copy_location(ast.Assign([name], header), header)
    read = ast.copy_location(ast.Name(HEADER, ast.Load()), header)
    if isinstance(s, ast.Raise):
        made = s.exc
        assert isinstance(made, ast.Call)
        args = [read if a is header else a for a in made.args]
        made = ast.copy_location(ast.Call(made.func, args, made.keywords), made)
        second: ast.stmt = ast.copy_location(ast.Raise(made, s.cause), s)
    elif isinstance(s, ast.If):
        second = ast.copy_location(ast.If(read, s.body, s.orelse), s)
        second.refined = getattr(s, "refined", s.test)  # type: ignore[attr-defined]
    else:
        second = ast.copy_location(ast.For(s.target, read, s.body, s.orelse), s)
    live = liveness_of(it.frame.source.node)
    live.after[first] = frozenset(it.frame.scope.locals)
    live.after[second] = live.live_after(s)
    return [first, second]


def is_risky_test(it: Interpreter, test: ast.expr) -> bool:
    """Whether a condition, or the question whether it is true, may raise."""
    return is_risky(it, test) or any(
        is_array(it, n) or _is_asked(it, n) or _takes_numbers(it, n)
        for n in ast.walk(test)
    )


def _is_asked(it: Interpreter, node: ast.AST) -> bool:
    """Whether a variable is something that may fail when asked whether it is true."""
    t = _type_of(it, node) if isinstance(node, ast.Name) else NEVER
    return _has(t, "__bool__", "__len__") or is_array(it, node)


_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn)


def _takes_numbers(it: Interpreter, node: ast.AST) -> bool:
    """Whether an operator fails for some operands, and these are no real numbers."""
    if isinstance(node, ast.Compare):
        operands = [node.left, *node.comparators]
        orders = any(isinstance(op, _ORDERS) for op in node.ops)
        compared = [n for n in operands if isinstance(n, ast.Name)]
        if any(isinstance(op, ast.Eq | ast.NotEq) for op in node.ops):
            if any(_may_compare(_type_of(it, n)) for n in compared):
                return True
    else:
        operands = [node.operand] if isinstance(node, ast.UnaryOp) else []
        orders = bool(operands) and not isinstance(node.op, ast.Not)  # type: ignore[attr-defined]
    names = (n for o in operands for n in ast.walk(o) if isinstance(n, ast.Name))
    return orders and not all(map(_is_real, (_type_of(it, n) for n in names)))


def _may_compare(t: Type) -> bool:
    """Whether `==` may be a method, or fail."""
    return isinstance(t, AnyType) or _has(t, "__eq__")


def _has(t: Type, *names: str) -> bool:
    """Whether a value is an object whose class, or one of them, has such a method."""
    t = strip_optional(t)
    if isinstance(t, Union):
        return any(_has(option, *names) for option in t.options)
    return isinstance(t, Object) and any(has_own(t, name) for name in names)


def _is_real(t: Type) -> bool:
    plain = isinstance(t, Num) and t.ndim == 0 and t.dtype is not None
    return plain and t.dtype.kind in "biuf"  # type: ignore[attr-defined]


def _type_of(it: Interpreter, name: ast.Name) -> Type:
    found = it.env.get((it.frame.scope, name.id))
    return deref(found.type) if found is not None else NEVER


def is_array(it: Interpreter, node: ast.AST) -> bool:
    """Whether a variable is an array, or something of which nothing is known."""
    t = _type_of(it, node) if isinstance(node, ast.Name) else NEVER
    return isinstance(t, AnyType) or (isinstance(t, Num) and t.ndim != 0)


def _taken_by(it: Interpreter, node: ast.expr) -> Callable[..., object] | None:
    """What fails for a variable as a loop over it does, if that may fail."""
    t = _type_of(it, node) if isinstance(node, ast.Name) else NEVER
    if _has(t, "__iter__") and not _has(t, "__next__"):
        return iter
    # It may be a number or None.
    if isinstance(t, AnyType | NoneType_) or (isinstance(t, Num) and not t.ndim):
        return list
    return None


def _risky_arguments(it: Interpreter, s: ast.Raise) -> list[ast.expr]:
    """What an exception is made of and may fail itself."""
    args = s.exc.args if isinstance(s.exc, ast.Call) else []
    plain = [a for a in args if not isinstance(a, ast.Starred)]
    return [a for a in plain if is_risky(it, a) and _computes(a)]


def split_assert(it: Interpreter, s: ast.stmt) -> list[ast.stmt] | None:
    """An `assert` whose message may fail as an `if`: it is asked for in a failure."""
    if not isinstance(s, ast.Assert) or s.msg is None or not _computes(s.msg):
        return None
    kind = ast.copy_location(ast.Constant(AssertionError), s.msg)  # type: ignore[arg-type]
    made = ast.copy_location(ast.Call(kind, [s.msg], []), s.msg)
    failure = ast.copy_location(ast.Raise(made, None), s)
    no = ast.copy_location(ast.UnaryOp(ast.Not(), s.test), s.test)
    whole = ast.copy_location(ast.If(no, [failure], []), s)
    live = liveness_of(it.frame.source.node)
    live.after[failure] = live.after[whole] = live.live_after(s)
    return [whole]


def _computes(message: ast.expr) -> bool:
    """Whether a message does more than to put values into a text."""
    plain = ("str", "repr", "len", "type", "format")
    for n in ast.walk(message):
        if isinstance(n, ast.Call):
            name = getattr(n.func, "id", getattr(n.func, "attr", ""))
            if name not in plain:
                return True
        elif isinstance(n, ast.BinOp):
            text = n.left
            while isinstance(text, ast.BinOp):
                text = text.left
            if not isinstance(text, ast.Constant | ast.JoinedStr):
                return True
        elif isinstance(n, ast.Subscript | ast.UnaryOp | ast.Compare):
            return True
    return False


def split_yield(it: Interpreter, s: ast.stmt) -> list[ast.stmt] | None:
    """A `yield` of a `try` body with its value apart: that alone is tried here."""
    given = getattr(s, "value", None)
    if not isinstance(given, ast.Yield) or given.value is None:
        return None
    if not is_risky(it, given.value):
        return None
    name = ast.copy_location(ast.Name(HEADER, ast.Store()), given)
    first = ast.copy_location(ast.Assign([name], given.value), given)
    read = ast.copy_location(ast.Name(HEADER, ast.Load()), given)
    hand_over = ast.copy_location(ast.Yield(read), given)
    second: ast.stmt = ast.Expr(hand_over)
    if isinstance(s, ast.Assign):
        second = ast.Assign(s.targets, hand_over)
    ast.copy_location(second, s)
    live = liveness_of(it.frame.source.node)
    live.after[first] = frozenset(it.frame.scope.locals)
    live.after[second] = live.live_after(s)
    return [first, second]
