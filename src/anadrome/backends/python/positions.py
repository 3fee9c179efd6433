"""Where every value of a function is written and read, and whether writes collide.

Positions are numbers in the order of the printed lines. A point inside a branch or a
loop also knows the regions around it: a write in one branch never disturbs a read in
the other, while one in a loop comes before the reads of the next iteration.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, Output


@dataclass(slots=True, eq=False)
class Point:
    """A place in a function: its number, and the statements and regions around it."""

    number: int
    path: tuple[tuple[Apply, int], ...]


@dataclass(slots=True)
class Value:
    """The writes and reads of one value, and the stretch of lines that it lives on."""

    node: Node
    define: Point
    reads: list[Point] = field(default_factory=list)
    writes: list[Point] = field(default_factory=list)
    start: int = 0
    end: int = 0
    # The numbers of the writes.
    written: frozenset[int] = frozenset()


class Layout:
    """The positions of a whole function."""

    def __init__(self, graph: Graph, inlined: frozenset[int] = frozenset()) -> None:
        # A value printed inside an expression is computed where that one stands.
        self.inlined = inlined
        self.values: dict[int, Value] = {}
        self.counter = 0
        self.loop_ends: dict[int, int] = {}
        self.uses: dict[int, int] = {}
        start = self._next(())
        for p in graph.params:
            self._define(p, start)
        self._region(graph, ())
        end = self._next(())
        for r in graph.results:
            self._read(r, end)
        for value in self.values.values():
            self._measure(value)

    def _measure(self, value: Value) -> None:
        """Find the lines on which a value lives: all of a loop if it is read there."""
        numbers = [w.number for w in value.writes]
        value.written = frozenset(numbers)
        value.start = min(value.define.number, *numbers)
        inside = {id(s) for s, _ in value.define.path}
        value.end = max(value.define.number, *numbers)
        for read in value.reads:
            value.end = max(value.end, read.number)
            for s, _ in read.path:
                if id(s) in self.loop_ends and id(s) not in inside:
                    value.end = max(value.end, self.loop_ends[id(s)])
                    break

    def _next(self, path: tuple[tuple[Apply, int], ...]) -> Point:
        self.counter += 1
        return Point(self.counter, path)

    def _define(self, node: Node, point: Point) -> Value:
        value = Value(node, point, writes=[point])
        self.values[id(node)] = value
        return value

    def _read(self, node: Node, point: Point) -> None:
        if isinstance(node, Constant):
            return
        self.uses[id(node)] = self.uses.get(id(node), 0) + 1
        if id(node) in self.inlined:
            source = node.apply if isinstance(node, Output) else node
            assert isinstance(source, Apply)
            for n in source.inputs:
                self._read(n, point)
            for region in source.regions:
                for r in region.results:
                    self._read(r, point)
            return
        self.values[id(node)].reads.append(point)

    def _region(self, graph: Graph, path: tuple[tuple[Apply, int], ...]) -> None:
        for node in graph.body:
            point = self._next(path)
            if id(node) in self.inlined:
                continue
            if node.op is ops.INDEX_ADD:
                # Printed on two lines: the name is bound before the rest is read.
                self._read(node.args[0], point)
                self._define(node, point)
                after = self._next(path)
                for n in node.args[1:]:
                    self._read(n, after)
                continue
            if node.op is ops.FOR:
                self._for_inputs(node, path, point)
                self._control(node, path, point)
                continue
            for n in node.inputs:
                self._read(n, point)
            if not node.regions:
                self._define(node, point)
                for o in node.outputs:
                    self._define(o, point)
                continue
            self._control(node, path, point)

    def _for_inputs(
        self, node: Apply, path: tuple[tuple[Apply, int], ...], point: Point
    ) -> None:
        """Initial values are read first, the range and the stacks in the header."""
        first = len(node.args) - node.shape.carried
        for n in node.args[first:]:
            self._read(n, point)
        header = self._next(path)
        for n in node.args[:first]:
            self._read(n, header)

    def _control(
        self, node: Apply, path: tuple[tuple[Apply, int], ...], point: Point
    ) -> None:
        starts, ends = [], []
        for k, region in enumerate(node.regions):
            inner = (*path, (node, k))
            first = self._next(inner)
            starts.append(first)
            if node.op is ops.TRY and k == 1:
                # What is caught is asked for when something has been raised.
                uses = dict(self.uses)
                for n in node.inputs:
                    self._read(n, Point(first.number, path))
                self.uses = uses
            for p in region.params:
                self._define(p, first)
            self._region(region, inner)
            last = self._next(inner)
            results = region.results
            if region is node.regions[-1] and getattr(node.shape, "breaks", False):
                # Whether the loop is left is asked when its variables have been set.
                self._read(results[-1], self._next(inner))
                results = results[:-1]
            for r in results:
                self._read(r, last)
            if node.op is ops.TRY and k == 1:
                # Python deletes the variable at the end of the handler.
                held = self.values[id(region.params[0])]
                if held.reads:
                    held.reads.append(self._next(inner))
            ends.append(last)
        after = self._next(path)
        if node.op in (ops.FOR, ops.WHILE):
            self.loop_ends[id(node)] = after.number
        if node.op is ops.INSERT:
            self._define(node, after)
        for o in node.outputs:
            made = self._define(o, after)
            if node.op in (ops.IF, ops.TRY):
                made.writes = list(ends)
        if node.op in (ops.FOR, ops.WHILE):
            shape = node.shape
            body = node.regions[-1]
            offset = len(body.params) - shape.carried
            for k in range(shape.carried):
                # A carried variable: written before the loop and after each iteration.
                held = self.values[id(body.params[offset + k])]
                held.writes = [point, ends[-1]]
                held.define = Point(point.number, held.define.path)
                self.values[id(node.outputs[k])].writes = [point, ends[-1]]
                if node.op is ops.WHILE:
                    # What the condition is given is for the body, or for what follows.
                    given = self.values[id(node.regions[0].params[k])]
                    given.reads.append(starts[-1])
            for o in node.outputs[shape.carried :]:
                # Lists of residuals, flags and counters exist throughout the loop.
                made = self.values[id(o)]
                made.define = point
                made.writes = [point, ends[-1]]
                made.reads.append(ends[-1])


def disjoint(a: Point, b: Point) -> bool:
    """Whether two points lie in different branches of one statement.

    A handler comes after a part of what it guards, never before.
    """
    for (s, i), (t, j) in zip(a.path, b.path):
        if s is not t:
            return False
        if i != j:
            return s.op is ops.IF or (s.op is ops.TRY and i > j)
    return False


def kills(write: Point, value: Value) -> bool:
    """Whether a write at a point would destroy a value that is still to be read."""
    define = value.define
    if not value.start <= write.number <= value.end:
        return False
    loops = {id(s) for s, _ in define.path if s.op in (ops.FOR, ops.WHILE)}
    for read in value.reads:
        for (s, i), (t, j) in zip(write.path, read.path):
            if s is not t:
                break
            # Around the loop: the value is from outside it, and read next iteration.
            if s.op in (ops.FOR, ops.WHILE) and id(s) not in loops:
                return True
            if i != j:
                break
        if disjoint(write, read):
            continue
        if define.number < write.number < read.number:
            return True
    return False


def collide(a: list[Value], b: list[Value]) -> bool:
    """Whether two groups of values cannot share a variable."""
    for x in a:
        for y in b:
            if x.end < y.start or y.end < x.start:
                continue
            if not x.written.isdisjoint(y.written):
                return True
            if any(kills(w, y) for w in x.writes):
                return True
            if any(kills(w, x) for w in y.writes):
                return True
    return False


def exclusive(value: Value) -> bool:
    """Whether a value is read at most once, whichever way the program goes."""
    reads = value.reads
    around = {id(s) for s, _ in value.define.path}
    for read in reads:
        if any(
            s.op in (ops.FOR, ops.WHILE) for s, _ in read.path if id(s) not in around
        ):
            return False
    return all(disjoint(a, b) for k, a in enumerate(reads) for b in reads[k + 1 :])
