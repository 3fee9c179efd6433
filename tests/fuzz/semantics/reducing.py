"""Smaller programs that fail in the same way, with fewer and plainer arguments."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Iterator

from fuzz.reducing import _put, _simpler_expressions, _without_statements

Test = Callable[[str], bool]
Change = Callable[[ast.AST, int], ast.AST | None]


def _elsewhere(change: Change) -> Change:
    """The same change, but not of how arguments are made."""

    def changed(tree: ast.AST, at: int) -> ast.AST | None:
        assert isinstance(tree, ast.Module)
        program, making = (_functions(tree)[n] for n in ("program", "arguments"))
        rest = ast.Module([line for line in tree.body if line is not making], [])
        if change(rest, at) is None:
            return None
        whole = any(line is program for line in rest.body)
        tree.body = [*rest.body, making] if whole else tree.body
        return tree

    return changed


def reduce_program(text: str, fails: Test, seconds: float = 120.0) -> str:
    """The smallest text that was found within the time."""
    best = ast.unparse(ast.parse(text)) + "\n"
    if not fails(best):
        return text
    until = time.monotonic() + seconds
    shrunk = True
    while shrunk and time.monotonic() < until:
        shrunk = False
        for variants in (
            _elsewhere(_without_statements),
            _fewer_arguments,
            _without_handlers,
            _plainer_arguments,
            _elsewhere(_simpler_expressions),
        ):
            at = 0
            while time.monotonic() < until:
                candidate = variants(ast.parse(best), at)
                if candidate is None:
                    break
                smaller = ast.unparse(ast.fix_missing_locations(candidate)) + "\n"
                if _size(smaller) < _size(best) and fails(smaller):
                    best, shrunk = smaller, True
                else:
                    at += 1
    return best


def _size(text: str) -> tuple[int, int]:
    """Fewer characters are smaller, and plain arguments smaller than others."""
    plain = text.count('"C"') + text.count("'C'") + text.count("float64")
    return len(text), -plain


def _functions(tree: ast.AST) -> dict[str, ast.FunctionDef]:
    assert isinstance(tree, ast.Module)
    return {f.name: f for f in tree.body if isinstance(f, ast.FunctionDef)}


def _fewer_arguments(tree: ast.AST, at: int) -> ast.AST | None:
    """The tree without one argument of `program`."""
    functions = _functions(tree)
    program, making = functions["program"], functions["arguments"]
    if at >= len(program.args.args) or len(program.args.args) == 1:
        return None
    name = program.args.args.pop(at).arg
    last = making.body[-1]
    assert isinstance(last, ast.Return)
    assert isinstance(last.value, ast.Tuple)
    last.value.elts.pop(at)
    making.body = [
        line
        for line in making.body
        if not (isinstance(line, ast.Assign) and ast.unparse(line.targets[0]) == name)
    ] or making.body
    return tree


def _without_handlers(tree: ast.AST, at: int) -> ast.AST | None:
    """The tree with a `try` or `with` replaced by what it holds."""
    found = [
        (body, k)
        for node in ast.walk(tree)
        for name in ("body", "orelse", "finalbody")
        if isinstance(body := getattr(node, name, None), list)
        for k, line in enumerate(body)
        if isinstance(line, ast.Try | ast.With)
    ]
    if at >= len(found):
        return None
    body, k = found[at]
    body[k : k + 1] = body[k].body
    return tree


def _plainer(call: ast.Call) -> Iterator[Callable[[], None]]:
    name = ast.unparse(call.func)
    values = [a.value for a in call.args if isinstance(a, ast.Constant)]
    if name == "laid" and isinstance(call.args[2], ast.Tuple):
        if values[0] != "C":
            yield lambda: _put(call, "args", call.args, 0, ast.Constant("C"))
        if values[1] != "float64":
            yield lambda: _put(call, "args", call.args, 1, ast.Constant("float64"))
        shape = call.args[2].elts
        for k, n in enumerate(shape):
            if isinstance(n, ast.Constant) and n.value > 9:
                yield lambda k=k: _put(call.args[2], "elts", shape, k, ast.Constant(3))  # type: ignore[misc]
        if len(shape) > 1:
            yield lambda: shape.pop() and None
        yield lambda: _put(call, "args", call.args, 3, ast.Constant(1))


def _plainer_arguments(tree: ast.AST, at: int) -> ast.AST | None:
    """The tree with an argument of a plainer layout, dtype or shape."""
    changes = [
        change
        for node in ast.walk(_functions(tree)["arguments"])
        if isinstance(node, ast.Call)
        for change in _plainer(node)
    ]
    if at >= len(changes):
        return None
    changes[at]()
    return tree
