"""The users' own derivative rules, and the transposes of linear ones.

A rule for one mode serves the other too: a rule that is linear in its tangents, or in
its cotangent, is transposed by reverse mode itself. One that is not linear, such as
the clipping of a gradient, has no transpose and is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from anadrome.errors import NotDifferentiable, ShapeMismatch
from anadrome.frontend.calls.recursion import close_graph
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.numpy.symbolic_zeros import SymbolicZero
from anadrome.frontend.values.tuples import make_tuple, take
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Graph, Node, Parameter, free_inputs
from anadrome.ir.types import Num, Tuple, Type, deref, is_stored
from anadrome.primitives.registry import Primitive, find_primitive, primitive
from anadrome.transform.expansion.nesting import splice
from anadrome.transform.reverse.cotangents import cotangent_type, zero
from anadrome.transform.rules import bound_arguments, call_rule

if TYPE_CHECKING:
    from anadrome.api.custom import CustomFunction
    from anadrome.transform.forward.walk import Forward
    from anadrome.transform.reverse.walk import Reverse


@primitive(fresh=False, infer=lambda d, shape, rule, name: Num(None, None))
def checked_cotangent(d: Any, shape: Any, rule: str, name: str) -> Any:
    """A cotangent that a user's rule gave, if it has the shape of its value."""
    if np.shape(d) != shape:
        raise ShapeMismatch(
            f"the rule of '{rule}' gives a derivative of shape {np.shape(d)} for "
            f"'{name}', which has the shape {shape}",
            help="return derivatives in the shapes of what they belong to",
        )
    return d


@checked_cotangent.vjp
def checked_cotangent_vjp(
    z: Any, d: Any, shape: Any, rule: str, name: str, *, dz: Any
) -> Any:
    return dz


@checked_cotangent.jvp
def checked_cotangent_jvp(
    z: Any, d: Any, shape: Any, rule: str, name: str, *, dd: Any
) -> Any:
    return dd


def _checked(
    it: Interpreter, op: CustomFunction, name: str, d: Node, like: Node
) -> Node:
    """A derivative of the user's, checked when it runs unless both are numbers."""
    t, s = deref(like.type), deref(d.type)
    if not isinstance(t, Num) or (isinstance(d, Constant) and d.value is None):
        return d
    if t.ndim == 0 and isinstance(s, Num) and s.ndim == 0:
        return d
    label = it.constant(getattr(op, "__name__", "f"))
    shape = find_primitive(np.shape)
    assert shape is not None
    size = it.apply(shape, (like,))
    made = it.apply(checked_cotangent, (d, size, label, it.constant(name)))
    dtype = s.dtype if isinstance(s, Num) else t.dtype
    made.type = Num(dtype, t.ndim)
    return made


# Reverse mode -----------------------------------------------------------------------


def forward_half(r: Reverse, node: Apply) -> bool:
    """Write the user's forward function instead of the call; whether there is one."""
    op: CustomFunction = node.op
    if op.forward_rule is None or node not in r.activity:
        return False
    it = r.it
    values = [it.concrete(v) for v in _values(r.value, it, node).values()]
    made = call_rule(it, op.forward_rule, values, {})
    value, residuals = _pair(it, op, node, made, "(value, residuals)")
    r.new[id(node)] = it.concrete(value)
    r.residuals[id(node)] = _kept(it, residuals)
    r.shadows.after(node)
    return True


def _values(
    value: Callable[[Node], Node], it: Interpreter, node: Apply
) -> dict[str, Node]:
    return bound_arguments(
        it,
        node.op,
        tuple(value(a) for a in node.args),
        {k: value(v) for k, v in node.keywords.items()},
    )


def _pair(
    it: Interpreter, op: CustomFunction, node: Apply, made: Node, what: str
) -> tuple[Node, Node]:
    made = it.concrete(made)
    t = deref(made.type)
    if not (isinstance(t, Tuple) and len(t.items) == 2):
        raise NotDifferentiable(
            f"the rule of '{op.__name__}' must return {what}, it returns {t!r}",
            node.span,
            f"return a pair {what}",
        )
    return take(it, made, 0), take(it, made, 1)


def _kept(it: Interpreter, node: Node) -> Node:
    """Residuals that later changes in place do not affect."""
    node = it.concrete(node)
    t = deref(node.type)
    if isinstance(t, Tuple):
        items = [_kept(it, take(it, node, k)) for k in range(len(t.items))]
        return make_tuple(it, items, t.cls)
    if isinstance(t, Num) and is_stored(t):
        return it.emit(ops.COPY, (node,), Num(t.dtype, t.ndim))
    return node


def pull_back(r: Reverse, node: Apply, d: Node) -> None:
    """Hand the cotangent of a custom function's value to its arguments."""
    op: CustomFunction = node.op
    it = r.it
    values = _values(lambda n: r.saved(n, node), it, node)
    old = op.signature.bind(*node.args, **node.keywords).arguments
    if op.backward_rule is not None:
        fixed = [v for k, v in values.items() if k in op.fixed]
        found = call_rule(it, op.backward_rule, [*fixed, r.residuals[id(node)], d], {})
        given = _cotangents(it, op, node, found, op.differentiable)
    elif op.vjp_rule is not None:
        z = r.saved(node, node)
        found = call_rule(it, op.vjp_rule, [z, *values.values()], {"dz": d})
        given = _cotangents(it, op, node, found, op.differentiable)
    else:
        given = _transposed_tangents(r, node, d, values, old)
    for name, ct in given.items():
        argument = old.get(name)
        if isinstance(argument, tuple):
            for j, a in enumerate(argument):
                if a in r.activity:
                    r.contribute(a, _checked(it, op, name, take(it, ct, j), r.value(a)))
        elif isinstance(argument, Node) and argument in r.activity:
            r.contribute(argument, _checked(it, op, name, ct, r.value(argument)))


def _cotangents(
    it: Interpreter,
    op: CustomFunction,
    node: Apply,
    found: Node,
    names: tuple[str, ...],
) -> dict[str, Node]:
    """What a rule returned, by argument."""
    found = it.concrete(found)
    t = deref(found.type)
    if isinstance(t, Tuple) and len(t.items) == len(names):
        return {name: take(it, found, k) for k, name in enumerate(names)}
    if len(names) == 1 and not isinstance(t, Tuple):
        return {names[0]: found}
    count = len(t.items) if isinstance(t, Tuple) else 1
    raise NotDifferentiable(
        f"the rule of '{op.__name__}' returns {count} cotangent{'s' * (count != 1)}, "
        f"the function has {len(names)} differentiable arguments: {', '.join(names)}",
        node.span,
        "return a tuple with one cotangent for each of them, None for zero",
    )


def _transposed_tangents(
    r: Reverse, node: Apply, d: Node, values: dict[str, Node], old: dict[str, Any]
) -> dict[str, Node]:
    """The cotangents that follow from a forward rule."""
    op: CustomFunction = node.op
    it = r.it
    names = [n for n in op.differentiable if _is_active(old.get(n), r.activity)]
    z = r.saved(node, node)

    def rule(tangents: list[Node]) -> Node:
        given = dict(zip(names, tangents))
        return tangent_by_rule(it, op, node, z, values, given)

    likes = [values[n] for n in names]
    found = transpose(it, op, node, rule, likes, d)
    return dict(zip(names, found))


def _no_rule(op: CustomFunction, node: Apply) -> NotDifferentiable:
    return NotDifferentiable(
        f"'{op.__name__}' has no derivative rule",
        node.span,
        f"give it one with @{op.__name__}.vjp or @{op.__name__}.jvp",
    )


def _is_active(argument: Any, activity: Any) -> bool:
    if isinstance(argument, tuple):
        return any(a in activity for a in argument)
    return isinstance(argument, Node) and argument in activity


# Forward mode -----------------------------------------------------------------------


def tangent_by_rule(
    it: Interpreter,
    op: CustomFunction,
    node: Apply,
    z: Node,
    values: dict[str, Node],
    tangents: dict[str, Node],
) -> Node:
    """The tangent of a custom function's value by the user's forward rule."""

    def tangent(name: str) -> Node:
        like = values[name]
        return tangents.get(name) or SymbolicZero(cotangent_type(like.type), like)

    if op.jvp_rule is not None:
        for name in tangents:
            if name not in op.jvp_names:
                raise NotDifferentiable(
                    f"the forward rule of '{op.__name__}' has no 'd{name}'",
                    node.span,
                    f"give the rule a keyword argument 'd{name}', or name the argument in "  # noqa: E501
                    "nondiff_argnums",
                )
        named = {"d" + n: tangent(n) for n in op.jvp_names}
        return call_rule(it, op.jvp_rule, [z, *values.values()], named)
    if op.pair_rule is None:
        raise _no_rule(op, node)
    fixed = [v for k, v in values.items() if k in op.fixed]
    free = [n for n in values if n not in op.fixed]
    primals = make_tuple(it, [it.concrete(values[n]) for n in free])
    pushed = make_tuple(it, [it.concrete(tangent(n)) for n in free])
    found = call_rule(it, op.pair_rule, [*fixed, primals, pushed], {})
    return _pair(it, op, node, found, "(value, tangent)")[1]


def push_forward(f: Forward, node: Apply) -> Node | None:
    """The tangent of a custom function's value, or None if it is zero."""
    op: CustomFunction = node.op
    it = f.it
    values = _values(f.value, it, node)
    old = op.signature.bind(*node.args, **node.keywords).arguments
    tangents: dict[str, Node] = {}
    for name, argument in old.items():
        if isinstance(argument, tuple):
            if any(f.tangent(a) is not None for a in argument):
                items = [f.real_tangent(a) for a in argument]
                tangents[name] = make_tuple(it, items)
        elif isinstance(argument, Node):
            t = f.tangent(argument)
            if t is not None:
                tangents[name] = t
    for name in op.fixed & tangents.keys():
        raise _fixed_argument(op, node, name)
    if not tangents:
        return None
    z = f.value(node)
    if op.jvp_rule is not None or op.pair_rule is not None:
        made = tangent_by_rule(it, op, node, z, values, tangents)
        return (
            made if isinstance(made, SymbolicZero) else _checked(it, op, "z", made, z)
        )
    return _transposed_cotangent(it, op, node, z, values, tangents)


def _fixed_argument(op: CustomFunction, node: Apply, name: str) -> NotDifferentiable:
    return NotDifferentiable(
        f"'{name}' of '{op.__name__}' is in nondiff_argnums, but a derivative is "
        "asked for",
        node.span,
        "wrap it in ad.stop_gradient, or take it out of nondiff_argnums",
    )


def _transposed_cotangent(
    it: Interpreter,
    op: CustomFunction,
    node: Apply,
    z: Node,
    values: dict[str, Node],
    tangents: dict[str, Node],
) -> Node:
    """The tangent that follows from a reverse rule."""
    if op.vjp_rule is None and op.backward_rule is None:
        raise _no_rule(op, node)
    names = [n for n in op.differentiable if n in tangents]

    def rule(cotangent: list[Node]) -> Node:
        if op.backward_rule is not None:
            ordered = [it.concrete(v) for v in values.values()]
            pair = call_rule(it, op.forward_rule, ordered, {})
            _, residuals = _pair(it, op, node, pair, "(value, residuals)")
            fixed = [v for k, v in values.items() if k in op.fixed]
            found = call_rule(
                it, op.backward_rule, [*fixed, residuals, cotangent[0]], {}
            )
        else:
            named = {"dz": cotangent[0]}
            found = call_rule(it, op.vjp_rule, [z, *values.values()], named)
        given = _cotangents(it, op, node, found, op.differentiable)
        parts = []
        for n in names:
            part = given[n]
            if isinstance(part, Constant) and part.value is None:
                part = zero(it, values[n].type, values[n])
            parts.append(_checked(it, op, n, part, values[n]))
        return make_tuple(it, [it.concrete(p) for p in parts])

    seed = make_tuple(it, [it.concrete(tangents[n]) for n in names])
    return transpose(it, op, node, rule, [z], seed)[0]


# Transposition ----------------------------------------------------------------------

_SHAPES = frozenset(("shape", "ndim", "size", "zeros_like", "shape_property"))


def transpose(
    it: Interpreter,
    op: CustomFunction,
    node: Apply,
    linear: Callable[[list[Node]], Node],
    likes: list[Node],
    seed: Node,
) -> list[Node]:
    """The transpose of a linear function, applied to a cotangent of its result.

    `linear` writes the function down for inputs in the shapes of `likes`.
    """
    from anadrome.transform.reverse.walk import reverse

    graph = Graph(f"{op.__name__}_rule")
    inputs: list[Parameter] = []
    for like in likes:
        inputs.append(graph.add_parameter(_input_type(like.type), None))
    with it.region(graph):
        graph.results = [it.concrete(linear(list(inputs)))]
    free = close_graph(graph)
    made = reverse(
        graph, list(inputs), f"{op.__name__}_transposed", seeded=True, value=False
    )
    _require_linear(op, node, made, made.params[: len(inputs)])
    given = [zero(it, like.type, like) for like in likes]
    result = splice(it, made, [*given, *free, seed])
    return (
        [result]
        if len(inputs) == 1
        else [take(it, result, k) for k in range(len(inputs))]
    )


def _input_type(t: Type) -> Type:
    s = cotangent_type(t)
    return Num(s.dtype, s.ndim, s.python) if isinstance(s, Num) else s


def _require_linear(
    op: CustomFunction, node: Apply, graph: Graph, inputs: list[Parameter]
) -> None:
    from anadrome.optimize.simplify.dead_code import remove_dead_code

    remove_dead_code(graph)
    if not _depends(graph, {id(p) for p in inputs}):
        return
    raise NotDifferentiable(
        f"the rule of '{op.__name__}' is not linear, so the other mode of "
        "differentiation does not follow from it",
        node.span,
        f"give both rules, @{op.__name__}.vjp and @{op.__name__}.jvp",
    )


def _depends(graph: Graph, values: set[int]) -> bool:
    """Whether the results depend on more than the shapes of some values."""
    for n in graph.body:
        if isinstance(n.op, Primitive) and n.op.name in _SHAPES:
            continue
        if any(id(a) in values for a in free_inputs(n)):
            values.add(id(n))
            values.update(id(o) for o in n.outputs)
    return any(id(r) in values for r in graph.results)


__all__ = ["forward_half", "pull_back", "push_forward"]
