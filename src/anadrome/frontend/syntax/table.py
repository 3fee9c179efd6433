"""Which statements are read, by which functions, and which are refused by name."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from anadrome.frontend.interpreter import Interpreter

Statement = Callable[[Interpreter, Any, list[ast.stmt]], bool]


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
