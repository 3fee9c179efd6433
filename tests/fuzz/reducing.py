"""Smaller programs that fail in the same way.

Statements are dropped, blocks take the place of the statements that hold them, and
expressions the place of those they are part of, as long as the failure stays.
"""

from __future__ import annotations

import ast
import copy
import time
from collections.abc import Callable, Iterator

Test = Callable[[str], bool]


def reduce_program(text: str, fails: Test, seconds: float = 60.0) -> str:
    """The smallest text that was found within the time."""
    best = ast.unparse(ast.parse(text)) + "\n"
    if not fails(best):
        return text
    until = time.monotonic() + seconds
    shrunk = True
    while shrunk:
        shrunk = False
        for variants in (_without_statements, _simpler_expressions):
            at = 0
            while time.monotonic() < until:
                candidate = variants(ast.parse(best), at)
                if candidate is None:
                    break
                smaller = ast.unparse(ast.fix_missing_locations(candidate)) + "\n"
                if len(smaller) < len(best) and fails(smaller):
                    best, shrunk = smaller, True
                else:
                    at += 1
        if time.monotonic() >= until:
            break
    return best


def _bodies(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            body = getattr(node, name, None)
            if isinstance(body, list) and body:
                yield body


def _statement_changes(tree: ast.AST) -> Iterator[Callable[[], None]]:
    for body in _bodies(tree):
        for size in (8, 4, 2, 1):
            for k in range(len(body) - 1, -1, -size):
                start = max(0, k - size + 1)
                if k - start + 1 == size:
                    yield lambda b=body, i=start, j=k: _drop(b, i, j)  # type: ignore[misc]
        for k, statement in enumerate(body):
            for name in ("body", "orelse"):
                inner = getattr(statement, name, None)
                if isinstance(inner, list) and inner:
                    yield lambda b=body, i=k, v=inner: _replace(b, i, v)  # type: ignore[misc]
            if getattr(statement, "orelse", None):
                yield lambda s=statement: s.orelse.clear()  # type: ignore[misc]


def _drop(body: list[ast.stmt], start: int, stop: int) -> None:
    body[start : stop + 1] = []
    if not body:
        body.append(ast.Pass())


def _replace(body: list[ast.stmt], at: int, by: list[ast.stmt]) -> None:
    body[at : at + 1] = by


def _without_statements(tree: ast.AST, at: int) -> ast.AST | None:
    """The tree after the change of a number, or None when there is no such change."""
    for k, change in enumerate(_statement_changes(tree)):
        if k == at:
            change()
            return tree
    return None


_PARTS = (ast.BinOp, ast.Call, ast.IfExp, ast.Subscript, ast.BoolOp, ast.UnaryOp)


def _simpler_expressions(tree: ast.AST, at: int) -> ast.AST | None:
    """The tree with one expression replaced by a part of it or by a constant."""
    count = 0
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            items = value if isinstance(value, list) else [value]
            for k, node in enumerate(items):
                if not isinstance(node, _PARTS):
                    continue
                if isinstance(getattr(node, "ctx", None), ast.Store):
                    continue
                choices = [
                    child
                    for child in ast.walk(node)
                    if isinstance(child, ast.expr)
                    and child is not node
                    and not isinstance(child, ast.Slice)
                ]
                for choice in [*choices[:8], ast.Constant(0.5)]:
                    if count == at:
                        _put(parent, name, value, k, choice)
                        return tree
                    count += 1
    return None


def _put(parent: ast.AST, name: str, value: object, at: int, new: ast.expr) -> None:
    new = copy.deepcopy(new)
    if isinstance(value, list):
        value[at] = new
    else:
        setattr(parent, name, new)
