"""The backward pass through gradients of programs that change things in place.

Such a gradient changes shadows in place, and its loops hand them from iteration to
iteration: it is not reversed itself. What is wanted is the gradient of the product of
its result with a cotangent, and that product is a tangent: u · ∇f(x) is the derivative
of f along u. So the backward pass through a gradient is reverse mode over forward mode,
and the backward pass through that the same again.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any

from anadrome import runtime
from anadrome.errors import AnadromeError
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.syntax.expressions import numeric
from anadrome.frontend.values.tuples import take
from anadrome.ir import operations as ops
from anadrome.ir.graph import (
    Apply,
    Constant,
    Graph,
    Node,
    Parameter,
    called_graphs,
    walk,
)
from anadrome.ir.types import (
    FLOAT,
    Cell,
    Function,
    Num,
    Object,
    Optional,
    Tuple,
    Type,
    VarTuple,
    deref,
    holds_stored,
    parts,
)
from anadrome.transform.dependence.activity import Activity
from anadrome.transform.dependence.draws import draws_anew
from anadrome.transform.expansion.results import own_results
from anadrome.transform.forward.tangents import MIRRORED

if TYPE_CHECKING:
    from anadrome.transform.forward.walk import Forward
    from anadrome.transform.reverse.walk import Reverse


class Product:
    """The product of a gradient with a cotangent, as a graph that returns one number.

    The graph takes what the gradient takes, then the cotangents of its parts.
    """

    def __init__(
        self, graph: Graph, sources: list[int], several: bool, with_value: bool
    ) -> None:
        given = [graph.params[k] for k in sources]
        self.function, self.sources = graph, sources
        self.several, self.with_value = several, with_value
        self.inputs = len(graph.params)
        from anadrome.transform.forward.walk import forward

        name = f"product_{graph.name}"
        self.graph = forward(graph, given, name, products=False)
        it = _writer(self.graph)
        pair = self.graph.results[0]
        number = take(it, pair, 1)
        if with_value:
            weight = self.graph.add_parameter(FLOAT, "∂value")
            value = numeric(it, operator.mul, weight, take(it, pair, 0))
            number = numeric(it, operator.add, value, number)
        self.graph.results = [number]
        self.made: dict[tuple[str, tuple[int, ...]], Graph] = {}

    def cotangents(self, it: Interpreter, d: Node) -> list[Node]:
        """The arguments of the graph that belong to a cotangent of the gradient."""
        whole = take(it, d, 1) if self.with_value else d
        found = [whole]
        if self.several:
            count = len(self.graph.params) - self.inputs - self.with_value
            found = [take(it, whole, k) for k in range(count)]
        return [*found, take(it, d, 0)] if self.with_value else found

    def gradient(self, active: tuple[int, ...]) -> Graph:
        """The graph of the product's gradient in some of the arguments."""
        made = self.made.get(("gradient", active))
        if made is None:
            several = len(active) > 1
            made = _gradient(self.graph, list(active), several, with_value=False)
            self.made["gradient", active] = made
        return made

    def tangent(self, active: tuple[int, ...]) -> Graph:
        """The graph of the gradient's tangent, for tangents of some of the arguments.

        It is the gradient of the function's tangent.
        """
        from anadrome.transform.forward.walk import forward

        made = self.made.get(("tangent", active))
        if made is None:
            given = [self.function.params[k] for k in active]
            name = f"jvp_{self.function.name}"
            pushed = forward(self.function, given, name, products=False)
            pushed.results = [take(_writer(pushed), pushed.results[0], 1)]
            made = _gradient(pushed, self.sources, self.several, self.with_value)
            self.made["tangent", active] = made
        return made


def _gradient(
    graph: Graph, places: list[int], several: bool, with_value: bool
) -> Graph:
    """The gradient of a graph in some of its parameters, with its own product."""
    from anadrome.transform.expansion.gradients import in_tuple
    from anadrome.transform.reverse.walk import reverse

    sources: list[Node] = [graph.params[k] for k in places]
    product = Product(graph, places, several, with_value)
    name = f"grad_{graph.name}"
    made = reverse(graph, sources, name, seeded=False, value=with_value)
    if several and len(sources) == 1:
        made = in_tuple(made, with_value)
    own_results(made, ((),))
    made.product = product
    return made


def call_of(it: Interpreter, graph: Graph, given: list[Node]) -> Node:
    """A call of a gradient, whose result is nobody else's."""
    for p, a in zip(graph.params, given, strict=True):
        p.facts = a.facts if isinstance(a, Parameter) else None
    callee = Constant(graph, Function(graph))
    kind = _fresh(graph.results[0].type, {})
    return it.emit(ops.CALL, (callee, *given), kind)


def _fresh(t: Type, seen: dict[int, Type]) -> Type:
    """The same type for objects that have nothing to do with others of it."""
    t = deref(t)
    if id(t) in seen:
        return seen[id(t)]
    if isinstance(t, Num):
        return Num(t.dtype, t.ndim, t.python, boxed=t.boxed)
    if isinstance(t, Tuple):
        return Tuple(tuple(_fresh(p, seen) for p in t.items), t.cls)
    if isinstance(t, VarTuple):
        return VarTuple(_fresh(t.item, seen))
    if isinstance(t, Optional):
        return Optional(_fresh(t.inner, seen))
    if not isinstance(t, Cell):
        return t
    made: Cell = Object(t.cls) if isinstance(t, Object) else type(t)()
    seen[id(t)] = made
    made.key, made.item = t.key, _fresh(t.item, seen)
    if t.fields is not None:
        made.fields = {k: _fresh(p, seen) for k, p in t.fields.items()}
    return made


def _writer(graph: Graph) -> Interpreter:
    it = Interpreter(graph.name)
    it.graph = it.root = graph
    return it


def product_of(wanted: Any, graph: Graph, sources: list[Parameter]) -> Product | None:
    """The product that belongs to the gradient of a graph that changes things.

    None if nothing is changed, or something else than a gradient is wanted, or if it
    would draw other random numbers than the gradient did.
    """
    if wanted.kind not in ("grad", "value_and_grad") or wanted.has_aux:
        return None
    if not Activity(graph, list(sources), products=False).classes:
        return None
    if not all(_is_plain(s.type) for s in sources) or draws_anew(graph) is not None:
        return None
    try:
        places = [graph.params.index(s) for s in sources]
        several = isinstance(wanted.argnums, tuple)
        return Product(graph, places, several, wanted.with_value)
    except AnadromeError:
        return None


def _is_plain(t: Type, seen: frozenset[int] = frozenset()) -> bool:
    """Whether there are only real floating-point numbers in a value."""
    t = deref(t)
    if id(t) in seen:
        return True
    if isinstance(t, Num):
        return t.dtype is not None and t.dtype.kind == "f"
    inner = parts(t)
    return bool(inner or isinstance(t, Cell)) and all(
        _is_plain(p, seen | {id(t)}) for p in inner
    )


def keeps_shadows(graph: Graph) -> bool:
    """Whether a gradient hands shadows through loops, or has some of containers."""
    for g in called_graphs(graph, products=False):
        for node in walk(g):
            for n in (node, *node.outputs):
                if not isinstance(deref(n.type), Num) and holds_stored(n.type):
                    return True
            if node.op is ops.PYCALL:
                callee = node.args[0]
                if isinstance(callee, Constant) and callee.value in MIRRORED:
                    return True
            if node.op is ops.FOR:
                items = node.regions[-1].params[1 : 1 + node.shape.stacks]
                if any(holds_stored(p.type) for p in items):
                    return True
    return False


# In both modes ------------------------------------------------------------------------


def is_product(node: Apply) -> bool:
    """Whether a statement calls a gradient that is reversed by its product."""
    if node.op is not ops.CALL or not isinstance(node.args[0], Constant):
        return False
    callee = node.args[0].value
    return isinstance(callee, Graph) and callee.product is not None


def push_product(f: Forward, node: Apply) -> None:
    """The call itself, and that of the gradient's tangent."""
    f._copy(node)
    active = tuple(k for k, a in enumerate(node.args[1:]) if f.tangent(a) is not None)
    if not active:
        if f.activity.shadowed(node.type):
            f.give(node, f.real_tangent(node, node.type))
        return
    product: Product = node.args[0].value.product  # type: ignore[attr-defined]
    given = [f.value(a) for a in node.args[1:]]
    given += [f.real_tangent(node.args[1 + k]) for k in active]
    made = call_of(f.it, product.tangent(active), given)
    if f.activity.shadowed(node.type):
        made.type = f.tangent_type(node.type)
    f.give(node, made)


def forward_product(r: Reverse, node: Apply) -> None:
    """The call itself, of which nothing but the value is wanted."""
    args = tuple(r.value(a) for a in node.args[1:])
    made = Apply(
        ops.CALL, (node.args[0], *args), node.type, name=node.name, span=node.span
    )
    made.comment = node.comment
    r.product_inputs[id(node)] = [_as_given(r, a) for a in node.args[1:]]
    r.it.graph.append(made)
    r.new[id(node)] = made
    r.applies[id(node)] = made
    r.shadows.created(node)


def _as_given(r: Reverse, node: Node) -> Node | None:
    """A copy of what a gradient was given, if it may be changed after that.

    Arrays and numbers are kept for the backward pass like those of any statement.
    """
    if isinstance(node, Constant) or isinstance(deref(node.type), Num):
        return None
    if not holds_stored(node.type):
        return None
    value = r.value(node)
    args = r.it.constant(runtime.own), value
    return r.it.emit(ops.PYCALL, args, value.type, target=True)


def backward_product(r: Reverse, node: Apply) -> None:
    """The gradient of the product with the cotangent that has arrived."""
    it = r.it
    d = r.take_whole(node) if node in r.activity else None
    if d is None:
        return
    product: Product = node.args[0].value.product  # type: ignore[attr-defined]
    active = tuple(k for k, a in enumerate(node.args[1:]) if a in r.activity)
    if not active:
        return
    copies = r.product_inputs[id(node)]
    given = [c or r.saved(a, node) for c, a in zip(copies, node.args[1:])]
    given += product.cotangents(it, d)
    made = call_of(it, product.gradient(active), given)
    for j, k in enumerate(active):
        part = made if len(active) == 1 else take(it, made, j)
        r.contribute(node.args[1 + k], part)


__all__ = [
    "Product",
    "backward_product",
    "call_of",
    "forward_product",
    "is_product",
    "keeps_shadows",
    "product_of",
    "push_product",
]
