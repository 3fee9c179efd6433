"""Statements of the language, and the exits from blocks, loops and functions.

`return`, `break` and `continue` set flags. What follows an `if` of which one side
always leaves moves into the other side; where neither does, it is guarded by the flag.
No statement is ever read twice.
"""

from __future__ import annotations

import ast
from functools import partial
from typing import Any

from anadrome.errors import (
    AnadromeError,
    MutationError,
    UnsupportedSyntax,
)
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.numpy.indexing import list_index
from anadrome.frontend.syntax import loops  # noqa: F401  (registers readers)
from anadrome.frontend.syntax.assignment import bind, check_casting, update
from anadrome.frontend.syntax.branches import branch
from anadrome.frontend.syntax.classes import define_class
from anadrome.frontend.syntax.exceptions import (
    is_raised_by_python,
    raise_in_place,
    run_guarded,
    run_raise,
    run_try,
)
from anadrome.frontend.syntax.exits import (
    done_key,
    exit_flag,
    innermost_try,
    is_flag,
    leave_function,
    leave_loop,
)
from anadrome.frontend.syntax.expressions import (
    BINARY,
    evaluate,
    make_closure,
    numeric,
    refine,
    tested,
)
from anadrome.frontend.syntax.generators import first_yield
from anadrome.frontend.syntax.headers import split_assert, split_header, split_yield
from anadrome.frontend.syntax.liveness import assigned, liveness_of
from anadrome.frontend.syntax.match import run_match, split_match
from anadrome.frontend.syntax.table import REFUSED_STATEMENTS, STATEMENTS, runs
from anadrome.frontend.values import attributes, item_reads, item_writes, sequences
from anadrome.frontend.values.bindings import check_name, unbind
from anadrome.ir import operations as ops
from anadrome.ir.graph import Constant, Node
from anadrome.ir.types import (
    NEVER,
    FixedList,
    Num,
    Tuple,
    Type,
    VarTuple,
    strip_optional,
)

# Statements without statements inside: what may raise in them is caught as one.
SIMPLE = (
    ast.FunctionDef,
    ast.Assign,
    ast.AugAssign,
    ast.AnnAssign,
    ast.Expr,
    ast.Return,
    ast.Assert,
    ast.Delete,
)


# Blocks -------------------------------------------------------------------------------


def run_function_body(it: Interpreter, node: ast.FunctionDef) -> Node:
    """Read a function's statements; the value it returns."""
    end = ast.Return(None, lineno=node.end_lineno or node.lineno, col_offset=0)
    end.end_lineno, end.end_col_offset = node.end_lineno, 0
    it.env[done_key(it)] = it.constant(False)
    run_block(it, [*node.body, end])
    result = it.env.get((it.frame.scope, "%return"))
    return result if result is not None else it.constant(None)


def run_block(it: Interpreter, statements: list[ast.stmt]) -> None:
    """Read statements in order, minding the exits among them."""
    for k, s in enumerate(statements):
        rest = statements[k + 1 :]
        guarded = innermost_try(it) is not None
        parts = split_assert(it, s)
        if guarded and parts is None:
            parts = split_header(it, s) or split_match(it, s)
        if guarded and parts is None and yields(s):
            parts = split_yield(it, s)
        if parts is not None:
            run_block(it, [*parts, *rest])
            return
        if guarded and isinstance(s, SIMPLE) and not yields(s):
            if run_guarded(it, s, rest):
                return
        elif run_statement(it, s, rest):
            return
        flag = exit_flag(it)
        if is_flag(flag, True):
            return
        if not is_flag(flag, False):
            if rest:
                live = live_after(it, rest[-1])
                go_on = partial(run_block, it, rest)
                branch(it, flag, lambda: None, go_on, live, leaves=True)
            return


def yields(s: ast.stmt) -> bool:
    """Whether a statement hands over to whoever runs over a generator."""
    return isinstance(s, ast.Expr | ast.Assign) and first_yield(s) is not None


def live_after(it: Interpreter, s: ast.stmt) -> frozenset[str]:
    """The names of the current function that may be read after a statement."""
    node = it.frame.source.node
    return liveness_of(node).live_after(s)


def run_statement(it: Interpreter, s: ast.stmt, rest: list[ast.stmt]) -> bool:
    """Read one statement; whether it took the rest of its block with it."""
    reader = STATEMENTS.get(type(s))
    if reader is None:
        what, help = REFUSED_STATEMENTS.get(
            type(s), (f"'{type(s).__name__}'", "write it another way")
        )
        with it.at(s):
            raise it.fail(UnsupportedSyntax, f"{what} cannot be differentiated", help)
    with it.at(s):
        before = it.comment
        if not it.in_rule and not isinstance(
            s, ast.If | ast.For | ast.While | ast.With
        ):
            it.comment = it.span.snippet() if it.span else None
        graph = it.graph
        try:
            return reader(it, s, rest)
        except AnadromeError as error:
            if not is_raised_by_python(it, error, graph):
                raise
            raise_in_place(it, error)
            return True
        finally:
            it.comment = before


@runs(ast.Pass)
def _pass(it: Interpreter, s: ast.Pass, rest: list[ast.stmt]) -> bool:
    return False


@runs(ast.Expr)
def _expression(it: Interpreter, s: ast.Expr, rest: list[ast.stmt]) -> bool:
    if not isinstance(s.value, ast.Constant):
        evaluate(it, s.value)
    return False


@runs(ast.Import, ast.ImportFrom)
def _import(
    it: Interpreter, s: ast.Import | ast.ImportFrom, rest: list[ast.stmt]
) -> bool:
    import importlib

    for alias in s.names:
        if isinstance(s, ast.Import):
            module = importlib.import_module(alias.name)
            if alias.asname is None:
                module = importlib.import_module(alias.name.split(".")[0])
            name = alias.asname or alias.name.split(".")[0]
            it.assign(it.frame.scope, name, it.constant(module))
        else:
            if s.level:
                raise it.fail(
                    UnsupportedSyntax,
                    "a relative import inside a function cannot be followed",
                    "import at the top of the file",
                )
            module = importlib.import_module(s.module or "")
            name = alias.asname or alias.name
            value = getattr(module, alias.name)
            it.assign(
                it.frame.scope,
                name,
                it.lift(lambda v=value: v, (id(module), alias.name), name),  # type: ignore[misc]
            )
    return False


# Assignment ---------------------------------------------------------------------------


@runs(ast.Assign)
def _assign(it: Interpreter, s: ast.Assign, rest: list[ast.stmt]) -> bool:
    value = evaluate(it, s.value)
    for target in s.targets:
        bind(it, target, value)
    return False


@runs(ast.AnnAssign)
def _annotated(it: Interpreter, s: ast.AnnAssign, rest: list[ast.stmt]) -> bool:
    if s.value is not None:
        bind(it, s.target, evaluate(it, s.value))
    return False


@runs(ast.AugAssign)
def _augmented(it: Interpreter, s: ast.AugAssign, rest: list[ast.stmt]) -> bool:
    function = BINARY[type(s.op)]
    target = s.target
    if isinstance(target, ast.Name):
        old = it.lookup(it.frame.scope, target.id)
        value = evaluate(it, s.value)
        new = update(it, function, old, value)
        if new is not old:
            it.assign(it.frame.scope, target.id, new)
    elif isinstance(target, ast.Subscript):
        node = evaluate(it, target.value)
        index = evaluate(it, target.slice)
        t = strip_optional(node.type)
        if isinstance(t, Num):
            # x[i] op= v reads and stores one region; the view needs no name.
            index = list_index(it, it.concrete(index))
            old = item_reads.get_item(it, node, index)
            new = numeric(
                it, function, old, sequences.as_array(it, evaluate(it, s.value))
            )
            check_casting(it, old, new)
            item_writes.set_item(it, node, index, new)
        else:
            old = item_reads.get_item(it, node, index)
            new = update(it, function, old, evaluate(it, s.value))
            # A tuple refuses to be given an item, even the one that it has.
            if new is not old or _is_tuple(t):
                item_writes.set_item(it, node, index, new)
    elif isinstance(target, ast.Attribute):
        node = evaluate(it, target.value)
        old = attributes.get_attribute(it, node, target.attr)
        new = update(it, function, old, evaluate(it, s.value))
        if new is not old or _is_tuple(strip_optional(node.type)):
            attributes.set_attribute(it, node, target.attr, new)
    return False


def _is_tuple(t: Type) -> bool:
    return isinstance(t, Tuple | VarTuple) and not isinstance(t, FixedList)


@runs(ast.Delete)
def _delete(it: Interpreter, s: ast.Delete, rest: list[ast.stmt]) -> bool:
    for target in s.targets:
        if isinstance(target, ast.Name):
            _delete_name(it, target.id)
        elif isinstance(target, ast.Subscript):
            from anadrome.frontend.methods.lists import delete_item

            node = evaluate(it, target.value)
            delete_item(it, node, evaluate(it, target.slice))
        elif isinstance(target, ast.Attribute):
            node = evaluate(it, target.value)
            attributes.delete_attribute(it, node, target.attr)
        else:
            assert isinstance(target, ast.Tuple | ast.List)
            inner = ast.copy_location(ast.Delete(target.elts), s)
            _delete(it, inner, rest)
    return False


def _delete_name(it: Interpreter, name: str) -> None:
    owner = it.owner_of(it.frame.scope, name)
    if it.cell_of(owner, name) is not None:
        raise it.fail(
            UnsupportedSyntax,
            f"'del' of '{name}', which a recursive function assigns",
            f"set '{name}' to None",
        )
    check_name(it, (owner, name), owner is it.frame.scope)
    unbind(it, (owner, name))


@runs(ast.Global)
def _global(it: Interpreter, s: ast.Global, rest: list[ast.stmt]) -> bool:
    written = assigned(_body(it))
    for name in s.names:
        if name in written:
            raise it.fail(
                MutationError,
                f"the global variable '{name}' is assigned",
                "return the new value and assign it outside the differentiated "
                "function",
            )
    return False


def _body(it: Interpreter) -> list[ast.stmt]:
    node = it.frame.source.node
    return node.body if isinstance(node.body, list) else []


@runs(ast.Nonlocal)
def _nonlocal(it: Interpreter, s: ast.Nonlocal, rest: list[ast.stmt]) -> bool:
    it.frame.scope.nonlocals.update(s.names)
    return False


@runs(ast.FunctionDef)
def _function(it: Interpreter, s: ast.FunctionDef, rest: list[ast.stmt]) -> bool:
    from anadrome.frontend.calls.calls import call

    value = make_closure(it, s, s.name)
    for decorator in reversed(s.decorator_list):
        value = call(it, evaluate(it, decorator), [value], {})
    it.assign(it.frame.scope, s.name, value)
    return False


@runs(ast.ClassDef)
def _class(it: Interpreter, s: ast.ClassDef, rest: list[ast.stmt]) -> bool:
    it.assign(it.frame.scope, s.name, define_class(it, s))
    return False


# Control flow -------------------------------------------------------------------------


_EXITS = (ast.Return, ast.Break, ast.Continue, ast.Raise)


@runs(ast.If)
def _if(it: Interpreter, s: ast.If, rest: list[ast.stmt]) -> bool:
    it.comment = None
    with it.at(s.test):
        test = tested(it, s.test)
    if isinstance(test, Constant):
        run_block(it, s.body if test.value else s.orelse)
        return False
    took = False

    def then() -> None:
        refine(it, getattr(s, "refined", s.test), True)
        run_block(it, s.body)

    def other() -> None:
        refine(it, getattr(s, "refined", s.test), False)
        run_block(it, s.orelse)

    def finish(sides: list[Any]) -> frozenset[str]:
        nonlocal took
        if not rest:
            return live
        flags = [side.run(it, lambda: exit_flag(it)) for side in sides]
        for one, two in ((0, 1), (1, 0)):
            if is_flag(flags[one], True) and is_flag(flags[two], False):
                sides[two].run(it, lambda: run_block(it, rest))
                took = True
                return live | live_after(it, rest[-1])
        return live

    live = live_after(it, s)
    if rest and any(isinstance(n, _EXITS) for n in ast.walk(s)):
        live = live | live_after(it, rest[-1])
    branch(it, test, then, other, live, finish, leaves=True)
    return took


@runs(ast.Return)
def _return(it: Interpreter, s: ast.Return, rest: list[ast.stmt]) -> bool:
    value = evaluate(it, s.value) if s.value is not None else it.constant(None)
    it.env[(it.frame.scope, "%return")] = value
    leave_function(it)
    return True


@runs(ast.Break)
def _break(it: Interpreter, s: ast.Break, rest: list[ast.stmt]) -> bool:
    leave_loop(it, stop=True)
    return True


@runs(ast.Continue)
def _continue(it: Interpreter, s: ast.Continue, rest: list[ast.stmt]) -> bool:
    leave_loop(it, stop=False)
    return True


@runs(ast.Assert)
def _assert(it: Interpreter, s: ast.Assert, rest: list[ast.stmt]) -> bool:
    test = tested(it, s.test)
    if is_flag(test, True):
        return False
    message = evaluate(it, s.msg) if s.msg is not None else it.constant(None)
    it.emit(ops.ASSERT, (test, message), NEVER)
    return False


@runs(ast.Raise)
def _raise(it: Interpreter, s: ast.Raise, rest: list[ast.stmt]) -> bool:
    run_raise(it, s)
    return True


@runs(ast.Try)
def _try(it: Interpreter, s: ast.Try, rest: list[ast.stmt]) -> bool:
    it.comment = None
    run_try(it, s)
    return False


@runs(ast.Match)
def _match(it: Interpreter, s: ast.Match, rest: list[ast.stmt]) -> bool:
    it.comment = None
    run_match(it, s)
    return False


@runs(ast.With)
def _with(it: Interpreter, s: ast.With, rest: list[ast.stmt]) -> bool:
    from anadrome.frontend.syntax.contexts import run_with

    run_with(it, s)
    return False


__all__ = [
    "REFUSED_STATEMENTS",
    "SIMPLE",
    "STATEMENTS",
    "bind",
    "live_after",
    "run_block",
    "run_function_body",
    "run_statement",
]
