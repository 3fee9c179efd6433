"""The graph: a function as an ordered list of applications with nested regions.

Statements stay in the user's order. Control flow is an `Apply` whose regions are
graphs that see the values outside them; a closure is a graph with free variables, and
a recursive function is a graph that mentions itself. Nothing here is differentiated
or printed; see `transform` and `backends`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from anadrome.errors import Span
from anadrome.ir.types import NEVER, Type


class Node:
    """A value: where it comes from, what is known of it, what the user called it."""

    __slots__ = ("name", "span", "type")

    def __init__(
        self, type: Type, name: str | None = None, span: Span | None = None
    ) -> None:
        self.type = type
        self.name = name
        self.span = span


class Constant(Node):
    """A value known at compile time."""

    __slots__ = ("value",)

    def __init__(self, value: Any, type: Type, name: str | None = None) -> None:
        super().__init__(type, name)
        self.value = value

    def __repr__(self) -> str:
        return f"Constant({self.value!r})"


class Undefined:
    """What a variable holds on a path that never assigned it."""

    def __repr__(self) -> str:
        return "undefined"


UNDEFINED = Constant(Undefined(), NEVER)


UNEVEN = (list,)
"""The fact that lists hold arrays of different shapes."""


class Parameter(Node):
    """A value that a graph is given.

    `facts` says of the arrays inside it which axes have a length other than one: by
    the path of fields that leads to the array. `UNEVEN` is among them if lists inside
    it hold arrays of different shapes.
    """

    __slots__ = ("facts", "graph")

    def __init__(
        self,
        graph: Graph,
        type: Type,
        name: str | None = None,
        span: Span | None = None,
    ) -> None:
        super().__init__(type, name, span)
        self.graph = graph
        self.facts: dict[tuple[Any, ...], tuple[bool, ...]] | None = None

    def __repr__(self) -> str:
        return f"Parameter({self.name})"


class Operation:
    """What an `Apply` does. Primitives of the registry are wrapped in `Call`s of it."""

    name: str


class Apply(Node):
    """An operation on inputs, with regions if it is control flow.

    An operation with several results is read through its `outputs`; the node itself
    then stands for no value.
    """

    __slots__ = (
        "args",
        "comment",
        "graph",
        "keywords",
        "op",
        "outputs",
        "regions",
        "retained",
        "shape",
        "target",
    )

    def __init__(
        self,
        op: Any,
        args: tuple[Node, ...],
        type: Type,
        *,
        keywords: dict[str, Node] | None = None,
        regions: tuple[Graph, ...] = (),
        name: str | None = None,
        span: Span | None = None,
    ) -> None:
        super().__init__(type, name, span)
        self.op = op
        self.args = args
        self.keywords = keywords or {}
        self.regions = regions
        self.outputs: list[Output] = []
        # How a loop lays out its arguments and results; None for all others.
        self.shape: Any = None
        # Which of a primitive's callables the user called: `operator.add` or `np.add`.
        self.target: Any = None
        self.graph: Graph | None = None
        # The statement of the user's that this one serves, for `# Grad of:` lines.
        self.comment: str | None = None
        # Whether this has to happen even if nobody reads its result, because it may
        # fail; None where that has not been looked at: see `retained_checks`.
        self.retained: bool | None = None

    @property
    def inputs(self) -> tuple[Node, ...]:
        """Every value that the operation itself reads, regions apart."""
        if self.keywords:
            return self.args + tuple(self.keywords.values())
        return self.args

    def add_output(self, type: Type, name: str | None = None) -> Output:
        """One more result."""
        out = Output(self, len(self.outputs), type, name)
        out.span = self.span
        self.outputs.append(out)
        return out

    def __repr__(self) -> str:
        return f"Apply({getattr(self.op, 'name', self.op)})"


class Output(Node):
    """One result of an operation that has several."""

    __slots__ = ("apply", "index")

    def __init__(
        self, apply: Apply, index: int, type: Type, name: str | None = None
    ) -> None:
        super().__init__(type, name)
        self.apply = apply
        self.index = index

    def __repr__(self) -> str:
        return f"Output({self.name}, {self.index})"


class Graph:
    """A function or a region: parameters, statements in order, results."""

    def __init__(self, name: str, parent: Graph | None = None) -> None:
        self.name = name
        self.parent = parent
        self.params: list[Parameter] = []
        self.body: list[Apply] = []
        self.results: list[Node] = []
        self.span: Span | None = None
        # Of the backward pass of a function: the forward pass, and the positions of
        # those of its parameters whose gradients the results are.
        self.mirrors: tuple[Graph, tuple[int, ...]] | None = None
        # Whether it is a derivative: the types of its numbers are of its own making.
        self.derived = False
        # How to differentiate the graph in reverse mode, if it is a gradient that is
        # not walked through.
        self.product: Any = None

    def add_parameter(
        self, type: Type, name: str | None = None, span: Span | None = None
    ) -> Parameter:
        """One more parameter."""
        p = Parameter(self, type, name, span)
        self.params.append(p)
        return p

    def append(self, node: Apply) -> Apply:
        """Put a statement at the end."""
        node.graph = self
        self.body.append(node)
        return node

    def __repr__(self) -> str:
        return f"Graph({self.name})"


def walk(graph: Graph) -> Iterator[Apply]:
    """Every statement of a graph and of its regions, in order, outer before inner."""
    for node in graph.body:
        yield node
        for region in node.regions:
            yield from walk(region)


def free_inputs(node: Apply) -> Iterator[Node]:
    """Every value that a statement reads, its regions' reads included."""
    yield from node.inputs
    for region in node.regions:
        for inner in region.body:
            yield from free_inputs(inner)
        yield from region.results


def called_graphs(
    graph: Graph, recorded: bool = False, products: bool = True
) -> list[Graph]:
    """The functions that a graph calls, directly or not, each once, itself first.

    With `recorded` also those that the backward pass of checkpoints will call. Without
    `products` none that reverse mode does not walk through.
    """
    found: dict[int, Graph] = {id(graph): graph}
    pending = [graph]
    while pending:
        for node in walk(pending.pop()):
            # Every pass asks, of every statement: the common case is said first.
            for source in node.inputs:
                if source.__class__ is not Constant:
                    continue
                called = source.value
                if called.__class__ is not Graph or id(called) in found:
                    continue
                if products or called.product is None:
                    found[id(called)] = called
                    pending.append(called)
            if recorded and isinstance(node.target, Graph):
                if id(node.target) not in found:
                    found[id(node.target)] = node.target
                    pending.append(node.target)
    return list(found.values())
