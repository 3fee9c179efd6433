"""Every kind of syntax that Python has is either read or refused by name."""

from __future__ import annotations

import ast

import pytest

from anadrome.frontend.syntax import match
from anadrome.frontend.syntax.expressions import (
    BINARY,
    COMPARE,
    EXPRESSIONS,
    REFUSED,
    UNARY,
)
from anadrome.frontend.syntax.statements import REFUSED_STATEMENTS, STATEMENTS


def kinds(base: type[ast.AST]) -> list[type[ast.AST]]:
    """The node types of a category, deprecated aliases apart."""
    return sorted(base.__subclasses__(), key=lambda kind: kind.__name__)


@pytest.mark.parametrize("kind", kinds(ast.stmt), ids=lambda kind: kind.__name__)
def test_every_statement_is_read_or_refused_by_name(kind: type[ast.stmt]) -> None:
    assert (kind in STATEMENTS) != (kind in REFUSED_STATEMENTS)
    if kind in REFUSED_STATEMENTS:
        what, help = REFUSED_STATEMENTS[kind]
        assert what
        assert help


@pytest.mark.parametrize("kind", kinds(ast.expr), ids=lambda kind: kind.__name__)
def test_every_expression_is_read_or_refused_by_name(kind: type[ast.expr]) -> None:
    assert (kind in EXPRESSIONS) != (kind in REFUSED)
    if kind in REFUSED:
        what, help = REFUSED[kind]
        assert what
        assert help


@pytest.mark.parametrize("kind", kinds(ast.pattern), ids=lambda kind: kind.__name__)
def test_every_pattern_is_read(kind: type[ast.pattern]) -> None:
    # A star is part of a sequence pattern, which reads it.
    assert kind in match.PATTERNS or kind is ast.MatchStar


def test_every_operator_is_read() -> None:
    assert set(BINARY) == set(ast.operator.__subclasses__())
    assert set(UNARY) | {ast.Not} == set(ast.unaryop.__subclasses__())
    identity_and_membership = {ast.Is, ast.IsNot, ast.In, ast.NotIn}
    assert set(COMPARE) | identity_and_membership == set(ast.cmpop.__subclasses__())
    assert set(ast.boolop.__subclasses__()) == {ast.And, ast.Or}
