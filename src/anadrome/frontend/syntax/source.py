"""The syntax tree of a function, read from the file that the user wrote."""

from __future__ import annotations

import ast
import inspect
import linecache
import types
from dataclasses import dataclass, field
from functools import lru_cache

from anadrome.errors import Span, UnknownFunction
from anadrome.frontend.syntax.private_names import mangle_private

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


_parsed: dict[tuple[str, int], tuple[str, ast.Module]] = {}


def _parse(file: str, text: str, first: int) -> ast.Module:
    """The syntax tree of lines of a file, the first of which has this number."""
    known = _parsed.get((file, first))
    if known is None or known[0] != text:
        tree = ast.parse(text)
        if "__" in text:
            mangle_private(tree)
        if first > 1:
            ast.increment_lineno(tree, first - 1)
        known = _parsed[file, first] = (text, tree)
    return known[1]


def _statement_around(lines: list[str], line: int) -> tuple[int, int]:
    """The first line of the statement at the left margin around one, and its end.

    It looks at indentation alone: text cut in the middle of a statement is no Python,
    and whoever asked then parses the whole file, which takes longer.
    """
    begin = min(line, len(lines))
    while begin > 1 and not _begins_statement(lines[begin - 1]):
        begin -= 1
    end = line
    # Decorators stand at the margin too.
    while end < len(lines) and lines[end - 1].startswith("@"):
        end += 1
    while end < len(lines) and not _begins_statement(lines[end]):
        end += 1
    return begin, end


def _begins_statement(line: str) -> bool:
    return not line[:1].isspace() and line[:1] not in ("#", ")", "]", "}", "")


_written: dict[types.CodeType, FunctionSource] = {}


def write_source(code: types.CodeType, source: FunctionSource) -> None:
    """Say what the syntax tree of code is that stands in no file as it is."""
    _written[code] = source


@lru_cache(maxsize=4096)
def source_of_code(code: types.CodeType) -> FunctionSource | None:
    """The syntax tree behind a code object, or None if there is no source."""
    if code in _written:
        return _written[code]
    file = code.co_filename
    lines = linecache.getlines(file)
    if not lines:
        try:
            lines, _ = inspect.findsource(code)
        except (OSError, TypeError):
            return None
    find = _find_lambda if code.co_name == "<lambda>" else _find_def
    for first, last in (
        _statement_around(lines, code.co_firstlineno),
        (1, len(lines)),
    ):
        try:
            tree = _parse(file, "".join(lines[first - 1 : last]), first)
        except SyntaxError:
            continue
        node = find(tree, code)
        if node is not None:
            return FunctionSource(node, file, code.co_name, local_names(node))
    return None


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
        written = getattr(node, "written", getattr(node, "name", None))
        if isinstance(node, ast.FunctionDef) and written == code.co_name:
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
