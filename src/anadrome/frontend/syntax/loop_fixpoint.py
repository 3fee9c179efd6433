"""Loops: regions read until the types of the variables they carry converge."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from anadrome.errors import TypeMismatch
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.syntax.interrupted import note_end
from anadrome.frontend.values.bindings import (
    binding,
    flag_key,
    is_bound,
    is_flag_key,
    is_true,
    may_be_unbound,
)
from anadrome.frontend.values.compile_time import Key, Scope, Virtual
from anadrome.frontend.values.functions import join_types, same_types, value_type
from anadrome.frontend.values.iterators import is_position
from anadrome.frontend.values.tuples import ABSENT, flatten, leaves, rebuild
from anadrome.frontend.values.type_structure import shape_of
from anadrome.frontend.values.variables import (
    alive,
    celled_name,
    differing_dicts,
    existed,
    is_active,
    is_hidden,
    label_of,
    same_constant,
)
from anadrome.ir import operations as ops
from anadrome.ir.graph import UNDEFINED, Constant, Graph, Node, walk
from anadrome.ir.types import (
    BOOL,
    INT,
    NEVER,
    List,
    Num,
    Type,
    deref,
)


@dataclass
class Loop:
    """A loop as the reader sees it before it is written down."""

    bounds: tuple[Node, Node, Node] | None
    """start, stop and step, or None for a `while`."""
    condition: Callable[[], Node] | None
    body: Callable[[Node | None], None]
    """Reads the body, given the index of a counted loop."""
    carried: list[Key]
    live: frozenset[str]
    stop: Key | None = None
    """The flag that a `break` sets."""
    keep: Callable[[], Node] | None = None
    """A value of each iteration to keep in a list: what a comprehension makes."""
    index_name: str | None = None
    peeled: int = 0
    """How many iterations were written before it."""


_PEELED = 4
"""Where so many first iterations settle no types, those of another may change too."""


def run_loop(it: Interpreter, loop: Loop) -> Node | None:
    """Write a loop down; returns the list that it kept, if any."""
    if _never_iterates(loop):
        if loop.stop is not None:
            it.env[loop.stop] = it.constant(False)
        return None if loop.keep is None else it.emit(ops.LIST, (), List(NEVER))
    carried: dict[Key, Type] = {}
    for key in loop.carried:
        if it.cell_of(*key) is not None:
            continue
        initial = it.env.get(key)
        if isinstance(initial, Virtual):
            it.materialise(initial)
        carried[key] = value_type(it, it.env[key]) if key in it.env else NEVER
    dirty: set[Node] = set()
    # The carried names that may be unbound: their flags are carried as well.
    flagged: dict[Key, None] = {}
    # Iterators of which is not known how far they have come after an iteration.
    lost: set[Key] = set()
    for _ in range(25):
        for key in carried:
            if may_be_unbound(key) and not is_bound(it, it.env, key):
                flagged[key] = None
        attempt = _Attempt(it, loop, carried, dirty, flagged, lost)
        shapes = _shapes(it, carried)
        escaped = attempt.run()
        celled = [
            (k[0], n)
            for k in attempt.after
            if (n := celled_name(k)) is not None and (k[0], n) in it.env
        ]
        for key in celled:
            it.make_cell(key)
            carried.pop(key, None)
            flagged.pop(key, None)
        if escaped:
            for virtual in escaped:
                it.materialise(virtual)
            for key in list(carried):
                if isinstance(key[0], Virtual) and key[0] in escaped:
                    del carried[key]
                    flagged.pop(key, None)
            continue
        if celled:
            continue
        if attempt.grows and (rest := _peel_first(it, loop)) is not None:
            return run_loop(it, rest)
        converged = shapes == _shapes(it, carried)
        if attempt.stable and converged:
            return attempt.write()
        carried, dirty = attempt.wider, attempt.dirty
    raise it.fail(
        TypeMismatch,
        "the types of the loop's variables keep changing",
        "give each variable one type before the loop, such as np.zeros(n)",
    )


def _shapes(it: Interpreter, carried: dict[Key, Type]) -> list[object]:
    """What objects are made of, those that only an iteration has made among them."""
    types = (*(v.type for v in it.env.values()), *carried.values())
    return [shape_of(t) for t in types]


def _peel_first(it: Interpreter, loop: Loop) -> Loop | None:
    """What is left of a loop whose first iteration was peeled; None if it was not.

    total = 0.0                      total = 0.0 + rows[0]
    for i in range(len(rows)):   →   for i in range(1, len(rows)):
        total = total + rows[i]          total = total + rows[i]

    So a number that becomes an array is one from the start of the loop that is left.
    That there is a first iteration is asserted, where a program can deoptimise.
    """
    from anadrome.frontend.syntax.exits import innermost_try
    from anadrome.frontend.syntax.expressions import numeric

    if it.prepare is None or innermost_try(it) is not None:
        return None
    if loop.stop is not None or loop.keep is not None or loop.peeled == _PEELED:
        return None
    if loop.bounds is None:
        assert loop.condition is not None
        test = it.concrete(loop.condition())
    else:
        start, stop, step = loop.bounds
        found = iterates(it, loop)
        if found is None:
            return None
        test = found
    if isinstance(test, Constant) and not test.value:
        return None
    if not isinstance(test, Constant):
        why = it.constant("a loop that was taken to iterate does not")
        it.emit(ops.ASSERT, (test, why), NEVER)
        it.prepare.changed = True
    if loop.bounds is None:
        loop.body(None)
        return replace(loop, peeled=loop.peeled + 1)
    loop.body(start)
    bounds = numeric(it, operator.add, start, step), stop, step
    return replace(loop, bounds=bounds, peeled=loop.peeled + 1)


class ConditionWithEffects(Exception):
    """Thrown where the condition of a loop changes a variable or an object."""


def _has_effects(condition: Graph) -> bool:
    return any(
        n.op is ops.CALL or (isinstance(n.op, ops.Op) and n.op.writes)
        for n in walk(condition)
    )


class _Attempt:
    """One reading of a loop's body under assumed types of its variables."""

    def __init__(
        self,
        it: Interpreter,
        loop: Loop,
        carried: dict[Key, Type],
        dirty: set[Node],
        flagged: dict[Key, None],
        lost: set[Key],
    ) -> None:
        self.it, self.loop, self.carried = it, loop, carried
        self.flagged, self.lost = flagged, lost
        self.dirty = set(dirty)
        self.stable = False
        # Whether a number becomes an array.
        self.grows = False
        self.wider = dict(carried)
        self.before = dict(it.env)
        self.items = dict(it.known_items)
        self.body = it.new_region("body")
        self.condition = it.new_region("condition")
        self.kept: Node | None = None
        self.flag: Node | None = None

    def _enter(self, graph: Graph) -> None:
        it = self.it
        it.env = dict(self.before)
        it.known_items = {k: v for k, v in self.items.items() if k not in self.dirty}
        for key, t in self.carried.items():
            label = label_of(key)
            leaf_types = leaves(t)
            given: list[Node] = [
                graph.add_parameter(
                    leaf, label if len(leaf_types) == 1 else None, it.span
                )
                for leaf in leaf_types
            ]
            it.env[key] = rebuild(it, t, given)
        for key in self.flagged:
            it.env[flag_key(key)] = graph.add_parameter(BOOL, None, it.span)
        for key in self.lost:
            it.env.pop(key, None)

    def run(self) -> list[Virtual]:
        """Read the body; the objects that escaped in it and must exist before."""
        it, loop = self.it, self.loop
        try:
            if loop.condition is not None:
                with it.region(self.condition):
                    self._enter(self.condition)
                    entered = dict(it.env)
                    test = it.concrete(loop.condition())
                    self.condition.results.append(test)
                    kept = {k: v for k, v in it.env.items() if k in entered}
                    if kept != entered or _has_effects(self.condition):
                        raise ConditionWithEffects
            with it.region(self.body):
                index = None
                if loop.bounds is not None:
                    index = self.body.add_parameter(INT, loop.index_name, it.span)
                self._enter(self.body)
                if loop.stop is not None:
                    it.env[loop.stop] = it.constant(False)
                loop.body(index)
                if loop.keep is not None:
                    self.kept = it.concrete(loop.keep())
                self.flag = it.env.get(loop.stop) if loop.stop else None
            return self._compare()
        finally:
            self.after = it.env
            it.env, it.known_items = self.before, self.items

    def _compare(self) -> list[Virtual]:
        it = self.it
        after = it.env
        escaped = [
            k[0]
            for k in after
            if k[1] == "%heap" and k not in self.before and existed(k[0], self.before)
        ]
        escaped += differing_dicts(self.before, after, self.before)
        if escaped:
            return escaped
        stable = self._lose_positions()
        for key, t in self.carried.items():
            result = after.get(key, UNDEFINED)
            if isinstance(result, Virtual):
                if (
                    existed(result, self.before)
                    and (result, "%heap") not in self.before
                ):
                    return [result]
                with it.region(self.body):
                    after[key] = result = it.concrete(result)
            initial = self.before.get(key)
            if isinstance(initial, Virtual) and (initial, "%heap") not in self.before:
                return [initial]
            found = self._type_after(result)
            self.grows |= _is_number(t) and _is_array(found)
            widened = found if _gives_way(initial, t, found) else join_types(t, found)
            if not same_types(widened, t) or _is_more_varied(widened, t):
                stable = False
            self.wider[key] = widened
        for key, value in after.items():
            if key in self.carried or key[1] in ("%heap",) or is_flag_key(key):
                continue
            old = self.before.get(key)
            if old is value or (old is not None and same_constant(old, value)):
                if not self._is_deleted(key):
                    continue
            if self.loop.stop == key:
                continue
            if old is None and not self._outlives(key):
                continue
            if old is not None and not alive(it, key, self.loop.live, self.before):
                continue
            initial = old if old is not None else UNDEFINED
            self.wider[key] = join_types(
                value_type(it, initial), self._type_after(value)
            )
            stable = False
        for key in self.wider:
            if may_be_unbound(key) and key not in self.flagged:
                if not is_bound(it, after, key):
                    self.flagged[key] = None
                    stable = False
        for node, known in self.items.items():
            if node not in self.dirty and it.known_items.get(node) is not known:
                self.dirty.add(node)
                stable = False
        self.stable = stable
        return []

    def _lose_positions(self) -> bool:
        """Forget how far iterators have come that an iteration has lost track of."""
        found = {k for k in self.before if is_position(k) and k not in self.it.env}
        fresh = found - self.lost
        self.lost |= fresh
        for key in fresh:
            self.carried.pop(key, None)
            self.wider.pop(key, None)
        return not fresh

    def _is_deleted(self, key: Key) -> bool:
        """Whether an iteration may unbind a name."""
        flag = self.it.env.get(flag_key(key)) if may_be_unbound(key) else None
        kept = flag is None or is_true(flag) or flag is self.before.get(flag_key(key))
        return not kept

    def _type_after(self, node: Node) -> Type:
        with self.it.region(self.body):
            return value_type(self.it, node)

    def _outlives(self, key: Key) -> bool:
        owner, _name = key
        if isinstance(owner, Virtual):
            return existed(owner, self.before)
        if is_hidden(key):
            return False
        live = isinstance(owner, Scope) and is_active(self.it, owner)
        if not live and not any(k[0] is owner for k in self.before):
            # Functions take what they captured in this iteration along with them.
            return False
        return alive(self.it, key, self.loop.live, self.before)

    def write(self) -> Node | None:
        """Put the loop into the graph and bind its results."""
        it, loop = self.it, self.loop
        args: list[Node] = []
        for key, t in self.carried.items():
            # A flag or a result that no iteration has set is nobody's variable.
            absent = ABSENT if is_hidden(key) else UNDEFINED
            args += flatten(it, self.before.get(key, absent), t)
            it.env = self.after
            with it.region(self.body):
                result = self.after.get(key, UNDEFINED)
                self.body.results += flatten(it, result, t)
            it.env = self.before
        for key in self.flagged:
            args.append(binding(it, self.before, key))
            self.body.results.append(binding(it, self.after, key))
        shape_args = len(args)
        if self.kept is not None:
            self.body.results.append(self.kept)
        breaks = self.flag is not None and not (
            isinstance(self.flag, Constant) and self.flag.value is False
        )
        if breaks:
            assert self.flag is not None
            self.body.results.append(self.flag)
        if loop.bounds is not None:
            node = it.emit(ops.FOR, (*loop.bounds, *args), NEVER, regions=(self.body,))
        else:
            node = it.emit(
                ops.WHILE, tuple(args), NEVER, regions=(self.condition, self.body)
            )
        node.shape = ops.LoopShape(
            carried=shape_args, kept=int(self.kept is not None), breaks=breaks
        )
        outputs: list[Node] = []
        for key, t in self.carried.items():
            label = label_of(key)
            kinds = leaves(t)
            for leaf in kinds:
                outputs.append(
                    node.add_output(leaf, label if len(kinds) == 1 else None)
                )
        flags = {key: node.add_output(BOOL) for key in self.flagged}
        kept = None
        if self.kept is not None:
            kept = node.add_output(List(self.kept.type))
        if breaks:
            stopped = node.add_output(BOOL)
            assert loop.stop is not None
            it.env[loop.stop] = stopped
        elif loop.stop is not None:
            it.env[loop.stop] = it.constant(False)
        ran = iterates(it, loop) if flags and loop.bounds is not None else None
        for key, flag in flags.items():
            it.env[flag_key(key)] = self._bound_after(key, flag, ran)
        for key, t in self.carried.items():
            it.env[key] = rebuild(it, t, outputs)
        for key in (*self.lost, *it.lost):
            it.env.pop(key, None)
        it.lost = set()
        it.known_items = {
            k: v for k, v in it.known_items.items() if k not in self.dirty
        }
        note_end(it)
        return kept

    def _bound_after(self, key: Key, flag: Node, ran: Node | None) -> Node:
        """Whether a name is bound after the loop: if it was, or if it iterated."""
        from anadrome.frontend.syntax.exits import either

        it = self.it
        if not is_bound(it, self.after, key):
            return flag
        if self.loop.bounds is None:
            always = all(map(is_true, self.condition.results))
            return it.constant(True) if always else flag
        return flag if ran is None else either(it, binding(it, self.before, key), ran)


def _never_iterates(loop: Loop) -> bool:
    """Whether a loop is known to have no iterations: `range(0)`."""
    if loop.bounds is None or not all(isinstance(b, Constant) for b in loop.bounds):
        return False
    bounds = [b.value for b in loop.bounds if isinstance(b, Constant)]
    if any(type(b) is not int for b in bounds) or bounds[2] == 0:
        return False
    return not range(*bounds)


def iterates(it: Interpreter, loop: Loop) -> Node | None:
    """Whether a counted loop has a first iteration; None if that is not known."""
    from anadrome.frontend.syntax.expressions import numeric

    assert loop.bounds is not None
    start, stop, step = loop.bounds
    if not isinstance(step, Constant) or type(step.value) is not int or not step.value:
        return None
    return numeric(it, operator.lt if step.value > 0 else operator.gt, start, stop)


def _is_number(t: Type) -> bool:
    t = deref(t)
    return isinstance(t, Num) and t.ndim == 0


def _is_array(t: Type) -> bool:
    t = deref(t)
    return isinstance(t, Num) and bool(t.ndim)


def _is_more_varied(a: Type, b: Type) -> bool:
    """Whether one number may be of other types on some path, and another may not."""
    a, b = deref(a), deref(b)
    return isinstance(a, Num) and isinstance(b, Num) and a.varied and not b.varied


def _gives_way(initial: Node | None, t: Type, found: Type) -> bool:
    """Whether a loop starts with an integer of Python's and goes on with NumPy's."""
    t, found = deref(t), deref(found)
    if not isinstance(initial, Constant) or type(initial.value) not in (bool, int):
        return False
    if not (isinstance(t, Num) and isinstance(found, Num) and t.python):
        return False
    if (
        found.python
        or found.ndim
        or found.dtype is None
        or found.dtype.kind not in "iu"
    ):
        return False
    bounds = np.iinfo(found.dtype)
    return bool(bounds.min <= initial.value <= bounds.max)
