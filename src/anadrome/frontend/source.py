"""The syntax tree of a function, read from the file that the user wrote."""

from __future__ import annotations

import ast
import inspect
import linecache
import types
from dataclasses import dataclass, field
from functools import lru_cache

from anadrome.errors import Span, UnknownFunction

FunctionNode = ast.FunctionDef | ast.Lambda


@dataclass(frozen=True, eq=False)
class FunctionSource:
    """A function's syntax tree and the file it stands in."""

    node: FunctionNode
    file: str
    name: str
    locals: frozenset[str] = field(default=frozenset())

    def span(self, node: ast.AST, path: tuple[Span, ...] = ()) -> Span:
        """Where a node of the tree stands, and the calls that led to it."""
        return Span(
            self.file,
            getattr(node, "lineno", 0),
            getattr(node, "col_offset", 0),
            getattr(node, "end_lineno", 0) or 0,
            getattr(node, "end_col_offset", 0) or 0,
            self.name,
            path,
        )


_parsed: dict[str, tuple[int, ast.Module]] = {}


def _parse_file(file: str, lines: list[str]) -> ast.Module:
    text = "".join(lines)
    key = hash(text)
    if file not in _parsed or _parsed[file][0] != key:
        _parsed[file] = (key, ast.parse(text))
    return _parsed[file][1]


@lru_cache(maxsize=4096)
def source_of_code(code: types.CodeType) -> FunctionSource | None:
    """The syntax tree behind a code object, or None if there is no source."""
    file = code.co_filename
    lines = linecache.getlines(file)
    if not lines:
        try:
            lines, _ = inspect.findsource(code)
        except (OSError, TypeError):
            return None
    try:
        tree = _parse_file(file, lines)
    except SyntaxError:
        return None
    if code.co_name == "<lambda>":
        node = _find_lambda(tree, code)
    else:
        node = _find_def(tree, code)
    if node is None:
        return None
    return FunctionSource(node, file, code.co_name, local_names(node))


def source_of(function: types.FunctionType, span: Span | None = None) -> FunctionSource:
    """The syntax tree of a function; refuses one without source."""
    found = source_of_code(function.__code__)
    if found is None:
        raise UnknownFunction(
            f"the source of '{function.__qualname__}' cannot be found",
            span,
            help="define it in a file or a notebook cell, or register a rule for it "
            "with ad.primitive",
        )
    return found


def _find_def(tree: ast.AST, code: types.CodeType) -> FunctionNode | None:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if first == code.co_firstlineno:
                return node
    return None


def _find_lambda(tree: ast.AST, code: types.CodeType) -> FunctionNode | None:
    spots = [
        (line, column, end_line, end_column)
        for line, end_line, column, end_column in code.co_positions()
        if line is not None
        and column is not None
        and end_line is not None
        and end_column is not None
    ]
    # The first instruction of a lambda (RESUME) has an empty position at its `lambda`.
    spots = [s for s in spots if (s[0], s[1]) != (s[2], s[3])]
    if not spots:
        return None
    start = min((s[0], s[1]) for s in spots)
    stop = max((s[2], s[3]) for s in spots)
    best = None
    for node in ast.walk(tree):
        if isinstance(node, ast.Lambda) and node.lineno <= start[0]:
            body = node.body
            begins = (body.lineno, body.col_offset)
            ends = (body.end_lineno, body.end_col_offset)
            if begins <= start and stop <= ends:
                size = (ends[0] - begins[0], ends[1] - begins[1])  # type: ignore[operator]
                if best is None or size <= best[0]:
                    best = (size, node)
    return best[1] if best else None


def local_names(node: FunctionNode) -> frozenset[str]:
    """The names that a function binds, as the compiler of Python sees them."""
    found = {a.arg for a in _arguments(node.args)}
    outer: set[str] = set()

    def visit(n: ast.AST) -> None:
        if isinstance(n, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            found.add(n.name)
            for d in n.decorator_list:
                visit(d)
            return
        if isinstance(n, ast.Lambda):
            return
        if isinstance(n, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            # A comprehension has its own scope, but a walrus inside binds outside.
            for inner in ast.walk(n):
                if isinstance(inner, ast.NamedExpr):
                    found.add(inner.target.id)
            return
        if isinstance(n, ast.Nonlocal | ast.Global):
            outer.update(n.names)
        elif isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store | ast.Del):
            found.add(n.id)
        elif isinstance(n, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and n.name:
            found.add(n.name)
        elif isinstance(n, ast.MatchMapping) and n.rest:
            found.add(n.rest)
        elif isinstance(n, ast.Import | ast.ImportFrom):
            for alias in n.names:
                found.add((alias.asname or alias.name).split(".")[0])
        for child in ast.iter_child_nodes(n):
            visit(child)

    body = node.body if isinstance(node.body, list) else [node.body]
    for statement in body:
        visit(statement)
    return frozenset(found - outer)


def _arguments(args: ast.arguments) -> list[ast.arg]:
    found = [*args.posonlyargs, *args.args, *args.kwonlyargs]
    found += [a for a in (args.vararg, args.kwarg) if a is not None]
    return found
