"""`for` and `while`, over whatever they run."""

from __future__ import annotations

import ast
import functools
import operator
from collections.abc import Callable

from anadrome.errors import (
    UnsupportedSyntax,
)
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.syntax.assignment import bind
from anadrome.frontend.syntax.branches import branch
from anadrome.frontend.syntax.exits import (
    after_loop,
    done_key,
    innermost_try,
    is_flag,
    skip_key,
    stop_key,
)
from anadrome.frontend.syntax.expressions import (
    evaluate,
    numeric,
    tested,
)
from anadrome.frontend.syntax.generators import (
    advance,
    first_yield,
    is_at_start,
    run_whole,
    take,
)
from anadrome.frontend.syntax.headers import is_risky_test
from anadrome.frontend.syntax.liveness import assigned, exits, liveness_of
from anadrome.frontend.syntax.loop_fixpoint import ConditionWithEffects, Loop, run_loop
from anadrome.frontend.syntax.steps import run_steps
from anadrome.frontend.syntax.table import runs
from anadrome.frontend.values import item_reads, item_writes
from anadrome.frontend.values.compile_time import Key
from anadrome.frontend.values.iteration import (
    Iteration,
    holds_arrays,
    is_own_iterator,
    iterate,
    length_of,
    own_iterator,
)
from anadrome.frontend.values.iterators import (
    RUNNING,
    Cursor,
    Generator,
    Interleaved,
    is_shared,
    iterator_of,
    remaining,
)
from anadrome.frontend.values.operators import negate_truth
from anadrome.infer.values import LONGEST_FIXED
from anadrome.ir.graph import UNDEFINED, Constant, Node
from anadrome.ir.types import (
    Function,
    Tuple,
    alias_of,
    deref,
    strip_optional,
)


@runs(ast.For)
def _for(it: Interpreter, s: ast.For, rest: list[ast.stmt]) -> bool:
    it.comment = None
    with it.at(s.iter):
        value = evaluate(it, s.iter)
        value = own_iterator(it, value)
        if is_own_iterator(value):
            _run_over_iterator(it, s, value)
            return False
        found = iterator_of(value)
        if found is not None:
            tracked = _run_over_shared(it, s, found)
            if tracked:
                return False
        over = remaining(it, found) if isinstance(found, Cursor) else iterate(it, value)
        iterations = _iterations_that_pick(it, s, over)
        if iterations is not None:
            over = Iteration(items=[it.constant(k) for k in iterations])
    it.iterated += over.sized
    try:
        _run_over(it, s, over)
    finally:
        del it.iterated[len(it.iterated) - len(over.sized) :]
    return False


def _run_over(it: Interpreter, s: ast.For, over: Iteration) -> None:
    """A loop over items that have positions."""
    if over.size is not None:
        _run_unrolled(it, s, over)
        return
    assert over.bounds is not None

    def body(index: Node | None) -> None:
        assert index is not None
        assert over.item is not None
        item = over.item
        _run_iteration(it, s, lambda: item(index), over.calls)

    before = (it.env, dict(it.env), dict(it.known_items), len(it.graph.body))
    resized = len(it.resized)
    index_name = None
    if over.index_is_item and isinstance(s.target, ast.Name):
        index_name = s.target.id
    _run_loop(it, s, over, None, body, index_name)
    changed = {a.find() for a in it.resized[resized:]}
    resizes = [n for n in over.lists if alias_of(strip_optional(n.type)) in changed]
    if resizes and over.source is None:
        raise _refuse_change(it)
    if resizes:
        # The list grows or shrinks while it is iterated over.
        _, env, items, size = before
        it.env, it.known_items = env, items
        del it.graph.body[size:]
        assert over.source is not None
        _run_over_changing_list(it, s, over.source)


def _run_iteration(
    it: Interpreter, s: ast.For, item: Callable[[], Node], calls: bool
) -> None:
    """Bind the variables of a loop and run its body.

    In a `try`, an item that a call makes, or that is taken apart, is tried by itself.
    """
    from anadrome.frontend.syntax.statements import live_after, run_block

    def begin() -> None:
        bind(it, s.target, item())

    def run() -> None:
        run_block(it, s.body)

    plain = not calls and isinstance(s.target, ast.Name)
    if plain or innermost_try(it) is None:
        begin()
        run()
    else:
        live = live_after(it, s) | live_after(it, s.body[-1])
        run_steps(it, [begin], run, live)


def _may_leave(it: Interpreter, s: ast.For) -> bool:
    """Whether a loop may end before its iterator does.

    One in a generator ends where somebody who runs over the generator has enough.
    """
    left = not exits(s.body).isdisjoint([ast.Return, ast.Break])
    return left or (it.frame.may_leave and _yields(s))


def _yields(s: ast.For) -> bool:
    return any(isinstance(n, ast.Yield | ast.YieldFrom) for n in ast.walk(s))


def _dead_variable(it: Interpreter, s: ast.For) -> Key | None:
    """The parameter that `any`, `all` and `in` run over: their callers may go on."""
    from anadrome.frontend.calls import library

    own = it.frame.source.name in ("any_item", "all_items", "contains_item")
    if not (own and it.frame.source.file == library.__file__):
        return None
    return it.frame.scope, "items"


def _run_over_shared(it: Interpreter, s: ast.For, iterator: Cursor | Generator) -> bool:
    """A loop over an iterator; False if nobody else can ask it: it is a sequence."""
    shared = is_shared(it, iterator, _dead_variable(it, s))
    if isinstance(iterator, Cursor) and not shared:
        return False
    leaves = _may_leave(it, s)
    caught = innermost_try(it) is not None
    whole = not caught and not (shared and leaves)
    if isinstance(iterator, Generator) and not is_at_start(it, iterator):
        whole = False
    if whole:
        before = (dict(it.env), dict(it.known_items), len(it.graph.body))
        try:
            _run_over_whole(it, s, iterator)
            return True
        except Interleaved as found:
            if found.iterator is not iterator:
                raise
            it.env, it.known_items, size = before
            del it.graph.body[size:]
    if caught and isinstance(iterator, Generator):
        # What it raises is caught here.
        _run_over_iterator(it, s, Constant(iterator, Function(iterator)))
    else:
        _run_over_steps(it, s, iterator)
    return True


def _run_over_whole(it: Interpreter, s: ast.For, iterator: Cursor | Generator) -> None:
    """A loop that takes all of an iterator that nothing in the loop asks."""
    from anadrome.frontend.syntax.statements import run_block

    if isinstance(iterator, Cursor):
        over = remaining(it, iterator)
        it.env[iterator.position] = RUNNING
        _run_over(it, s, over)
        it.env[iterator.position] = it.constant(-1)
        return
    if ast.Return in exits(s.body):
        # The loops of the generator hand on what the function returns.
        it.env.setdefault(done_key(it), it.constant(False))
        it.env.setdefault((it.frame.scope, "%return"), UNDEFINED)
    it.frame.levels.append(None)
    stop, skip = stop_key(it), skip_key(it)
    it.env[stop] = it.constant(False)

    def visit(value: Node) -> Node:
        it.env[skip] = it.constant(False)
        bind(it, s.target, value)
        run_block(it, s.body)
        return it.env[stop]

    it.leaving = _may_leave(it, s)
    try:
        run_whole(it, iterator, visit)
    finally:
        it.frame.levels.pop()
    stopped = it.env.pop(stop, None) or it.constant(False)
    it.env.pop(skip, None)
    after_loop(it)
    _run_else(it, s, stopped)


def _run_over_steps(it: Interpreter, s: ast.For, iterator: Cursor | Generator) -> None:
    """A loop that asks an iterator for one item at a time."""
    from anadrome.frontend.syntax.statements import run_block

    ended = (it.frame.scope, f"%ended{len(it.frame.levels)}")

    def go_on() -> None:
        it.env[ended] = advance(it, iterator)

    # The item is taken in the iteration that begins with it.
    def body(_: Node | None) -> None:
        _run_iteration(it, s, lambda: take(it, iterator), True)
        stop = it.env.get(stop_key(it)) or it.constant(False)
        if is_flag(stop, False):
            go_on()
        elif not is_flag(stop, True):
            branch(it, stop, lambda: None, go_on, it.frame_live())

    go_on()
    if is_flag(it.env[ended], True):
        del it.env[ended]
        run_block(it, s.orelse)
        return
    _run_loop(
        it,
        s,
        None,
        lambda: negate_truth(it, it.env[ended]),
        body,
        extra=[ended],
    )
    it.env.pop(ended, None)


def _iterations_that_pick(it: Interpreter, s: ast.For, over: Iteration) -> range | None:
    """The iterations of a short loop that picks arrays by its count, for native code.

    for k in range(3):
        h = np.tanh(h @ layers[k] + table[f"bias {k}"])

    Written out, every iteration knows which array it is.
    """
    if it.prepare is None or over.bounds is None or not over.index_is_item:
        return None
    bounds = [b.value if isinstance(b, Constant) else None for b in over.bounds]
    if not all(type(b) is int for b in bounds) or not isinstance(s.target, ast.Name):
        return None
    start, stop, step = bounds
    if step == 0 or len(iterations := range(start, stop, step)) > LONGEST_FIXED:  # type: ignore[arg-type]
        return None
    picks = any(_picks(it, n, s.target.id) for b in s.body for n in ast.walk(b))
    return iterations if picks and iterations else None


def _picks(it: Interpreter, node: ast.AST, count: str) -> bool:
    """Whether an item of a tuple of arrays, or a name, is told by a count."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
        whole = it.env.get((it.frame.scope, node.value.id))
        if whole is None or not isinstance(deref(whole.type), Tuple):
            return False
        return holds_arrays(whole.type) and _mentions(node.slice, count)
    if isinstance(node, ast.Call):
        named = isinstance(node.func, ast.Name) and node.func.id == "str"
        return named and _mentions(node, count)
    return isinstance(node, ast.JoinedStr) and _mentions(node, count)


def _mentions(node: ast.AST, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node))


def _run_over_iterator(it: Interpreter, s: ast.For, value: Node) -> None:
    """A loop over an object with `__next__`: until it raises StopIteration."""

    from anadrome.frontend.syntax.statements import run_statement

    name = f"%iterator{len(it.frame.levels)}"
    it.env[(it.frame.scope, name)] = value
    holder = ast.Name(name, ast.Load())
    step = ast.Call(ast.Attribute(holder, "__next__", ast.Load()), [], [])
    take_next = ast.Assign([s.target], step)
    leave = ast.Break()
    handler = ast.ExceptHandler(
        ast.Constant(StopIteration),  # type: ignore[arg-type]
        None,
        [leave],
    )
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
    ended = _say_when_over(it, s, handler.body, loop)
    run_statement(it, loop, [])
    it.env.pop((it.frame.scope, name), None)
    _run_else(it, s, ended())


def _run_over_changing_list(it: Interpreter, s: ast.For, node: Node) -> None:
    """A loop over a list whose length is looked at anew before each iteration."""

    from anadrome.frontend.syntax.statements import run_block

    position = (it.frame.scope, f"%position{len(it.frame.levels)}")
    it.env[position] = it.constant(0)
    item_writes.note_write(it, node)

    def condition() -> Node:
        length = length_of(it, node)
        return numeric(it, operator.lt, it.env[position], length)

    def body(_: Node | None) -> None:
        index = it.env[position]
        it.env[position] = numeric(it, operator.add, index, it.constant(1))
        bind(it, s.target, item_reads.get_item(it, node, index))
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
    from anadrome.frontend.syntax.statements import live_after

    scope = it.frame.scope
    live = live_after(it, s) | liveness_of(it.frame.source.node).live_after(s.body[-1])
    if s.orelse:
        from anadrome.frontend.syntax.liveness import reads

        for o in s.orelse:
            live |= reads(o)
    # Whoever runs over a generator may leave it at a `yield`.
    leaves_function = ast.Return in exits(s.body) or first_yield(s) is not None
    breaks = leaves_function or ast.Break in exits(s.body)
    names = [n for n in sorted(assigned(s.body)) if n in live and n in scope.locals]
    if isinstance(s, ast.For):
        from anadrome.frontend.syntax.liveness import bound

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
    _run_else(it, s, stopped)


def _run_else(it: Interpreter, s: ast.For | ast.While, stopped: Node) -> None:
    """What a loop does if it was not left by `break`."""
    from anadrome.frontend.syntax.statements import live_after, run_block

    if not s.orelse or is_flag(stopped, True):
        return
    if is_flag(stopped, False):
        run_block(it, s.orelse)
        return
    branch(
        it,
        stopped,
        lambda: None,
        lambda: run_block(it, s.orelse),
        live_after(it, s),
    )


def _refuse_change(it: Interpreter) -> Exception:
    return it.fail(
        UnsupportedSyntax,
        "what is looped over is changed in the loop",
        "loop over a copy, such as list(items)",
    )


def _run_unrolled(it: Interpreter, s: ast.For, over: Iteration) -> None:
    """A loop over items known one by one, of different kinds: one copy for each."""
    from anadrome.frontend.syntax.statements import live_after, run_block

    assert over.size is not None
    if not over.size:
        run_block(it, s.orelse)
        return
    it.frame.levels.append(None)
    stop, skip = stop_key(it), skip_key(it)
    it.env[stop] = it.constant(False)
    count, resized = over.size, len(it.resized)

    def iterations(first: int) -> None:
        for k in range(first, count + 1):
            changed = {a.find() for a in it.resized[resized:]}
            if any(alias_of(n.type) in changed for n in over.lists):
                raise _refuse_change(it)
            if k == count:
                return
            it.env[skip] = it.constant(False)
            _run_iteration(it, s, functools.partial(over.now, k), over.calls)
            flag = it.env[stop]
            if is_flag(flag, True):
                return
            if not is_flag(flag, False):
                live = live_after(it, s) | live_after(it, s.body[-1])
                others = functools.partial(iterations, k + 1)
                branch(it, flag, lambda: None, others, live)
                return

    try:
        iterations(0)
    finally:
        it.frame.levels.pop()
    stopped = it.env.pop(stop, None) or it.constant(False)
    it.env.pop(skip, None)
    after_loop(it)
    _run_else(it, s, stopped)


@runs(ast.While)
def _while(it: Interpreter, s: ast.While, rest: list[ast.stmt]) -> bool:
    from anadrome.frontend.syntax.statements import run_block

    it.comment = None
    if isinstance(s.test, ast.Constant) and not s.test.value:
        run_block(it, s.orelse)
        return False
    assigns = any(isinstance(n, ast.NamedExpr) for n in ast.walk(s.test))
    if assigns or (innermost_try(it) is not None and is_risky_test(it, s.test)):
        return _while_with_test_inside(it, s)

    def condition() -> Node:
        with it.at(s.test):
            return tested(it, s.test)

    before = (dict(it.env), dict(it.known_items), len(it.graph.body))
    try:
        _run_loop(it, s, None, condition, lambda _: run_block(it, s.body))
    except ConditionWithEffects:
        it.env, it.known_items, size = before
        del it.graph.body[size:]
        return _while_with_test_inside(it, s)
    return False


def _while_with_test_inside(it: Interpreter, s: ast.While) -> bool:
    """`while test:` as `while True: if not test: break`."""

    from anadrome.frontend.syntax.statements import run_statement

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
    stopped = _say_when_over(it, s, guard.body, loop)
    left = run_statement(it, loop, [])
    _run_else(it, s, stopped())
    return left


def _say_when_over(
    it: Interpreter, s: ast.For | ast.While, leaving: list[ast.stmt], loop: ast.While
) -> Callable[[], Node]:
    """Let what ends a loop by itself say so; asks whether it was left before that."""
    if not s.orelse:
        return lambda: it.constant(True)
    key = (it.frame.scope, f"%over{len(it.frame.levels)}")
    it.env[key] = it.constant(False)
    say = ast.Assign([ast.Name(key[1], ast.Store())], ast.Constant(True))
    leaving.insert(0, ast.fix_missing_locations(ast.copy_location(say, loop)))
    live = liveness_of(it.frame.source.node)
    live.after[say] = frozenset(it.frame.scope.locals)
    return lambda: negate_truth(it, it.env.pop(key))
