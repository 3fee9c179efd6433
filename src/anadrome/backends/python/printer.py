"""A graph as the source of a Python function."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from anadrome.backends.python.arranging import arrange
from anadrome.backends.python.expressions import (
    AND,
    COMPARE,
    INFIX,
    OR,
    TERNARY,
    Expressions,
    Namespace,
    Text,
)
from anadrome.backends.python.inlining import find_inlined, is_part
from anadrome.backends.python.naming import Naming
from anadrome.backends.python.ownership import lent_numbers, owned_values
from anadrome.backends.python.positions import Layout, exclusive
from anadrome.backends.python.statements import STATEMENTS, initial_values
from anadrome.ir import operations as ops
from anadrome.ir.cloning import clone_graph
from anadrome.ir.graph import (
    UNDEFINED,
    Apply,
    Constant,
    Graph,
    Node,
    Output,
    called_graphs,
    walk,
)
from anadrome.ir.types import Num, Tuple, deref, same_dtype
from anadrome.primitives.registry import Primitive

_UNPACKED = (ops.GETITEM, ops.GETATTR, ops.PYCALL)
"""What may be unpacked into its parts where it is computed."""

Operand = Callable[[Node, int], str]
"""How an operand is written that must bind as tightly as a level."""


class Source:
    """Printed functions: their text, the names they need, the user's lines."""

    def __init__(self, text: str, namespace: dict[str, Any], spans: list[Any]) -> None:
        self.text = text
        self.namespace = namespace
        self.spans = spans


def print_source(graph: Graph, name: str) -> Source:
    """The source of a graph and of everything it calls; the graph itself comes last."""
    namespace = Namespace()
    # Rearranged for reading, a graph is no longer fit for other transformations.
    graph = clone_graph(graph)
    graphs = called_graphs(graph)
    names: dict[int, str] = {}
    taken = {name}
    for g in graphs[1:]:
        base, k = g.name if g.name.isidentifier() else "f", 1
        found = base
        while found in taken:
            found, k = f"{base}_{k}", k + 1
        taken.add(found)
        names[id(g)] = found
    names[id(graph)] = name
    for g in graphs:
        arrange(g)
    printers = [Function(g, names, namespace) for g in [*graphs[1:], graph]]
    # Names of variables are chosen after the names of everything global are known.
    for p in printers:
        p.collect()
    lines: list[str] = []
    spans: list[Any] = []
    for k, p in enumerate(printers):
        if k:
            lines += ["", ""]
            spans += [None, None]
        p.run(taken | set(namespace.bound))
        lines += p.lines
        spans += p.spans
    return Source("\n".join(lines) + "\n", namespace.bound, spans)


class Function:
    """The printing of one graph."""

    def __init__(
        self, graph: Graph, names: dict[int, str], namespace: Namespace
    ) -> None:
        self.graph, self.names, self.namespace = graph, names, namespace
        self.lines: list[str] = []
        self.spans: list[Any] = []
        self.depth = 0
        self.comment: str | None = None
        self.span: Any = None
        self.collecting = False
        self.inlined = find_inlined(graph, Layout(graph))
        self.layout = Layout(graph, frozenset(self.inlined))
        self.naming: Naming | None = None
        self.unpacked_in_header: set[int] = set()
        # What a branch or a loop passes on, or a tuple holds, must exist, if only as
        # None.
        self.flowing = {
            id(n)
            for node in walk(graph)
            for n in (
                *(node.args if node.op in (ops.TUPLE, ops.NAMEDTUPLE) else ()),
                *initial_values(node),
                *(r for g in node.regions for r in g.results),
            )
        }
        for node in walk(graph):
            # A loop's variable is one and the same inside and after it.
            for region in node.regions if initial_values(node) else ():
                count = node.shape.carried
                for inside, out in zip(region.params[-count:], node.outputs):
                    if id(inside) in self.flowing:
                        self.flowing.add(id(out))
        self.owned = owned_values(graph, self.layout)
        self.lent = lent_numbers(graph)
        self.expressions = Expressions(
            namespace, self.atom, self._graph_name, self.is_own
        )

    def is_own(self, node: Node) -> bool:
        """Whether a value is an array that nobody else reads or holds."""
        value = self.layout.values.get(id(node))
        return id(node) in self.owned and (value is None or exclusive(value))

    def _graph_name(self, graph: Graph) -> str:
        return self.names[id(graph)]

    def collect(self) -> None:
        """Print once without variable names, to learn which global names are needed."""
        self.collecting = True
        self._print()
        self.collecting = False
        self.lines, self.spans, self.comment = [], [], None
        self.unpacked_in_header.clear()

    def run(self, reserved: set[str]) -> None:
        """Print for good."""
        self.naming = Naming(self.graph, self.layout, self.inlined, reserved)
        self._print()

    def _print(self) -> None:
        params = ", ".join(self.variable(p) for p in self.graph.params)
        self.line(f"def {self._graph_name(self.graph)}({params}):")
        self.depth = 1
        self.region(self.graph)
        results = [self.text(r) for r in self.graph.results]
        self.comment = None
        if len(results) == 1:
            value = self.graph.results[0]
            if isinstance(value, Apply) and value.op is ops.TUPLE and value.args:
                if id(value) in self.inlined and len(value.args) > 1:
                    results = [results[0][1:-1]]
        if results != ["None"] or not self.graph.body:
            self.line(f"return {', '.join(results)}")
        self.depth = 0

    # Text ---------------------------------------------------------------------------

    def line(self, text: str) -> None:
        """One line of the source."""
        self.lines.append("    " * self.depth + text)
        self.spans.append(self.span)

    def variable(self, node: Node) -> str:
        """The name of a value."""
        if self.collecting or self.naming is None:
            return "x"
        return self.naming.of(node)

    def text(self, node: Node, level: int = 0) -> str:
        """A value as an expression."""
        return self.expressions.text(node, level)

    def atom(self, node: Node) -> Text:
        """A value that is not a constant: its name, or its expression."""
        if id(node) in self.inlined:
            if isinstance(node, Output):
                return self.choice(node.apply)
            assert isinstance(node, Apply)
            return self.expressions.apply(node)
        return self.variable(node), 16

    def choice(self, node: Apply, text: Operand | None = None) -> Text:
        """A branch as a conditional expression, or as `and` and `or`."""
        test = node.args[0]
        then, other = (r.results[0] for r in node.regions)
        # `a and b` is `a` where that does not hold, which only a test cannot tell
        # from False.
        flag = text is not None or self._is_bool(test)
        text = text or self.text
        if other is test or (flag and _is_constant(other, False)):
            return f"{text(test, AND)} and {text(then, AND + 1)}", AND
        if then is test or (flag and _is_constant(then, True)):
            return f"{text(test, OR)} or {text(other, OR + 1)}", OR
        parts = (text(then, OR), self.condition(test, OR), text(other, TERNARY))
        return "{} if {} else {}".format(*parts), TERNARY

    def condition(self, node: Node, level: int = 0) -> str:
        """A value of which only is asked whether it holds, as an expression."""
        if isinstance(node, Output) and id(node) in self.inlined:
            found, own = self.choice(node.apply, self.condition)
            return f"({found})" if own < level else found
        return self.text(node, level)

    def _is_bool(self, node: Node) -> bool:
        t = deref(node.type)
        return isinstance(t, Num) and t.dtype == np.dtype(bool) and t.ndim == 0

    # Statements ---------------------------------------------------------------------

    def region(self, graph: Graph) -> None:
        """The statements of a region."""
        skip = 0
        for k, node in enumerate(graph.body):
            if skip:
                skip -= 1
                continue
            if id(node) in self.inlined or id(node) in self.unpacked_in_header:
                continue
            if (
                node.op is ops.IF
                and node.outputs
                and id(node.outputs[0]) in self.inlined
            ):
                continue
            self.span = node.span
            self._comment(node)
            skip = max(self.unpacked(graph, k) - 1, 0)
            if not skip:
                self.statement(node)

    def _comment(self, node: Apply) -> None:
        comment = node.comment
        if comment and comment.startswith("Grad of") and comment != self.comment:
            self.line(f"# {comment}")
            self.comment = comment
        elif comment and not comment.startswith("Grad of"):
            self.comment = None

    def leading_parts(self, body: Graph, item: Node) -> dict[int, Apply] | None:
        """The parts of a tuple, if the first statements of a region are all its uses.

        Then the header of the loop can unpack it.
        """
        found: dict[int, Apply] = {}
        for node in body.body:
            if id(node) in self.inlined or id(node) in self.unpacked_in_header:
                continue
            if node.op is not ops.GETITEM or node.args[0] is not item:
                break
            key = node.args[1]
            if not isinstance(key, Constant) or key.value in found:
                return None
            if type(key.value) is not int or key.value < 0:
                return None
            found[key.value] = node
        names = [self.variable(n) for n in found.values()]
        if self.layout.uses.get(id(item)) != len(found) or (
            len(set(names)) != len(names) and not self.collecting
        ):
            return None
        return found

    def unpacked(self, graph: Graph, k: int) -> int:
        """Print `a, b = f(x)` for a tuple and the reads of its parts after it.

        Returns how many statements were printed, 0 if it is no such tuple.
        """
        node = graph.body[k]
        t = deref(node.type)
        if not isinstance(t, Tuple) or node.op is ops.TUPLE:
            return 0
        if node.op is not ops.CALL and (
            node.name is not None or node.outputs or node.op not in _UNPACKED
        ):
            return 0
        names = ["_"] * len(t.items)
        end = k + 1
        while end < len(graph.body) and is_part(graph.body[end]):
            read = graph.body[end]
            if read.args[0] is not node or id(read) in self.inlined:
                break
            if not 0 <= read.args[1].value < len(names):  # type: ignore[attr-defined]
                return 0
            if self.layout.uses.get(id(read)):
                place = read.args[1].value  # type: ignore[attr-defined]
                if names[place] != "_":
                    return 0  # one part under two names
                names[place] = self.variable(read)
            end += 1
        if end - k - 1 != self.layout.uses.get(id(node), 0):
            return 0
        named = [n for n in names if n != "_"]
        if not named or len(set(named)) != len(named):
            return 0
        text, _ = self.expressions.apply(node)
        left = f"({names[0]},)" if len(names) == 1 else ", ".join(names)
        self.line(f"{left} = {text}")
        return end - k

    def statement(self, node: Apply) -> None:
        """One statement."""
        special = STATEMENTS.get(node.op)
        if special is not None:
            special(self, node)
            return
        text, _ = self.expressions.apply(node)
        if not self.layout.uses.get(id(node)) and not node.outputs:
            if not node.op.pure:
                self.line(text)
                return
        if node.outputs:
            names = ", ".join(self.variable(o) for o in node.outputs)
            self.line(f"{names} = {text}")
            return
        self.assign(node, text)

    def assign(self, node: Node, text: str) -> None:
        """`name = text`, or `name op= …` where that says the same."""
        name = self.variable(node)
        if text == name:
            return
        if isinstance(node, Apply) and isinstance(node.op, Primitive):
            if node.target in INFIX and INFIX[node.target][1] != COMPARE:
                left = node.args[0]
                if not isinstance(left, Constant) and id(left) not in self.inlined:
                    if self.variable(left) == name and self._may_update(node, left):
                        sign = INFIX[node.target][0]
                        self.line(f"{name} {sign}= {self.text(node.args[1], TERNARY)}")
                        return
        self.line(f"{name} = {text}")

    def _may_update(self, node: Apply, left: Node) -> bool:
        """Whether `x op= y` may take the place of `x = x op y`."""
        t, r = deref(left.type), deref(node.type)
        if not isinstance(t, Num) or not isinstance(r, Num):
            return False
        if t.scalar and r.ndim == 0:
            return id(left) not in self.lent
        y = deref(node.args[1].type)
        return (
            id(left) in self.owned
            and exclusive(self.layout.values[id(left)])
            and node.target in (operator.add, operator.sub, operator.mul)
            and t.dtype is not None
            and same_dtype(t.dtype, r.dtype)
            and t.ndim == r.ndim
            and isinstance(y, Num)
            and (y.ndim == 0 or (node.comment or "").startswith("Grad of"))
        )

    def copies(self, pairs: list[tuple[Node, Node]]) -> None:
        """Assignments that happen at once."""
        moves: list[tuple[str, str, Node]] = []
        for target, value in pairs:
            if value is UNDEFINED:
                if id(target) in self.flowing:
                    moves.append((self.variable(target), "None", value))
                continue
            name, text = self.variable(target), self.text(value, TERNARY)
            if name != text:
                moves.append((name, text, value))
        if not moves:
            if self.collecting:
                self.line("x = x")
            return
        names = {m[0] for m in moves}
        clash = len(moves) > 1 and any(
            self._mentions(value, names - {name}) for name, _, value in moves
        )
        if clash:
            self.line(
                f"{', '.join(m[0] for m in moves)} = {', '.join(m[1] for m in moves)}"
            )
        else:
            for name, text, _ in moves:
                self.line(f"{name} = {text}")

    def _mentions(self, node: Node, names: set[str]) -> bool:
        if isinstance(node, Constant):
            return False
        if id(node) in self.inlined:
            source = node.apply if isinstance(node, Output) else node
            assert isinstance(source, Apply)
            inner = list(source.inputs)
            for r in source.regions:
                inner += r.results
            return any(self._mentions(n, names) for n in inner)
        return self.variable(node) in names

    def block(self, write: Any) -> None:
        """An indented block, with `pass` if nothing is written."""
        self.depth += 1
        before = len(self.lines)
        write()
        if not any(not line.lstrip().startswith("#") for line in self.lines[before:]):
            self.line("pass")
        self.depth -= 1


def _is_constant(node: Node, value: bool) -> bool:
    return isinstance(node, Constant) and node.value is value
