"""Statements of the language, and the exits from blocks, loops and functions.

`return`, `break` and `continue` set flags. What follows an `if` of which one side
always leaves moves into the other side; where neither does, it is guarded by the flag.
No statement is ever read twice.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from anadrome.errors import (
    AnadromeError,
    MutationError,
    TypeMismatch,
    UnsupportedSyntax,
)
from anadrome.frontend import attributes, containers
from anadrome.frontend.classes import define_class
from anadrome.frontend.exceptions import (
    is_raised_by_python,
    is_risky,
    raise_in_place,
    run_guarded,
    run_raise,
    run_try,
    split_header,
)
from anadrome.frontend.exits import (
    after_loop,
    done_key,
    exit_flag,
    innermost_try,
    is_flag,
    leave_function,
    leave_loop,
    skip_key,
    stop_key,
)
from anadrome.frontend.expressions import (
    BINARY,
    binary,
    evaluate,
    make_closure,
    numeric,
    refine,
    truth,
)
from anadrome.frontend.interpreter import Interpreter, is_known
from anadrome.frontend.iteration import (
    Iteration,
    is_own_iterator,
    iterate,
    own_iterator,
)
from anadrome.frontend.liveness import assigned, liveness_of
from anadrome.frontend.regions import Loop, branch, make_tuple, run_loop, take
from anadrome.frontend.sharing import Update
from anadrome.frontend.values import Key
from anadrome.ir import operations as ops
from anadrome.ir.graph import Constant, Node
from anadrome.ir.types import (
    INT,
    NEVER,
    List,
    NeverType,
    Num,
    Object,
    Tuple,
    VarTuple,
    alias_of,
    deref,
    strip_optional,
)

Statement = Callable[[Interpreter, Any, list[ast.stmt]], bool]
# Statements without statements inside: what may raise in them is caught as one.
SIMPLE = (
    ast.Assign,
    ast.AugAssign,
    ast.AnnAssign,
    ast.Expr,
    ast.Return,
    ast.Assert,
    ast.Delete,
)
STATEMENTS: dict[type[ast.stmt], Statement] = {}

REFUSED_STATEMENTS: dict[type[ast.AST], tuple[str, str]] = {
    ast.AsyncFunctionDef: ("'async def'", "make it an ordinary function"),
    ast.AsyncFor: ("'async for'", "make it an ordinary loop"),
    ast.AsyncWith: ("'async with'", "do what waits outside"),
    ast.TryStar: ("'except*'", "use an ordinary except"),
}


def runs(*kinds: type[ast.stmt]) -> Callable[[Statement], Statement]:
    """Register a reader of kinds of statement."""

    def enter(reader: Statement) -> Statement:
        for kind in kinds:
            STATEMENTS[kind] = reader
        return reader

    return enter


# Blocks -------------------------------------------------------------------------------


def run_function_body(it: Interpreter, node: ast.FunctionDef) -> Node:
    """Read a function's statements; the value it returns."""
    end = ast.Return(None, lineno=node.end_lineno, col_offset=0)
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
        parts = split_header(it, s) if guarded else None
        if parts is not None:
            run_block(it, [*parts, *rest])
            return
        if guarded and isinstance(s, SIMPLE):
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
                branch(it, flag, lambda: None, lambda r=rest: run_block(it, r), live)
            return


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
                it.lift(lambda v=value: v, (id(module), alias.name), name),
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


def bind(it: Interpreter, target: ast.expr, value: Node) -> None:
    """`target = value`."""
    with it.at(target):
        if isinstance(target, ast.Name):
            it.assign(it.frame.scope, target.id, value)
        elif isinstance(target, ast.Tuple | ast.List):
            _unpack(it, target, value)
        elif isinstance(target, ast.Subscript):
            if isinstance(target.value, ast.Attribute) and target.value.attr == "flat":
                _store_flat(it, target, value)
                return
            node = evaluate(it, target.value)
            containers.set_item(it, node, evaluate(it, target.slice), value)
        elif isinstance(target, ast.Attribute):
            node = evaluate(it, target.value)
            attributes.set_attribute(it, node, target.attr, value)
        else:
            raise it.fail(
                UnsupportedSyntax,
                "this cannot be assigned to",
                "assign to a name, an attribute or an item",
            )


def _store_flat(it: Interpreter, target: ast.Subscript, value: Node) -> None:
    """`array.flat[k] = value`."""
    assert isinstance(target.value, ast.Attribute)
    array = evaluate(it, target.value.value)
    index = evaluate(it, target.slice)
    t, s = strip_optional(array.type), deref(index.type)
    if not (isinstance(t, Num) and t.ndim and isinstance(s, Num) and s.ndim == 0):
        raise it.fail(
            UnsupportedSyntax,
            "this store through 'flat' cannot be followed",
            "index the array itself, for instance x[np.unravel_index(k, x.shape)] = v",
        )
    kind = Tuple((INT,) * t.ndim)
    where = it.emit(ops.OBSERVE, (it.constant(flat_position), array, index), kind)
    containers.store_array(it, array, where, value)


def flat_position(array: Any, index: int) -> tuple[int, ...]:
    """The position of an item counted along all axes, as an index."""
    found = np.unravel_index(range(array.size)[index], array.shape)
    return tuple(int(k) for k in found)


def _unpack(it: Interpreter, target: ast.Tuple | ast.List, value: Node) -> None:
    stars = [k for k, e in enumerate(target.elts) if isinstance(e, ast.Starred)]
    items = containers.known(it, value)
    count = len(target.elts)
    if items is None:
        over = iterate(it, value)
        items = over.items
    if items is None:
        if stars:
            return _unpack_star(it, target, value, stars[0])
        t = strip_optional(value.type)
        sequence = (
            value
            if isinstance(t, Num | List | VarTuple | Tuple)
            else (containers.as_list(it, value))
        )
        items = [
            containers.get_item(it, sequence, it.constant(k)) for k in range(count)
        ]
        check_length(it, sequence, count)
    if stars:
        k = stars[0]
        after = count - k - 1
        if len(items) < count - 1:
            raise _wrong_count(it, len(items), count - 1)
        middle = containers.make_list(it, items[k : len(items) - after])
        items = [*items[:k], middle, *items[len(items) - after :]]
    if len(items) != count:
        raise _wrong_count(it, len(items), count)
    for e, item in zip(target.elts, items):
        bind(it, e.value if isinstance(e, ast.Starred) else e, item)
    return None


def _wrong_count(it: Interpreter, values: int, names: int) -> AnadromeError:
    return it.fail(
        TypeMismatch,
        f"{values} values for {names} names",
        "unpack into as many names, or collect the rest with a star: a, *rest = …",
        python=ValueError,
    )


def check_length(it: Interpreter, node: Node, count: int) -> None:
    """Make the program fail as Python does if a sequence has the wrong length."""
    length = containers.length_of(it, node)
    if isinstance(length, Constant):
        if length.value != count:
            raise _wrong_count(it, length.value, count)
        return
    test = numeric(it, operator.eq, length, it.constant(count))
    message = it.constant(f"expected {count} values to unpack")
    it.emit(ops.ASSERT, (test, message), NEVER)


def _unpack_star(it: Interpreter, target: Any, value: Node, star: int) -> None:
    count = len(target.elts)
    sequence = (
        value if isinstance(deref(value.type), List) else containers.as_list(it, value)
    )
    after = count - star - 1
    for k, e in enumerate(target.elts):
        if k < star:
            bind(it, e, containers.get_item(it, sequence, it.constant(k)))
        elif k == star:
            stop = it.constant(-after) if after else it.constant(None)
            part = containers.make_slice(
                it, [it.constant(star), stop, it.constant(None)]
            )
            bind(it, e.value, containers.get_item(it, sequence, part))
        else:
            bind(it, e, containers.get_item(it, sequence, it.constant(k - count)))


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
            index = containers.list_index(it, it.concrete(index))
            old = containers.get_item(it, node, index)
            new = numeric(
                it, function, old, containers.as_array(it, evaluate(it, s.value))
            )
            containers.set_item(it, node, index, new)
        else:
            old = containers.get_item(it, node, index)
            new = update(it, function, old, evaluate(it, s.value))
            if new is not old:
                containers.set_item(it, node, index, new)
    elif isinstance(target, ast.Attribute):
        node = evaluate(it, target.value)
        old = attributes.get_attribute(it, node, target.attr)
        new = update(it, function, old, evaluate(it, s.value))
        if new is not old:
            attributes.set_attribute(it, node, target.attr, new)
    return False


_INPLACE = {
    operator.add: "__iadd__",
    operator.sub: "__isub__",
    operator.mul: "__imul__",
    operator.truediv: "__itruediv__",
    operator.matmul: "__imatmul__",
    operator.pow: "__ipow__",
}


def update(it: Interpreter, function: Any, old: Node, value: Node) -> Node:
    """`old op= value`: the object itself if it changes in place, else a new value."""
    t = strip_optional(old.type)
    if isinstance(t, Object):
        name = _INPLACE.get(function)
        if name is not None and hasattr(t.cls, name):
            from anadrome.frontend.calls import call_method

            return call_method(it, old, name, [value], {})
        return binary(it, function, old, value)
    if isinstance(t, List) and function is operator.add:
        containers.extend(it, old, value)
        return old
    if isinstance(t, Num) and not t.scalar and not isinstance(old, Constant):
        if t.ndim is None:
            # A number on one path and an array on another: NumPy would add in place
            # only to the array. That is the same unless somebody else holds it too.
            new = binary(it, function, old, value)
            path = tuple(f.call_span for f in it.frames[1:] if f.call_span is not None)
            it.rebound.append(Update(old, new, it.span, path))
            return new
        new = numeric(it, function, old, containers.as_array(it, value))
        r = deref(new.type)
        if isinstance(r, Num) and r.dtype is not None and t.dtype is not None:
            if t.dtype.kind in "biu" and r.dtype.kind in "fc":
                raise it.fail(
                    TypeMismatch,
                    f"an array of {t.dtype.name} cannot hold {r.dtype.name} in place",
                    "make the array with dtype=float",
                )
        containers.store_array(it, old, it.constant(Ellipsis), new)
        return old
    return binary(it, function, old, value)


@runs(ast.Delete)
def _delete(it: Interpreter, s: ast.Delete, rest: list[ast.stmt]) -> bool:
    for target in s.targets:
        if isinstance(target, ast.Name):
            it.env.pop((it.owner_of(it.frame.scope, target.id), target.id), None)
        elif isinstance(target, ast.Subscript):
            from anadrome.frontend.methods import delete_item

            node = evaluate(it, target.value)
            delete_item(it, node, evaluate(it, target.slice))
        else:
            raise it.fail(
                UnsupportedSyntax,
                "'del' of an attribute cannot be differentiated",
                "set the attribute to None",
            )
    return False


@runs(ast.Global)
def _global(it: Interpreter, s: ast.Global, rest: list[ast.stmt]) -> bool:
    written = assigned(_body(it))
    for name in s.names:
        if name in written:
            raise it.fail(
                MutationError,
                f"the global variable '{name}' is assigned",
                "return the new value and assign it outside",
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
    from anadrome.frontend.calls import call

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


@runs(ast.If)
def _if(it: Interpreter, s: ast.If, rest: list[ast.stmt]) -> bool:
    it.comment = None
    with it.at(s.test):
        test = truth(it, evaluate(it, s.test))
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

    def finish(sides: list[Any]) -> None:
        nonlocal took
        if not rest:
            return
        flags = [side.run(it, lambda: exit_flag(it)) for side in sides]
        for one, two in ((0, 1), (1, 0)):
            if is_flag(flags[one], True) and is_flag(flags[two], False):
                sides[two].run(it, lambda: run_block(it, rest))
                took = True
                return

    last = rest[-1] if rest else s
    exits = any(
        isinstance(n, ast.Return | ast.Break | ast.Continue | ast.Raise)
        for n in ast.walk(s)
    )
    live = live_after(it, last) if exits else live_after(it, s)
    if exits and rest:
        live = live | live_after(it, s)
    branch(it, test, then, other, live, finish)
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


@runs(ast.For)
def _for(it: Interpreter, s: ast.For, rest: list[ast.stmt]) -> bool:
    it.comment = None
    with it.at(s.iter):
        value = evaluate(it, s.iter)
        value = own_iterator(it, value)
        if is_own_iterator(value):
            _run_over_iterator(it, s, value)
            return False
        over = iterate(it, value)
    if over.items is not None:
        _run_unrolled(it, s, over.items)
        return False
    assert over.bounds is not None

    def body(index: Node | None) -> None:
        assert index is not None
        assert over.item is not None
        bind(it, s.target, over.item(index))
        run_block(it, s.body)

    before = (it.env, dict(it.env), dict(it.known_items), len(it.graph.body))
    resized = len(it.resized)
    index_name = None
    if over.index_is_item and isinstance(s.target, ast.Name):
        index_name = s.target.id
    _run_loop(it, s, over, None, body, index_name)
    alias = alias_of(strip_optional(over.source.type)) if over.source else None
    if alias is not None and any(
        a.find() is alias.find() for a in it.resized[resized:]
    ):
        # The list grows or shrinks while it is iterated over.
        _, env, items, size = before
        it.env, it.known_items = env, items
        del it.graph.body[size:]
        assert over.source is not None
        _run_over_changing_list(it, s, over.source)
    return False


def _run_over_iterator(it: Interpreter, s: ast.For, value: Node) -> None:
    """A loop over an object with `__next__`: until it raises StopIteration."""
    name = f"%iterator{len(it.frame.levels)}"
    it.env[(it.frame.scope, name)] = value
    holder = ast.Name(name, ast.Load())
    step = ast.Call(ast.Attribute(holder, "__next__", ast.Load()), [], [])
    take_next = ast.Assign([s.target], step)
    leave = ast.Break()
    handler = ast.ExceptHandler(ast.Constant(StopIteration), None, [leave])
    attempt = ast.Try([take_next], [handler], [], [])
    loop = ast.While(ast.Constant(True), [attempt, *s.body], [])
    for made in (holder, step, step.func, take_next, leave, handler, attempt, loop):
        ast.copy_location(made, s.iter)
    ast.copy_location(handler.type, s.iter)  # type: ignore[type-var]
    ast.copy_location(loop.test, s.iter)
    live = liveness_of(it.frame.source.node)
    around = live.live_after(s) | frozenset(it.frame.scope.locals)
    for statement in (take_next, leave, attempt):
        live.after[statement] = around
    live.after[loop] = live.live_after(s)
    if s.orelse:
        raise it.fail(
            UnsupportedSyntax,
            "a loop over an iterator of your own has an 'else'",
            "put the code after the loop",
        )
    run_statement(it, loop, [])
    it.env.pop((it.frame.scope, name), None)


def _run_over_changing_list(it: Interpreter, s: ast.For, node: Node) -> None:
    """A loop over a list whose length is looked at anew before each turn."""
    position = (it.frame.scope, f"%position{len(it.frame.levels)}")
    it.env[position] = it.constant(0)
    containers.note_write(it, node)

    def condition() -> Node:
        length = containers.length_of(it, node)
        return numeric(it, operator.lt, it.env[position], length)

    def body(_: Node | None) -> None:
        index = it.env[position]
        it.env[position] = numeric(it, operator.add, index, it.constant(1))
        bind(it, s.target, containers.get_item(it, node, index))
        run_block(it, s.body)

    _run_loop(it, s, None, condition, body, extra=[position])
    it.env.pop(position, None)


def _run_loop(
    it: Interpreter,
    s: ast.For | ast.While,
    over: Iteration | None,
    condition: Callable[[], Node] | None,
    body: Callable[[Node | None], None],
    index_name: str | None = None,
    extra: list[Key] | None = None,
) -> None:
    scope = it.frame.scope
    live = live_after(it, s) | liveness_of(it.frame.source.node).live_after(s.body[-1])
    if s.orelse:
        from anadrome.frontend.liveness import reads

        for o in s.orelse:
            live |= reads(o)
    leaves_function = _has(s.body, ast.Return)
    breaks = leaves_function or _has(s.body, ast.Break)
    names = [n for n in sorted(assigned(s.body)) if n in live and n in scope.locals]
    if isinstance(s, ast.For):
        from anadrome.frontend.liveness import bound

        # A loop variable is carried only if something reads it after the loop.
        after = live_after(it, s)
        names += [n for n in sorted(bound(s.target)) if n in after and n not in names]
        inner = {n for n in bound(s.target) if n not in after}
        names = [n for n in names if n not in inner]
    carried: list[Key] = [(scope, n) for n in names] + (extra or [])
    if leaves_function:
        it.env.setdefault(done_key(it), it.constant(False))
        carried += [done_key(it), (scope, "%return")]
    if innermost_try(it) is not None:
        breaks = True
    it.frame.levels.append(None)
    stop, skip = stop_key(it), skip_key(it)

    def wrapped(index: Node | None) -> None:
        it.env[skip] = it.constant(False)
        body(index)

    try:
        run_loop(
            it,
            Loop(
                over.bounds if over is not None else None,
                condition,
                wrapped,
                carried,
                live,
                stop if breaks else None,
                index_name=index_name,
            ),
        )
    finally:
        it.frame.levels.pop()
    stopped = it.env.pop(stop, None) or it.constant(False)
    it.env.pop(skip, None)
    after_loop(it)
    if s.orelse:
        if is_flag(stopped, False):
            run_block(it, s.orelse)
        else:
            branch(
                it,
                stopped,
                lambda: None,
                lambda: run_block(it, s.orelse),
                live_after(it, s),
            )


def _has(statements: list[ast.stmt], kind: type[ast.stmt]) -> bool:
    """Whether a kind of exit from this loop stands among statements."""
    for s in statements:
        if isinstance(s, kind):
            return True
        if isinstance(s, ast.FunctionDef | ast.ClassDef):
            continue
        if isinstance(s, ast.For | ast.While) and kind is not ast.Return:
            if _has(s.orelse, kind):
                return True
            continue
        for name in ("body", "orelse", "finalbody"):
            if _has(getattr(s, name, []), kind):
                return True
        for h in getattr(s, "handlers", []):
            if _has(h.body, kind):
                return True
    return False


def _run_unrolled(it: Interpreter, s: ast.For, items: list[Node]) -> None:
    """A loop over items known one by one, of different kinds: one copy for each."""
    if not items:
        run_block(it, s.orelse)
        return
    it.frame.levels.append(None)
    stop, skip = stop_key(it), skip_key(it)
    it.env[stop] = it.constant(False)

    def turn(k: int) -> None:
        if k == len(items):
            return
        it.env[skip] = it.constant(False)
        bind(it, s.target, items[k])
        run_block(it, s.body)
        flag = it.env[stop]
        if is_flag(flag, True):
            return
        if is_flag(flag, False):
            turn(k + 1)
        else:
            live = live_after(it, s) | live_after(it, s.body[-1])
            branch(it, flag, lambda: None, lambda: turn(k + 1), live)

    try:
        turn(0)
    finally:
        it.frame.levels.pop()
    stopped = it.env.pop(stop, None) or it.constant(False)
    it.env.pop(skip, None)
    after_loop(it)
    if s.orelse and not is_flag(stopped, True):
        if is_flag(stopped, False):
            run_block(it, s.orelse)
        else:
            branch(
                it,
                stopped,
                lambda: None,
                lambda: run_block(it, s.orelse),
                live_after(it, s),
            )


@runs(ast.While)
def _while(it: Interpreter, s: ast.While, rest: list[ast.stmt]) -> bool:
    it.comment = None
    if isinstance(s.test, ast.Constant) and not s.test.value:
        run_block(it, s.orelse)
        return False
    assigns = any(isinstance(n, ast.NamedExpr) for n in ast.walk(s.test))
    if assigns or (innermost_try(it) is not None and is_risky(s.test)):
        return _while_with_test_inside(it, s)

    def condition() -> Node:
        with it.at(s.test):
            return truth(it, evaluate(it, s.test))

    _run_loop(it, s, None, condition, lambda _: run_block(it, s.body))
    return False


def _while_with_test_inside(it: Interpreter, s: ast.While) -> bool:
    """`while test:` as `while True: if not test: break`."""
    if s.orelse:
        raise it.fail(
            UnsupportedSyntax,
            "a loop whose condition assigns a variable has an 'else'",
            "assign the variable inside the loop",
        )
    leave = ast.copy_location(ast.Break(), s.test)
    guard = ast.copy_location(
        ast.If(ast.copy_location(ast.UnaryOp(ast.Not(), s.test), s.test), [leave], []),
        s.test,
    )
    body = [guard, *s.body]
    loop = ast.copy_location(
        ast.While(ast.copy_location(ast.Constant(True), s.test), body, []), s
    )
    live = liveness_of(it.frame.source.node)
    live.after[loop] = live.after.get(s, frozenset())
    live.after[guard] = live.after[leave] = frozenset(it.frame.scope.locals)
    return run_statement(it, loop, [])


@runs(ast.Assert)
def _assert(it: Interpreter, s: ast.Assert, rest: list[ast.stmt]) -> bool:
    test = truth(it, evaluate(it, s.test))
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
    from anadrome.frontend.matching import run_match

    it.comment = None
    run_match(it, s)
    return False


@runs(ast.With)
def _with(it: Interpreter, s: ast.With, rest: list[ast.stmt]) -> bool:
    from anadrome.frontend.contexts import run_with

    run_with(it, s)
    return False


__all__ = [
    "STATEMENTS",
    "NeverType",
    "is_known",
    "make_tuple",
    "run_function_body",
    "take",
]
