"""Private names: inside a class `A`, `__k` is written for `_A__k`."""

from __future__ import annotations

import ast


def mangled(name: str, cls: str) -> str:
    """What a name stands for in the body of a class."""
    private = name.startswith("__") and not name.endswith("__")
    owner = cls.lstrip("_")
    return f"_{owner}{name}" if private and owner else name


def mangle_private(tree: ast.AST) -> None:
    """Write the private names of a syntax tree out, as Python's compiler does.

    Functions that stand in the class body itself keep theirs, which Python keeps too.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and not hasattr(node, "within"):
            _in_class(node, node.name)


def _in_class(node: ast.ClassDef, name: str) -> None:
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            for child in ast.iter_child_nodes(statement):
                _mangle(child, name)
        else:
            _mangle(statement, name)


_NAMED: tuple[tuple[type[ast.AST], str], ...] = (
    (ast.Name, "id"),
    (ast.Attribute, "attr"),
    (ast.arg, "arg"),
    (ast.FunctionDef, "name"),
    (ast.ExceptHandler, "name"),
    (ast.MatchAs, "name"),
    (ast.MatchStar, "name"),
)


def _mangle(node: ast.AST, cls: str) -> None:
    if isinstance(node, ast.ClassDef):
        # Its bases and decorators belong to the class around it, its body does not.
        node.within = cls  # type: ignore[attr-defined]
        for outer in (*node.bases, *node.keywords, *node.decorator_list):
            _mangle(outer, cls)
        _in_class(node, node.name)
        node.name = mangled(node.name, cls)
        return
    for kind, field in _NAMED:
        if isinstance(node, kind):
            name = getattr(node, field)
            if name is not None and name.startswith("__"):
                if isinstance(node, ast.FunctionDef):
                    node.written = name  # type: ignore[attr-defined]
                setattr(node, field, mangled(name, cls))
    if isinstance(node, ast.Global | ast.Nonlocal):
        node.names = [mangled(n, cls) for n in node.names]
    for child in ast.iter_child_nodes(node):
        _mangle(child, cls)


__all__ = ["mangle_private", "mangled"]
