"""What variables are where a statement is interrupted by an exception.

A statement of a `try` body may change variables before it raises: those of functions
that it calls, and how far iterators have come. `Tried` notes them at each step of it,
so that the handlers find them as they were at the step that raised.
"""

from __future__ import annotations

import ast
from typing import Any

from anadrome.errors import UnsupportedSyntax
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.syntax.liveness import assigned
from anadrome.frontend.values.bindings import flag_key
from anadrome.frontend.values.compile_time import Key, Scope, Virtual
from anadrome.frontend.values.iterators import RUNNING, Cursor, is_position
from anadrome.frontend.values.variables import same_constant
from anadrome.ir.graph import Apply, Graph, Node

Variables = dict[Key, Node]


class Tried(Graph):
    """A region that notes, at each of its statements, what variables are before it."""

    def __init__(self, it: Interpreter, s: ast.stmt) -> None:
        super().__init__("try", it.graph)
        self.it, self.statement = it, s
        self.depth = len(it.frames)
        self.before = dict(it.env)
        self.at: dict[int, tuple[Variables, list[Key]]] = {}
        # A loop may raise anywhere between these.
        self.ends: dict[int, tuple[Variables, Variables]] = {}
        self.settled: set[int] = set()
        # What is so where a statement raises, whatever it is on the way on.
        self.raised: dict[int, Variables] = {}

    def append(self, node: Apply) -> Apply:
        """Put a statement at the end."""
        running = [f.ends for f in self.it.frames[self.depth :] if f.ends is not None]
        env = dict(self.it.env)
        self._note_end(env)
        last = self.at[id(self.body[-1])][0] if self.body else self.before
        self.at[id(node)] = env, running
        self.ends[id(node)] = last, env
        return super().append(node)

    def end(self) -> None:
        """Note what variables are after what has been read so far."""
        self._note_end(dict(self.it.env))
        if self.body:
            self.settled.add(id(self.body[-1]))

    def when_raised(self, key: Key, value: Node) -> None:
        """Note what a variable is if the last statement raises."""
        self.raised.setdefault(id(self.body[-1]), {})[key] = value

    def _note_end(self, env: Variables) -> None:
        if self.body and id(self.body[-1]) not in self.settled:
            key = id(self.body[-1])
            self.ends[key] = self.ends[key][0], env

    def changes(self, node: Apply) -> dict[Key, Node | None]:
        """What is not as before where one of the statements raises; None: not known."""
        found: dict[Key, Node | None] = {}
        env, running = self.at[id(node)]
        start, end = self.ends[id(node)] if node.regions else (env, env)
        for key in {**self.before, **env, **end}:
            if not self._is_followed(key, env):
                continue
            then, now = self.before.get(key), env.get(key)
            moves = not (_same(start.get(key), now) and _same(now, end.get(key)))
            if moves or now is RUNNING:
                found[key] = None
            elif not _same(then, now):
                found[key] = now
        for key, value in self.raised.get(id(node), {}).items():
            if key in self.before:
                found[key] = value
        for ended in running:
            found = {k: v for k, v in found.items() if k[0] is not ended[0]}
            found[ended] = self.it.constant(-1)
        return found

    def _is_followed(self, key: Key, env: Variables) -> bool:
        owner, name = key
        if isinstance(owner, Virtual):
            return False
        if isinstance(owner, Cursor) or (owner, "%state") in {**self.before, **env}:
            return key in self.before or (owner, "%state") in self.before
        if not isinstance(owner, Scope) or (owner, name) not in self.before:
            return False
        return not str(name).startswith("%")

    def variables(self, changes: dict[Key, Node | None]) -> Variables:
        """The variables where the statement raises, for its handlers."""
        found = dict(self.before)
        for key, value in changes.items():
            if value is not None:
                found[key] = value
                found.pop(flag_key(key), None)
            elif is_position(key):
                found.pop(key, None)
            elif (key[0], "%state") in self.before:
                # Where one of its variables is not known, a generator cannot go on.
                found.pop((key[0], "%state"), None)
            else:
                self._refuse(key)
        return found

    def _refuse(self, key: Key) -> None:
        it, name = self.it, key[1]
        own = key[0] is it.frame.scope or name in it.frame.scope.nonlocals
        if own and name in assigned([self.statement]):
            return
        raise it.fail(
            UnsupportedSyntax,
            f"'{name}' is assigned inside a statement that may raise",
            f"assign '{name}' in a statement of its own inside the try",
            it.frame.source.span(self.statement),
        )


def note_end(it: Interpreter) -> None:
    """Say that a statement with regions has been read, and its results are bound."""
    if isinstance(it.graph, Tried):
        it.graph.end()


def _same(x: Node | None, y: Node | None) -> bool:
    return x is y or (x is not None and y is not None and same_constant(x, y))


def agree(a: dict[Key, Any], b: dict[Key, Any]) -> bool:
    """Whether variables are the same at two steps."""
    return a.keys() == b.keys() and all(_same(a[k], b[k]) for k in a)
