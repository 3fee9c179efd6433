"""Which names are still wanted after each statement.

Joins and loops carry only these, so that the graph and the printed code stay small. A
name that a nested function captures is always wanted, because it is looked up late.
"""

from __future__ import annotations

import ast
from functools import lru_cache

from anadrome.frontend.syntax.source import FunctionNode

Names = frozenset[str]


class Liveness:
    """For each statement of a function: the names read later, and those it binds."""

    def __init__(self, function: FunctionNode) -> None:
        self.after: dict[ast.stmt, Names] = {}
        self.captured = captured_names(function)
        # What the handlers around the statement that is being looked at may read.
        self.handlers: Names = frozenset()
        if isinstance(function.body, list):
            self._block(function.body, frozenset(), frozenset(), frozenset())

    def live_after(self, statement: ast.stmt) -> Names:
        """The names that may be read after a statement."""
        return self.after.get(statement, frozenset()) | self.captured

    def _block(
        self, body: list[ast.stmt], after: Names, on_break: Names, on_continue: Names
    ) -> Names:
        for statement in reversed(body):
            after |= self.handlers
            wanted = after
            left = exits(body if statement is body[-1] else [statement])
            # Whoever leaves the loop here comes together with whoever goes on.
            wanted |= on_break if ast.Break in left else frozenset()
            wanted |= on_continue if ast.Continue in left else frozenset()
            # A loop visits its body twice; the larger answer is the right one.
            self.after[statement] = wanted | self.after.get(statement, frozenset())
            after = self._statement(statement, after, on_break, on_continue)
        return after

    def _statement(
        self, s: ast.stmt, after: Names, on_break: Names, on_continue: Names
    ) -> Names:
        if isinstance(s, ast.If):
            then = self._block(s.body, after, on_break, on_continue)
            other = self._block(s.orelse, after, on_break, on_continue)
            return then | other | reads(s.test)
        if isinstance(s, ast.For):
            orelse = self._block(s.orelse, after, on_break, on_continue)
            head = orelse | after
            for _ in range(2):
                inner = self._block(s.body, head, after, head)
                head = head | (inner - bound(s.target)) | reads(s.target)
            return head | reads(s.iter)
        if isinstance(s, ast.While):
            orelse = self._block(s.orelse, after, on_break, on_continue)
            head = orelse | after | reads(s.test)
            for _ in range(2):
                head = head | self._block(s.body, head, after, head)
            return head
        if isinstance(s, ast.Try | ast.TryStar):
            final = self._block(s.finalbody, after, on_break, on_continue)
            final = final | after
            handlers: Names = frozenset()
            for h in s.handlers:
                handlers |= self._block(h.body, final, on_break, on_continue)
                handlers |= reads(h.type) if h.type else frozenset()
            orelse = self._block(s.orelse, final, on_break, on_continue)
            outer, self.handlers = self.handlers, self.handlers | handlers | final
            body = self._block(s.body, orelse | final, on_break, on_continue)
            self.handlers = outer
            return body | handlers | final
        if isinstance(s, ast.With):
            # The block of `insert_grad_of` gives back what its name is bound to last.
            names: Names = frozenset()
            for item in s.items:
                names |= (
                    bound(item.optional_vars) if item.optional_vars else frozenset()
                )
            # Whoever ends an exception goes on after the block.
            outer, self.handlers = self.handlers, self.handlers | after
            inner = self._block(s.body, after | names, on_break, on_continue)
            self.handlers = outer
            for item in s.items:
                inner |= reads(item.context_expr)
            return inner | after
        if isinstance(s, ast.Match):
            found = after | reads(s.subject)
            for case in s.cases:
                found |= self._block(case.body, after, on_break, on_continue)
                found |= reads(case.pattern)
                found |= reads(case.guard) if case.guard else frozenset()
            return found
        if isinstance(s, ast.Break):
            return on_break
        if isinstance(s, ast.Continue):
            return on_continue
        if isinstance(s, ast.Return | ast.Raise):
            return reads(s)
        if isinstance(s, ast.Assign):
            killed = frozenset(t.id for t in s.targets if isinstance(t, ast.Name))
            return (after - killed) | reads(s)
        return after | reads(s)


def exits(statements: list[ast.stmt]) -> frozenset[type[ast.AST]]:
    """The kinds of exits from the function, or from the loop around, in statements."""
    found: frozenset[type[ast.AST]] = frozenset()
    for s in statements:
        found |= _exits_in(s)
    return found


@lru_cache(maxsize=4096)
def _exits_in(s: ast.stmt) -> frozenset[type[ast.AST]]:
    if isinstance(s, ast.Return | ast.Break | ast.Continue):
        return frozenset([type(s)])
    if isinstance(s, ast.FunctionDef | ast.ClassDef):
        return frozenset()
    found = exits(getattr(s, "body", []))
    if isinstance(s, ast.For | ast.While):
        found &= frozenset([ast.Return])
    for name in ("orelse", "finalbody"):
        found |= exits(getattr(s, name, []))
    for part in (*getattr(s, "handlers", []), *getattr(s, "cases", [])):
        found |= exits(part.body)
    return found


@lru_cache(maxsize=4096)
def liveness_of(function: FunctionNode) -> Liveness:
    """The liveness of a function, computed once."""
    return Liveness(function)


def reads(node: ast.AST | None) -> Names:
    """The names that a piece of syntax may read."""
    if node is None:
        return frozenset()
    found = set()
    for n in ast.walk(node):
        if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Store):
            found.add(n.id)
        elif isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name):
            found.add(n.target.id)
    return frozenset(found)


def bound(node: ast.AST) -> Names:
    """The names that a target binds."""
    return frozenset(
        n.id
        for n in ast.walk(node)
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    )


def assigned(statements: list[ast.stmt]) -> Names:
    """The names that statements may assign, nested functions and classes apart."""
    found: set[str] = set()

    def visit(n: ast.AST) -> None:
        if isinstance(n, ast.FunctionDef | ast.ClassDef):
            found.add(n.name)
            return
        if isinstance(n, ast.Lambda):
            return
        if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store | ast.Del):
            found.add(n.id)
        elif isinstance(n, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and n.name:
            found.add(n.name)
        elif isinstance(n, ast.MatchMapping) and n.rest:
            found.add(n.rest)
        if isinstance(n, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            for inner in ast.walk(n):
                if isinstance(inner, ast.NamedExpr):
                    found.add(inner.target.id)
            return
        for child in ast.iter_child_nodes(n):
            visit(child)

    for s in statements:
        visit(s)
    return frozenset(found)


# What has gone over an iterable when it returns.
_CONSUMERS = frozenset(
    [
        "all",
        "any",
        "dict",
        "frozenset",
        "list",
        "max",
        "min",
        "set",
        "sorted",
        "sum",
        "tuple",
    ]
)


def captured_names(function: FunctionNode) -> Names:
    """The names that functions and generators nested in this one mention."""
    found: set[str] = set()
    consumed: set[ast.AST] = set()
    for n in ast.walk(function):
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name):
            if n.func.id in _CONSUMERS:
                consumed.update(n.args)
        if isinstance(n, ast.GeneratorExp) and n not in consumed:
            found |= reads(n)
        if n is not function and isinstance(
            n, ast.FunctionDef | ast.Lambda | ast.ClassDef
        ):
            found |= reads(n)
            for inner in ast.walk(n):
                if isinstance(inner, ast.Nonlocal):
                    found |= set(inner.names)
    return frozenset(found)
