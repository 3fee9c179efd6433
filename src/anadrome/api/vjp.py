"""Pullbacks: the backward pass from a value, as a function of its own."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from anadrome import runtime, tree
from anadrome.backends.python.compiled import compile_graph
from anadrome.driver.pipeline import check_source, finish
from anadrome.driver.program import Compiled
from anadrome.errors import ArgumentError, MutationError, NotDifferentiable
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.program import read
from anadrome.frontend.values.known import is_known, static_value
from anadrome.frontend.values.tuples import make_tuple, take
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
    Function,
    Num,
    Tuple,
    Type,
    VarTuple,
    classes_of,
    deref,
    is_differentiable,
    parts,
)
from anadrome.optimize.passes import optimize
from anadrome.primitives.registry import Primitive
from anadrome.transform.expansion.nesting import graph_of_call, splice
from anadrome.transform.expansion.results import own_results
from anadrome.transform.forward.tangents import MIRRORED
from anadrome.transform.reverse.walk import reverse_pair

if TYPE_CHECKING:
    from anadrome.api.grad import Vjp


class Pair(Compiled):
    """The two programs of a pullback.

    `front` is this one; `back` turns its record and a cotangent into cotangents.
    """

    back: Callable[..., Any]
    # Whether the backward pass changes the record, so that it serves only once.
    consumed: bool
    # Whether running the program again may be noticed.
    effects: bool


def build_pair(derived: Vjp, args: tuple[Any, ...], keywords: dict[str, Any]) -> Pair:
    """Both programs for arguments of these types."""
    positions = derived.positions(len(args))
    program = read(derived.function, args, keywords)
    parameters = dict(program.arguments)
    sources = []
    for k in positions:
        p = parameters.get(k)
        if p is None:
            raise NotDifferentiable(f"argument {k} has no derivative")
        check_source(p.type, k, p.name)
        sources.append(p)
    graph = optimize(program.graph)
    consumed = any(
        (isinstance(n.op, ops.Op) and n.op.writes)
        or (n.shape is not None and n.shape.frees)
        for g in called_graphs(graph)
        for n in walk(g)
    )
    effects = any(_may_be_noticed(n) for g in called_graphs(graph) for n in walk(g))
    front, back = reverse_pair(graph, list(sources), f"vjp_{graph.name}")
    keep_arguments(front)
    # The record passes from one program to the other, so both are Python.
    made = finish(derived, program, front, len(args), native=False)
    made.__class__ = Pair
    assert isinstance(made, Pair)
    optimize(back)
    own_results(back, ((),))
    made.back = compile_graph(back, back.name)[0]
    made.consumed, made.effects = consumed, effects
    return made


def _may_be_noticed(node: Apply) -> bool:
    """Whether a statement calls code that may do something outside the program."""
    if node.op not in (ops.PYCALL, ops.METHOD, ops.OBSERVE) or node.target is True:
        return False
    callee = getattr(node.args[0], "value", None)
    if isinstance(callee, type) and issubclass(callee, BaseException):
        return callee.__module__ != "builtins"
    if str(getattr(callee, "__module__", "")).startswith("anadrome.frontend."):
        return False  # helpers of the reader's
    if getattr(callee, "__module__", None) == "_operator":
        return not all(_is_of_numbers(a.type) for a in node.args[1:])
    return callee not in (*_QUIET, *MIRRORED, *runtime.LOOKING)


def _is_of_numbers(t: Type) -> bool:
    """Whether a value is a number, or a tuple of them as a shape is."""
    t = deref(t)
    if isinstance(t, Tuple | VarTuple):
        return all(map(_is_of_numbers, parts(t)))
    return isinstance(t, Num)


_QUIET = (isinstance, list, ord, type)
"""Builtins that only look, whatever they are given."""


def keep_arguments(front: Graph) -> None:
    """Let the record hold copies of arguments: the caller may change his arrays."""
    result = front.results[0]
    assert isinstance(result, Apply)
    kept = result.args[1]
    assert isinstance(kept, Apply) and kept.op is ops.RECORD  # noqa: PT018
    names, fields = kept.args[:2], kept.args[2:]
    copies = []
    for n in fields:
        if _is_argument(n) and is_differentiable(n.type):
            t = deref(n.type)
            if isinstance(t, Num):
                kind = Num(t.dtype, t.ndim, boxed=t.boxed)
                copied = Apply(ops.COPY, (n,), kind, name=n.name)
            else:
                separate = Constant(tree.separate, Function(tree.separate))
                copied = Apply(ops.PYCALL, (separate, n), n.type, name=n.name)
                copied.target = True
            if not (isinstance(t, Num) and t.scalar):
                front.body.insert(front.body.index(kept), copied)
                copied.graph = front
                n = copied
        copies.append(n)
    kept.args = (*names, *copies)


def _is_argument(node: Node) -> bool:
    """Whether a value is an argument or a part or a view of one."""
    while isinstance(node, Apply):
        view = isinstance(node.op, Primitive) and node.op.view
        if not (view or node.op in (ops.GETITEM, ops.GETATTR, ops.CAST)):
            return False
        node = node.args[0]
    return isinstance(node, Parameter)


class Pullback:
    """The cotangents of the arguments as a function of the cotangent of the value."""

    def __init__(
        self,
        pair: Pair,
        args: tuple[Any, ...],
        keywords: dict[str, Any],
        value: Any,
        saved: Any,
    ) -> None:
        self.pair = pair
        self.value = tree.zeros_like(value)
        self.saved = saved
        self.args, self.keywords = args, keywords

    @staticmethod
    def start(
        pair: Any, args: tuple[Any, ...], keywords: dict[str, Any]
    ) -> tuple[Any, Any]:
        """The value, and the pullback."""
        value, saved = pair.run(args, keywords, ())
        if pair.consumed:
            args, keywords = tree.separate((args, keywords))
        return value, Pullback(pair, args, keywords, value, saved)

    def __call__(self, cotangent: Any) -> tuple[Any, ...]:
        fitted = tree.fitted(self.value, cotangent, "the cotangent")
        if self.saved is None:
            if self.pair.effects:
                raise ArgumentError(
                    "this pullback changes what it kept, so that a second call has to "
                    "run the function again, whose calls of other code may be noticed",
                    help="call ad.vjp again for a second pullback",
                )
            _, self.saved = self.pair.run(self.args, self.keywords, ())
        saved = self.saved
        if self.pair.consumed:
            self.saved = None
        try:
            found = self.pair.back(saved, fitted)
        except Exception as error:
            self.pair.explain(error)
            raise
        single = len(self.pair.places) == 1
        return (found,) if single else found

    def __repr__(self) -> str:
        return f"<pullback of {self.pair.graph.name}>"


# Inside functions that are being read -----------------------------------------------


def compile_time_value(it: Interpreter, node: Node, function: bool) -> Any:
    """An argument of `ad.grad` and the like in code that is being read."""
    if function:
        if isinstance(node, Constant) and callable(node.value):
            return node.value
        return node
    if not is_known(node):
        raise it.fail(
            ArgumentError,
            "argnums and the like must be known when the function is read",
            "write them as numbers",
        )
    return static_value(node)


def _items(it: Interpreter, node: Node, what: str) -> list[Node]:
    """The items of a tuple or a list of known length."""
    node = it.concrete(node)
    t = deref(node.type)
    if isinstance(t, Tuple):
        return [take(it, node, k) for k in range(len(t.items))]
    if isinstance(node, Apply) and node.op is ops.LIST:
        return list(node.args)
    raise it.fail(
        ArgumentError, f"jvp takes a tuple of {what}", "write ad.jvp(f, (x,), (dx,))"
    )


def inline_jvp(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    """`ad.jvp(f, (x,), (dx,))` in code that is being read."""
    from anadrome.api.grad import Jvp

    named = dict(zip(("fun", "primals", "tangents"), args), **keywords)
    primals = _items(it, named["primals"], "arguments")
    tangents = _items(it, named["tangents"], "tangents")
    if len(primals) != len(tangents):
        raise it.fail(
            ArgumentError, f"{len(primals)} arguments but {len(tangents)} tangents"
        )
    push = Jvp(compile_time_value(it, named["fun"], True), tuple(range(len(primals))))
    return push.inline_push(it, primals, {}, tangents)


def inline_vjp(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    """`ad.vjp(f, x)` in code that is being read: the value and a pullback."""
    function, *given = args
    value, pullback = _pullback_inside(
        it, compile_time_value(it, function, True), given, None
    )
    return make_tuple(it, [value, Constant(pullback, Function(pullback))])


def _pullback_inside(
    it: Interpreter, function: Any, args: list[Node], wanted: tuple[int, ...] | None
) -> tuple[Node, InlinePullback]:
    args = [it.concrete(a) for a in args]
    graph, params, free = graph_of_call(it, function, args, {})
    places = [
        k
        for k, p in enumerate(params)
        if is_differentiable(p.type) and (wanted is None or k in wanted)
    ]
    optimize(graph)
    sources: list[Node] = [params[k] for k in places]
    front, back = reverse_pair(graph, sources, f"vjp_{graph.name}")
    pair = splice(it, front, [*args, *free])
    value, saved = take(it, pair, 0), take(it, pair, 1)
    held = [n.type for n in (*args, *free, value)]
    return value, InlinePullback(it.graph, back, saved, places, len(args), held)


def pull_inside(
    it: Interpreter,
    function: Any,
    args: list[Node],
    wanted: tuple[int, ...],
    cotangent: Node,
) -> list[Node]:
    """The cotangents of some arguments in code that is being read."""
    _, pullback = _pullback_inside(it, function, args, wanted)
    found = it.concrete(pullback.__anadrome_inline__(it, [cotangent], {}))
    return [take(it, found, k) for k in pullback.places]


def _stores(types: list[Type]) -> int:
    """How often something is stored into what values of some types are or hold."""
    return sum({id(c.find()): c.find().stores for c in classes_of(types)}.values())


class InlinePullback:
    """A pullback inside a function that is being read: a graph and its record."""

    def __init__(
        self,
        graph: Graph,
        back: Graph,
        saved: Node,
        places: list[int],
        count: int,
        held: list[Type],
    ) -> None:
        self.graph, self.back, self.saved = graph, back, saved
        self.places, self.count = places, count
        # The record may hold any of it, and must find it as it was.
        self.held, self.stores = held, _stores(held)

    def _refuse_changes(self, it: Interpreter, span: Any) -> None:
        if _stores(self.held) != self.stores:
            raise it.fail(
                MutationError,
                "what a pullback was made from is changed in place before it is called",
                "call the pullback before, or change a copy",
                span,
            )

    def __call__(self, cotangent: Any) -> Any:
        raise ArgumentError("this pullback exists only inside the function")

    def __anadrome_inline__(
        self, it: Interpreter, args: list[Node], keywords: dict[str, Node]
    ) -> Node:
        self._refuse_changes(it, it.span)
        if it.graph is not self.graph:
            # In a loop, what comes after the call is done before the next one.
            it.checks.append(functools.partial(self._refuse_changes, it, it.span))
        callee = Constant(self.back, Function(self.back))
        kind = self.back.results[0].type
        made = it.emit(ops.CALL, (callee, self.saved, args[0]), kind)
        single = len(self.places) == 1
        items: list[Node] = [it.constant(None)] * self.count
        for j, k in enumerate(self.places):
            items[k] = made if single else take(it, made, j)
        return make_tuple(it, items)
