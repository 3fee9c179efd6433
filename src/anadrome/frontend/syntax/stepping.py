"""The body of a generator taken apart at its `yield`s, to be resumed at any of them.

Each block runs to a `yield`, to the end, or to another block; a variable says which
block is next. Loops and branches that hold no `yield` stay as they are.
"""

from __future__ import annotations

import ast
import copy
import functools
import operator
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from anadrome.errors import UnsupportedSyntax
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.syntax.leaving import (
    BREAKS,
    CONTINUES,
    HANDLED,
    RETURNED,
    RETURNS,
    Leaving,
    set_number,
)
from anadrome.frontend.syntax.liveness import liveness_of
from anadrome.frontend.syntax.table import runs
from anadrome.ir.graph import UNDEFINED, Constant, Graph, Node

STATE, VALUE, PAUSED = "%state", "%yielded", "%paused"
SENT = "%sent"
END = -1


class Unsteppable(Exception):
    """Thrown for a `yield` where a generator cannot be suspended."""

    def __init__(self, node: ast.AST, what: str) -> None:
        self.node, self.what = node, what


class StartLoop(ast.stmt):
    """A `for` of a generator begins: what it runs over becomes variables."""

    _fields = ("iter",)
    number: int
    iter: ast.expr
    delegates: bool


class NextItem(ast.stmt):
    """A `for` of a generator goes on with its next item, or after the loop."""

    _fields = ("target",)
    number: int
    target: ast.expr
    on: int
    off: int
    # What is run over, if it is a variable that does not change.
    over: str | None
    # Of `yield from`: the variable for what the generator returns.
    result: str | None


class Go(ast.stmt):
    """Go on with another block; wait there if something was yielded."""

    _fields = ()
    state: int
    waits: bool


class Apart(ast.stmt):
    """A statement with exits from the function; a variable says which way it took."""

    _fields = ("body",)
    body: list[ast.stmt]
    way: str


@dataclass
class Machine:
    """The blocks of a generator."""

    blocks: dict[int, list[ast.stmt]] = field(default_factory=dict)
    made: list[ast.stmt] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    results: list[str] = field(default_factory=list)

    def prepare(self, it: Interpreter, generator: Any, sent: Node) -> None:
        """Give a generator that is resumed the variables that it has."""
        scope = generator.scope
        it.env[(scope, SENT)] = sent
        it.env.setdefault((scope, VALUE), UNDEFINED)
        for name in self.results:
            it.env.setdefault((scope, name), it.constant(None))
        scope.locals |= {STATE, VALUE, PAUSED, SENT, RETURNED, *self.names}
        live = liveness_of(generator.source.node)
        for s in self.made:
            live.after[s] = scope.locals


@functools.lru_cache(maxsize=512)
def _machine(node: ast.FunctionDef) -> Machine:
    return _Maker(node).machine


def make_machine(it: Interpreter, node: ast.FunctionDef) -> Machine:
    """The blocks of a generator function; refuses what cannot be suspended."""
    try:
        return _machine(node)
    except Unsteppable as found:
        raise it.fail(
            UnsupportedSyntax,
            f"a generator that is resumed step by step yields {found.what}",
            "run over it in a for loop, or collect its values in a list",
            it.frame.source.span(found.node) if it.frames else None,
        ) from None


class _Maker:
    """The taking apart of one function."""

    def __init__(self, node: ast.FunctionDef) -> None:
        self.machine = Machine()
        self.loops: list[tuple[int, int]] = []  # where continue and break go
        self.number = 0
        self.node = node
        self.machine.blocks[0] = []
        self._fill(0, node.body, END)

    def _new(self) -> int:
        k = len(self.machine.blocks)
        self.machine.blocks[k] = []
        return k

    def _made(self, s: ast.stmt, at: ast.AST) -> ast.stmt:
        ast.copy_location(s, at)
        self.machine.made.append(s)
        return s

    def _go(self, state: int, at: ast.AST, waits: bool = False) -> ast.stmt:
        made = Go()
        made.state, made.waits = state, waits or state == END
        return self._made(made, at)

    def _block(self, statements: list[ast.stmt], after: int) -> int:
        if not statements:
            return after
        k = self._new()
        self._fill(k, statements, after)
        return k

    def _fill(self, k: int, statements: list[ast.stmt], after: int) -> None:
        out = self.machine.blocks[k]
        for i, s in enumerate(statements):
            if not _splits(s):
                out.append(s)
                continue
            self._split(out, s, statements[i + 1 :], after)
            return
        last = statements[-1] if statements else self.node
        out.append(self._go(after, last))

    def _split(
        self, out: list[ast.stmt], s: ast.stmt, rest: list[ast.stmt], after: int
    ) -> None:
        if isinstance(s, ast.Return):
            if s.value is not None and first_yield(s.value) is not None:
                raise Unsteppable(s, "in a 'return'")
            if s.value is not None:
                place = ast.copy_location(ast.Name(RETURNED, ast.Store()), s)
                out.append(self._made(ast.Assign([place], s.value), s))
            out.append(self._go(END, s))
        elif isinstance(s, ast.Break | ast.Continue):
            forward, leave = self.loops[-1]
            out.append(self._go(leave if isinstance(s, ast.Break) else forward, s))
        elif isinstance(s, ast.Expr | ast.Assign):
            self._yield(out, s, rest, after)
        elif isinstance(s, ast.If):
            following = self._block(rest, after)
            sides = [self._go(self._block(b, following), s) for b in (s.body, s.orelse)]
            out.append(self._made(ast.If(s.test, [sides[0]], [sides[1]]), s))
        elif isinstance(s, ast.While):
            following = self._block(rest, after)
            header = self._new()
            otherwise = self._block(s.orelse, following)
            body = self._body(s.body, header, following)
            goes = [self._go(body, s)], [self._go(otherwise, s)]
            self.machine.blocks[header].append(self._made(ast.If(s.test, *goes), s))
            out.append(self._go(header, s))
        elif isinstance(s, ast.For):
            self._for(out, s, rest, after)
        elif first_yield(s) is None:
            self._apart(out, s, rest, after)
        elif isinstance(s, ast.Try) and _may_be_suspended(s):
            self._try(out, s, rest, after)
        else:
            raise Unsteppable(s, f"inside '{type(s).__name__.lower()}'")

    def _apart(
        self, out: list[ast.stmt], s: ast.stmt, rest: list[ast.stmt], after: int
    ) -> None:
        """A statement that is run as a whole and left on one of several ways."""
        way = self._way()
        leaving = Leaving(way)
        inner = leaving.visit(copy.deepcopy(s))
        going = self._go(self._block(rest, after), s)
        out += self._on_ways(s, inner, leaving, {}, going)

    def _way(self) -> str:
        """A variable that says on which way a statement was left."""
        self.number += 1
        way = f"way_{self.number}"
        while any(isinstance(n, ast.Name) and n.id == way for n in ast.walk(self.node)):
            way += "_"
        self.machine.names.append(way)
        return way

    def _on_ways(
        self,
        s: ast.stmt,
        inner: ast.stmt,
        leaving: Leaving,
        targets: dict[int, int],
        going: ast.stmt,
    ) -> list[ast.stmt]:
        """A statement, and where each way out of it leads; else it goes on as said."""
        here = functools.partial(ast.copy_location, old_node=s)
        whole = Apart()
        whole.body, whole.way = [inner], leaving.way
        self.machine.made += [n for n in ast.walk(whole) if isinstance(n, ast.stmt)]
        made = [self._made(set_number(leaving.way, 0), s), self._made(whole, s)]
        forward, leave = self.loops[-1] if self.loops else (END, END)
        exits = {RETURNS: END, BREAKS: leave, CONTINUES: forward}
        for k, target in {**{k: exits[k] for k in leaving.used}, **targets}.items():
            read = here(ast.Name(leaving.way, ast.Load()))
            test = here(ast.Compare(read, [ast.Eq()], [here(ast.Constant(k))]))
            going = self._made(ast.If(test, [self._go(target, s)], [going]), s)
        return [*made, going]

    def _try(
        self, out: list[ast.stmt], s: ast.Try, rest: list[ast.stmt], after: int
    ) -> None:
        """A `try` that yields: each of its blocks is tried by itself."""
        following = self._block(rest, after)
        otherwise = self._block(s.orelse, following)
        targets = {HANDLED: following}
        for k, h in enumerate(s.handlers):
            if first_yield(h) is not None:
                targets[HANDLED + 1 + k] = self._block(h.body, following)
        first = len(self.machine.blocks)
        out.append(self._go(self._block(s.body, otherwise), s))
        for k in range(first, len(self.machine.blocks)):
            block = self.machine.blocks[k]
            parts = [n for b in block for n in ast.walk(b)]
            if any(isinstance(n, Apart | StartLoop | NextItem) for n in parts):
                raise Unsteppable(s, "inside 'try'")
            leaving = Leaving(self._way())
            handlers = copy.deepcopy(s.handlers)
            for j, h in enumerate(handlers, HANDLED + 1):
                if j in targets:
                    h.body = []
                leaving.visit(h)
                way = j if j in targets else HANDLED
                h.body.append(ast.copy_location(set_number(leaving.way, way), s))
            tried = ast.copy_location(ast.Try(block, handlers, [], []), s)
            done = ast.copy_location(ast.Pass(), s)
            self.machine.blocks[k] = self._on_ways(s, tried, leaving, targets, done)

    def _body(self, body: list[ast.stmt], header: int, leave: int) -> int:
        self.loops.append((header, leave))
        try:
            return self._block(body, header)
        finally:
            self.loops.pop()

    def _yield(
        self,
        out: list[ast.stmt],
        s: ast.Expr | ast.Assign,
        rest: list[ast.stmt],
        after: int,
    ) -> None:
        given = s.value
        if isinstance(given, ast.YieldFrom):
            item, result = (f"{n}_{self.number + 1}" for n in ("item", "%result"))
            self.machine.names += [item, result]
            self.machine.results.append(result)
            name = ast.copy_location(ast.Name(item, ast.Store()), s)
            read = ast.copy_location(ast.Name(item, ast.Load()), s)
            inner = ast.copy_location(ast.Yield(read), s)
            loop = ast.For(
                name, given.value, [ast.copy_location(ast.Expr(inner), s)], []
            )
            if isinstance(s, ast.Assign):
                found = ast.copy_location(ast.Name(result, ast.Load()), s)
                rest = [self._made(ast.Assign(s.targets, found), s), *rest]
            self._for(out, ast.copy_location(loop, s), rest, after, result)
            return
        if not isinstance(given, ast.Yield):
            raise Unsteppable(s, "inside an expression")
        if given.value is not None and first_yield(given.value) is not None:
            raise Unsteppable(s, "inside an expression")
        value = given.value or ast.copy_location(ast.Constant(None), s)
        place = ast.copy_location(ast.Name(VALUE, ast.Store()), s)
        out.append(self._made(ast.Assign([place], value), s))
        if isinstance(s, ast.Assign):
            read = ast.copy_location(ast.Name(SENT, ast.Load()), s)
            rest = [self._made(ast.Assign(s.targets, read), s), *rest]
        on = self._block(rest, after)
        if on == END:
            # It has a value to give, and ends when it is asked again.
            on = self._new()
            self.machine.blocks[on].append(self._go(END, s))
        out.append(self._go(on, s, waits=True))

    def _for(
        self,
        out: list[ast.stmt],
        s: ast.For,
        rest: list[ast.stmt],
        after: int,
        result: str | None = None,
    ) -> None:
        following = self._block(rest, after)
        header = self._new()
        otherwise = self._block(s.orelse, following)
        self.number += 1
        start = StartLoop()
        start.number, start.iter = self.number, s.iter
        start.delegates = result is not None
        out += [self._made(start, s), self._go(header, s)]
        step = NextItem()
        step.number, step.target, step.off = self.number, s.target, otherwise
        step.result, step.over = result, None
        if isinstance(s.iter, ast.Name) and self._is_fixed(s.iter.id):
            step.over = s.iter.id
        step.on = self._body(s.body, header, following)
        self.machine.blocks[header].append(self._made(step, s))

    def _is_fixed(self, name: str) -> bool:
        """Whether a variable of the generator's has one value at most."""
        given = self.node.args
        every = (*given.posonlyargs, *given.args, *given.kwonlyargs)
        stars = (a for a in (given.vararg, given.kwarg) if a is not None)
        times = sum(a.arg == name for a in (*every, *stars))
        for n in ast.walk(self.node):
            if isinstance(n, ast.Name) and n.id == name:
                times += not isinstance(n.ctx, ast.Load)
            elif isinstance(n, ast.Global | ast.Nonlocal) and name in n.names:
                return False
        return times == 1


def _may_be_suspended(s: ast.Try) -> bool:
    """Whether a `try` does nothing when a generator is left inside of it."""
    if s.finalbody:
        return False
    for h in s.handlers:
        if first_yield(h) is not None and (h.name or _raises_again(h)):
            return False
        kinds = h.type.elts if isinstance(h.type, ast.Tuple) else [h.type]
        names = [k.id if isinstance(k, ast.Name) else None for k in kinds]
        if not {None, "BaseException", "GeneratorExit"}.isdisjoint(names):
            return False
    return True


def _raises_again(h: ast.ExceptHandler) -> bool:
    """Whether a handler raises what it has caught."""
    return any(isinstance(n, ast.Raise) and n.exc is None for n in ast.walk(h))


def first_yield(node: ast.AST) -> ast.AST | None:
    """The first `yield` in a piece of syntax itself."""
    return next(_own(node, ast.Yield | ast.YieldFrom), None)


def _own(node: ast.AST, kinds: Any) -> Iterator[ast.AST]:
    """The nodes of some kinds in a piece of syntax, but not in functions inside it."""
    pending = [node]
    while pending:
        n = pending.pop()
        if isinstance(n, kinds):
            yield n
        if not isinstance(n, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            pending += ast.iter_child_nodes(n)


def _splits(s: ast.stmt) -> bool:
    """Whether a statement cannot be run as a whole."""
    if isinstance(s, ast.FunctionDef | ast.ClassDef):
        return False
    if next(_own(s, ast.Yield | ast.YieldFrom | ast.Return), None) is not None:
        return True
    return _leaves_loop(s)


def _leaves_loop(s: ast.AST) -> bool:
    """Whether a `break` or `continue` of a loop around it stands in a statement."""
    if isinstance(s, ast.Break | ast.Continue):
        return True
    if isinstance(s, ast.For | ast.While | ast.FunctionDef | ast.ClassDef | ast.Lambda):
        return any(_leaves_loop(o) for o in getattr(s, "orelse", ()))
    return any(_leaves_loop(c) for c in ast.iter_child_nodes(s))


# Reading ------------------------------------------------------------------------------


@runs(Go)
def _go(it: Interpreter, s: Go, rest: list[ast.stmt]) -> bool:
    it.env[(it.frame.scope, STATE)] = it.constant(s.state)
    if s.waits:
        it.env[(it.frame.scope, PAUSED)] = it.constant(True)
    return False


@runs(Apart)
def _run_apart(it: Interpreter, s: Apart, rest: list[ast.stmt]) -> bool:
    from anadrome.frontend.syntax.exits import done_key, is_flag
    from anadrome.frontend.syntax.statements import run_block

    run_block(it, s.body)
    way = it.env.get((it.frame.scope, s.way))
    raises = isinstance(way, Constant) and not way.value
    if not (raises and is_flag(it.env[done_key(it)], True)):
        it.env[done_key(it)] = it.constant(False)
        it.env.pop((it.frame.scope, "%return"), None)
    return False


def _names(it: Interpreter, number: int) -> tuple[str, ...]:
    """Variables of a loop that the user has no names for."""
    found = []
    for base in ("items", "position", "stop", "step"):
        name = f"{base}_{number}"
        while name in it.frame.scope.locals:
            name += "_"
        found.append(name)
    return tuple(found)


@runs(StartLoop)
def _start_loop(it: Interpreter, s: StartLoop, rest: list[ast.stmt]) -> bool:
    from anadrome.frontend.syntax.expressions import evaluate
    from anadrome.frontend.values.iteration import Iteration
    from anadrome.frontend.values.iterators import iterator_of

    scope = it.frame.scope
    items, position, stop, step = ((scope, n) for n in _names(it, s.number))
    value = evaluate(it, s.iter)
    if s.delegates:
        # What is sent from now on is for whom it is left to.
        it.env[(scope, SENT)] = it.constant(None)
    for key in (items, position, stop, step):
        it.env.pop(key, None)
    if isinstance(value, Constant) and isinstance(value.value, Iteration):
        over = value.value
        if over.bounds is not None and over.index_is_item:
            it.env[position], it.env[stop], it.env[step] = over.bounds
            return False
        from anadrome.frontend.values.sequences import as_list

        value = as_list(it, value)
    if iterator_of(value) is not None:
        it.env[items] = value
        scope.homes[s.number] = it.graph
        return False
    it.env[items] = it.concrete(value)
    it.env[position] = it.constant(0)
    return False


@runs(NextItem)
def _next_item(it: Interpreter, s: NextItem, rest: list[ast.stmt]) -> bool:
    from anadrome.frontend.syntax.assignment import bind
    from anadrome.frontend.syntax.branches import branch
    from anadrome.frontend.syntax.expressions import numeric
    from anadrome.frontend.syntax.generators import advance, returned, take
    from anadrome.frontend.values.item_reads import get_item
    from anadrome.frontend.values.iteration import length_of
    from anadrome.frontend.values.iterators import iterator_of

    scope = it.frame.scope
    items, position, stop, step = ((scope, n) for n in _names(it, s.number))
    held = it.env.get(items)
    named = it.env.get((scope, s.over)) if s.over is not None else None
    if named is not None and iterator_of(named) is not None:
        held = named
    iterator = iterator_of(held) if held is not None else None
    if iterator is not None:
        if held is not named and not _is_around(scope.homes.get(s.number), it.graph):
            raise it.fail(
                UnsupportedSyntax,
                "a generator that is resumed step by step runs over an iterator",
                "run over the generator in a for loop, or give it a list",
            )
        sent = it.env[(scope, SENT)] if s.result is not None else it.constant(None)
        ended = advance(it, iterator, sent)

        def taking() -> Node:
            return take(it, iterator)

    elif held is not None and position in it.env:
        index = it.env[position]
        ended = numeric(it, operator.ge, index, length_of(it, held))

        def taking() -> Node:
            one = it.constant(1)
            it.env[position] = numeric(it, operator.add, index, one)
            return get_item(it, held, index)

    elif not {position, stop, step} <= it.env.keys():
        raise it.fail(
            UnsupportedSyntax,
            "where this generator is suspended is not known here",
            "make the generator in the block that uses it, or use a list",
        )
    else:
        index, end, by = it.env[position], it.env[stop], it.env[step]
        up = numeric(it, operator.gt, by, it.constant(0))
        ended = choose_flag(
            it,
            up,
            lambda: numeric(it, operator.ge, index, end),
            lambda: numeric(it, operator.le, index, end),
        )

        def taking() -> Node:
            it.env[position] = numeric(it, operator.add, index, by)
            return index

    def on() -> None:
        bind(it, s.target, taking())
        it.env[(scope, STATE)] = it.constant(s.on)

    def off() -> None:
        it.env[(scope, STATE)] = it.constant(s.off)
        if s.result is not None:
            given = returned(it, iterator) if iterator is not None else []
            it.env[(scope, s.result)] = given[0] if given else it.constant(None)
        if s.off == END:
            it.env[(scope, PAUSED)] = it.constant(True)

    if isinstance(ended, Constant):
        (off if ended.value else on)()
    else:
        branch(it, ended, off, on, frozenset(scope.locals))
    return False


def choose_flag(it: Interpreter, test: Node, then: Any, other: Any) -> Node:
    """One of two flags."""
    from anadrome.frontend.syntax.expressions import choose

    if isinstance(test, Constant):
        return then() if test.value else other()
    return choose(it, test, then, other)


def _is_around(home: Graph | None, graph: Graph | None) -> bool:
    """Whether what was made in one region is known in another."""
    while graph is not None:
        if graph is home:
            return True
        graph = graph.parent
    return False
