"""Exits from a statement that is run as a whole: a variable says which was taken."""

from __future__ import annotations

import ast
from typing import Any

RETURNED = "%returned"
"""The variable for what a generator returns."""

RETURNS, BREAKS, CONTINUES, HANDLED = 1, 2, 3, 4
"""The ways out of a statement, and that an exception in it has been handled."""


def set_number(name: str, value: int) -> ast.stmt:
    """The assignment of a number to a variable."""
    made = ast.Assign([ast.Name(name, ast.Store())], ast.Constant(value))
    return ast.fix_missing_locations(made)


class Leaving(ast.NodeTransformer):
    """Exits of a statement that say where they lead and leave the function."""

    def __init__(self, way: str) -> None:
        self.way = way
        self.used: set[int] = set()
        self.loops = 0

    def _leave(self, s: ast.stmt, k: int, *before: ast.stmt) -> list[ast.stmt]:
        self.used.add(k)
        found = [*before, set_number(self.way, k), ast.Return(None)]
        return [ast.copy_location(n, s) for n in found]

    def visit(self, s: ast.AST) -> Any:
        """What stands in the place of a piece of syntax."""
        if isinstance(s, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            return s
        if isinstance(s, ast.Return):
            place = ast.copy_location(ast.Name(RETURNED, ast.Store()), s)
            given = [ast.Assign([place], s.value)] if s.value is not None else []
            return self._leave(s, RETURNS, *given)
        if isinstance(s, ast.Break | ast.Continue):
            way = BREAKS if isinstance(s, ast.Break) else CONTINUES
            return s if self.loops else self._leave(s, way)
        if isinstance(s, ast.For | ast.While):
            self.loops += 1
            s.body = [n for b in s.body for n in _listed(self.visit(b))]
            self.loops -= 1
            s.orelse = [n for b in s.orelse for n in _listed(self.visit(b))]
            return s
        return self.generic_visit(s)


def _listed(found: Any) -> list[ast.stmt]:
    return found if isinstance(found, list) else [found]
