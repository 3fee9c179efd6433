"""Branches and loops: regions of the graph, and the joining of variables after them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from anadrome.errors import AnadromeError, TypeMismatch, UnsupportedSyntax
from anadrome.frontend.functions import (
    apart_or_none,
    build_choice,
    is_function,
    join_types,
    number_of,
    same_types,
    value_type,
)
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.shapes import shape_of
from anadrome.frontend.tuples import ABSENT, flatten, leaves, make_tuple, rebuild, take
from anadrome.frontend.values import Key, Scope, Virtual
from anadrome.ir import operations as ops
from anadrome.ir.graph import UNDEFINED, Apply, Constant, Graph, Node, walk
from anadrome.ir.types import (
    BOOL,
    INT,
    NEVER,
    Dict,
    Function,
    List,
    NeverType,
    Num,
    Tuple,
    Type,
    deref,
    generalise_dict,
    join,
)

Step = Callable[[], Any]


def is_hidden(key: Key) -> bool:
    """Whether a variable is one of the reader's own, such as a flag."""
    return isinstance(key[1], str) and key[1].startswith("%")


def celled_name(key: Key) -> str | None:
    """The variable that a list holds because a recursive function assigns it."""
    if isinstance(key[1], str) and key[1].startswith("%cell "):
        return key[1].removeprefix("%cell ")
    return None


def label_of(key: Key) -> str | None:
    """What the user calls a variable, an attribute or a key."""
    return key[1] if isinstance(key[1], str) and not is_hidden(key) else None


def is_active(it: Interpreter, scope: Scope) -> bool:
    """Whether a scope belongs to a function that is being read."""
    for f in it.frames:
        s: Scope | None = f.scope
        while s is not None:
            if s is scope:
                return True
            s = s.parent if s.is_comprehension else None
    return False


def alive(
    it: Interpreter, key: Key, live: frozenset[str], before: dict[Key, Node]
) -> bool:
    """Whether a variable can be read after the region."""
    owner, name = key
    if isinstance(owner, Scope):
        if it.frames and owner is it.frame.scope:
            return name in live or is_hidden(key) or (owner.captured and key in before)
        return owner.captured or is_active(it, owner)
    return any(k[0] is owner for k in before)


def branch(
    it: Interpreter,
    test: Node,
    then: Step,
    other: Step,
    live: frozenset[str],
    finish: Callable[[Any], None] | None = None,
) -> None:
    """Read both sides of a choice and join what they assign.

    `finish` may go on writing into one of the two sides before they are joined.
    """
    before, items = it.env, it.known_items
    sides = []
    for name, step in (("then", then), ("else", other)):
        side = Side(it.new_region(name), dict(before), dict(items))
        for key, value in before.items():
            if value is test and is_hidden(key):
                side.env[key] = it.constant(name == "then")
        side.run(it, step)
        sides.append(side)
    if finish is not None:
        finish(sides)
    node = Apply(ops.IF, (it.concrete(test),), NEVER, span=it.span)
    node.comment = it.comment
    node.regions = (sides[0].graph, sides[1].graph)
    it.env = before
    join_sides(it, node, sides[0], sides[1], live)


def join_sides(
    it: Interpreter, node: Apply, a: Side, b: Side, live: frozenset[str]
) -> None:
    """Write down a branch whose two sides were read from the state at hand."""
    _Join(it, node, a, b, live, it.env).run()
    it.known_items = {k: v for k, v in a.items.items() if b.items.get(k) is v}


class Side:
    """One side of a branch: its region and the state at its end."""

    def __init__(
        self, graph: Graph, env: dict[Key, Node], items: dict[Node, list[Node]]
    ) -> None:
        self.graph = graph
        self.env = env
        self.items = items

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
        # Whether attributes are set that one of the sides has not set.
        self.presence: dict[Key, Any] = {}

    def run(self) -> None:
        self._materialise_in_both()
        plans = self._plan_all()
        while self._materialise_in_both():
            # An object that existed before came to be on one side only.
            for region in self.node.regions:
                region.results.clear()
            self.node.outputs.clear()
            self.made.clear()
            self.presence.clear()
            plans = self._plan_all()
        it = self.it
        it.graph.append(self.node)
        # Functions bring variables of their own along: what they captured.
        it.env = {}
        built = {k: self._build(p) for k, p in plans.items()}
        it.env = {**built, **it.env}
        for key, plan in self.presence.items():
            value = built[key]
            it.presence[id(value)] = (value, self._build(plan))

    def _plan_all(self) -> dict[Key, Any]:
        plans: dict[Key, Any] = {}
        for key in {**self.a.env, **self.b.env}:
            x = self.a.env.get(key, UNDEFINED)
            y = self.b.env.get(key, UNDEFINED)
            if x is y:
                plans[key] = x
            elif alive(self.it, key, self.live, self.before):
                plans[key] = self._plan(x, y, key[1])
                if isinstance(key[0], Virtual) and not self._is_set(x, y):
                    self.presence[key] = self._plan(self._has(x), self._has(y), None)
        return plans

    def _is_set(self, *nodes: Node) -> bool:
        """Whether an attribute has a value whichever path is taken."""
        return not any(n is UNDEFINED or id(n) in self.it.presence for n in nodes)

    def _has(self, node: Node) -> Node:
        """Whether an attribute is set at the end of a side, as a value."""
        if node is UNDEFINED:
            return self.it.constant(False)
        found = self.it.presence.get(id(node))
        if found is None:
            return self.it.constant(True)
        if found[1] is None:
            raise refuse_presence(self.it)
        return found[1]

    def _materialise_in_both(self) -> bool:
        """An object that escapes on one side must exist on the other as well.

        Whether there was one.
        """
        found = False
        for one, other in ((self.a, self.b), (self.b, self.a)):
            for owner, name in list(one.env):
                if name == "%heap" and (owner, name) not in other.env:
                    if existed(owner, self.before):
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
                return ("tuple", s.cls, items)
        s, t = deref(x.type), deref(y.type)
        seen = self.made.get((id(x), id(y)))
        if seen is not None:
            return seen
        if is_function(x) or is_function(y):
            return self._plan_function(x, y)
        if isinstance(s, Function) or isinstance(t, Function):
            raise refuse_function(self.it)
        merged = join(s, t)
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
            _, cls, items = plan
            return make_tuple(self.it, [self._build(p) for p in items], cls)
        found: Node = plan
        return found


def refuse_presence(it: Interpreter) -> AnadromeError:
    """The error for an attribute that may have been set by a loop that may not turn."""
    return it.fail(
        UnsupportedSyntax,
        "whether this attribute is set depends on the turns of a loop",
        "set it before the loop, to None where there is nothing",
    )


def differing_dicts(
    a: dict[Key, Node], b: dict[Key, Node], before: dict[Key, Node]
) -> list[Virtual]:
    """The dictionaries that existed and have different keys in two states.

    Which keys such a one has is known only at run time, so it must exist then.
    """
    owners = {k[0] for k in (*a, *b) if isinstance(k[0], Virtual) and k[0].is_dict}
    found = []
    for owner in owners:
        if (owner, "%heap") in a or (owner, "%heap") in b:
            continue
        if {k for k in a if k[0] is owner} == {k for k in b if k[0] is owner}:
            continue
        if existed(owner, before):
            found.append(owner)
    return sorted(found, key=lambda v: v.number)


def existed(owner: Any, before: dict[Key, Node]) -> bool:
    """Whether an object was there already, be it without attributes."""
    return any(k[0] is owner for k in before) or any(
        v is owner for v in before.values()
    )


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


def same_constant(x: Node, y: Node) -> bool:
    """Whether two nodes are equal constants of one type."""
    if not (isinstance(x, Constant) and isinstance(y, Constant)):
        return False
    if x.value is y.value:
        return True
    try:
        return type(x.value) is type(y.value) and bool(x.value == y.value)
    except Exception:
        return False


@dataclass(frozen=True)
class _Choice:
    """How to build a function after a branch."""

    tag: Any
    options: list[tuple[Any, list[Any]]]


def refuse_function(it: Interpreter) -> Exception:
    """The error for a value that is a function on one path only."""
    return it.fail(
        UnsupportedSyntax,
        "this is a function on one path and another kind of value on the other",
        "give the variable a function, or None, on every path",
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
    """A value of each turn to keep in a list: what a comprehension makes."""
    index_name: str | None = None


def run_loop(it: Interpreter, loop: Loop) -> Node | None:
    """Write a loop down; returns the list that it kept, if any."""
    carried: dict[Key, Type] = {}
    for key in loop.carried:
        if it.cell_of(*key) is not None:
            continue
        initial = it.env.get(key)
        if isinstance(initial, Virtual):
            it.materialise(initial)
        carried[key] = value_type(it, it.env[key]) if key in it.env else NEVER
    dirty: set[Node] = set()
    for _ in range(25):
        attempt = _Attempt(it, loop, carried, dirty)
        shapes = [shape_of(v.type) for v in it.env.values()]
        escaped = attempt.run()
        celled = [
            (k[0], n)
            for k in attempt.after
            if (n := celled_name(k)) is not None and (k[0], n) in it.env
        ]
        for key in celled:
            it.make_cell(key)
            carried.pop(key, None)
        if escaped:
            for virtual in escaped:
                it.materialise(virtual)
            for key in list(carried):
                if isinstance(key[0], Virtual) and key[0] in escaped:
                    del carried[key]
            continue
        if celled:
            continue
        settled = shapes == [shape_of(v.type) for v in it.env.values()]
        if attempt.stable and settled:
            return attempt.write()
        carried, dirty = attempt.wider, attempt.dirty
    raise it.fail(
        TypeMismatch,
        "the types of the loop's variables keep changing",
        "give each variable one type before the loop, such as np.zeros(n)",
    )


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
    ) -> None:
        self.it, self.loop, self.carried = it, loop, carried
        self.dirty = set(dirty)
        self.stable = False
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
        stable = True
        for key, t in self.carried.items():
            result = after.get(key, UNDEFINED)
            if isinstance(result, Virtual):
                with it.region(self.body):
                    after[key] = result = it.concrete(result)
            initial = self.before.get(key)
            if isinstance(initial, Virtual) and (initial, "%heap") not in self.before:
                return [initial]
            widened = join_types(t, self._type_after(result))
            if not same_types(widened, t):
                stable = False
            self.wider[key] = widened
        for key, value in after.items():
            if key in self.carried or key[1] in ("%heap",):
                continue
            old = self.before.get(key)
            if old is value or (old is not None and same_constant(old, value)):
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
        for node, known in self.items.items():
            if node not in self.dirty and it.known_items.get(node) is not known:
                self.dirty.add(node)
                stable = False
        self.stable = stable
        return []

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
            # Functions take what they captured in this turn along with them.
            return False
        return alive(self.it, key, self.loop.live, self.before)

    def write(self) -> Node | None:
        """Put the loop into the graph and bind its results."""
        it, loop = self.it, self.loop
        args: list[Node] = []
        for key, t in self.carried.items():
            # A flag or a result that no turn has set is nobody's variable.
            absent = ABSENT if is_hidden(key) else UNDEFINED
            args += flatten(it, self.before.get(key, absent), t)
            it.env = self.after
            with it.region(self.body):
                result = self.after.get(key, UNDEFINED)
                self.body.results += flatten(it, result, t)
            it.env = self.before
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
        kept = None
        if self.kept is not None:
            kept = node.add_output(List(self.kept.type))
        if breaks:
            stopped = node.add_output(BOOL)
            assert loop.stop is not None
            it.env[loop.stop] = stopped
        elif loop.stop is not None:
            it.env[loop.stop] = it.constant(False)
        for key, t in self.carried.items():
            new = isinstance(key[0], Virtual) and key not in it.env
            value = it.env[key] = rebuild(it, t, outputs)
            if new:
                it.presence[id(value)] = (value, None)
        it.known_items = {
            k: v for k, v in it.known_items.items() if k not in self.dirty
        }
        return kept


__all__ = [
    "ConditionWithEffects",
    "Loop",
    "Side",
    "branch",
    "flatten",
    "is_active",
    "join_sides",
    "leaves",
    "make_tuple",
    "rebuild",
    "run_loop",
    "take",
]
