"""Branches: both sides of a choice, and the joining of variables after them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from anadrome.errors import AnadromeError, UnsupportedSyntax
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.syntax.deferred import is_deferrable, refuse_when_reached
from anadrome.frontend.syntax.exits import done_key, stop_key
from anadrome.frontend.syntax.interrupted import note_end
from anadrome.frontend.syntax.liveness import liveness_of
from anadrome.frontend.values.bindings import (
    binding,
    flag_key,
    is_false,
    is_flag_key,
    is_true,
    may_be_unbound,
)
from anadrome.frontend.values.compile_time import Key, Virtual
from anadrome.frontend.values.functions import (
    apart_or_none,
    build_choice,
    is_function,
    number_of,
)
from anadrome.frontend.values.iterators import (
    is_position,
    iterator_of,
    unknown_iterator,
)
from anadrome.frontend.values.tuples import make_tuple, take
from anadrome.frontend.values.variables import (
    alive,
    celled_name,
    differing_dicts,
    existed,
    is_hidden,
    label_of,
    same_constant,
)
from anadrome.ir import operations as ops
from anadrome.ir.graph import UNDEFINED, Apply, Constant, Graph, Node
from anadrome.ir.joins import generalise_dict, join, join_paths, may_be_list
from anadrome.ir.types import BOOL, NEVER, Dict, Function, NeverType, Num, Tuple, deref

Step = Callable[[], Any]


def branch(
    it: Interpreter,
    test: Node,
    then: Step,
    other: Step,
    live: frozenset[str],
    finish: Callable[[Any], frozenset[str]] | None = None,
    leaves: bool = False,
) -> None:
    """Read both sides of a choice and join what they assign.

    `finish` may go on writing into one of the two sides before they are joined, and
    says which names may be read after that.
    `leaves`: the sides are statements, and a refusal ends them.
    """
    before, items = it.env, it.known_items
    sides = []
    refused: AnadromeError | None = None
    for name, step in (("then", then), ("else", other)):
        side = Side(it.new_region(name), dict(before), dict(items))
        for key, value in before.items():
            if value is test and is_hidden(key):
                side.env[key] = it.constant(name == "then")
            elif is_flag_key(key) and _negates(value, test):
                side.env[key] = it.constant(name != "then")
        try:
            side.run(it, lambda step=step: until_raised(it, step))  # type: ignore[misc]
        except AnadromeError as error:
            if refused is not None:
                raise refused from None
            if not is_deferrable(it, error):
                raise
            refused = error
            side.env, side.items = dict(before), dict(items)
            side.run(it, lambda e=error: refuse_when_reached(it, e, leaves))  # type: ignore[misc]
        sides.append(side)
    if finish is not None:
        live = finish(sides)
    node = Apply(ops.IF, (it.concrete(test),), NEVER, span=it.span)
    node.comment = it.comment
    node.regions = (sides[0].graph, sides[1].graph)
    it.env = before
    join_sides(it, node, sides[0], sides[1], live)


def _negates(value: Node, test: Node) -> bool:
    return isinstance(value, Apply) and value.op is ops.NOT and value.args[0] is test


def until_raised(it: Interpreter, step: Step) -> None:
    """Read one side, as far as it gets if it always raises."""
    from anadrome.frontend.syntax.exceptions import error_of

    graph = it.graph
    try:
        step()
    except AnadromeError as error:
        if error.python is None or error.graph is not graph:
            raise
        if not error.written:
            # The expression around goes on being read: this is no jump.
            it.emit(ops.RAISE, (error_of(it, error),), NEVER)


def join_sides(
    it: Interpreter, node: Apply, a: Side, b: Side, live: frozenset[str]
) -> None:
    """Write down a branch whose two sides were read from the state at hand."""
    _Join(it, node, a, b, live, it.env).run()
    it.known_items = {k: v for k, v in a.items.items() if b.items.get(k) is v}
    note_end(it)


class Side:
    """One side of a branch: its region and the state at its end."""

    def __init__(
        self, graph: Graph, env: dict[Key, Node], items: dict[Node, list[Node]]
    ) -> None:
        self.graph = graph
        self.env = env
        self.items = items
        # Whether it always raises, and nobody here catches it.
        self.dead = False

    def run(self, it: Interpreter, step: Step) -> Any:
        """Read more into this side."""
        it.env, it.known_items = self.env, self.items
        try:
            with it.region(self.graph):
                return step()
        finally:
            self.env, self.items = it.env, it.known_items


class _Join:
    """The joining of the variables of two sides."""

    def __init__(
        self,
        it: Interpreter,
        node: Apply,
        a: Side,
        b: Side,
        live: frozenset[str],
        before: dict[Key, Node],
    ) -> None:
        self.it, self.node, self.a, self.b = it, node, a, b
        self.live, self.before = live, before
        self.made: dict[tuple[int, int], Node | None] = {}

    def run(self) -> None:
        self._materialise_in_both()
        plans = self._plan_all()
        while self._materialise_in_both():
            # An object that existed before came to be on one side only.
            for region in self.node.regions:
                region.results.clear()
            self.node.outputs.clear()
            self.made.clear()
            plans = self._plan_all()
        it = self.it
        it.graph.append(self.node)
        # Functions bring variables of their own along: what they captured.
        # What is written down meanwhile sees the variables as they were.
        before = it.env
        it.env = dict(before)
        built = {k: self._build(p) for k, p in plans.items()}
        own = {k: v for k, v in it.env.items() if before.get(k) is not v}
        it.env = {**built, **own}

    def _plan_all(self) -> dict[Key, Any]:
        plans: dict[Key, Any] = {}
        for key in {**self.a.env, **self.b.env}:
            if is_flag_key(key):
                continue
            x = self.a.env.get(key, UNDEFINED)
            y = self.b.env.get(key, UNDEFINED)
            if x is y:
                plans[key] = x
            elif alive(self.it, key, self.live, self.before):
                if is_position(key) and UNDEFINED in (x, y):
                    # Where it is not known on one path it is not known afterwards.
                    if self.a.dead or self.b.dead:
                        plans[key] = y if self.a.dead else x
                    elif self._leaves(self.a if x is UNDEFINED else self.b):
                        plans[key] = y if x is UNDEFINED else x
                        self.it.lost.add(key)
                    continue
                known = None
                if may_be_unbound(key):
                    known = self._known_where_bound(x, y)
                plans[key] = known or self._plan(x, y, key[1])
            if key in plans and may_be_unbound(key):
                self._plan_flag(plans, key, x is y)
        return plans

    def _leaves(self, side: Side) -> bool:
        """Whether a side leaves the loop around it, or the function."""
        it = self.it
        keys = (stop_key(it, level) for level in range(1, len(it.frame.levels) + 1))
        return any(is_true(side.env.get(k) or UNDEFINED) for k in (done_key(it), *keys))

    def _known_where_bound(self, x: Node, y: Node) -> Node | None:
        """What a name is on the only side that binds it, if that needs no joining."""
        for side, one, other in ((self.a, x, y), (self.b, y, x)):
            if one is UNDEFINED or side.dead:
                if isinstance(other, Constant) and one is UNDEFINED:
                    return other
                if isinstance(other, Virtual) and existed(other, self.before):
                    return other
        return None

    def _plan_flag(self, plans: dict[Key, Any], key: Key, same: bool) -> None:
        """Whether a name is bound after the branch, if that depends on the path."""
        flags = [self._binding(side, key) for side in (self.a, self.b)]
        if all(map(is_true, flags)):
            return
        flag = flag_key(key)
        if same and all(self._only_reads(side, key) for side in (self.a, self.b)):
            plans[flag] = self.before[flag]
        elif is_false(flags[0]) and is_true(flags[1]) and is_bool(self.node):
            plans[flag] = _NEGATED
        else:
            plans[flag] = self._plan(flags[0], flags[1], None)

    def _only_reads(self, side: Side, key: Key) -> bool:
        """Whether a side only knows more about the flag that a name had before it."""
        flag = flag_key(key)
        old, new = self.before.get(flag), side.env.get(flag)
        known = new is old or (new is not None and is_true(new))
        return old is not None and (known or self._is_left(side, key))

    def _is_left(self, side: Side, key: Key) -> bool:
        """Whether nobody reads a name after this side."""
        it, (owner, name) = self.it, key
        if side.dead:
            return True
        if not it.frames or owner is not it.frame.scope or it.frame.finals:
            return False
        done = is_true(side.env.get((owner, "%done")) or UNDEFINED)
        return done and name not in liveness_of(it.frame.source.node).captured

    def _binding(self, side: Side, key: Key) -> Node:
        """Whether a name is bound at the end of a side, or nobody reads it then."""
        if self._is_left(side, key):
            return self.it.constant(True)
        return binding(self.it, side.env, key)

    def _materialise_in_both(self) -> bool:
        """An object that escapes on one side must exist on the other as well.

        Whether there was one.
        """
        found = False
        for one, other in ((self.a, self.b), (self.b, self.a)):
            for owner, name in list(one.env):
                if name == "%heap" and (owner, name) not in other.env:
                    if not other.dead and existed(owner, self.before):
                        v, found = owner, True
                        other.run(self.it, lambda v=v: self.it.materialise(v))  # type: ignore[misc]

        for owner in differing_dicts(self.a.env, self.b.env, self.before):
            found = True
            for side in (self.a, self.b):
                side.run(self.it, lambda v=owner: self.it.materialise(v))  # type: ignore[misc]
            kind = deref(owner.type)
            assert isinstance(kind, Dict)
            generalise_dict(kind)
        for one, other in ((self.a, self.b), (self.b, self.a)):
            for owner, name in list(one.env):
                plain = celled_name((owner, name))
                if plain is not None and (owner, plain) in other.env:
                    key, found = (owner, plain), True
                    other.run(self.it, lambda key=key: self.it.make_cell(key))  # type: ignore[misc]
        return found

    def _plan(self, x: Node, y: Node, name: str | None) -> Any:
        if x is y or same_constant(x, y):
            return x
        if is_true_and_false(x, y) and is_bool(self.node):
            return self.node.args[0]
        if isinstance(x, Virtual):
            x = self._concrete(self.a, x)
        if isinstance(y, Virtual):
            y = self._concrete(self.b, y)
        if x is y:
            return x
        s, t = deref(x.type), deref(y.type)
        if name == "%return":
            # What is not returned yet is not read: its parts are missing one by one.
            s, t = (t if x is UNDEFINED else s), (s if y is UNDEFINED else t)
        if isinstance(s, Tuple) and isinstance(t, Tuple) and s.cls is t.cls:
            if len(s.items) == len(t.items):
                name = name if name == "%return" else None
                items = []
                for i in range(len(s.items)):
                    u = self.a.run(self.it, lambda x=x, i=i: take(self.it, x, i))  # type: ignore[misc]
                    v = self.b.run(self.it, lambda y=y, i=i: take(self.it, y, i))  # type: ignore[misc]
                    items.append(self._plan(u, v, name))
                return ("tuple", s.cls, items, may_be_list(s) or may_be_list(t))
        s, t = deref(x.type), deref(y.type)
        seen = self.made.get((id(x), id(y)))
        if seen is not None:
            return seen
        if iterator_of(x) is not None or iterator_of(y) is not None:
            if isinstance(t, NeverType) or isinstance(s, NeverType):
                return y if isinstance(s, NeverType) else x
            if iterator_of(x) is None or iterator_of(y) is None:
                raise refuse_function(self.it)
            return unknown_iterator()
        if is_function(x) or is_function(y):
            return self._plan_function(x, y)
        if isinstance(s, Function) or isinstance(t, Function):
            raise refuse_function(self.it)
        # What a rule computes on one path is meant to have the type of the other.
        rough = self.it.in_rule or _is_neutral(x, y)
        merged = join(s, t) if rough else join_paths(s, t)
        self.node.regions[0].results.append(x)
        self.node.regions[1].results.append(y)
        label = None if name is None else label_of((None, name))
        out = self.node.add_output(merged, label or x.name or y.name)
        self.made[(id(x), id(y))] = out
        return out

    def _plan_function(self, x: Node, y: Node) -> Any:
        """Functions: their captured values are joined, a number tells them apart."""
        for one, other in ((x, y), (y, x)):
            if isinstance(deref(one.type), NeverType):
                return other
        sides = ((self.a, x), (self.b, y))
        found = []
        for side, node in sides:
            if not is_function(node) and not same_constant(node, Constant(None, NEVER)):
                raise refuse_function(self.it)
            found.append(side.run(self.it, lambda n=node: apart_or_none(self.it, n)))  # type: ignore[misc]
        options: dict[Any, tuple[Any, list[list[Node]]]] = {}
        for k, (_, parts) in enumerate(found):
            for code, captured in parts:
                _, pair = options.setdefault(
                    code.key, (code, [[UNDEFINED] * code.size] * 2)
                )
                pair = list(pair)
                pair[k] = captured
                options[code.key] = (code, pair)
        tags = [
            tag
            if tag is not None
            else self.it.constant(number_of(self.it, parts[0][0]))
            for tag, parts in found
        ]
        tag = self._plan(tags[0], tags[1], None) if len(options) > 1 else None
        planned = [
            (code, [self._plan(u, v, None) for u, v in zip(*pair)])
            for code, pair in options.values()
        ]
        return _Choice(tag, planned)

    def _concrete(self, side: Side, node: Node) -> Node:
        found: Node = side.run(self.it, lambda: self.it.concrete(node))
        return found

    def _build(self, plan: Any) -> Node:
        if plan is _NEGATED:
            return self.it.emit(ops.NOT, (self.node.args[0],), BOOL)
        if isinstance(plan, _Choice):
            tag = None if plan.tag is None else self._build(plan.tag)
            return build_choice(
                self.it,
                tag,
                [
                    (code, [self._build(p) for p in leaves])
                    for code, leaves in plan.options
                ],
            )
        if isinstance(plan, tuple):
            _, cls, items, listed = plan
            return make_tuple(self.it, [self._build(p) for p in items], cls, listed)
        found: Node = plan
        return found


def _is_neutral(x: Node, y: Node) -> bool:
    """Whether one is a 0 or 1 of Python's and the other a number of low precision.

    Then it counts as a number of that type: `v if v > 0 else 0.0` of a float32.
    """
    for one, other in ((x, y), (y, x)):
        t = deref(other.type)
        if isinstance(one, Constant) and isinstance(one.value, int | float):
            if isinstance(t, Num) and t.scalar and one.value in (0, 1):
                return True
    return False


def is_true_and_false(x: Node, y: Node) -> bool:
    """Whether two nodes are the constants True and False."""
    return (
        isinstance(x, Constant)
        and isinstance(y, Constant)
        and x.value is True
        and y.value is False
    )


def is_bool(node: Apply) -> bool:
    """Whether the condition of a branch is a plain `bool`."""
    if node.op is not ops.IF:
        return False
    t = deref(node.args[0].type)
    return isinstance(t, Num) and t.python and t.dtype == np.dtype(bool) and t.ndim == 0


# The flag of a name that is bound where the condition of a branch does not hold.
_NEGATED = object()


@dataclass(frozen=True)
class _Choice:
    """How to build a function after a branch."""

    tag: Any
    options: list[tuple[Any, list[Any]]]


def refuse_function(it: Interpreter) -> Exception:
    """The error for a value that is a function on one path only."""
    return it.fail(
        UnsupportedSyntax,
        "this is a function or an iterator on one path and another kind of value on "
        "the other",
        "give the variable a function, or None, on every path",
    )
