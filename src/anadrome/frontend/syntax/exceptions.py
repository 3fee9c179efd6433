"""`raise`, `try` and everything that must happen even when something is raised.

An exception that is caught becomes a value. A `raise` inside the body of a `try` is a
jump to the handlers, like `break`. A statement that may raise of itself stands alone in
a TRY, whose outputs say whether it did; what follows it is read for the case that it
did not, and the handlers find the variables as they were before it. So the derivative
of a `try` is that of a branch.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from anadrome import runtime
from anadrome.errors import AnadromeError, TypeMismatch
from anadrome.frontend.calls.recursion import substitute
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.syntax.branches import Side, branch, join_sides
from anadrome.frontend.syntax.cleanup import present, protect
from anadrome.frontend.syntax.exits import (
    done_key,
    ends_generator,
    error_key,
    exit_flag,
    innermost_try,
    is_flag,
    leave_function,
    leave_try,
    raised_key,
    skip_key,
)
from anadrome.frontend.syntax.interrupted import Tried, agree
from anadrome.frontend.syntax.liveness import assigned, liveness_of, reads
from anadrome.frontend.syntax.may_raise import exceptions_of, is_harmless
from anadrome.frontend.values.bindings import flag_key
from anadrome.frontend.values.compile_time import TryLevel, Virtual
from anadrome.frontend.values.known import is_known, static_value
from anadrome.ir import operations as ops
from anadrome.ir.graph import UNDEFINED, Apply, Graph, Node, Output
from anadrome.ir.types import (
    ANY,
    BOOL,
    NEVER,
    Dict,
    List,
    NoneType_,
    Num,
    Other,
    Str,
    Tuple,
    Type,
    VarTuple,
    deref,
    is_differentiable,
    strip_optional,
)

_VALUELESS = (ops.SETITEM, ops.SETATTR, ops.DELITEM, ops.APPEND, ops.ASSERT, ops.RAISE)
_STRUCTURE = (ops.TUPLE, ops.SLICE, ops.NAMEDTUPLE)
_NO_EXCEPTIONS = (Num, Str, List, Dict, Tuple, VarTuple, NoneType_)


# Raising ------------------------------------------------------------------------------


def run_raise(it: Interpreter, s: ast.Raise) -> None:
    """`raise error from cause`."""
    from anadrome.frontend.calls.calls import call
    from anadrome.frontend.syntax.expressions import evaluate

    if s.exc is None:
        if not it.frame.handling:
            it.emit(ops.RAISE, (), NEVER)
            it.env[(it.frame.scope, "%return")] = UNDEFINED
            leave_function(it)
            return
        raise_error(it, it.frame.handling[-1])
        return
    error = evaluate(it, s.exc)
    if is_known(error) and isinstance(static_value(error), type):
        error = call(it, error, [], {})
    if isinstance(deref(error.type), _NO_EXCEPTIONS):
        raise it.fail(
            TypeMismatch,
            "exceptions must derive from BaseException",
            "raise an instance of an exception class",
            python=TypeError,
        )
    if s.cause is not None:
        error = _caused(it, error, evaluate(it, s.cause))
    raise_error(it, error)


def _caused(it: Interpreter, error: Node, cause: Node) -> Node:
    """An exception with the one that it is raised from."""
    from anadrome.frontend.calls.calls import call

    if is_known(cause) and isinstance(static_value(cause), type):
        cause = call(it, cause, [], {})
    given = it.constant(runtime.with_cause), error, cause
    none = isinstance(deref(cause.type), _NO_EXCEPTIONS) and not is_known(cause)
    return it.emit(ops.PYCALL, given, Other(BaseException) if none else error.type)


def raise_error(it: Interpreter, error: Node) -> None:
    """Raise an exception: a jump to the handlers, if there are any in this function."""
    found = innermost_try(it)
    if found is not None:
        level, t = found[1], strip_optional(error.type)
        if level.kinds is None or not (
            isinstance(t, Other) and issubclass(t.cls, level.kinds)
        ):
            level.exact = False
        leave_try(it, it.constant(True), error)
        return
    kind = strip_optional(error.type)
    if isinstance(kind, Other) and _may_stop(kind.cls) and ends_generator(it):
        given = it.constant(runtime.out_of_generator), error
        error = it.emit(ops.PYCALL, given, Other(BaseException))
    it.emit(ops.RAISE, (error,), NEVER)
    it.env[(it.frame.scope, "%return")] = UNDEFINED
    leave_function(it)


def _may_stop(kind: type) -> bool:
    """Whether an exception of a class may be a StopIteration."""
    return issubclass(kind, StopIteration) or issubclass(StopIteration, kind)


def is_raised_by_python(it: Interpreter, error: AnadromeError, graph: Graph) -> bool:
    """Whether a fault found by reading is one that the program itself catches."""
    if getattr(error, "python", None) is None or error.graph is not graph:
        return False
    if error.written or any(level is not None for f in it.frames for level in f.levels):
        return True
    if graph is not it.root:
        return True
    # Where it is the first thing that anybody notices it is reported at once.
    return error.python_text is not None and not all(map(is_harmless, graph.body))


def raise_in_place(it: Interpreter, error: AnadromeError) -> None:
    """Raise what Python would raise where reading found a fault."""
    if error.written:
        it.env[(it.frame.scope, "%return")] = UNDEFINED
        leave_function(it)
        return
    raise_error(it, error_of(it, error))


def error_of(it: Interpreter, error: AnadromeError) -> Node:
    """What Python would raise where reading found a fault."""
    kind, given = error.python, error.python_args
    assert kind is not None
    if given is None:
        given = (it.constant(error.python_text or error.message),)
    t = exception_type(kind, given)
    return it.emit(ops.PYCALL, (it.constant(kind), *given), t)


def exception_type(cls: type[BaseException], given: Iterable[Node]) -> Type:
    """The type of an exception: what it carries is followed if it has no derivative."""
    return ANY if any(is_differentiable(n.type) for n in given) else Other(cls)


# `try` --------------------------------------------------------------------------------


def run_try(it: Interpreter, s: ast.Try) -> None:
    """A whole `try` statement."""
    from anadrome.frontend.syntax.statements import run_block

    if not s.finalbody:
        _run_handled(it, s)
        return
    inner = ast.copy_location(ast.Try(s.body, s.handlers, s.orelse, []), s)
    liveness = liveness_of(it.frame.source.node)
    liveness.after[inner] = liveness.live_after(s) | _all_reads(s.finalbody)
    names = assigned(s.body)
    for h in s.handlers:
        names |= assigned(h.body)

    def body() -> None:
        it.frame.finals += 1
        try:
            _run_handled(it, inner) if s.handlers else run_block(it, s.body)
        finally:
            it.frame.finals -= 1

    protect(
        it,
        body,
        lambda: run_block(it, s.finalbody),
        liveness.after[inner],
        bool(names & _all_reads(s.finalbody)),
    )


def _all_reads(body: list[ast.stmt]) -> frozenset[str]:
    found: frozenset[str] = frozenset()
    for s in body:
        found |= reads(s)
    return found


def _types(it: Interpreter, h: ast.ExceptHandler) -> Node:
    from anadrome.frontend.syntax.expressions import evaluate

    return evaluate(it, h.type) if h.type is not None else it.constant(BaseException)


def _run_handled(it: Interpreter, s: ast.Try) -> None:
    """A `try` without `finally`."""
    from anadrome.frontend.syntax.statements import run_block

    types = [_types(it, h) for h in s.handlers]
    level = _enter(it, types)
    live = liveness_of(it.frame.source.node).live_after(s)

    def handle(error: Node) -> None:
        _dispatch(it, s.handlers, types, level, error, live)

    if not s.orelse:
        level.tail, level.handle = s.body[-1], handle
    try:
        run_block(it, s.body)
    finally:
        it.frame.levels.pop()
    raised, error = _take(it, level)

    def otherwise() -> None:
        flag = exit_flag(it)
        if is_flag(flag, False):
            run_block(it, s.orelse)
        elif not is_flag(flag, True) and s.orelse:
            branch(it, flag, lambda: None, lambda: run_block(it, s.orelse), live)

    _either(it, raised, lambda: handle(error), otherwise, live)


def _either(
    it: Interpreter,
    flag: Node,
    then: Callable[[], object],
    other: Callable[[], object],
    live: frozenset[str],
) -> None:
    if is_flag(flag, True):
        then()
    elif is_flag(flag, False):
        other()
    else:
        branch(it, flag, then, other, live)


def _enter(it: Interpreter, types: list[Node]) -> TryLevel:
    kinds: tuple[type, ...] | None = None
    if all(is_known(t) for t in types):
        kinds = flatten_types(*(static_value(t) for t in types))
    level = TryLevel(len(it.frame.levels) + 1, _one_of(it, types), kinds)
    it.frame.levels.append(level)
    it.env[raised_key(it, level)] = it.constant(False)
    it.env[error_key(it, level)] = it.constant(None)
    it.env[skip_key(it)] = it.constant(False)
    return level


def _take(it: Interpreter, level: TryLevel) -> tuple[Node, Node]:
    """Whether something was raised in a `try` that has been left, and what."""
    it.env.pop(skip_key(it, level.number), None)
    raised = it.env.pop(raised_key(it, level))
    return raised, it.env.pop(error_key(it, level))


def _one_of(it: Interpreter, types: list[Node]) -> Node:
    """The classes that an `except` clause names, as one value."""
    if len(types) == 1:
        return types[0]
    if all(is_known(t) for t in types):
        kinds = dict.fromkeys(flatten_types(*(static_value(t) for t in types)))
        if BaseException in kinds:
            return it.constant(BaseException)
        return it.constant(tuple(kinds))
    return it.emit(ops.PYCALL, (it.constant(flatten_types), *types), Other(tuple))


def flatten_types(*kinds: object) -> tuple[type, ...]:
    """The classes in nested tuples of classes."""
    found: list[type] = []
    for k in kinds:
        if isinstance(k, tuple):
            found += flatten_types(*k)
        elif isinstance(k, type):
            found.append(k)
    return tuple(found)


def _dispatch(
    it: Interpreter,
    handlers: list[ast.ExceptHandler],
    types: list[Node],
    level: TryLevel,
    error: Node,
    live: frozenset[str],
    k: int = 0,
) -> None:
    """The handler that takes an exception, or the way on if there is none."""
    from anadrome.frontend.syntax.expressions import choose_statement

    if k == len(handlers):
        raise_error(it, error)
        return
    last = k == len(handlers) - 1 and level.exact
    choose_statement(
        it,
        it.constant(True) if last else _matches(it, error, types[k]),
        lambda: _handle(it, handlers[k], types[k], error),
        lambda: _dispatch(it, handlers, types, level, error, live, k + 1),
        live,
    )


def _matches(it: Interpreter, error: Node, types: Node) -> Node:
    from anadrome.frontend.values.conversions import is_instance

    if is_known(types):
        kinds = static_value(types)
        if kinds is BaseException:
            return it.constant(True)
        t = strip_optional(error.type)
        if isinstance(t, Other):
            answer = is_instance(it, Node(t), kinds)
            if answer is not None:
                return it.constant(answer)
    return it.emit(ops.OBSERVE, (it.constant(isinstance), error, types), BOOL)


def _handle(it: Interpreter, h: ast.ExceptHandler, types: Node, error: Node) -> None:
    from anadrome.frontend.syntax.statements import run_block

    name = (it.frame.scope, h.name or "")
    error = present(it, error)
    it.frame.handling.append(error)
    if h.name:
        it.env[name] = error
        it.env.pop(flag_key(name), None)
    try:
        run_block(it, h.body)
    finally:
        it.frame.handling.pop()
    it.env.pop(name, None)


# Statements that may raise ------------------------------------------------------------


def run_guarded(it: Interpreter, s: ast.stmt, rest: list[ast.stmt]) -> bool:
    """Read a statement of a `try` body; whether it took the rest of the block along."""
    from anadrome.frontend.syntax.statements import run_statement

    before, items = dict(it.env), dict(it.known_items)
    region = Tried(it, s)
    with it.region(region):
        run_statement(it, s, rest)
    region.end()
    if _last_raising(it, region.body) < 0:
        for node in region.body:
            move(node, it.graph)
        return False
    stale = _objects_changed(it, before)
    if stale:
        it.env, it.known_items = before, items
        for virtual in stale:
            it.materialise(virtual)
        return run_guarded(it, s, rest)
    after = Side(region, it.env, it.known_items)
    it.env, it.known_items = before, items
    level = it.frame.levels[-1]
    if level is not None and s is level.tail and not rest:
        untouched = is_flag(it.env[raised_key(it, level)], False)
        writes = any(_writes(n) for n in region.body)
        moves = any(region.changes(n) for n in region.body if _is_caught(it, n))
        if untouched and not (writes or moves) and len(_tries(it)) == 1:
            _finish_in_handler(it, level, after)
            return True
    _split(it, s, rest, after)
    return True


def _tries(it: Interpreter) -> list[TryLevel]:
    return [level for level in it.frame.levels if level is not None]


def move(node: Apply, graph: Graph) -> None:
    """Put a statement of a region at the end of another graph."""
    graph.append(node)
    for inner in node.regions:
        inner.parent = graph


def _writes(node: Apply) -> bool:
    return (isinstance(node.op, ops.Op) and node.op.writes) or any(
        _writes(n) for r in node.regions for n in r.body
    )


def _is_caught(it: Interpreter, node: Apply) -> bool:
    """Whether a statement may raise something that is caught here."""
    errors = exceptions_of(node)
    if errors is None:
        return True
    return any(
        level.kinds is None
        or any(
            issubclass(e, c) or issubclass(c, e) for e in errors for c in level.kinds
        )
        for level in (_tries(it) if errors else ())
    )


def _last_raising(it: Interpreter, nodes: list[Apply]) -> int:
    """The position of the last statement that may raise what is caught, or -1."""
    positions = range(len(nodes) - 1, -1, -1)
    return next((k for k in positions if _is_caught(it, nodes[k])), -1)


def _objects_changed(it: Interpreter, before: dict) -> list[Virtual]:  # type: ignore[type-arg]
    """The objects living as variables that a statement changes or lets escape."""
    found: dict[Virtual, None] = {}
    existing = {owner for owner, _ in before if isinstance(owner, Virtual)}
    for key, value in it.env.items():
        owner = key[0]
        if isinstance(owner, Virtual) and owner in existing:
            if before.get(key) is not value:
                found[owner] = None
    return list(found)


def _caught(it: Interpreter) -> Node:
    return _one_of(it, [level.caught for level in reversed(_tries(it))])


def _finish_in_handler(it: Interpreter, level: TryLevel, tried: Side) -> None:
    """The last statement of a `try`: its handlers stand in the TRY itself."""
    assert level.handle is not None
    assert level.tail is not None
    kinds, before = _caught(it), it.env
    caught = Side(it.new_region("except"), dict(it.env), {})
    error = caught.graph.add_parameter(Other(BaseException), "error", it.span)
    it.frame.levels.pop()
    run = level.handle
    try:
        caught.run(it, lambda: run(error))
    finally:
        it.frame.levels.append(level)
    for key in (raised_key(it, level), error_key(it, level), skip_key(it)):
        # A `try` of the handler's own has the number of this one.
        if key in before:
            caught.env.setdefault(key, before[key])
    node = Apply(ops.TRY, (kinds,), NEVER, span=it.span)
    node.comment = it.comment
    node.regions = (tried.graph, caught.graph)
    live = liveness_of(it.frame.source.node).live_after(level.tail)
    join_sides(it, node, tried, caught, live)
    it.known_items = {}


def _split(it: Interpreter, s: ast.stmt, rest: list[ast.stmt], after: Side) -> None:
    """A TRY around what may raise, then the two ways on."""
    from anadrome.frontend.syntax.statements import live_after, run_block

    live = live_after(it, s) | (live_after(it, rest[-1]) if rest else frozenset())
    tried = after.graph
    assert isinstance(tried, Tried)

    def enter() -> None:
        it.env, it.known_items = after.env, after.items

    def finish() -> None:
        if not is_flag(exit_flag(it), True):
            run_block(it, rest)

    _guard(it, tried, after.graph.body, live, enter, finish)


def _guard(
    it: Interpreter,
    tried: Tried,
    nodes: list[Apply],
    live: frozenset[str],
    enter: Callable[[], None],
    finish: Callable[[], None],
) -> None:
    """Run statements of which some may raise.

    Each store is the last thing in its TRY, so that it has happened if and only if the
    TRY has completed. All that may raise in a TRY finds the same variables.
    """
    last = _last_raising(it, nodes)
    if last < 0:
        for n in nodes:
            move(n, it.graph)
        finish()
        return
    first = next(k for k in range(last + 1) if _is_caught(it, nodes[k]))
    changes = tried.changes(nodes[first])
    variables = tried.variables(changes)
    if changes:
        # What the variables are is computed by then.
        for n in nodes[:first]:
            move(n, it.graph)
        nodes, first, last = nodes[first:], 0, last - first
    cut = next((k for k in range(last) if _writes(nodes[k])), last)
    for k in range(first + 1, cut + 1):
        if _is_caught(it, nodes[k]) and not agree(tried.changes(nodes[k]), changes):
            cut = k - 1
            break
    inside, outside = nodes[: cut + 1], nodes[cut + 1 :]
    region, handler = it.new_region("try"), it.new_region("except")
    given = handler.add_parameter(Other(BaseException), "caught", it.span)
    node = Apply(ops.TRY, (_caught(it),), NEVER, span=it.span)
    node.comment = it.comment
    node.regions = (region, handler)
    shown = _export(it, node, inside)
    region.results += [it.constant(False), it.constant(None)]
    handler.results += [it.constant(True), given]
    it.graph.append(node)
    raised = node.add_output(BOOL, "raised")
    error = node.add_output(Other(BaseException), "error")
    tries = _tries(it)
    if len(tries) > 1:
        tries[-1].exact = False

    def on_error() -> None:
        it.env, it.known_items = variables, {}
        leave_try(it, it.constant(True), error)

    def on_success() -> None:
        enter()
        for n in shown:
            move(n, it.graph)
        _guard(it, tried, outside, live, lambda: None, finish)

    branch(it, raised, on_error, on_success, live)


def _export(it: Interpreter, node: Apply, inside: list[Apply]) -> list[Apply]:
    """Make the values of a TRY's body known outside; the statements to show them.

    The statements themselves move out, where everybody knows them, as other names of
    the TRY's outputs; copies take their places inside.
    """
    region, handler = node.regions
    replaced: dict[int, Node] = {}
    body: list[Apply] = []
    shown: list[Apply] = []
    none = it.constant(None)

    def hand_over(inner: Node) -> None:
        region.results.append(inner)
        handler.results.append(none)

    for n in inside:
        if n.outputs:
            for k, o in enumerate(n.outputs):
                fresh = Output(n, k, o.type, o.name)
                fresh.span = o.span
                n.outputs[k] = fresh
                replaced[id(o)] = fresh
                o.apply, o.index = node, len(node.outputs)
                node.outputs.append(o)
                hand_over(fresh)
            body.append(n)
            continue
        if n.op in _VALUELESS or n.regions:
            body.append(n)
            continue
        copied = _copy(n)
        replaced[id(n)] = copied
        body.append(copied)
        if n.op not in _STRUCTURE:
            out = node.add_output(n.type, n.name)
            hand_over(copied)
            n.op, n.args, n.keywords, n.target = ops.CAST, (out,), {}, None
        shown.append(n)
    region.body = []
    for n in body:
        move(n, region)
    substitute(region, replaced)
    return shown


def _copy(n: Apply) -> Apply:
    made = Apply(
        n.op, n.args, n.type, keywords=dict(n.keywords), name=n.name, span=n.span
    )
    made.target, made.comment, made.shape = n.target, n.comment, n.shape
    return made


# `finally` and `with` -----------------------------------------------------------------


__all__ = [
    "done_key",
    "exception_type",
    "flatten_types",
    "is_raised_by_python",
    "move",
    "protect",
    "raise_error",
    "raise_in_place",
    "run_guarded",
    "run_raise",
    "run_try",
]
