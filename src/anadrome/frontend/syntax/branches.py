"""Branches: both sides of a choice, and the joining of variables after them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from anadrome.errors import AnadromeError, UnsupportedSyntax
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.values.compile_time import Key, Virtual
from anadrome.frontend.values.functions import (
    apart_or_none,
    build_choice,
    is_function,
    number_of,
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
from anadrome.ir.types import (
    NEVER,
    Dict,
    Function,
    NeverType,
    Num,
    Tuple,
    deref,
    generalise_dict,
    join,
    join_paths,
)

Step = Callable[[], Any]


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


def refuse_presence(it: Interpreter) -> AnadromeError:
    """The error for an attribute that only the iterations of a loop may have set."""
    return it.fail(
        UnsupportedSyntax,
        "whether this attribute is set depends on the iterations of a loop",
        "set it before the loop, to None where there is nothing",
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
