"""Python's built-in functions and the few library functions that take functions."""

from __future__ import annotations

import bisect
import builtins
import contextlib
import functools
import heapq
import itertools
import logging
import operator
import warnings
from collections.abc import Callable
from typing import Any

from anadrome.errors import TypeMismatch, UnsupportedSyntax
from anadrome.frontend.calls import heaps, library
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.syntax import comprehensions
from anadrome.frontend.syntax.loop_fixpoint import Loop, run_loop
from anadrome.frontend.values import item_reads, item_writes, iteration, sequences
from anadrome.frontend.values.attributes import has_own
from anadrome.frontend.values.compile_time import Partial
from anadrome.frontend.values.iteration import Iteration, iterate
from anadrome.frontend.values.iterators import (
    Cursor,
    Generator,
    are_fresh,
    as_iterator,
    endless,
    finish,
    is_fresh,
    iterator_of,
    make_cursor,
)
from anadrome.frontend.values.known import is_known, static_value
from anadrome.frontend.values.tuples import make_tuple
from anadrome.frontend.values.tuples import take as take_part
from anadrome.ir import operations as ops
from anadrome.ir.graph import Constant, Node
from anadrome.ir.types import (
    ANY,
    INT,
    NEVER,
    NONE,
    STR,
    Dict,
    List,
    NeverType,
    Num,
    Object,
    Other,
    Str,
    Tuple,
    Type,
    VarTuple,
    deref,
    parts,
    strip_optional,
)
from anadrome.primitives.checks import check_some

Handler = Callable[[Interpreter, list[Node], dict[str, Node]], Node]
FUNCTIONS: dict[Any, Handler] = {}
CONVERSIONS: dict[type, Handler] = {}

_LEVELS = ("debug", "info", "warning", "error", "critical", "exception", "log")

# Calls that only look at their arguments: nothing flows back through them.
_OBSERVERS = {
    print: NONE,
    warnings.warn: NONE,
    **{getattr(logging, level): NONE for level in _LEVELS},
    **{getattr(logging.Logger, level): NONE for level in _LEVELS},
    repr: STR,
    format: STR,
    ascii: STR,
    id: INT,
    hash: INT,
    bisect.bisect: INT,
    bisect.bisect_left: INT,
}


def handles(*functions: Any) -> Callable[[Handler], Handler]:
    """Register what a call of some functions becomes."""

    def enter(handler: Handler) -> Handler:
        for f in functions:
            if isinstance(f, type):
                CONVERSIONS[f] = handler
            FUNCTIONS[f] = handler
        return handler

    return enter


def _make_observer(function: Any, kind: Type) -> Handler:
    def observe(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
        from anadrome.frontend.calls.opaque import runtime_form

        given = [runtime_form(it, a) for a in args]
        named = {k: runtime_form(it, v) for k, v in keywords.items()}
        callee = it.constant(function)
        return it.emit(ops.OBSERVE, (callee, *given), kind, keywords=named)

    return observe


for _function, _kind in _OBSERVERS.items():
    FUNCTIONS[_function] = _make_observer(_function, _kind)


@handles(logging.getLogger)
def _get_logger(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    from anadrome.frontend.calls.opaque import runtime_form

    given = [runtime_form(it, a) for a in (*args, *keywords.values())]
    callee = it.constant(logging.getLogger)
    return it.emit(ops.PYCALL, (callee, *given), Other(logging.Logger))


@handles(eval, exec, compile, globals, locals, vars)
def _refuse_names(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    raise it.fail(
        UnsupportedSyntax,
        "which variables this reads is known only at run time",
        "name the variables, or keep them in a dictionary of your own",
    )


@handles(len)
def _len(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    return iteration.length_of(it, args[0])


@handles(range)
def _range(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    if len(args) not in (1, 2, 3):
        raise it.fail(
            TypeMismatch,
            f"range expected 1 to 3 arguments, got {len(args)}",
            "write range(stop), range(start, stop) or range(start, stop, step)",
            python=TypeError,
        )
    return iteration.make_range(it, args)


@handles(zip)
def _zip(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    strict = keywords.get("strict")
    fits = strict is not None and is_known(strict) and static_value(strict)
    if not are_fresh(it, args):
        made = library.zip_strictly if fits else library.zip_together
        return _call(it, made, args)
    make = _parts(it, args)
    if fits and len(args) > 1 and not _same_lengths(it, make(it.constant(0))):
        # That they differ is found where the shortest of them ends.
        sized = not any(iterator_of(a) is not None for a in args)
        made = library.zip_sized_strictly if sized else library.zip_strictly
        return _call(it, made, args)
    return make_cursor(it, lambda taken: iteration.zipped(it, make(taken)))


def _call(it: Interpreter, function: Any, args: list[Node]) -> Node:
    from anadrome.frontend.calls.calls import call_value

    return call_value(it, function, args, {})


def _parts(it: Interpreter, args: list[Node]) -> Callable[[Node], list[Iteration]]:
    """How to run over values that nobody else runs over, when it is asked for."""
    makes = [comprehensions.lazily(it, a) for a in args]
    return lambda taken: [make(taken) for make in makes]


def _same_lengths(it: Interpreter, parts: list[Iteration]) -> bool:
    """Whether things to run over are known to have one length."""
    sizes = {p.size for p in parts}
    return len(sizes) == 1 and None not in sizes


def require(test: bool, kind: type[Exception], message: str) -> None:
    """Raise unless something holds."""
    if not test:
        raise kind(message)


@handles(enumerate)
def _enumerate(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    start = args[1] if len(args) > 1 else keywords.get("start", it.constant(0))
    if not is_fresh(it, args[0]):
        return _call(it, library.enumerate_items, [args[0], start])
    make = _parts(it, args[:1])
    return make_cursor(
        it, lambda taken: iteration.enumerated(it, make(taken)[0], start)
    )


@handles(reversed)
def _reversed(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    if iterator_of(args[0]) is not None:
        raise it.fail(
            TypeMismatch,
            "an iterator is not reversible",
            "make a list of it: reversed(list(…))",
            python=TypeError,
        )
    return make_cursor(it, iteration.backwards_lazily(it, args[0]))


@handles(map)
def _map(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    from anadrome.frontend.calls.calls import call

    function, *over = args
    if not over:
        raise it.fail(
            TypeMismatch,
            "'map' needs something to run over",
            "give it a list after the function",
            python=TypeError,
        )
    if not are_fresh(it, over):
        return _call(it, library.map_items, args)
    make = _parts(it, over)
    return make_cursor(
        it,
        lambda taken: iteration.mapped(
            it, make(taken), lambda v: call(it, function, v, {})
        ),
    )


@handles(filter)
def _filter(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    test, items = args
    if isinstance(test, Constant) and test.value is None:
        return _call(it, library.filter_true, [items])
    return _call(it, library.filter_items, args)


def each(it: Interpreter, over: Iteration, visit: Callable[[Node], Any]) -> None:
    """Run over items, in a loop or one by one."""
    if over.size is not None:
        for k in range(over.size):
            visit(over.now(k))
        return
    assert over.bounds is not None

    def body(index: Node | None) -> None:
        assert index is not None
        assert over.item is not None
        visit(over.item(index))

    run_loop(it, Loop(over.bounds, None, body, [], it.frame_live()))


def accumulate(
    it: Interpreter, over: Iteration, start: Node, step: Callable[[Node, Node], Node]
) -> Node:
    """A value carried over items: `for item in over: value = step(value, item)`."""
    # One may be within another, in the same scope.
    count = sum(str(name).startswith("%accumulated") for _, name in it.env)
    key = (it.frame.scope, f"%accumulated{count}")
    it.env[key] = start
    if over.size is not None:
        for k in range(over.size):
            it.env[key] = step(it.env[key], over.now(k))
        return it.env.pop(key)
    assert over.bounds is not None

    def body(index: Node | None) -> None:
        assert index is not None
        assert over.item is not None
        it.env[key] = step(it.env[key], over.item(index))

    run_loop(it, Loop(over.bounds, None, body, [key], it.frame_live()))
    return it.env.pop(key)


@handles(sum)
def _sum(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    from anadrome.frontend.syntax.expressions import binary

    start = args[1] if len(args) > 1 else keywords.get("start", it.constant(0))
    known = it.known_items.get(args[0])
    if known and any(has_own(deref(v.type), "__add__") for v in known):
        # The number to start from is of another type than the sums.
        over = Iteration(items=known)
    else:
        over = iterate(it, args[0])
    return accumulate(it, over, start, lambda s, v: binary(it, operator.add, s, v))


def _extreme(function: Any, beats: Any) -> Handler:
    def run(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
        from anadrome.frontend.calls.calls import call
        from anadrome.frontend.syntax.expressions import binary, choose, truth

        if not args:
            raise it.fail(
                TypeMismatch,
                f"{function.__name__} expected at least 1 argument, got 0",
                "give it a list, or two values",
                python=TypeError,
            )
        if len(args) == 1:
            items = sequences.known(it, args[0])
            if items is None:
                found = sequences.as_list(it, args[0])
                items = sequences.known(it, found)
                over = None if items is not None else iterate(it, found)
            else:
                over = None
        else:
            items, over = list(args), None
        key = keywords.get("key")

        if isinstance(key, Constant) and key.value is None:
            key = None

        def ranked(v: Node) -> Node:
            # The key of an item is asked for once, as it may do more than answer.
            return v if key is None else make_tuple(it, [call(it, key, [v], {}), v])

        def rank(v: Node) -> Node:
            return v if key is None else take_part(it, v, 0)

        def better(best: Node, v: Node) -> Node:
            new = ranked(v)
            test = truth(it, binary(it, beats, rank(new), rank(best)))
            if isinstance(test, Constant):
                return new if test.value else best
            return choose(it, test, lambda: new, lambda: best)

        def without_rank(best: Node) -> Node:
            return best if key is None else take_part(it, best, 1)

        default = keywords.get("default")
        if items is not None:
            if not items:
                if default is not None:
                    return default
                raise it.fail(
                    TypeMismatch,
                    f"{function.__name__}() of nothing",
                    "pass default=…, or test that there is something",
                    python=ValueError,
                )
            if all(is_known(i) for i in items) and key is None:
                values = [static_value(i) for i in items]
                return it.constant(it.by_python(function, values))
            best = ranked(items[0])
            for v in items[1:]:
                best = better(best, v)
            return without_rank(best)
        assert over is not None
        length = over.length(it)

        def best_of_all() -> Node:
            assert over is not None
            first = ranked(over.at(it, it.constant(0)))
            bounds = (it.constant(1), length, it.constant(1))
            rest = Iteration(bounds, lambda i: over.at(it, i))
            return without_rank(accumulate(it, rest, first, better))

        if default is None:
            given = length, it.constant(function.__name__)
            it.emit(check_some, given, NONE, target=check_some.impl)
            return best_of_all()
        none = truth(it, binary(it, operator.eq, length, it.constant(0)))
        if isinstance(none, Constant):
            return default if none.value else best_of_all()
        return choose(it, none, lambda: default, best_of_all)

    return run


FUNCTIONS[max] = _extreme(max, operator.gt)
FUNCTIONS[min] = _extreme(min, operator.lt)


def _quantifier(stop_at: bool) -> Handler:
    def run(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
        from anadrome.frontend.calls.calls import call
        from anadrome.frontend.syntax.expressions import choose

        def step(found: Node, v: Node) -> Node:
            test = call(it, it.constant(bool), [v], {})
            if isinstance(found, Constant):
                return found if bool(found.value) is stop_at else test
            yes, no = (lambda: found), (lambda: test)
            return choose(it, found, yes if stop_at else no, no if stop_at else yes)

        if iterator_of(args[0]) is not None:
            # It is asked for no more items than decide.
            return _call(it, library.any_item if stop_at else library.all_items, args)
        over = iterate(it, args[0])
        return accumulate(it, over, it.constant(not stop_at), step)

    return run


FUNCTIONS[any] = _quantifier(True)
FUNCTIONS[all] = _quantifier(False)


@handles(sorted)
def _sorted(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    from anadrome.frontend.calls.calls import call

    if is_known(args[0]) and all(is_known(k) for k in keywords.values()):
        try:
            found = sorted(
                static_value(args[0]),
                **{k: static_value(v) for k, v in keywords.items()},
            )
            return sequences.make_list(it, [it.constant(v) for v in found])
        except Exception:
            pass
    key = keywords.get("key")
    reverse = keywords.get("reverse", it.constant(False))
    if isinstance(deref(args[0].type), Dict):
        constants = iterate(it, args[0]).items
    else:
        constants = sequences.known(it, args[0])
    if constants and key is None and all(map(is_known, (*constants, reverse))):
        with contextlib.suppress(Exception):
            values = [static_value(c) for c in constants]
            order = sorting_order(values, bool(static_value(reverse)))
            return sequences.make_list(it, [constants[k] for k in order])
    ranks = items = sequences.as_list(it, args[0])
    if key is not None and not (isinstance(key, Constant) and key.value is None):
        over = iterate(it, items)
        mapped = iteration.mapped(it, [over], lambda v: call(it, key, v, {}))
        ranks = sequences.from_iteration(it, mapped)
    ranking = it.emit(
        ops.OBSERVE, (it.constant(sorting_order), ranks, reverse), List(INT)
    )
    over = iterate(it, ranking)
    return sequences._loop_list(it, over, lambda i: item_reads.get_item(it, items, i))


def sorting_order(ranks: list[Any], reverse: bool) -> list[int]:
    """The positions of a list's items in sorted order."""
    return builtins.sorted(range(len(ranks)), key=ranks.__getitem__, reverse=reverse)


def _heap(original: Any) -> Handler:
    """A function of `heapq` on a list of what can be compared here."""

    def run(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
        from anadrome.frontend.calls.opaque import call_opaque

        heap = strip_optional(args[0].type) if args else ANY
        items = [a.type for a in args[1:]]
        if isinstance(heap, List):
            items.append(heap.item)
            if isinstance(heap.item, NeverType) and original is heapq.heappush:
                # Nobody knows what it holds; this is the first.
                items.pop()
        plain = isinstance(heap, List) and all(map(_is_ordered, items))
        if not plain or keywords:
            return call_opaque(it, original, args, keywords)
        return _call(it, heaps.REPLACED[original], args)

    return run


def _is_ordered(t: Type) -> bool:
    """Whether it is known how values of a type are compared."""
    t = deref(t)
    if isinstance(t, Tuple | List | VarTuple):
        return all(map(_is_ordered, parts(t)))
    return isinstance(t, Object | Str) or (isinstance(t, Num) and t.scalar)


for _original in heaps.REPLACED:
    FUNCTIONS[_original] = _heap(_original)


@handles(functools.reduce)
def _reduce(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    from anadrome.frontend.calls.calls import call

    over = iterate(it, args[1])

    def step(total: Node, v: Node) -> Node:
        return call(it, args[0], [total, v], {})

    if len(args) > 2:
        return accumulate(it, over, args[2], step)
    if over.size:
        rest = Iteration.lazily(over.size - 1, lambda k: over.now(k + 1)).over(over)
        return accumulate(it, rest, over.now(0), step)
    if over.size == 0:
        raise it.fail(
            TypeMismatch,
            "reduce() of empty iterable with no initial value",
            "give it a value to begin with",
            python=TypeError,
        )
    first = over.at(it, it.constant(0))
    rest = Iteration(
        (it.constant(1), over.length(it), it.constant(1)), lambda i: over.at(it, i)
    )
    return accumulate(it, rest, first, step)


@handles(functools.partial)
def _partial(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    return it.constant(Partial(args[0], tuple(args[1:]), dict(keywords.items())))


@handles(library.named_as)
def _named_as(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    return it.constant(Partial(args[0], (), {}, wrapped=args[1]))


@handles(itertools.product)
def _product(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    parts = [iterate(it, a) for a in args]
    repeat = keywords.get("repeat")
    if repeat is not None:
        parts *= static_value(repeat)
    if all(p.items is not None for p in parts):
        rows = [list(r) for r in itertools.product(*(p.items or [] for p in parts))]
        over = Iteration.lazily(len(rows), lambda k: make_tuple(it, rows[k]))
        return make_cursor(it, lambda taken: over)
    out = sequences.make_list(it, [])

    def nest(k: int, row: list[Node]) -> None:
        if k == len(parts):
            item_writes.append(it, out, make_tuple(it, row))
        else:
            each(it, parts[k], lambda v: nest(k + 1, [*row, v]))

    nest(0, [])
    return as_iterator(it, out)


@handles(itertools.count)
def _count(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    from anadrome.frontend.syntax.expressions import binary

    start = args[0] if args else keywords.get("start", it.constant(0))
    step = args[1] if len(args) > 1 else keywords.get("step", it.constant(1))

    def item(k: Node) -> Node:
        moved = (
            k if iteration.is_constant(step, 1) else binary(it, operator.mul, k, step)
        )
        if iteration.is_constant(start, 0):
            return moved
        return binary(it, operator.add, start, moved)

    return make_cursor(it, lambda taken: endless(it, item))


@handles(itertools.repeat)
def _repeat(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    item = args[0]
    times = args[1] if len(args) > 1 else keywords.get("times")
    if times is None:
        return make_cursor(it, lambda taken: endless(it, lambda k: item))
    return make_cursor(it, lambda taken: iteration.counted(it, times, lambda k: item))


@handles(library.at_end)
def _at_end(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    from anadrome.frontend.syntax.generators import advance

    return advance(it, _known_iterator(it, args[0]))


@handles(library.item_of)
def _item_of(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    from anadrome.frontend.syntax.generators import take

    return take(it, _known_iterator(it, args[0]))


def _known_iterator(it: Interpreter, node: Node) -> Any:
    """The iterator that a node is, if that is known here."""
    iterator = iterator_of(node)
    if iterator is None:
        raise it.fail(
            UnsupportedSyntax,
            "an iterator that a loop goes on with is not known here",
            "make a list of it before the loop, or run over it in one loop",
        )
    return iterator


@handles(next)
def _next(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    from anadrome.frontend.syntax.expressions import choose
    from anadrome.frontend.syntax.generators import advance, take
    from anadrome.frontend.values.own_iterators import next_of

    iterator = iterator_of(args[0])
    if iterator is None:
        if has_own(deref(args[0].type), "__next__"):
            return next_of(it, args)
        raise it.fail(
            TypeMismatch,
            "'next' is given something that is not an iterator",
            "make it one with iter(…)",
            python=TypeError,
            given=args[0],
        )
    default = args[1] if len(args) > 1 else None
    ended = advance(it, iterator)
    if default is None:
        return taken(it, iterator, ended)
    if isinstance(ended, Constant):
        return default if ended.value else take(it, iterator)

    def at_end() -> Node:
        if isinstance(iterator, Cursor):
            finish(it, iterator)
        return default

    return choose(it, ended, at_end, lambda: take(it, iterator))


_STOPPED = "generator raised StopIteration"


def taken(it: Interpreter, iterator: Cursor | Generator, ended: Node) -> Node:
    """The next item of an iterator, or StopIteration if it is at its end."""
    from anadrome.frontend.syntax.branches import branch
    from anadrome.frontend.syntax.exceptions import exception_type
    from anadrome.frontend.syntax.exits import ends_generator
    from anadrome.frontend.syntax.generators import returned, take
    from anadrome.frontend.syntax.interrupted import Tried

    inside = ends_generator(it)

    def stop() -> None:
        if isinstance(iterator, Cursor):
            finish(it, iterator)
        cls: type[Exception] = RuntimeError if inside else StopIteration
        message = [it.constant(_STOPPED)]
        given = message if inside else returned(it, iterator)
        kind = exception_type(cls, given)
        plain = None if given else True
        error = it.emit(ops.PYCALL, (it.constant(cls), *given), kind, target=plain)
        it.emit(ops.RAISE, (error,), NEVER)

    if isinstance(ended, Constant) and ended.value:
        error = it.fail(
            TypeMismatch,
            "'next' of an iterator that has no more items",
            "test before, or give a default: next(iterator, None)",
            python=RuntimeError if inside else StopIteration,
        )
        if not inside:
            error.python_args = tuple(returned(it, iterator))
        raise error
    if not isinstance(ended, Constant):
        branch(it, ended, stop, lambda: None, it.frame_live())
        if isinstance(iterator, Cursor) and isinstance(it.graph, Tried):
            it.graph.when_raised(iterator.position, it.constant(-1))
    return take(it, iterator)
