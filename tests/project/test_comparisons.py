"""`np.dtype("float64") == None` is true: None is never looked for by equality."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src"


def _searches(tree: ast.AST) -> Iterator[ast.Compare]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and isinstance(node.left, ast.Constant):
            if node.left.value is None and isinstance(node.ops[0], ast.In | ast.NotIn):
                # A set or dictionary asks for the hash first.
                if isinstance(node.comparators[0], ast.Tuple | ast.List):
                    yield node


def test_none_is_asked_for_by_identity() -> None:
    assert list(_searches(ast.parse("None in (t.dtype, t.ndim)")))
    found = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path in sorted(SOURCE.rglob("*.py"))
        for node in _searches(ast.parse(path.read_text()))
    ]
    assert not found, found
