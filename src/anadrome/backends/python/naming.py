"""Names for the values of a function, fixed before anything is printed.

Values that flow into one another (a loop's variable in each iteration, the two sides
of a branch) share a variable where no write would destroy a value still to be read.
Values of the program and values of its derivative never share one.
"""

from __future__ import annotations

import builtins
import keyword

from anadrome.backends.python.describing import bare, describe, is_number
from anadrome.backends.python.positions import Layout, Value, collide, kills
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, Output, Parameter, walk


class Web:
    """Values that share a variable."""

    def __init__(self, value: Value) -> None:
        self.values = [value]
        self.start, self.end = value.start, value.end
        self.derivative = is_derivative(value.node)
        self.users = bool(value.node.name) and not self.derivative
        self.name: str | None = None

    def absorb(self, other: Web) -> None:
        """Take over the values of another web."""
        self.values += other.values
        self.start = min(self.start, other.start)
        self.end = max(self.end, other.end)
        self.derivative |= other.derivative
        self.users |= other.users

    def mixes(self, other: Web) -> bool:
        """Whether one holds values of the derivative, the other what the user named."""
        return (self.derivative and other.users) or (other.derivative and self.users)

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
        self.residuals = _residuals(graph)
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
        if check and (x.mixes(y) or x.collides(y)):
            return False
        x.absorb(y)
        for v in y.values:
            self.webs[id(v.node)] = x
        return True

    def _merge_alias(self, node: Apply) -> None:
        """Let a value that is another under a narrower type share its variable.

        Writing the one then changes nothing about the other.
        """
        x, y = self.webs.get(id(node.args[0])), self.webs.get(id(node))
        if x is None or y is None or x is y or len(y.values) > 1:
            return
        (alias,) = y.values
        if any(kills(w, alias) for v in x.values for w in v.writes):
            return
        alias.writes = []
        self._merge(node.args[0], node, check=False)

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
            elif node.op is ops.CAST:
                self._merge_alias(node)
            elif node.op in (ops.INSERT, ops.COPY, ops.INDEX_ADD):
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
        bases = {id(w): _base_name(w) for w in webs}
        # The function's own parameters come first: their names are part of its face.
        # Then what the user has named, then the rest, and lists of it last.
        webs.sort(
            key=lambda w: (
                not any(id(v.node) in parameters for v in w.values),
                bases[id(w)] is None or _is_list_of_unnamed(w),
                _is_list_of_unnamed(w),
            )
        )
        for web in webs:
            self._name(web, bases[id(web)], holders)

    def _name(self, web: Web, base: str | None, holders: dict[str, list[Web]]) -> None:
        if base is None:
            base = self._described(web)
        elif _is_list_of_unnamed(web):
            base = self._list_name(web)
        if base in keyword.kwlist or base in _BUILTINS:
            base = f"{base}_"
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

    def _described(self, web: Web) -> str | None:
        """A name that says what a value is, for one that the user has not named."""
        for value in web.values:
            residual = self.residuals.get(id(value.node))
            if residual is not None:
                # What a loop reads back is called what it was called when saved.
                return self._name_of_residual(residual)
            found = describe(value.node, self._known)
            if found is not None:
                return found
        return None

    def _known(self, node: Node) -> str | None:
        """The name of a value that already has one."""
        web = self.webs.get(id(node))
        return None if web is None or web.name is None else web.name

    def _name_of_residual(self, node: Node) -> str | None:
        """The name of a residual, without a number; None if it says nothing."""
        found = self._known(node) or describe(node, self._known)
        return None if found is None or is_number(found) else bare(found)

    def _list_name(self, web: Web) -> str:
        """A name for the list of a residual: that of the value, in the plural."""
        for value in web.values:
            out = value.node
            if isinstance(out, Output) and out.apply.op in (ops.FOR, ops.WHILE):
                item = self._name_of_residual(out.apply.regions[-1].results[out.index])
                if item is not None:
                    return f"{item}s"
        return "saved"


_BUILTINS = set(dir(builtins))


def is_derivative(node: Node) -> bool:
    """Whether a value belongs to the derivative rather than to the user's program."""
    return bool(node.name and node.name.startswith("∂"))


def _residuals(graph: Graph) -> dict[int, Node]:
    """For each item that a loop reads from a stack, the residual that was put there."""
    found: dict[int, Node] = {}
    for node in walk(graph):
        if node.op is not ops.FOR:
            continue
        for k in range(node.shape.stacks):
            stack = node.args[3 + k]
            if isinstance(stack, Output) and stack.apply.op in (ops.FOR, ops.WHILE):
                residual = stack.apply.regions[-1].results[stack.index]
                found[id(node.regions[-1].params[1 + k])] = residual
    return found


def _is_list_of_unnamed(web: Web) -> bool:
    """Whether a web is the list of residuals of a value without a name."""
    return all(v.node.name == "saved" for v in web.values) and any(
        isinstance(v.node, Output) for v in web.values
    )


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
