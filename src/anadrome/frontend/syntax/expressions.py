"""Expressions of the language: each kind of syntax and the nodes it becomes."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from anadrome import runtime
from anadrome.errors import TypeMismatch, UnsupportedSyntax
from anadrome.frontend.calls import calls
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.syntax import comprehensions
from anadrome.frontend.syntax.branches import branch
from anadrome.frontend.syntax.source import FunctionSource, local_names
from anadrome.frontend.values import attributes, item_reads, item_writes, sequences
from anadrome.frontend.values.bindings import no_result
from anadrome.frontend.values.compile_time import Closure, Splat
from anadrome.frontend.values.iteration import iterate
from anadrome.frontend.values.iterators import iterator_of
from anadrome.frontend.values.known import is_known, static_value
from anadrome.frontend.values.operators import (
    BINARY,
    COMPARE,
    UNARY,
    binary,
    compare,
    negate_truth,
    numeric,
    truth,
    unary,
)
from anadrome.frontend.values.own_iterators import opened
from anadrome.frontend.values.tuples import make_tuple
from anadrome.ir import operations as ops
from anadrome.ir.graph import Constant, Node
from anadrome.ir.types import (
    ANY,
    STR,
    Dict,
    List,
    Num,
    Object,
    Optional,
    Other,
    deref,
    strip_optional,
)

Reader = Callable[[Interpreter, Any], Node]
EXPRESSIONS: dict[type[ast.expr], Reader] = {}

REFUSED: dict[type[ast.AST], tuple[str, str]] = {
    ast.Await: ("'await'", "do what waits outside the differentiated function"),
}


def reads(kind: type[ast.expr]) -> Callable[[Reader], Reader]:
    """Register a reader of a kind of expression."""

    def enter(reader: Reader) -> Reader:
        EXPRESSIONS[kind] = reader
        return reader

    return enter


def evaluate(it: Interpreter, node: ast.expr) -> Node:
    """The value of an expression."""
    reader = EXPRESSIONS.get(type(node))
    # As `it.at` does, which would cost more than many an expression.
    before = it.span
    it.move_to(node)
    try:
        if reader is None:
            what, help = REFUSED.get(
                type(node), (f"'{type(node).__name__}'", "write it another way")
            )
            raise it.fail(UnsupportedSyntax, f"{what} cannot be differentiated", help)
        return reader(it, node)
    finally:
        it.span = before


@reads(ast.Constant)
def _constant(it: Interpreter, node: ast.Constant) -> Node:
    return it.constant(node.value)


@reads(ast.Name)
def _name(it: Interpreter, node: ast.Name) -> Node:
    if node.id.startswith(("%iterator", "%held ", "%matched")):
        return it.env[(it.frame.scope, node.id)]
    if node.id.startswith("%"):
        return it.env.pop((it.frame.scope, node.id))
    return it.lookup(it.frame.scope, node.id)


@reads(ast.Tuple)
def _tuple(it: Interpreter, node: ast.Tuple) -> Node:
    items = _arguments(it, node.elts)
    if any(isinstance(i, Constant) and isinstance(i.value, Splat) for i in items):
        return sequences.as_tuple(it, _joined(it, items))
    return make_tuple(it, items)


@reads(ast.List)
def _list(it: Interpreter, node: ast.List) -> Node:
    if any(isinstance(e, ast.Starred) for e in node.elts):
        return _starred_list(it, node)
    return sequences.make_list(it, _items(it, node.elts))


def _items(it: Interpreter, elements: list[ast.expr]) -> list[Node]:
    found: list[Node] = []
    for e in elements:
        if isinstance(e, ast.Starred):
            found += sequences.static_items(it, evaluate(it, e.value), e)
        else:
            found.append(evaluate(it, e))
    return found


def _starred_list(it: Interpreter, node: ast.List) -> Node:
    """`[*xs, y]`: known items one by one, lists of unknown length concatenated."""
    return _joined(it, _arguments(it, node.elts))


def _joined(it: Interpreter, items: list[Node]) -> Node:
    """A list of items and of what stars of unknown length stand for."""
    parts: list[Node] = []
    run: list[Node] = []
    for item in items:
        if not isinstance(item, Constant) or not isinstance(item.value, Splat):
            run.append(item)
            continue
        if run:
            parts.append(sequences.make_list(it, run))
            run = []
        parts.append(sequences.as_list(it, item.value.sequence))
    if run or not parts:
        parts.append(sequences.make_list(it, run))
    whole = parts[0]
    for part in parts[1:]:
        whole = binary(it, operator.add, whole, part)
    return whole


@reads(ast.Set)
def _set(it: Interpreter, node: ast.Set) -> Node:
    return it.emit(ops.SET, tuple(_items(it, node.elts)), Other(set))


@reads(ast.Dict)
def _dict(it: Interpreter, node: ast.Dict) -> Node:
    made = item_writes.new_dict(it)
    for key, value in zip(node.keys, node.values):
        if key is None:
            other = evaluate(it, value)
            known = isinstance(strip_optional(other.type), Dict)
            if (
                not known
                and not it.is_virtual(other)
                and not isinstance(other, Constant)
            ):
                given = it.constant(runtime.unpacked), other
                other = it.emit(ops.PYCALL, given, Dict(None, ANY, ANY), target=True)
            item_writes.update_dict(it, made, other)
        else:
            k = evaluate(it, key)
            item_writes.set_item(it, made, k, evaluate(it, value))
    return made


@reads(ast.Attribute)
def _attribute(it: Interpreter, node: ast.Attribute) -> Node:
    return attributes.get_attribute(it, evaluate(it, node.value), node.attr)


@reads(ast.Subscript)
def _subscript(it: Interpreter, node: ast.Subscript) -> Node:
    value = evaluate(it, node.value)
    return item_reads.get_item(it, value, evaluate(it, node.slice))


@reads(ast.Slice)
def _slice(it: Interpreter, node: ast.Slice) -> Node:
    parts = [
        evaluate(it, p) if p is not None else it.constant(None)
        for p in (node.lower, node.upper, node.step)
    ]
    return sequences.make_slice(it, parts)


@reads(ast.Call)
def _call(it: Interpreter, node: ast.Call) -> Node:
    if isinstance(node.func, ast.Name) and node.func.id == "super":
        return calls.make_super(it, [evaluate(it, a) for a in node.args])
    function = evaluate(it, node.func)
    if isinstance(function, Constant) and function.value is sum:
        found = _sum_of_comprehension(it, node)
        if found is not None:
            return found
    at_once = calls.takes_all(function)
    args = _arguments(it, node.args, at_once)
    keywords: dict[str, Node] = {}
    for k in node.keywords:
        value = evaluate(it, k.value)
        if k.arg is not None:
            given = {k.arg: value}
        else:
            given = item_reads.static_mapping(it, value, k)
        wrong = [n for n in given if not isinstance(n, str) or n in keywords]
        if wrong:
            raise it.fail(
                TypeMismatch,
                f"the keyword {wrong[0]!r} is given twice"
                if wrong[0] in keywords
                else f"the keyword {wrong[0]!r} is not a string",
                "give each keyword once, by its name",
                python=TypeError,
            )
        keywords.update(given)
    return calls.call(it, function, args, keywords)


def _sum_of_comprehension(it: Interpreter, node: ast.Call) -> Node | None:
    """`sum(… for … in …)` without the list; None if it is something else."""
    if not 1 <= len(node.args) <= 2 or node.keywords:
        return None
    given, *starts = node.args
    if not isinstance(given, ast.ListComp | ast.GeneratorExp):
        return None
    if any(g.ifs or g.is_async for g in given.generators):
        return None
    if any(isinstance(s, ast.Starred) for s in starts):
        return None
    start = evaluate(it, starts[0]) if starts else it.constant(0)
    return comprehensions.summed(it, given, start)


def _arguments(
    it: Interpreter, elements: list[ast.expr], at_once: bool = False
) -> list[Node]:
    """The arguments of a call; a star of unknown length stays one.

    If all of them are taken `at_once`, a generator expression is as good as a list.
    """
    found: list[Node] = []
    for e in elements:
        if at_once and isinstance(e, ast.GeneratorExp):
            with it.at(e):
                found.append(_list_comprehension(it, e))
            continue
        if not isinstance(e, ast.Starred):
            found.append(evaluate(it, e))
            continue
        value = opened(it, evaluate(it, e.value))
        if iterator_of(value) is not None:
            value = sequences.as_list(it, value)
        items = sequences.known(it, value)
        if items is None:
            items = iterate(it, value).items
        found += items if items is not None else [it.constant(Splat(value))]
    return found


@reads(ast.Lambda)
def _lambda(it: Interpreter, node: ast.Lambda) -> Node:
    return make_closure(it, node, "<lambda>")


def make_closure(
    it: Interpreter, node: ast.Lambda | ast.FunctionDef, name: str
) -> Node:
    """A function defined here; its defaults are evaluated now."""
    scope = it.frame.scope
    source = FunctionSource(node, it.frame.source.file, name, local_names(node))
    defaults = tuple(evaluate(it, d) for d in node.args.defaults)
    named = {
        a.arg: evaluate(it, d)
        for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults)
        if d is not None
    }
    scope.captured = True
    return it.constant(Closure(source, scope, defaults, named))


@reads(ast.NamedExpr)
def _walrus(it: Interpreter, node: ast.NamedExpr) -> Node:
    value = evaluate(it, node.value)
    scope = it.frame.scope
    while scope.is_comprehension and scope.parent is not None:
        scope = scope.parent
    it.assign(scope, node.target.id, value)
    return value


# Operators ----------------------------------------------------------------------------


@reads(ast.BinOp)
def _binop(it: Interpreter, node: ast.BinOp) -> Node:
    left = evaluate(it, node.left)
    right = evaluate(it, node.right)
    return binary(it, BINARY[type(node.op)], left, right)


@reads(ast.UnaryOp)
def _unary(it: Interpreter, node: ast.UnaryOp) -> Node:
    value = evaluate(it, node.operand)
    if isinstance(node.op, ast.Not):
        return negate_truth(it, value)
    return unary(it, UNARY[type(node.op)], value)


@reads(ast.BoolOp)
def _boolop(it: Interpreter, node: ast.BoolOp) -> Node:
    return _short_circuit(it, node, node.values, evaluate)


def tested(it: Interpreter, node: ast.expr) -> Node:
    """Whether an expression holds: of `a and b` nobody sees more than that."""
    if not isinstance(node, ast.BoolOp):
        return truth(it, evaluate(it, node))
    with it.at(node):
        return truth(it, _short_circuit(it, node, node.values, tested))


def _short_circuit(
    it: Interpreter,
    whole: ast.BoolOp,
    values: list[ast.expr],
    read: Callable[[Interpreter, ast.expr], Node],
) -> Node:
    """`a and b`, or only whether it holds, as its parts are read."""
    conjunction, only_tested = isinstance(whole.op, ast.And), read is tested
    first = read(it, values[0])
    if len(values) == 1:
        return _flag(it, first) if only_tested else first
    test = truth(it, first)
    if isinstance(test, Constant):
        if bool(test.value) is conjunction:
            return _short_circuit(it, whole, values[1:], read)
        return first

    def rest() -> Node:
        return _short_circuit(it, whole, values[1:], read)

    def this() -> Node:
        return it.constant(not conjunction) if only_tested else first

    return choose(
        it, test, rest if conjunction else this, this if conjunction else rest
    )


def _flag(it: Interpreter, value: Node) -> Node:
    """Whether a value holds, beside other truth values: it may be a list."""
    if isinstance(value, Constant) or isinstance(deref(value.type), Num):
        return value
    return calls.call(it, it.constant(bool), [value], {})


def choose(
    it: Interpreter, test: Node, then: Callable[[], Node], other: Callable[[], Node]
) -> Node:
    """The value of one of two expressions."""
    key = (it.frame.scope, "%value")

    def side(step: Callable[[], Node]) -> Callable[[], None]:
        def run() -> None:
            it.env[key] = step()

        return run

    it.env.pop(key, None)
    branch(it, test, side(then), side(other), it.frame_live())
    if key not in it.env:
        raise no_result(it)
    return it.env.pop(key)


def choose_statement(
    it: Interpreter,
    test: Node,
    then: Callable[[], Any],
    other: Callable[[], Any],
    live: frozenset[str],
) -> None:
    """One of two pieces of code, by a condition that may be known."""
    if isinstance(test, Constant):
        (then if test.value else other)()
    else:
        branch(it, test, then, other, live)


@reads(ast.IfExp)
def _ternary(it: Interpreter, node: ast.IfExp) -> Node:
    test = tested(it, node.test)
    if isinstance(test, Constant):
        return evaluate(it, node.body if test.value else node.orelse)
    return choose(
        it,
        test,
        lambda: _refined(it, node.test, True, node.body),
        lambda: _refined(it, node.test, False, node.orelse),
    )


def _refined(it: Interpreter, test: ast.expr, holds: bool, value: ast.expr) -> Node:
    refine(it, test, holds)
    return evaluate(it, value)


@reads(ast.Compare)
def _compare(it: Interpreter, node: ast.Compare) -> Node:
    left = evaluate(it, node.left)
    return _chain(it, left, list(zip(node.ops, node.comparators)))


def _chain(it: Interpreter, left: Node, rest: list[tuple[ast.cmpop, ast.expr]]) -> Node:
    (op, syntax), more = rest[0], rest[1:]
    right = evaluate(it, syntax)
    found = compare(it, op, left, right)
    if not more:
        return found
    test = truth(it, found)
    if isinstance(test, Constant):
        return _chain(it, right, more) if test.value else found
    return choose(it, test, lambda: _chain(it, right, more), lambda: found)


def refine(it: Interpreter, test: ast.expr, holds: bool) -> None:
    """Use what a condition says of a variable inside the branch it guards."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return refine(it, test.operand, not holds)
    if isinstance(test, ast.BoolOp):
        if isinstance(test.op, ast.And) is holds:
            for v in test.values:
                refine(it, v, holds)
        return None
    if isinstance(test, ast.Name):
        return _refine_none(it, test, not holds)
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        right = test.comparators[0]
        if isinstance(right, ast.Constant) and right.value is None:
            if isinstance(test.ops[0], ast.Is | ast.IsNot):
                is_none = isinstance(test.ops[0], ast.Is) is holds
                return _refine_none(it, test.left, is_none)
    return None


def _refine_none(it: Interpreter, name: ast.expr, is_none: bool) -> None:
    if not isinstance(name, ast.Name):
        return
    scope = it.frame.scope
    value = it.env.get((scope, name.id))
    if value is None:
        return
    t = deref(value.type)
    if isinstance(t, Optional):
        if not is_none:
            narrowed = it.emit(ops.CAST, (value,), t.inner)
            narrowed.name = value.name
            it.env[(scope, name.id)] = narrowed
        elif isinstance(deref(t.inner), Num | Object | List):
            pass


# Comprehensions -----------------------------------------------------------------------


@reads(ast.ListComp)
def _list_comprehension(it: Interpreter, node: ast.ListComp | ast.GeneratorExp) -> Node:
    return comprehensions.comprehension(
        it, node.generators, lambda: evaluate(it, node.elt)
    )


@reads(ast.GeneratorExp)
def _generator(it: Interpreter, node: ast.GeneratorExp) -> Node:
    return comprehensions.generator(it, node)


@reads(ast.Yield)
def _yield(it: Interpreter, node: ast.Yield) -> Node:
    value = evaluate(it, node.value) if node.value else it.constant(None)
    assert it.frame.on_yield is not None
    return it.frame.on_yield(value)


@reads(ast.YieldFrom)
def _yield_from(it: Interpreter, node: ast.YieldFrom) -> Node:
    from anadrome.frontend.syntax.generators import yield_from

    return yield_from(it, evaluate(it, node.value))


@reads(ast.SetComp)
def _set_comprehension(it: Interpreter, node: ast.SetComp) -> Node:
    made = comprehensions.comprehension(
        it, node.generators, lambda: evaluate(it, node.elt)
    )
    return it.emit(ops.PYCALL, (it.constant(set), made), Other(set), target=True)


@reads(ast.DictComp)
def _dict_comprehension(it: Interpreter, node: ast.DictComp) -> Node:
    return comprehensions.dict_comprehension(
        it,
        node.generators,
        lambda: evaluate(it, node.key),
        lambda: evaluate(it, node.value),
    )


# Text ---------------------------------------------------------------------------------


@reads(ast.JoinedStr)
def _fstring(it: Interpreter, node: ast.JoinedStr) -> Node:
    template, values = _template(it, node)
    if all(is_known(v) for v in values):
        known = [static_value(v) for v in values]
        if all(isinstance(v, int | str) for v in known):
            return it.constant(it.by_python(template.format, *known))
    return it.emit(ops.FORMAT, (it.constant(template), *values), STR)


def _template(it: Interpreter, node: ast.JoinedStr) -> tuple[str, list[Node]]:
    text, values = "", []
    for part in node.values:
        if isinstance(part, ast.Constant):
            text += str(part.value).replace("{", "{{").replace("}", "}}")
        elif isinstance(part, ast.FormattedValue):
            values.append(evaluate(it, part.value))
            conversion = "" if part.conversion < 0 else "!" + chr(part.conversion)
            spec = ""
            if isinstance(part.format_spec, ast.JoinedStr):
                inner, more = _template(it, part.format_spec)
                spec = ":" + inner
                values += more
            text += "{" + conversion + spec + "}"
    return text, values


@reads(ast.FormattedValue)
def _formatted(it: Interpreter, node: ast.FormattedValue) -> Node:
    return evaluate(it, ast.JoinedStr([node]))


@reads(ast.Starred)
def _starred(it: Interpreter, node: ast.Starred) -> Node:
    raise it.fail(
        UnsupportedSyntax, "a star here cannot be read", "unpack into names first"
    )


__all__ = [
    "BINARY",
    "COMPARE",
    "EXPRESSIONS",
    "REFUSED",
    "UNARY",
    "binary",
    "choose",
    "choose_statement",
    "compare",
    "evaluate",
    "make_closure",
    "numeric",
    "refine",
    "tested",
    "truth",
]
