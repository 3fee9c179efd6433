"""Generators: functions with `yield`, run to their end or step by step.

A loop over a whole generator reads the generator's body and, at each `yield`, its own:
the two are one program, with no trace of a generator. Where a generator is asked for
one value at a time, its body is taken apart at the `yield`s, and a variable says where
it goes on.
"""

from __future__ import annotations

import ast
import functools
import operator
from collections.abc import Callable

from anadrome.errors import TypeMismatch, UnsupportedSyntax
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.syntax.branches import branch
from anadrome.frontend.syntax.exits import catches, done_key, either, is_flag, leave
from anadrome.frontend.syntax.leaving import RETURNED
from anadrome.frontend.syntax.source import FunctionSource
from anadrome.frontend.syntax.stepping import (
    PAUSED,
    VALUE,
    Machine,
    make_machine,
)
from anadrome.frontend.values.compile_time import Frame, Scope
from anadrome.frontend.values.iteration import Iteration
from anadrome.frontend.values.iterators import (
    RUNNING,
    Cursor,
    Generator,
    Interleaved,
    Origin,
    is_at_end,
    iterator_of,
    take_item,
)
from anadrome.frontend.values.operators import negate_truth
from anadrome.ir import operations as ops
from anadrome.ir.graph import Constant, Node
from anadrome.ir.types import NEVER, Function

STARTED = "%started"
"""The name of the variable that says whether a generator has begun."""

Visit = Callable[[Node], Node]
"""What is done with a value; the flag that no more are wanted."""


@functools.lru_cache(maxsize=4096)
def first_yield(node: ast.AST) -> ast.AST | None:
    """The first `yield` of a function or a statement itself, if it has one."""
    inner = isinstance(node, ast.FunctionDef | ast.Lambda)
    pending: list[ast.AST] = [node]
    if inner:
        pending = list(node.body) if isinstance(node.body, list) else []  # type: ignore[attr-defined]
    while pending:
        n = pending.pop(0)
        if isinstance(n, ast.Yield | ast.YieldFrom):
            return n
        if not isinstance(n, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            pending[:0] = ast.iter_child_nodes(n)
    return None


def make_generator(
    it: Interpreter,
    source: FunctionSource,
    scope: Scope,
    values: dict[str, Node],
    origin: Origin | None = None,
) -> Node:
    """A generator at its start."""
    scope.captured = scope.suspended = True
    for name, value in values.items():
        it.env[(scope, name)] = value
    made = Generator(source, scope, origin)
    it.env[made.state] = it.constant(0)
    it.env[(scope, STARTED)] = it.constant(False)
    return Constant(made, Function(made))


def generator_expression(
    it: Interpreter, node: ast.GeneratorExp, first: Node | None = None
) -> Node:
    """`(… for … in …)` as a call of a function with `yield`."""
    from anadrome.frontend.syntax.expressions import evaluate

    if first is None:
        with it.at(node.generators[0].iter):
            first = evaluate(it, node.generators[0].iter)
    source = _function_of(node, it.frame.source)
    scope = Scope(source, it.frame.scope)
    scope.is_comprehension = True
    it.frame.scope.captured = True
    return make_generator(it, source, scope, {ITERABLE: first})


ITERABLE = ".0"
"""What Python, too, calls the first iterable of a generator expression."""


def _function_of(node: ast.GeneratorExp, around: FunctionSource) -> FunctionSource:
    from anadrome.frontend.syntax.liveness import bound

    if not hasattr(node, "as_function"):
        here = functools.partial(ast.copy_location, old_node=node)
        body: list[ast.stmt] = [here(ast.Expr(here(ast.Yield(node.elt))))]
        for k, g in reversed(list(enumerate(node.generators))):
            for test in reversed(g.ifs):
                body = [ast.copy_location(ast.If(test, body, []), test)]
            over = here(ast.Name(ITERABLE, ast.Load())) if k == 0 else g.iter
            body = [ast.copy_location(ast.For(g.target, over, body, []), g.target)]
        given = ast.arguments([], [ast.arg(ITERABLE)], None, [], [], None, [])
        made = here(ast.FunctionDef("<genexpr>", given, body, []))
        node.as_function = made  # type: ignore[attr-defined]
    names = {ITERABLE, *(n for g in node.generators for n in bound(g.target))}
    return FunctionSource(node.as_function, around.file, "<genexpr>", frozenset(names))  # type: ignore[attr-defined]


# All of it ----------------------------------------------------------------------------


def run_whole(it: Interpreter, generator: Generator, visit: Visit) -> Node:
    """Run a generator from its start to its end; what it returns."""
    from anadrome.frontend.calls.recursive_generators import run_recursive

    if generator.origin is not None:
        return run_recursive(it, generator, visit)
    return run_through(it, generator, visit)


def run_through(it: Interpreter, generator: Generator, visit: Visit) -> Node:
    """Read the body of a generator with what is done with its items in it."""
    from anadrome.frontend.syntax.statements import run_function_body

    frame = Frame(generator.scope, generator.source, it.span)
    frame.ends = generator.state
    frame.may_leave, it.leaving = it.leaving, False

    def on_yield(value: Node) -> Node:
        it.frames.pop()
        try:
            flag = visit(value)
        finally:
            it.frames.append(frame)
        if not is_flag(flag, False):
            frame.left = True
            levels = [level for level in frame.levels if level is not None]
            if any(catches(level, GeneratorExit) for level in levels):
                raise it.fail(
                    UnsupportedSyntax,
                    "a loop leaves this generator in a 'try' that catches its end",
                    "catch Exception there, or run over all of the generator",
                )
            done = it.env.get(done_key(it)) or it.constant(False)
            it.env[done_key(it)] = either(it, done, flag)
            leave(it, 1, flag)
        return it.constant(None)

    frame.on_yield = on_yield
    it.env[generator.state] = RUNNING
    it.frames.append(frame)
    try:
        node = generator.source.node
        assert isinstance(node, ast.FunctionDef)
        result = run_function_body(it, node)
    finally:
        it.frames.pop()
    it.env[generator.state] = it.constant(-1)
    return result


def run_over_items(
    it: Interpreter, generator: Generator, items: Node, visit: Visit
) -> None:
    """A loop over the items that a generator gives, which are in a list."""
    from anadrome.frontend.syntax.loop_fixpoint import Loop, run_loop
    from anadrome.frontend.values.item_reads import get_item
    from anadrome.frontend.values.iteration import length_of

    stop = (generator.scope, "%wanted no more")
    it.env[stop] = it.constant(False)

    def body(index: Node | None) -> None:
        assert index is not None
        it.env[stop] = visit(get_item(it, items, index))

    bounds = (it.constant(0), length_of(it, items), it.constant(1))
    run_loop(it, Loop(bounds, None, body, [], it.frame_live(), stop))
    it.env.pop(stop, None)


def is_at_start(it: Interpreter, generator: Generator) -> bool:
    """Whether a generator is known not to have been started."""
    state = _state(it, generator)
    return isinstance(state, Constant) and state.value == 0


def _state(it: Interpreter, generator: Generator) -> Node:
    found = it.env.get(generator.state)
    if found is None:
        raise it.fail(
            UnsupportedSyntax,
            "where this generator is suspended is not known here",
            "make the generator in the block that uses it, or use a list",
        )
    if found is RUNNING:
        raise Interleaved(generator)
    return found


def collected(it: Interpreter, node: Node) -> Node:
    """A list of everything that an iterator has not given yet."""
    from anadrome.frontend.values.item_writes import append
    from anadrome.frontend.values.sequences import make_list

    out = make_list(it, [])

    def visit(value: Node) -> Node:
        append(it, out, value)
        return it.constant(False)

    consume(it, node, visit)
    return out


def consume(it: Interpreter, node: Node, visit: Visit) -> None:
    """Give every value that an iterator has left to `visit`, as long as it wants."""
    generator = iterator_of(node)
    assert isinstance(generator, Generator)
    if is_at_start(it, generator):
        run_whole(it, generator, visit)
        return
    _run_steps(it, generator, visit)


def _run_steps(it: Interpreter, generator: Generator, visit: Visit) -> None:
    """A loop over what is left of a generator that has been started."""
    from anadrome.frontend.syntax.loop_fixpoint import Loop, run_loop

    stop = (generator.scope, "%wanted no more")
    holder = (generator.scope, "%ended")
    it.env[holder] = advance(it, generator)
    if is_flag(it.env[holder], True):
        it.env.pop(holder)
        return

    def body(_: Node | None) -> None:
        it.env[stop] = visit(take(it, generator))
        it.env[holder] = advance(it, generator)

    def condition() -> Node:
        return negate_truth(it, it.env[holder])

    loop = Loop(None, condition, body, [holder], it.frame_live(), stop)
    run_loop(it, loop)
    it.env.pop(holder, None)
    it.env.pop(stop, None)


def yield_from(it: Interpreter, node: Node) -> Node:
    """`yield from node`; what a generator returns is its value."""
    from anadrome.frontend.values.iteration import iterate

    give = it.frame.on_yield
    assert give is not None
    generator = iterator_of(node)
    if not isinstance(generator, Generator):
        _give_each(it, iterate(it, node), give)
        return it.constant(None)
    if not is_at_start(it, generator):
        _run_steps(it, generator, lambda v: _flag_of(it, give, v))
        return it.constant(None)
    it.leaving = it.frame.may_leave
    return run_whole(it, generator, lambda v: _flag_of(it, give, v))


def _give_each(it: Interpreter, over: Iteration, give: Callable[[Node], Node]) -> None:
    """Hand on items until the generator is left at one of them."""
    from anadrome.frontend.syntax.loop_fixpoint import Loop, run_loop

    stop = (it.frame.scope, "%wanted no more")

    def body(index: Node | None) -> None:
        assert index is not None
        assert over.item is not None
        it.env[stop] = _flag_of(it, give, over.item(index))

    def items(first: int) -> None:
        assert over.size is not None
        for k in range(first, over.size):
            flag = _flag_of(it, give, over.now(k))
            if is_flag(flag, True):
                return
            if not is_flag(flag, False):
                rest = functools.partial(items, k + 1)
                branch(it, flag, lambda: None, rest, it.frame_live())
                return

    if over.size is not None:
        items(0)
        return
    assert over.bounds is not None
    run_loop(it, Loop(over.bounds, None, body, [], it.frame_live(), stop))
    it.env.pop(stop, None)


def _flag_of(it: Interpreter, give: Callable[[Node], Node], value: Node) -> Node:
    """Whether a generator that hands on a value is left at it."""
    give(value)
    return it.env.get(done_key(it)) or it.constant(False)


# One value at a time ------------------------------------------------------------------


def advance(
    it: Interpreter, iterator: Cursor | Generator, sent: Node | None = None
) -> Node:
    """Go on to the next value, which `take` takes: whether there is none."""
    if isinstance(iterator, Generator):
        return _resume(it, iterator, sent or it.constant(None))
    if sent is not None and not (isinstance(sent, Constant) and sent.value is None):
        raise it.fail(
            UnsupportedSyntax,
            "a value may be sent to an iterator that is no generator",
            "ask for the next item with next(…)",
        )
    return is_at_end(it, iterator)


def take(it: Interpreter, iterator: Cursor | Generator) -> Node:
    """The value that an iterator has gone on to."""
    if isinstance(iterator, Cursor):
        return take_item(it, iterator)
    return it.env[(iterator.scope, VALUE)]


def returned(it: Interpreter, iterator: Cursor | Generator) -> list[Node]:
    """What the StopIteration of an iterator at its end is made of."""
    if isinstance(iterator, Cursor):
        return []
    value = it.env.get((iterator.scope, RETURNED)) or it.constant(None)
    return [] if isinstance(value, Constant) and value.value is None else [value]


def send(it: Interpreter, node: Node, value: Node) -> Node:
    """`generator.send(value)`; it must have something left."""
    from anadrome.frontend.calls.builtins import taken

    generator = iterator_of(node)
    if not isinstance(generator, Generator):
        raise it.fail(
            TypeMismatch,
            "only generators can be sent values",
            "use next(…)",
            python=AttributeError,
        )
    if not (isinstance(value, Constant) and value.value is None):
        _require_begun(it, generator)
    return taken(it, generator, _resume(it, generator, value))


def _require_begun(it: Interpreter, generator: Generator) -> None:
    """Fail where a value is sent to a generator that has not come to a `yield`."""
    from anadrome.frontend.syntax.expressions import numeric

    begun = numeric(it, operator.ne, _state(it, generator), it.constant(0))
    if isinstance(begun, Constant) and begun.value:
        return
    error = it.fail(
        TypeMismatch,
        "a value is sent to a generator that has just begun",
        "ask for its first item with next(…)",
        python=TypeError,
    )
    if isinstance(begun, Constant):
        raise error
    kind, message = it.constant(TypeError), it.constant(error.message)
    it.emit(ops.ASSERT, (begun, message, kind), NEVER)


def close(it: Interpreter, node: Node) -> None:
    """`generator.close()`: it gives nothing more."""
    found = iterator_of(node)
    if isinstance(found, Generator):
        _state(it, found)
        it.env[found.state] = it.constant(-1)


def _resume(it: Interpreter, generator: Generator, sent: Node) -> Node:
    """Run a suspended generator to its next `yield`; whether it has ended instead."""
    state = _state(it, generator)
    node = generator.source.node
    assert isinstance(node, ast.FunctionDef)
    it.env[(generator.scope, RETURNED)] = it.constant(None)
    if isinstance(state, Constant) and state.value == -1:
        return it.constant(True)
    machine = make_machine(it, node)
    frame = Frame(generator.scope, generator.source, it.span)
    frame.ends = generator.state
    frame.on_yield = lambda value: it.constant(None)
    it.frames.append(frame)
    try:
        _run_machine(it, generator, machine, sent)
    finally:
        it.frames.pop()
    return _has_ended(it, _state(it, generator))


def _has_ended(it: Interpreter, state: Node) -> Node:
    """Whether a generator in this state gives nothing more."""
    from anadrome.frontend.syntax.expressions import numeric

    if isinstance(state, Constant):
        return it.constant(state.value == -1)
    return numeric(it, operator.lt, state, it.constant(0))


def _run_machine(
    it: Interpreter, generator: Generator, machine: Machine, sent: Node
) -> None:
    """Run blocks until one yields or returns; as long as can be, without a loop."""
    state_key, paused = generator.state, (generator.scope, PAUSED)
    machine.prepare(it, generator, sent)
    it.env[paused] = _has_ended(it, it.env[state_key])
    for _ in range(_MOST_STEPS):
        state = it.env[state_key]
        if not isinstance(state, Constant) or not is_flag(it.env[paused], False):
            break
        _run_one(it, generator, machine, state.value)
    if not is_flag(it.env[paused], True):
        _run_dispatch(it, generator, machine)
    it.env.pop(paused)


_MOST_STEPS = 12
"""After so many blocks whose order is known a loop takes over."""


def _run_one(
    it: Interpreter, generator: Generator, machine: Machine, state: int
) -> None:
    from anadrome.frontend.syntax.statements import run_block

    it.env[done_key(it)] = it.constant(False)
    it.env[(generator.scope, STARTED)] = it.constant(True)
    run_block(it, machine.blocks[state])
    if is_flag(it.env[done_key(it)], True):
        # It always raises, and nothing of it comes after that.
        it.env[generator.state] = it.constant(-1)
        it.env[(generator.scope, PAUSED)] = it.constant(True)


def _run_dispatch(it: Interpreter, generator: Generator, machine: Machine) -> None:
    """`while not paused:` the block that the state says."""
    from anadrome.frontend.syntax.expressions import numeric
    from anadrome.frontend.syntax.loop_fixpoint import Loop, run_loop

    state_key, paused = generator.state, (generator.scope, PAUSED)
    everything = frozenset(generator.scope.locals)
    # No block leads back to the first one.
    begun = it.env.get((generator.scope, STARTED))
    started = begun is not None and is_flag(begun, True)
    blocks = [k for k in sorted(machine.blocks) if k or not started]

    def pick(choices: list[int]) -> None:
        state = it.env[state_key]
        if isinstance(state, Constant) or len(choices) == 1:
            known = state.value if isinstance(state, Constant) else choices[0]
            _run_one(it, generator, machine, known)
            return
        test = numeric(it, operator.eq, state, it.constant(choices[0]))
        branch(
            it,
            test,
            lambda: _run_one(it, generator, machine, choices[0]),
            lambda: pick(choices[1:]),
            everything,
        )

    loop = Loop(
        None,
        lambda: negate_truth(it, it.env[paused]),
        lambda _: pick(blocks),
        [state_key, paused],
        everything,
    )
    run_loop(it, loop)
