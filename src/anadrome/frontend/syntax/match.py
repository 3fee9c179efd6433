"""`match`: each case becomes a condition on the subject and the names that it binds."""

from __future__ import annotations

import ast
import functools
import operator
from collections.abc import Callable
from typing import Any

from anadrome.errors import UnsupportedSyntax
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.syntax.expressions import (
    binary,
    choose,
    choose_statement,
    compare,
    evaluate,
    reads,
    tested,
    truth,
)
from anadrome.frontend.syntax.headers import HEADER, is_array, is_risky_test
from anadrome.frontend.syntax.liveness import liveness_of
from anadrome.frontend.syntax.table import runs
from anadrome.frontend.values import item_reads, sequences
from anadrome.frontend.values.attributes import get_attribute
from anadrome.frontend.values.iteration import length_of
from anadrome.frontend.values.known import is_known, static_value
from anadrome.ir import operations as ops
from anadrome.ir.graph import Constant, Node
from anadrome.ir.types import (
    BOOL,
    AnyType,
    Dict,
    List,
    Object,
    Optional,
    Tuple,
    VarTuple,
    deref,
    strip_optional,
)

# Classes whose only positional pattern is the value itself.
_WHOLE = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)

Test = Callable[[], Node]


class Fits(ast.expr):
    """Whether a pattern fits a variable."""

    _fields = ("subject", "pattern")
    subject: ast.Name
    pattern: ast.pattern


class Bind(ast.stmt):
    """The names of a pattern that fits a variable are bound."""

    _fields = ("subject", "pattern")
    subject: ast.Name
    pattern: ast.pattern


@reads(Fits)
def _fits(it: Interpreter, node: Fits) -> Node:
    return _test(it, node.pattern, evaluate(it, node.subject))


@runs(Bind)
def _bind_names(it: Interpreter, s: Bind, rest: list[ast.stmt]) -> bool:
    _bind(it, s.pattern, evaluate(it, s.subject))
    return False


def split_match(it: Interpreter, s: ast.stmt) -> list[ast.stmt] | None:
    """A `match` of a `try` body with the question whether its first case fits apart."""
    if not isinstance(s, ast.Match):
        return None
    guards = [c.guard for c in s.cases if c.guard is not None]
    risky = any(is_risky_test(it, g) for g in guards)
    compares = any(isinstance(n, ast.MatchValue) for c in s.cases for n in ast.walk(c))
    if not risky and (guards or not compares):
        return None
    here = functools.partial(ast.copy_location, old_node=s.subject)
    live = liveness_of(it.frame.source.node)
    second: list[ast.stmt]
    if not isinstance(s.subject, ast.Name):
        given = here(ast.Name("%matched", ast.Store()))
        first = here(ast.Assign([given], s.subject))
        read = here(ast.Name("%matched", ast.Load()))
        second = [ast.copy_location(ast.Match(read, s.cases), s)]
    elif not risky and not is_array(it, s.subject):
        return None
    else:
        case, more = s.cases[0], s.cases[1:]
        here = functools.partial(ast.copy_location, old_node=case.pattern)
        answer = here(ast.Name(HEADER, ast.Store()))
        question, bind = here(Fits()), here(Bind())
        for made in (question, bind):
            made.subject, made.pattern = s.subject, case.pattern
        first = here(ast.Assign([answer], question))
        last: list[ast.stmt] = []
        if more:
            last.append(ast.copy_location(ast.Match(s.subject, more), s))
        test = here(ast.Name(HEADER, ast.Load()))
        then: list[ast.stmt] = [bind, *case.body]
        asked: list[ast.stmt] = []
        if case.guard is not None:
            # The names are bound also where the guard says no.
            no = here(ast.UnaryOp(ast.Not(), case.guard))
            holds = here(ast.Assign([answer], here(ast.UnaryOp(ast.Not(), no))))
            fails = here(ast.Assign([answer], here(ast.Constant(False))))
            asked = [here(ast.If(test, [bind, holds], [fails]))]
            then = case.body
            for inner in (holds, fails, *asked):
                live.after[inner] = frozenset(it.frame.scope.locals)
        again = here(ast.Name(HEADER, ast.Load()))
        second = [*asked, ast.copy_location(ast.If(again, then, last), s)]
        for inner in (bind, *last):
            live.after[inner] = frozenset(it.frame.scope.locals) | live.live_after(s)
    live.after[first] = frozenset(it.frame.scope.locals)
    live.after[second[-1]] = live.live_after(s)
    return [first, *second]


def run_match(it: Interpreter, s: ast.Match) -> None:
    """A `match` statement."""
    subject = evaluate(it, s.subject)
    live = liveness_of(it.frame.source.node).live_after(s)
    _run_cases(it, s.cases, subject, live)


def _run_cases(
    it: Interpreter, cases: list[ast.match_case], subject: Node, live: frozenset[str]
) -> None:
    from anadrome.frontend.syntax.statements import run_block

    if not cases:
        return
    case = cases[0]
    with it.at(case.pattern):
        test = _test(it, case.pattern, subject)
        guarded = case.guard is not None
        if guarded:
            guard = case.guard
            assert guard is not None

            def bound_guard() -> Node:
                _bind(it, case.pattern, subject)
                return tested(it, guard)

            test = _both(it, test, bound_guard)

    def body() -> None:
        if not guarded:
            with it.at(case.pattern):
                _bind(it, case.pattern, subject)
        run_block(it, case.body)

    choose_statement(
        it, test, body, lambda: _run_cases(it, cases[1:], subject, live), live
    )


def _both(it: Interpreter, test: Node, more: Test) -> Node:
    """`test and more()`."""
    if isinstance(test, Constant):
        return more() if test.value else it.constant(False)
    return truth(it, choose(it, test, more, lambda: it.constant(False)))


def _all(it: Interpreter, tests: list[Test]) -> Node:
    if not tests:
        return it.constant(True)
    return _both(it, tests[0](), lambda: _all(it, tests[1:]))


def _test(it: Interpreter, p: ast.pattern, subject: Node) -> Node:
    """Whether a pattern fits, as a condition."""
    return PATTERNS[type(p)](it, p, subject)


def _value(it: Interpreter, p: ast.MatchValue, subject: Node) -> Node:
    return truth(it, compare(it, ast.Eq(), subject, evaluate(it, p.value)))


def _singleton(it: Interpreter, p: ast.MatchSingleton, subject: Node) -> Node:
    return truth(it, compare(it, ast.Is(), subject, it.constant(p.value)))


def _capture(it: Interpreter, p: ast.MatchAs, subject: Node) -> Node:
    return it.constant(True) if p.pattern is None else _test(it, p.pattern, subject)


def _or(it: Interpreter, p: ast.MatchOr, subject: Node) -> Node:
    return _any(it, p.patterns, subject)


def _any(it: Interpreter, patterns: list[ast.pattern], subject: Node) -> Node:
    test = _test(it, patterns[0], subject)
    if len(patterns) == 1 or (isinstance(test, Constant) and test.value):
        return test
    if isinstance(test, Constant):
        return _any(it, patterns[1:], subject)
    return truth(
        it,
        choose(
            it, test, lambda: it.constant(True), lambda: _any(it, patterns[1:], subject)
        ),
    )


def _not_none(it: Interpreter, subject: Node) -> Node:
    if not isinstance(deref(subject.type), Optional):
        return it.constant(True)
    found = it.emit(ops.IS, (subject, it.constant(None)), BOOL)
    return it.emit(ops.NOT, (found,), BOOL)


def _stars(p: ast.MatchSequence) -> list[int]:
    return [k for k, q in enumerate(p.patterns) if isinstance(q, ast.MatchStar)]


def _sequence(it: Interpreter, p: ast.MatchSequence, subject: Node) -> Node:
    t = strip_optional(subject.type)
    if isinstance(t, AnyType):
        raise it.fail(
            UnsupportedSyntax,
            "whether this is a sequence is known only at run time",
            "test its type with isinstance",
        )
    if not isinstance(t, List | Tuple | VarTuple):
        return it.constant(False)
    stars = _stars(p)
    count = len(p.patterns) - len(stars)
    sign = operator.ge if stars else operator.eq

    def length() -> Node:
        found = length_of(it, subject)
        return truth(it, binary(it, sign, found, it.constant(count)))

    tests: list[Test] = [lambda: _not_none(it, subject), length]
    for k, q in enumerate(p.patterns):
        if not isinstance(q, ast.MatchStar):
            tests.append(
                lambda k=k, q=q: _test(it, q, _item(it, p, subject, k))  # type: ignore[misc]
            )
    return _all(it, tests)


def _item(it: Interpreter, p: ast.MatchSequence, subject: Node, k: int) -> Node:
    stars = _stars(p)
    if stars and k > stars[0]:
        k -= len(p.patterns)
    return item_reads.get_item(it, subject, it.constant(k))


def _rest(it: Interpreter, p: ast.MatchSequence, subject: Node, k: int) -> Node:
    after = len(p.patterns) - k - 1
    stop = it.constant(-after if after else None)
    part = sequences.make_slice(it, [it.constant(k), stop, it.constant(None)])
    return sequences.as_list(it, item_reads.get_item(it, subject, part))


def _mapping(it: Interpreter, p: ast.MatchMapping, subject: Node) -> Node:
    if not isinstance(strip_optional(subject.type), Dict):
        return it.constant(False)
    tests: list[Test] = [lambda: _not_none(it, subject)]
    for key, q in zip(p.keys, p.patterns):
        k = evaluate(it, key)
        tests.append(lambda k=k: truth(it, item_reads.contains(it, subject, k)))  # type: ignore[misc]
        tests.append(
            lambda k=k, q=q: _test(it, q, item_reads.get_item(it, subject, k))  # type: ignore[misc]
        )
    return _all(it, tests)


def _class(it: Interpreter, p: ast.MatchClass, subject: Node) -> Node:
    from anadrome.frontend.calls.builtins import FUNCTIONS

    cls = evaluate(it, p.cls)
    tests: list[Test] = [
        lambda: truth(it, FUNCTIONS[isinstance](it, [subject, cls], {}))
    ]
    for name, q in _parts(it, p, cls):
        tests.append(
            lambda name=name, q=q: _test(it, q, _attribute(it, subject, name))  # type: ignore[misc]
        )
    return _all(it, tests)


def _parts(
    it: Interpreter, p: ast.MatchClass, cls: Node
) -> list[tuple[str | None, ast.pattern]]:
    """The attributes that a class pattern looks at; None is the value itself."""
    found: list[tuple[str | None, ast.pattern]] = []
    kind = static_value(cls) if is_known(cls) else None
    if p.patterns:
        if kind in _WHOLE and len(p.patterns) == 1:
            found.append((None, p.patterns[0]))
        else:
            names = getattr(kind, "__match_args__", ())
            if len(names) < len(p.patterns):
                raise it.fail(
                    UnsupportedSyntax,
                    "the class does not say which attributes these patterns are for",
                    "give it __match_args__, or name the attributes: C(x=…)",
                )
            found += zip(names, p.patterns)
    found += zip(p.kwd_attrs, p.kwd_patterns)
    return found


def _attribute(it: Interpreter, subject: Node, name: str | None) -> Node:
    if name is None:
        return subject
    t = deref(subject.type)
    if isinstance(t, Optional) and isinstance(deref(t.inner), Object):
        subject = it.emit(ops.CAST, (subject,), t.inner)
    return get_attribute(it, subject, name)


def _bind(it: Interpreter, p: ast.pattern, subject: Node) -> None:
    """Bind the names of a pattern that fits."""
    if isinstance(p, ast.MatchAs):
        if p.pattern is not None:
            _bind(it, p.pattern, subject)
        if p.name is not None:
            it.assign(it.frame.scope, p.name, subject)
    elif isinstance(p, ast.MatchOr):
        names = {n.name for n in ast.walk(p) if isinstance(n, ast.MatchAs) and n.name}
        if names:
            _bind_first(it, p.patterns, subject)
    elif isinstance(p, ast.MatchSequence):
        for k, q in enumerate(p.patterns):
            if not isinstance(q, ast.MatchStar):
                _bind(it, q, _item(it, p, subject, k))
            elif q.name is not None:
                it.assign(it.frame.scope, q.name, _rest(it, p, subject, k))
    elif isinstance(p, ast.MatchMapping):
        for key, q in zip(p.keys, p.patterns):
            _bind(it, q, item_reads.get_item(it, subject, evaluate(it, key)))
        if p.rest is not None:
            it.assign(it.frame.scope, p.rest, _others(it, p.keys, subject))
    elif isinstance(p, ast.MatchClass):
        for name, q in _parts(it, p, evaluate(it, p.cls)):
            _bind(it, q, _attribute(it, subject, name))


def _bind_first(it: Interpreter, patterns: list[ast.pattern], subject: Node) -> None:
    """Bind the names of the first of some patterns that fits; one does."""
    if len(patterns) == 1:
        _bind(it, patterns[0], subject)
        return
    choose_statement(
        it,
        _test(it, patterns[0], subject),
        lambda: _bind(it, patterns[0], subject),
        lambda: _bind_first(it, patterns[1:], subject),
        it.frame_live(),
    )


def _others(it: Interpreter, keys: list[ast.expr], subject: Node) -> Node:
    """A dictionary of what a pattern has no keys for."""
    from anadrome.frontend.calls.builtins import FUNCTIONS
    from anadrome.frontend.methods.lists import delete_item

    made = FUNCTIONS[dict](it, [subject], {})
    for key in keys:
        delete_item(it, made, evaluate(it, key))
    return made


PATTERNS: dict[type[ast.pattern], Any] = {
    ast.MatchValue: _value,
    ast.MatchSingleton: _singleton,
    ast.MatchAs: _capture,
    ast.MatchOr: _or,
    ast.MatchSequence: _sequence,
    ast.MatchMapping: _mapping,
    ast.MatchClass: _class,
}
