"""`finally` and the ends of `with` blocks: what must happen, raised or not."""

from __future__ import annotations

from collections.abc import Callable

from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.syntax.branches import Side, branch, join_sides
from anadrome.frontend.syntax.exits import exit_flag, is_flag
from anadrome.frontend.syntax.may_raise import is_harmless
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Node
from anadrome.ir.types import NEVER, Other


def protect(
    it: Interpreter,
    body: Callable[[], None],
    cleanup: Callable[[], None],
    live: frozenset[str],
    needs_state: bool = False,
) -> None:
    """A body and what must happen after it, raised or not.

    If nobody catches what the body raises, the cleanup matters on that way only for
    its side effects; `needs_state` says that it reads what the body assigns.
    """

    from anadrome.frontend.syntax.exceptions import move

    if any(level is not None for f in it.frames for level in f.levels):
        _protect_values(it, body, cleanup, live)
        return
    before, items = dict(it.env), dict(it.known_items)
    tried = Side(it.new_region("try"), it.env, it.known_items)
    tried.run(it, body)
    ended = Side(it.new_region("finally"), tried.env, tried.items)
    leaves = ended.run(it, lambda: _after_exits(it, cleanup, live))
    if not is_flag(leaves, False):
        # Leaving for elsewhere is the end of an exception.
        needs_state = True
    elif all(is_harmless(n) for n in ended.graph.body):
        for n in [*tried.graph.body, *ended.graph.body]:
            move(n, it.graph)
        it.env, it.known_items = ended.env, ended.items
        return
    it.env, it.known_items = before, items
    if needs_state:
        _protect_values(it, body, cleanup, live)
        return
    tried = Side(it.new_region("try"), dict(before), dict(items))
    tried.run(it, body)
    caught = Side(it.new_region("except"), dict(before), {})
    caught.graph.add_parameter(Other(BaseException), "error", it.span)

    def on_error() -> None:
        cleanup()
        it.emit(ops.RAISE, (), NEVER)
        it.env.pop((it.frame.scope, "%return"), None)

    caught.run(it, on_error)
    node = Apply(ops.TRY, (it.constant(BaseException),), NEVER, span=it.span)
    node.comment = it.comment
    node.regions = (tried.graph, caught.graph)
    join_sides(it, node, tried, caught, live)
    it.known_items = {}
    _after_exits(it, cleanup, live)


def _protect_values(
    it: Interpreter,
    body: Callable[[], None],
    cleanup: Callable[[], None],
    live: frozenset[str],
) -> None:
    """Catch everything, clean up, raise it again."""

    from anadrome.frontend.syntax.exceptions import _either, _enter, _take, raise_error

    level = _enter(it, [it.constant(BaseException)])
    try:
        body()
    finally:
        it.frame.levels.pop()
    raised, error = _take(it, level)
    held = (it.frame.scope, f"%held{level.number}")
    it.env[held], it.env[(held[0], held[1] + "e")] = raised, error
    leaves = _after_exits(it, cleanup, live)
    raised, error = it.env.pop(held), it.env.pop((held[0], held[1] + "e"))

    def go_on() -> None:
        _either(it, raised, lambda: raise_error(it, error), lambda: None, live)

    _either(it, leaves, lambda: None, go_on, live)


def _after_exits(
    it: Interpreter, cleanup: Callable[[], None], live: frozenset[str]
) -> Node:
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
