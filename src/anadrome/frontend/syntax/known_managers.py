"""Context managers of `contextlib` that are other statements in disguise."""

from __future__ import annotations

import ast
import contextlib
from typing import Any

from anadrome.errors import UnsupportedSyntax
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.syntax.assignment import bind
from anadrome.frontend.syntax.cleanup import protect
from anadrome.frontend.syntax.expressions import evaluate
from anadrome.frontend.syntax.liveness import liveness_of
from anadrome.frontend.syntax.statements import run_block, run_statement
from anadrome.ir import operations as ops
from anadrome.ir.types import Other

HELD = "%held "
"""What the names begin with that keep a value until a block ends."""


def run_known(
    it: Interpreter,
    s: ast.With,
    syntax: ast.Call,
    function: Any,
    live: frozenset[str],
) -> bool:
    """Read a `with` of one item as what it stands for; whether it is known."""
    if any(k.arg is None for k in syntax.keywords):
        return False
    for known, run in _KNOWN:
        if function is known:
            return run(it, s, syntax, live)
    return False


def _suppress(
    it: Interpreter, s: ast.With, syntax: ast.Call, live: frozenset[str]
) -> bool:
    """`with suppress(A, B):` is `try: … except (A, B): pass`."""
    if syntax.keywords:
        return False
    target = s.items[0].optional_vars
    if target is not None:
        bind(it, target, it.constant(None))
    types = ast.copy_location(ast.Tuple(syntax.args, ast.Load()), syntax)
    none = ast.copy_location(ast.Pass(), syntax)
    handler = ast.copy_location(ast.ExceptHandler(types, None, [none]), syntax)
    _instead(it, s, ast.Try(s.body, [handler], [], []), live)
    return True


def _nullcontext(
    it: Interpreter, s: ast.With, syntax: ast.Call, live: frozenset[str]
) -> bool:
    """A manager that does nothing."""
    if len(syntax.args) > 1 or syntax.keywords:
        return False
    given = evaluate(it, syntax.args[0]) if syntax.args else it.constant(None)
    target = s.items[0].optional_vars
    if target is not None:
        bind(it, target, given)
    run_block(it, s.body)
    return True


def _closing(
    it: Interpreter, s: ast.With, syntax: ast.Call, live: frozenset[str]
) -> bool:
    """A manager that closes what it is given."""
    from anadrome.frontend.calls.calls import call_method

    if len(syntax.args) != 1 or syntax.keywords:
        return False
    held = f"%closed{len(it.frame.levels)}.{len(it.env)}"
    it.env[(it.frame.scope, held)] = given = evaluate(it, syntax.args[0])
    target = s.items[0].optional_vars
    if target is not None:
        bind(it, target, given)

    def close() -> None:
        call_method(it, it.env[(it.frame.scope, held)], "close", [], {})

    protect(
        it,
        lambda: run_block(it, s.body),
        close,
        live,
    )
    it.env.pop((it.frame.scope, held), None)
    return True


def _instead(
    it: Interpreter, s: ast.With, other: ast.stmt, live: frozenset[str]
) -> None:
    """Read another statement in the place of a `with`."""
    ast.copy_location(other, s)
    liveness_of(it.frame.source.node).after[other] = live
    run_statement(it, other, [])


def _exit_stack(
    it: Interpreter, s: ast.With, syntax: ast.Call, live: frozenset[str]
) -> bool:
    """What is entered or registered one by one is a block around the rest.

    with ExitStack() as stack:           with manager as m:
        m = stack.enter_context(manager)     try:
        stack.callback(f, x)         →           …
        …                                    finally:
                                                 f(x)
    """
    target = s.items[0].optional_vars
    if syntax.args or syntax.keywords:
        return False
    if target is None:
        run_block(it, s.body)
        return True
    if not isinstance(target, ast.Name):
        return False
    if target.id in live:
        # After its block it is empty, as a new one is.
        given = (it.constant(contextlib.ExitStack),)
        empty = it.emit(ops.PYCALL, given, Other(contextlib.ExitStack), target=True)
        bind(it, target, empty)
    try:
        body = _Unstacked(it, target.id, live).block(s.body)
    except _UsedOtherwise as found:
        raise it.fail(
            UnsupportedSyntax,
            "an ExitStack is used otherwise than by statements of its own block",
            "call its enter_context and callback in the block itself, one by one",
            it.frame.source.span(found.node),
        ) from None
    run_block(it, body)
    return True


class _UsedOtherwise(Exception):
    """Thrown where a stack is not simply given something."""

    def __init__(self, node: ast.AST) -> None:
        self.node = node


class _Unstacked:
    """The block of an ExitStack, written as blocks one inside the other."""

    def __init__(self, it: Interpreter, name: str, live: frozenset[str]) -> None:
        self.it, self.name, self.live = it, name, live
        self.liveness = liveness_of(it.frame.source.node)

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """A block with everything after a registration inside of what it means."""
        for k, s in enumerate(body):
            call, rest = self._call(s), body[k + 1 :]
            if call is not None:
                for a in (*call.args, *(w.value for w in call.keywords)):
                    self._refuse_uses(a)
                made = self._around(s, call, self.block(rest))
            elif isinstance(s, ast.If) and self._uses(s):
                self._refuse_uses(s.test)
                made = [self._choice(s, rest)]
            else:
                self._refuse_uses(s)
                continue
            for part in made:
                for n in ast.walk(part):
                    if isinstance(n, ast.stmt) and n not in self.liveness.after:
                        every = self.live | frozenset(self.it.frame.scope.locals)
                        self.liveness.after[n] = every
            return [*body[:k], *made]
        return body

    def _choice(self, s: ast.If, rest: list[ast.stmt]) -> ast.stmt:
        """What is registered on one path is around the rest of that path."""
        sides = [self.block([*side, *rest]) for side in (s.body, s.orelse)]
        return ast.copy_location(ast.If(s.test, sides[0], sides[1]), s)

    def _call(self, s: ast.stmt) -> ast.Call | None:
        """The call of a method of the stack that a statement consists of."""
        value = s.value if isinstance(s, ast.Expr | ast.Assign) else None
        if isinstance(s, ast.Assign) and len(s.targets) != 1:
            return None
        if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Attribute):
            return None
        owner = value.func.value
        return value if isinstance(owner, ast.Name) and owner.id == self.name else None

    def _around(
        self, s: ast.stmt, call: ast.Call, rest: list[ast.stmt]
    ) -> list[ast.stmt]:
        assert isinstance(call.func, ast.Attribute)
        rest = rest or [ast.copy_location(ast.Pass(), s)]
        target = s.targets[0] if isinstance(s, ast.Assign) else None
        starred = any(isinstance(a, ast.Starred) for a in call.args)
        named = any(k.arg is None for k in call.keywords)
        if call.func.attr == "enter_context" and len(call.args) == 1:
            if not starred and not call.keywords:
                item = ast.withitem(call.args[0], target)
                return [ast.copy_location(ast.With([item], rest), s)]
        if call.func.attr == "callback" and call.args and target is None:
            if not starred and not named:
                return self._callback(s, call, rest)
        raise _UsedOtherwise(call)

    def _callback(
        self, s: ast.stmt, call: ast.Call, rest: list[ast.stmt]
    ) -> list[ast.stmt]:
        """What is called at the end is evaluated now."""
        first: list[ast.stmt] = []

        def now(value: ast.expr) -> ast.expr:
            if isinstance(value, ast.Constant):
                return value
            name = f"{HELD}{id(value)}"
            store = ast.copy_location(ast.Name(name, ast.Store()), value)
            first.append(ast.copy_location(ast.Assign([store], value), value))
            return ast.copy_location(ast.Name(name, ast.Load()), value)

        later = ast.Call(
            now(call.args[0]),
            [now(a) for a in call.args[1:]],
            [ast.keyword(k.arg, now(k.value)) for k in call.keywords],
        )
        ast.copy_location(later, call)
        final = ast.copy_location(ast.Expr(later), call)
        return [*first, ast.copy_location(ast.Try(rest, [], [], [final]), s)]

    def _uses(self, node: ast.AST) -> list[ast.AST]:
        names = (n for n in ast.walk(node) if isinstance(n, ast.Name))
        return [n for n in names if n.id == self.name]

    def _refuse_uses(self, node: ast.AST) -> None:
        for n in self._uses(node):
            raise _UsedOtherwise(n)


_KNOWN: tuple[tuple[Any, Any], ...] = (
    (contextlib.suppress, _suppress),
    (contextlib.nullcontext, _nullcontext),
    (contextlib.closing, _closing),
    (contextlib.ExitStack, _exit_stack),
)
