"""A graph as the source of a Python function."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from anadrome import runtime
from anadrome.backends.python.arranging import arrange
from anadrome.backends.python.expressions import (
    AND,
    COMPARE,
    INFIX,
    OR,
    POSTFIX,
    SUM,
    TERNARY,
    Expressions,
    Namespace,
    Text,
)
from anadrome.backends.python.inlining import find_inlined, is_choice, is_part
from anadrome.backends.python.naming import Naming
from anadrome.backends.python.ownership import owned_values
from anadrome.backends.python.positions import Layout, exclusive
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
from anadrome.ir.types import Dict, List, NoneType_, Num, Stack, Tuple, Type, deref
from anadrome.primitives.registry import Primitive

WIDTH = 88


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
    printers = [_Function(g, names, namespace) for g in [*graphs[1:], graph]]
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


class _Function:
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
        # What a branch or a loop passes on must exist, if only as None.
        self.flowing = {
            id(n)
            for node in walk(graph)
            for n in (*_initial(node), *(r for g in node.regions for r in g.results))
        }
        self.owned = owned_values(graph, self.layout)
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

    def choice(self, node: Apply) -> Text:
        """A branch as a conditional expression, or as `and` and `or`."""
        test = node.args[0]
        then, other = (r.results[0] for r in node.regions)
        if other is test:
            return f"{self.text(test, AND)} and {self.text(then, AND + 1)}", AND
        if then is test:
            return f"{self.text(test, OR)} or {self.text(other, OR + 1)}", OR
        if isinstance(other, Constant) and other.value is False and self._is_bool(test):
            return f"{self.text(test, AND)} and {self.text(then, AND + 1)}", AND
        if isinstance(then, Constant) and then.value is True and self._is_bool(test):
            return f"{self.text(test, OR)} or {self.text(other, OR + 1)}", OR
        parts = (self.text(then, OR), self.text(test, OR), self.text(other, TERNARY))
        return "{} if {} else {}".format(*parts), TERNARY

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
                names[read.args[1].value] = self.variable(read)  # type: ignore[attr-defined]
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
        special = _STATEMENTS.get(node.op)
        if special is not None:
            special(self, node)
            return
        text, _ = self.expressions.apply(node)
        if not self.layout.uses.get(id(node)) and not node.outputs:
            if isinstance(node.op, ops.Op) and not node.op.pure:
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
            return True
        y = deref(node.args[1].type)
        return (
            id(left) in self.owned
            and exclusive(self.layout.values[id(left)])
            and node.target in (operator.add, operator.sub, operator.mul)
            and t.dtype is not None
            and t.dtype == r.dtype
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


def _if(p: _Function, node: Apply) -> None:
    if len(node.outputs) == 1 and is_choice(node, p.inlined, p.layout):
        text, _ = p.choice(node)
        p.assign(node.outputs[0], text)
        return
    then, other = node.regions

    def branch(region: Graph) -> Any:
        def write() -> None:
            p.region(region)
            p.copies(list(zip(node.outputs, region.results)))

        return write

    if _is_empty(p, then, node) and not _is_empty(p, other, node):
        p.line(f"if not {p.text(node.args[0], 4)}:")
        p.block(branch(other))
        return
    p.line(f"if {p.text(node.args[0])}:")
    p.block(branch(then))
    if not _is_empty(p, other, node):
        p.comment = None
        p.line("else:")
        p.block(branch(other))
        _flatten_elif(p)


def _flatten_elif(p: _Function) -> None:
    """`else:` with nothing but an `if` inside becomes `elif`."""
    pad = "    " * p.depth
    for k in range(len(p.lines) - 1, -1, -1):
        if p.lines[k] == pad + "else:":
            break
    else:
        return
    inner = p.lines[k + 1 :]
    deeper = pad + "    "
    if not inner or not inner[0].startswith(deeper + "if "):
        return
    for line in inner[1:]:
        if line.startswith(deeper) and not line.startswith(deeper + " "):
            if not line.startswith((deeper + "elif ", deeper + "else:")):
                return
    p.lines[k : k + 2] = [pad + "el" + inner[0].strip()]
    del p.spans[k]
    for j in range(k + 1, len(p.lines)):
        p.lines[j] = p.lines[j][4:]


def _is_empty(p: _Function, region: Graph, node: Apply) -> bool:
    if p.collecting:
        return False
    if any(id(n) not in p.inlined for n in region.body):
        return False
    for out, result in zip(node.outputs, region.results):
        if result is UNDEFINED:
            if id(out) in p.flowing:
                return False
        elif p.text(result, TERNARY) != p.variable(out):
            return False
    return True


def _initial(node: Apply) -> tuple[Node, ...]:
    """What the variables of a loop begin with."""
    if node.op not in (ops.FOR, ops.WHILE):
        return ()
    return node.args[len(node.args) - node.shape.carried :]


def _loop_header(p: _Function, node: Apply) -> None:
    shape, body = node.shape, node.regions[-1]
    start, stop, step = node.args[:3]
    stacks = node.args[3 : 3 + shape.stacks]
    index = body.params[0]
    items = body.params[1 : 1 + shape.stacks]
    targets, sources = [], []
    used = p.layout.uses.get(id(index), 0) > 0
    if used or not stacks:
        text = _range(p, start, stop, step)
        targets.append(p.variable(index) if used else "_")
        sources.append(f"reversed({text})" if shape.reverse else text)
    for stack, item in zip(stacks, items):
        text = p.text(stack, TERNARY)
        targets.append(_target(p, body, item))
        kept = isinstance(deref(stack.type), Stack) and p.layout.uses[id(stack)] == 1
        if shape.frees and shape.reverse and kept:
            taken = p.expressions.namespace.reference(runtime.take_all, "take_all")
            sources.append(f"{taken}({text})")
        else:
            sources.append(f"reversed({text})" if shape.reverse else text)
    if len(sources) == 1:
        p.line(f"for {targets[0].strip('()')} in {sources[0]}:")
        return
    head = f"for {', '.join(targets)} in zip("
    whole = f"{head}{', '.join(sources)}):"
    if len(whole) + 4 * p.depth <= WIDTH:
        p.line(whole)
        return
    if len(head) + 4 * p.depth > WIDTH:
        p.line("for (")
        for t in targets:
            p.line(f"    {t},")
        p.line(") in zip(")
    else:
        p.line(head)
    for s in sources:
        p.line(f"    {s},")
    p.line("):")


def _target(p: _Function, body: Graph, item: Node) -> str:
    """What an item of a stack is assigned to: a name, or the names of its parts."""
    if not p.layout.uses.get(id(item)):
        return "_"
    t = deref(item.type)
    if isinstance(t, Tuple) and len(t.items) > 1:
        parts = p.leading_parts(body, item)
        if parts is not None:
            p.unpacked_in_header.update(id(n) for n in parts.values())
            names = [
                p.variable(parts[k]) if k in parts else "_" for k in range(len(t.items))
            ]
            return f"({', '.join(names)})"
    return p.variable(item)


def _range(p: _Function, start: Node, stop: Node, step: Node) -> str:
    if isinstance(step, Constant) and step.value == 1:
        if isinstance(start, Constant) and start.value == 0:
            return f"range({p.text(stop, TERNARY)})"
        return f"range({p.text(start, TERNARY)}, {p.text(stop, TERNARY)})"
    parts = [p.text(n, TERNARY) for n in (start, stop, step)]
    return f"range({', '.join(parts)})"


def _loop(p: _Function, node: Apply) -> None:
    shape = node.shape
    inits = node.args[len(node.args) - shape.carried :]
    kept = node.outputs[shape.carried : shape.carried + shape.kept]
    flags = node.outputs[shape.carried + shape.kept :]
    carried = node.outputs[: shape.carried]
    p.copies(list(zip(carried, inits)))
    for out in kept:
        p.line(f"{p.variable(out)} = []")
    stopped = flags[0] if shape.breaks and flags else None
    wanted = stopped is not None and p.layout.uses.get(id(stopped), 0) > 0
    if wanted:
        assert stopped is not None
        p.line(f"{p.variable(stopped)} = False")
    counter = flags[-1] if shape.counts else None
    if counter is not None and not p.layout.uses.get(id(counter)):
        counter = None
    if counter is not None:
        p.line(f"{p.variable(counter)} = 0")
    if node.op is ops.FOR:
        _loop_header(p, node)
        p.block(lambda: _loop_body(p, node, carried, kept, stopped, wanted, counter))
        if shape.reverse:
            # What a loop keeps is in the order of the turns, whichever way it ran.
            for out in kept:
                p.line(f"{p.variable(out)}.reverse()")
        return
    condition = node.regions[0]
    test = condition.results[0]
    simple = all(id(n) in p.inlined for n in condition.body)

    def write() -> None:
        if not simple:
            p.region(condition)
            p.line(f"if not {p.text(test, 4)}:")
            p.block(lambda: p.line("break"))
        _loop_body(p, node, carried, kept, stopped, wanted, counter)

    p.line(f"while {p.text(test)}:" if simple else "while True:")
    p.block(write)


def _loop_body(
    p: _Function,
    node: Apply,
    carried: list[Output],
    kept: list[Output],
    stopped: Output | None,
    wanted: bool,
    counter: Output | None,
) -> None:
    shape, body = node.shape, node.regions[-1]
    p.region(body)
    for out, value in zip(kept, body.results[shape.carried :]):
        if value is UNDEFINED:
            p.line(f"{p.variable(out)}.append(None)")
        else:
            p.line(f"{p.variable(out)}.append({p.text(value, TERNARY)})")
    if counter is not None:
        p.line(f"{p.variable(counter)} += 1")
    p.copies(list(zip(carried, body.results[: shape.carried])))
    if shape.breaks:
        flag = body.results[-1]
        if wanted:
            assert stopped is not None
            p.line(f"{p.variable(stopped)} = {p.text(flag)}")
        p.line(f"if {p.text(flag)}:")
        p.block(lambda: p.line("break"))


def _try(p: _Function, node: Apply) -> None:
    body, handler = node.regions

    def region(r: Graph) -> Any:
        def write() -> None:
            p.region(r)
            p.copies(list(zip(node.outputs, r.results)))

        return write

    p.line("try:")
    p.block(region(body))
    error = handler.params[0]
    name = f" as {p.variable(error)}" if p.layout.uses.get(id(error)) else ""
    p.line(f"except {p.text(node.args[0], TERNARY)}{name}:")
    p.block(region(handler))


def _setitem(p: _Function, node: Apply) -> None:
    target, index, value = node.args
    place = f"{p.text(target, POSTFIX)}[{p.expressions.index(index)}]"
    if isinstance(value, Apply) and id(value) in p.inlined:
        sign = INFIX.get(value.target) if isinstance(value.op, Primitive) else None
        if (
            sign is not None
            and sign[1] != COMPARE
            and isinstance(deref(target.type), Num)
        ):
            left = value.args[0]
            whole = isinstance(index, Constant) and index.value is Ellipsis
            if whole and left is target:
                p.line(f"{p.text(target, POSTFIX)} {sign[0]}= {p.text(value.args[1])}")
                return
            same = (
                isinstance(left, Apply)
                and left.op is ops.GETITEM
                and id(left) in p.inlined
                and left.args[0] is target
                and p.expressions.index(left.args[1]) == p.expressions.index(index)
            )
            if same:
                p.line(f"{place} {sign[0]}= {p.text(value.args[1])}")
                return
    p.line(f"{place} = {p.text(value)}")


def _setattr(p: _Function, node: Apply) -> None:
    name = node.args[1].value  # type: ignore[attr-defined]
    p.line(f"{p.text(node.args[0], POSTFIX)}.{name} = {p.text(node.args[2])}")


def _delitem(p: _Function, node: Apply) -> None:
    p.line(f"del {p.text(node.args[0], POSTFIX)}[{p.expressions.index(node.args[1])}]")


def _append(p: _Function, node: Apply) -> None:
    p.line(f"{p.text(node.args[0], POSTFIX)}.append({p.text(node.args[1])})")


def _raise(p: _Function, node: Apply) -> None:
    p.line(f"raise {p.text(node.args[0])}" if node.args else "raise")


def _assert(p: _Function, node: Apply) -> None:
    test, message = node.args
    if isinstance(message, Constant) and message.value is None:
        p.line(f"assert {p.text(test, TERNARY)}")
    else:
        p.line(f"assert {p.text(test, TERNARY)}, {p.text(message, TERNARY)}")


def _index_add(p: _Function, node: Apply) -> None:
    base, index, value = node.args
    if isinstance(base, Constant):
        raise AssertionError("an accumulator is never a constant")
    t = deref(node.type)
    changeable = isinstance(t, List | Stack | Dict) or (
        isinstance(t, Num) and bool(t.ndim)
    )
    if not changeable:
        add = p.namespace.reference(runtime.index_add, "index_add")
        args = ", ".join(p.text(a, TERNARY) for a in node.args)
        p.assign(node, f"{add}({args})")
        return
    name = p.variable(node)
    in_place = (
        p.naming is not None
        and id(base) not in p.inlined
        and p.naming.shared(node, base)
        and id(base) in p.owned
        and exclusive(p.layout.values[id(base)])
    )
    if not in_place:
        fresh = id(base) in p.inlined and id(base) in p.owned
        p.line(f"{name} = {p.text(base, POSTFIX)}{'' if fresh else '.copy()'}")
    where = p.expressions.index(index)
    if not isinstance(t, Num):
        _add_to_item(p, node, name, where)
    elif _may_repeat(index):
        p.line(f"np.add.at({name}, {p.text(index, TERNARY)}, {p.text(value, TERNARY)})")
    else:
        p.line(f"{name}[{where}] += {p.text(value)}")


def _add_to_item(p: _Function, node: Apply, name: str, where: str) -> None:
    """Add to an item of a list or a dictionary of cotangents."""
    _, index, value = node.args
    item, d = deref(getattr(deref(node.type), "item", node.type)), deref(value.type)
    whole = node.target is True and isinstance(deref(index.type), Num)
    if whole and isinstance(item, Num) and isinstance(d, Num):
        if item.ndim == 0 and d.ndim == 0:
            p.line(f"{name}[{where}] += {p.text(value)}")
        else:
            p.line(f"{name}[{where}] = {name}[{where}] + {p.text(value, SUM + 1)}")
        return
    add = p.namespace.reference(runtime.index_add, "index_add")
    p.line(f"{add}({name}, {p.text(index, TERNARY)}, {p.text(value, TERNARY)})")


def _may_repeat(index: Node) -> bool:
    """Whether an index may name one place twice: it holds an array of integers."""
    parts = (
        index.args if isinstance(index, Apply) and index.op is ops.TUPLE else (index,)
    )
    return any(
        not isinstance(part, Constant) and _type_may_repeat(deref(part.type))
        for part in parts
    )


def _type_may_repeat(t: Type) -> bool:
    if isinstance(t, Tuple):
        return any(_type_may_repeat(deref(item)) for item in t.items)
    if isinstance(t, Num):
        return t.ndim != 0 and (t.dtype is None or t.dtype.kind in "iu")
    return not (_is_slice(t) or isinstance(t, NoneType_))


def _is_slice(t: Any) -> bool:
    return getattr(t, "cls", None) is slice


def _insert(p: _Function, node: Apply) -> None:
    p.assign(node, p.text(node.args[0]))


_UNPACKED = (ops.GETITEM, ops.GETATTR, ops.PYCALL)

_STATEMENTS: dict[Any, Any] = {
    ops.IF: _if,
    ops.FOR: _loop,
    ops.WHILE: _loop,
    ops.TRY: _try,
    ops.SETITEM: _setitem,
    ops.SETATTR: _setattr,
    ops.DELITEM: _delitem,
    ops.APPEND: _append,
    ops.RAISE: _raise,
    ops.ASSERT: _assert,
    ops.INDEX_ADD: _index_add,
    ops.INSERT: _insert,
}
