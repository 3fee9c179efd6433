"""Names for the values of a function, fixed before anything is printed.

Values that flow into one another (the turns of a loop's variable, the two sides of a
branch) share a variable where no write would destroy a value still to be read. Values
of the program and values of its derivative never share one.
"""

from __future__ import annotations

import builtins
import keyword

from anadrome.backends.python.positions import Layout, Value, collide
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, Output, Parameter, walk


class Web:
    """Values that share a variable."""

    def __init__(self, value: Value) -> None:
        self.values = [value]
        self.start, self.end = value.start, value.end
        self.derivative = is_derivative(value.node)
        self.name: str | None = None

    def absorb(self, other: Web) -> None:
        """Take over the values of another web."""
        self.values += other.values
        self.start = min(self.start, other.start)
        self.end = max(self.end, other.end)
        self.derivative |= other.derivative

    def collides(self, other: Web) -> bool:
        """Whether the two cannot share a variable."""
        if self.end < other.start or other.end < self.start:
            return False
        return collide(self.values, other.values)


class Naming:
    """The variable of every value that gets one."""

    def __init__(
        self, graph: Graph, layout: Layout, inlined: set[int], reserved: set[str]
    ) -> None:
        self.graph, self.layout, self.inlined = graph, layout, inlined
        self.reserved = reserved | set(keyword.kwlist) | _BUILTINS
        self.webs: dict[int, Web] = {}
        for key, value in layout.values.items():
            if key not in inlined:
                self.webs[key] = Web(value)
        self._merge_all()
        self._choose()

    def of(self, node: Node) -> str:
        """The variable of a value."""
        name = self.webs[id(node)].name
        assert name is not None
        return name

    def shared(self, a: Node, b: Node) -> bool:
        """Whether two values are one variable, so that no copy is needed."""
        x, y = self.webs.get(id(a)), self.webs.get(id(b))
        return x is not None and x is y

    # Merging ------------------------------------------------------------------------

    def _merge(self, a: Node, b: Node, check: bool = True) -> bool:
        if isinstance(a, Constant) or isinstance(b, Constant):
            return False
        x, y = self.webs.get(id(a)), self.webs.get(id(b))
        if x is None or y is None:
            return False
        if x is y:
            return True
        if check and x.collides(y):
            return False
        x.absorb(y)
        for v in y.values:
            self.webs[id(v.node)] = x
        return True

    def _merge_all(self) -> None:
        statements = list(walk(self.graph))
        for node in reversed(statements):
            if node.op in (ops.IF, ops.TRY):
                for k, out in enumerate(node.outputs):
                    for region in node.regions:
                        # Python deletes the variable of an `except` at its end.
                        if node.op is ops.IF or region.results[k] not in region.params:
                            self._merge(out, region.results[k])
            elif node.op in (ops.FOR, ops.WHILE):
                self._merge_loop(node)
            elif node.op in (ops.INSERT, ops.CAST, ops.COPY, ops.INDEX_ADD):
                self._merge(node, node.args[0])
        for node in statements:
            if node.op in (ops.FOR, ops.WHILE):
                shape = node.shape
                first = len(node.args) - shape.carried
                for k in range(shape.carried):
                    self._merge(node.outputs[k], node.args[first + k])

    def _merge_loop(self, node: Apply) -> None:
        shape = node.shape
        body = node.regions[-1]
        offset = len(body.params) - shape.carried
        for k in range(shape.carried):
            out, param = node.outputs[k], body.params[offset + k]
            self._merge(out, param, check=False)
            if node.op is ops.WHILE:
                self._merge(out, node.regions[0].params[k], check=False)
        for k in range(shape.carried):
            self._merge(node.outputs[k], body.results[k])

    # Choosing -----------------------------------------------------------------------

    def _choose(self) -> None:
        webs = list({id(w): w for w in self.webs.values()}.values())
        webs.sort(key=lambda w: w.start)
        holders: dict[str, list[Web]] = {}
        parameters = {id(p) for p in self.graph.params}
        # The function's own parameters come first: their names are part of its face.
        webs.sort(key=lambda w: not any(id(v.node) in parameters for v in w.values))
        for web in webs:
            base = _base_name(web)
            for k in range(100_000):
                if base is None:
                    name = f"t{k + 1}"
                else:
                    name = base if k == 0 else f"{base}_{k}"
                if name in self.reserved:
                    continue
                held = holders.setdefault(name, [])
                if all(
                    other.derivative == web.derivative and not other.collides(web)
                    for other in held
                ):
                    held.append(web)
                    web.name = name
                    break


_BUILTINS = set(dir(builtins))


def is_derivative(node: Node) -> bool:
    """Whether a value belongs to the derivative rather than to the user's program."""
    return bool(node.name and node.name.startswith("∂"))


def _base_name(web: Web) -> str | None:
    """What the user calls one of the values; None if none has a name."""
    names = [v.node.name for v in web.values if v.node.name]
    outputs = [
        v.node.name
        for v in web.values
        if v.node.name and isinstance(v.node, Output | Parameter)
    ]
    if not (outputs or names):
        return None
    found = (outputs or names)[0]
    found = found.replace("∂", "d")
    return found if found.isidentifier() else None
