"""Less memory for more time: `checkpoint` and `checkpointed` loops.

Reverse mode keeps what the backward pass needs. A checkpointed function keeps its
arguments only and is recomputed. A checkpointed loop keeps a few of its states, chosen
so that the fewest steps are recomputed (Griewank and Walther, 2000, "Revolve").
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from anadrome.errors import ArgumentError, MutationError
from anadrome.primitives.registry import nondifferentiable

if TYPE_CHECKING:
    from anadrome.frontend.interpreter import Interpreter
    from anadrome.ir.graph import Graph, Node


class Checkpointed:
    """A function of which the backward pass keeps only the arguments."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        if isinstance(getattr(function, "__name__", None), str):
            functools.update_wrapper(self, function, updated=())

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return self.function(*args, **keywords)

    def __repr__(self) -> str:
        return f"<ad.checkpoint of {getattr(self.function, '__name__', self.function)}>"

    def __anadrome_inline__(
        self, it: Interpreter, args: list[Node], keywords: dict[str, Node]
    ) -> Node:
        from anadrome.api.custom import independent
        from anadrome.ir import operations as ops
        from anadrome.ir.graph import Constant
        from anadrome.ir.types import Function, classes_of
        from anadrome.transform.expansion import checkpoint as making
        from anadrome.transform.expansion.nesting import graph_of_call

        graph, _, free = graph_of_call(it, self.function, args, keywords, False)
        given = [it.concrete(a) for a in (*args, *keywords.values())]
        outside = classes_of([n.type for n in (*given, *free)])
        making.refuse_changes(it, [graph], outside)
        with it.region(graph):
            graph.results = [making.fresh_result(it, graph.results[0], outside)]
        callee = Constant(graph, Function(graph))
        kind = independent(graph.results[0].type)
        return it.emit(ops.CALL, (callee, *given, *free), kind, target=graph)


def checkpoint(fun: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, whose inside is recomputed in the backward pass.

    Of a call only the arguments and the value are kept, which saves memory and costs
    one more evaluation. It must not change its arguments in place, nor draw random
    numbers from a generator that it does not make from a seed itself.
    """
    if not callable(fun) and not hasattr(fun, "type"):
        raise ArgumentError(
            f"checkpoint needs a function, this is a {type(fun).__name__}"
        )
    return Checkpointed(fun)


# Loops ------------------------------------------------------------------------------


@nondifferentiable
def split(start: int, stop: int, slots: int) -> int:
    """Where the next checkpoint goes, given how many there may be from `start` on.

    With c checkpoints and at most r further evaluations of each step, C(c + r, c)
    steps can be reversed; a split that keeps both parts within their bounds costs
    the least (Griewank and Walther, 2000).
    """
    length = stop - start
    if length <= 1:
        return stop
    if slots <= 1:
        return stop - 1
    r = 1
    while math.comb(slots + r, slots) < length:
        r += 1
    most_right = math.comb(slots - 1 + r, slots - 1)
    least_left = math.comb(slots + r - 2, slots) if r > 1 else 1
    return start + max(least_left, length - most_right, 1)


@nondifferentiable
def check_loop(n: int, slots: int) -> int:
    """The number of steps, if so many can be reversed with so few checkpoints."""
    if slots < 1:
        raise ArgumentError(f"slots={slots}: a loop needs at least one checkpoint")
    if math.comb(slots + _DEEPEST, slots) < n:
        raise ArgumentError(
            f"{n} steps with {slots} checkpoints would be computed again more than "
            f"{_DEEPEST} times",
            help="allow more checkpoints with slots",
        )
    return n


_DEEPEST = 200


def _advance(step: Any, state: Any, start: int, stop: int) -> Any:
    for t in range(start, stop):
        state = step(state, t)
    return state


def _run(step: Any, piece: Any, state: Any, start: int, stop: int, slots: int) -> Any:
    while start < stop:
        middle = split(start, stop, slots)
        if middle - start == 1:
            state = step(state, start)
        else:
            state = piece(state, start, middle, slots)
        start = middle
        slots = slots - 1
    return state


def _advance_while(condition: Any, step: Any, state: Any, start: int, stop: int) -> Any:
    t = start
    while t < stop and condition(state, t):
        state = step(state, t)
        t = t + 1
    return state, t


def _run_while(condition: Any, chunk: Any, state: Any) -> Any:
    t = 0
    length = 1
    while condition(state, t):
        state, t = chunk(state, t, t + length)
        length = 2 * length
    return state


class CheckpointedLoop:
    """A loop of which the backward pass keeps a few states: `run(state) -> state`."""

    def __init__(self, step: Any, n: Any, slots: Any) -> None:
        self.step, self.n, self.slots = step, n, slots
        self.function = step
        self.__name__ = "checkpointed"

    def __call__(self, state: Any) -> Any:
        return _advance(self.step, state, 0, check_loop(self.n, self.slots))

    def __anadrome_inline__(
        self, it: Interpreter, args: list[Node], keywords: dict[str, Node]
    ) -> Node:
        from anadrome.frontend.calls.calls import call

        (state,) = (*args, *keywords.values())
        slots = _node(it, self.slots)
        n = call(it, it.constant(check_loop), [_node(it, self.n), slots], {})
        state = _as_given(it, state)
        loop = _LoopGraphs(it, _node(it, self.step), state)
        return loop.call(it, state, it.constant(0), n, slots)


class CheckpointedWhile:
    """A `while` loop that is reversed in chunks of growing length."""

    def __init__(self, condition: Any, step: Any, slots: Any) -> None:
        self.condition, self.step, self.slots = condition, step, slots
        self.function = step
        self.__name__ = "checkpointed"

    def __call__(self, state: Any) -> Any:
        t = 0
        while self.condition(state, t):
            state = self.step(state, t)
            t += 1
        return state

    def __anadrome_inline__(
        self, it: Interpreter, args: list[Node], keywords: dict[str, Node]
    ) -> Node:
        from anadrome.frontend.calls.calls import call

        (state,) = (*args, *keywords.values())
        state = _as_given(it, state)
        condition = _node(it, self.condition)
        chunk = it.constant(
            _Chunk(condition, _node(it, self.step), _node(it, self.slots))
        )
        return call(it, it.constant(_run_while), [condition, chunk, state], {})


def _as_given(it: Interpreter, state: Node) -> Node:
    """The first state of a loop, which nothing may change in place afterwards."""
    from anadrome.ir import operations as ops
    from anadrome.ir.types import Num, classes_of, deref, is_stored

    state, span = it.concrete(state), it.span
    t = deref(state.type)
    if isinstance(t, Num) and not t.scalar and is_stored(t):
        state = it.emit(ops.COPY, (state,), Num(t.dtype, t.ndim, boxed=t.boxed))
    kept = state.type

    def check() -> None:
        if any(c.find().stored for c in classes_of([kept])):
            raise it.fail(
                MutationError,
                "a state of a checkpointed loop is changed in place outside of it",
                "change a copy of it",
                span,
            )

    it.checks.append(check)
    return state


def _node(it: Interpreter, value: Any) -> Node:
    from anadrome.ir.graph import Node

    return value if isinstance(value, Node) else it.constant(value)


class _FreshResult:
    """A step whose result is a new object that nothing has changed in place."""

    def __init__(self, step: Node) -> None:
        self.step = step

    def __anadrome_inline__(
        self, it: Interpreter, args: list[Node], keywords: dict[str, Node]
    ) -> Node:
        from anadrome.frontend.calls.calls import call
        from anadrome.transform.expansion.checkpoint import fresh_result

        return fresh_result(it, call(it, self.step, args, keywords), [])


class _Piece:
    """Some steps of a loop, in a program that keeps checkpoints."""

    def __init__(self, advance: Graph, run: Graph) -> None:
        self.advance, self.run = advance, run

    def __anadrome_inline__(
        self, it: Interpreter, args: list[Node], keywords: dict[str, Node]
    ) -> Node:
        from anadrome.ir import operations as ops
        from anadrome.ir.graph import Constant
        from anadrome.ir.types import Function

        callee = Constant(self.advance, Function(self.advance))
        given = tuple(it.concrete(a) for a in args)
        kind = self.advance.results[0].type
        return it.emit(ops.CALL, (callee, *given), kind, target=self.run)


class _LoopGraphs:
    """The two programs of a loop: one only advances, one keeps checkpoints.

    The second calls the first for the stretches between its checkpoints, and each
    stretch is reversed as a run of its own.
    """

    def __init__(self, it: Interpreter, step: Node, state: Node) -> None:
        from anadrome.frontend.calls.calls import call
        from anadrome.ir import operations as ops
        from anadrome.ir.graph import Graph
        from anadrome.ir.joins import join
        from anadrome.ir.types import INT, classes_of, same
        from anadrome.transform.expansion import checkpoint as making

        fresh = it.constant(_FreshResult(step))
        kind = state.type
        for _ in range(10):
            advance = Graph("advance")
            params = self._parameters(advance, kind, INT)
            with it.region(advance):
                given: list[Node] = [fresh, *params[:3]]
                made = it.concrete(call(it, it.constant(_advance), given, {}))
                advance.results = [made]
            widened = join(kind, made.type)
            if same(widened, kind):
                break
            kind = widened
        run = Graph("run")
        params = self._parameters(run, kind, INT)
        piece = it.constant(_Piece(advance, run))
        with it.region(run):
            given = [fresh, piece, *params]
            run.results = [it.concrete(call(it, it.constant(_run), given, {}))]
        for node in run.body:
            if node.op is ops.WHILE:
                # A checkpoint that has been passed makes room for another.
                node.shape = dataclasses.replace(node.shape, frees=True)
        self.run, self.advance = run, advance
        self.free = making.close_together([advance, run], 4)
        outside = classes_of([state.type, *(n.type for n in self.free)])
        making.refuse_changes(it, [advance, run], outside)

    @staticmethod
    def _parameters(graph: Graph, kind: Any, index: Any) -> list[Any]:
        names = ("state", "start", "stop", "slots")
        return [
            graph.add_parameter(index if k else kind, n) for k, n in enumerate(names)
        ]

    def call(
        self, it: Interpreter, state: Node, start: Node, stop: Node, slots: Node
    ) -> Node:
        """A run from a state."""
        from anadrome.ir import operations as ops
        from anadrome.ir.graph import Constant
        from anadrome.ir.types import Function

        callee = Constant(self.run, Function(self.run))
        given = (callee, state, start, stop, slots, *self.free)
        return it.emit(ops.CALL, given, self.run.results[0].type)


class _Chunk:
    """The next steps of a `while` loop, as many as the condition allows.

    Their number is recomputed in the backward pass, where they are a loop of known
    length.
    """

    def __init__(self, condition: Node, step: Node, slots: Node) -> None:
        self.condition, self.step, self.slots = condition, step, slots

    def __anadrome_inline__(
        self, it: Interpreter, args: list[Node], keywords: dict[str, Node]
    ) -> Node:
        from anadrome.api.custom import stop_gradient
        from anadrome.frontend.calls.calls import call
        from anadrome.frontend.values.tuples import make_tuple, take
        from anadrome.ir import operations as ops
        from anadrome.ir.graph import Constant, Graph
        from anadrome.ir.types import Function, classes_of
        from anadrome.transform.expansion import checkpoint as making

        fresh = it.constant(_FreshResult(self.step))
        given = [it.concrete(a) for a in args]
        advance, recorded = Graph("advance_while"), Graph("record_while")

        def ahead(state: Node, start: Node, stop: Node) -> Node:
            what = [self.condition, fresh, state, start, stop]
            return it.concrete(call(it, it.constant(_advance_while), what, {}))

        params = [advance.add_parameter(n.type, n.name) for n in given]
        with it.region(advance):
            advance.results = [ahead(*params)]
        params = [recorded.add_parameter(n.type, n.name) for n in given]
        with it.region(recorded):
            still = it.apply(stop_gradient, (params[0],))
            stop = take(it, ahead(still, *params[1:]), 1)
            loop = _LoopGraphs(it, self.step, params[0])
            state = loop.call(it, params[0], params[1], stop, self.slots)
            recorded.results = [make_tuple(it, [state, stop])]
        free = making.close_together([advance, recorded], 3)
        outside = classes_of([n.type for n in (*given, *free)])
        making.refuse_changes(it, [advance, recorded], outside)
        callee = Constant(advance, Function(advance))
        kind = advance.results[0].type
        return it.emit(ops.CALL, (callee, *given, *free), kind, target=recorded)


def checkpointed(step: Callable[..., Any], n: int, slots: int) -> Callable[[Any], Any]:
    """`run(state)`: the state after `state = step(state, t)` for t = 0, …, n - 1.

    The backward pass keeps `slots` states at a time and computes the others again by a
    schedule that needs the fewest evaluations of the step; a state and a cotangent more
    are held for each time that steps are computed again. `step` may read variables
    around it, and derivatives flow to them; it must not change the state or a
    captured value in place.
    """
    return CheckpointedLoop(step, n, slots)


def checkpointed_while(
    condition: Callable[..., Any], step: Callable[..., Any], slots: int
) -> Callable[[Any], Any]:
    """`run(state)`: like `checkpointed`, while `condition(state, t)` holds.

    The number of steps need not be known. The forward pass keeps the states after 1,
    3, 7, 15, … steps; each chunk in between is reversed with `slots` checkpoints.
    """
    return CheckpointedWhile(condition, step, slots)


def _inside(make: Callable[..., Any], order: tuple[str, ...]) -> Any:
    """`ad.checkpointed(…)` in the code of a differentiated function."""

    def handler(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
        given = dict(zip(order, args), **keywords)
        missing = [name for name in order if name not in given]
        if missing:
            raise it.fail(ArgumentError, f"{make.__name__}() needs '{missing[0]}'")
        return it.constant(make(**given))

    return handler


checkpoint.__anadrome_inline__ = _inside(Checkpointed, ("function",))  # type: ignore[attr-defined]
checkpointed.__anadrome_inline__ = _inside(  # type: ignore[attr-defined]
    CheckpointedLoop, ("step", "n", "slots")
)
checkpointed_while.__anadrome_inline__ = _inside(  # type: ignore[attr-defined]
    CheckpointedWhile, ("condition", "step", "slots")
)
