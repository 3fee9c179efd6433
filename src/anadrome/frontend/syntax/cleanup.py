"""`finally` and the ends of `with` blocks: what must happen, raised or not."""

from __future__ import annotations

from collections.abc import Callable

from anadrome.errors import AnadromeError
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.syntax.branches import Side, branch, join_sides, until_raised
from anadrome.frontend.syntax.exits import exit_flag, is_flag
from anadrome.frontend.syntax.may_raise import exceptions_of, is_harmless
from anadrome.frontend.syntax.steps import run_steps
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Node
from anadrome.ir.types import NEVER, Other, deref, strip_optional

Cleanup = Callable[[], object]
OnError = Callable[[Node], Node]


def protect(
    it: Interpreter,
    body: Callable[[], None],
    cleanup: Cleanup,
    live: frozenset[str],
    needs_state: bool = False,
    on_error: OnError | None = None,
) -> None:
    """A body and what must happen after it, raised or not.

    If nobody catches what the body raises, the cleanup matters on that way only for
    its side effects; `needs_state` says that it reads what the body assigns. `on_error`
    is the cleanup for an exception, and says whether the exception ends there.
    """

    from anadrome.frontend.syntax.exceptions import move

    if any(level is not None for f in it.frames for level in f.levels):
        _protect_values(it, body, cleanup, live, on_error)
        return
    before, items = dict(it.env), dict(it.known_items)
    harmless = True
    if on_error is not None:
        harmless, ends = _look_at(it, on_error)
        if ends:
            it.env, it.known_items = before, items
            _protect_values(it, body, cleanup, live, on_error)
            return
    tried = Side(it.new_region("try"), it.env, it.known_items)
    try:
        tried.run(it, body)
    except AnadromeError as fault:
        if getattr(fault, "python", None) is None:
            raise
        # Python comes to the fault, and then to what must happen after it.
        it.env, it.known_items = before, items
        _protect_values(it, body, cleanup, live, on_error)
        return
    ended = Side(it.new_region("finally"), tried.env, tried.items)
    leaves = ended.run(it, lambda: _after_exits(it, cleanup, live))
    if not is_flag(leaves, False):
        # Leaving for elsewhere is the end of an exception.
        needs_state = True
    elif harmless and not (needs_state and on_error is not None):
        if all(map(_is_unnoticed, ended.graph.body)):
            for n in [*tried.graph.body, *ended.graph.body]:
                move(n, it.graph)
            it.env, it.known_items = ended.env, ended.items
            return
    it.env, it.known_items = before, items
    if needs_state:
        _protect_values(it, body, cleanup, live, on_error)
        return
    tried = Side(it.new_region("try"), dict(before), dict(items))
    tried.run(it, body)
    caught = Side(it.new_region("except"), dict(before), {})
    error = caught.graph.add_parameter(Other(BaseException), "error", it.span)

    def fail() -> None:
        if on_error is not None:
            on_error(error)
        else:
            cleanup()
        it.emit(ops.RAISE, (error,), NEVER)
        it.env.pop((it.frame.scope, "%return"), None)

    caught.run(it, lambda: until_raised(it, fail))
    caught.dead = True
    node = Apply(ops.TRY, (it.constant(BaseException),), NEVER, span=it.span)
    node.comment = it.comment
    node.regions = (tried.graph, caught.graph)
    join_sides(it, node, tried, caught, live)
    it.known_items = {}
    _after_exits(it, cleanup, live)


def _look_at(it: Interpreter, on_error: OnError) -> tuple[bool, bool]:
    """Whether nobody notices the cleanup for an exception; whether it may end it."""
    side = Side(it.new_region("except"), dict(it.env), {})
    error = side.graph.add_parameter(Other(BaseException), "error", it.span)
    ends: list[Node] = []
    before, items = it.env, it.known_items
    side.run(it, lambda: until_raised(it, lambda: ends.append(on_error(error))))
    it.env, it.known_items = before, items
    if not ends:
        return False, False
    return all(map(_is_unnoticed, side.graph.body)), not is_flag(ends[0], False)


def _is_unnoticed(node: Apply) -> bool:
    """Whether nobody outside notices that a statement of a cleanup was left out.

    An exception of its own would take the place of the one that is on its way.
    """
    quiet = node.op is ops.GETATTR or exceptions_of(node) in ((), (FloatingPointError,))
    return quiet and is_harmless(node)


def _protect_values(
    it: Interpreter,
    body: Callable[[], None],
    cleanup: Cleanup,
    live: frozenset[str],
    on_error: OnError | None,
) -> None:
    """Catch everything, clean up, raise it again unless it ends there."""

    from anadrome.frontend.syntax.exceptions import _either, _enter, _take, raise_error

    level = _enter(it, [it.constant(BaseException)])
    try:
        body()
    finally:
        it.frame.levels.pop()
    raised, error = _take(it, level)
    if on_error is not None:
        _either(
            it,
            raised,
            lambda: _fail(it, present(it, error), on_error, live),
            lambda: _after_exits(
                it, lambda: run_steps(it, [cleanup], None, live), live
            ),
            live,
        )
        return
    held = (it.frame.scope, f"%held{level.number}")
    while held in it.env:
        # The cleanup of another one, which had the same number.
        held = (held[0], held[1] + "i")
    it.env[held], it.env[(held[0], held[1] + "e")] = raised, error
    leaves = _after_exits(it, cleanup, live)
    raised, error = it.env.pop(held), it.env.pop((held[0], held[1] + "e"))

    def go_on() -> None:
        _either(it, raised, lambda: raise_error(it, error), lambda: None, live)

    _either(it, leaves, lambda: None, go_on, live)


def _fail(
    it: Interpreter, error: Node, on_error: OnError, live: frozenset[str]
) -> None:
    """Clean up after an exception, and raise it again unless that is its end."""

    from anadrome.frontend.syntax.exceptions import _either, raise_error

    key = (it.frame.scope, "%ended")

    def step() -> None:
        it.env[key] = on_error(error)

    def go_on() -> None:
        ended = it.env.pop(key)
        _either(it, ended, lambda: None, lambda: raise_error(it, error), live)

    run_steps(it, [step], go_on, live)
    it.env.pop(key, None)


def present(it: Interpreter, error: Node) -> Node:
    """An exception that was raised, and so is not None."""
    kind = strip_optional(error.type)
    return error if deref(error.type) is kind else it.emit(ops.CAST, (error,), kind)


def _after_exits(it: Interpreter, cleanup: Cleanup, live: frozenset[str]) -> Node:
    """Clean up while the exits that the body took are waiting.

    Whether the cleanup leaves for elsewhere itself, which takes precedence.
    """
    scope = it.frame.scope
    kept = {
        k: v
        for k, v in it.env.items()
        if k[0] is scope
        and isinstance(k[1], str)
        and k[1].startswith(("%done", "%skip", "%stop", "%return", "%raised"))
    }
    for k in kept:
        if k[1] != "%return":
            it.env[k] = it.constant(False)
    it.env.pop((scope, "%return"), None)
    cleanup()
    leaves = exit_flag(it)
    if is_flag(leaves, False):
        it.env.update(kept)
    elif not is_flag(leaves, True):
        branch(it, leaves, lambda: None, lambda: it.env.update(kept), live)
    return leaves
