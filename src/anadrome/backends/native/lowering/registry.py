"""The table of lowerings of primitives that are not elementwise, and its helpers.

The other files of this folder fill it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from anadrome.ir.graph import Apply, Constant, Node
from anadrome.ir.types import Num, Tuple, deref

from ..emission.function import Emitter
from ..emission.values import Array, Pack, Static, Value, stored_type
from .complex_parts import is_complex
from .elementwise import has_complex
from .narrow_integers import touches_narrow

Lower = Callable[[Emitter, Apply], Value]


@dataclass(frozen=True)
class Lowering:
    """How a primitive is written, and which of its arguments that takes note of.

    `operands` are given by position. `options` name the others, `*` for any number of
    them; whatever else is given must have its default value.  Few know `complexes`.
    """

    lower: Lower
    operands: int
    options: tuple[str, ...]
    complexes: bool = False

    def understands(self, node: Apply) -> bool:
        """Whether this is all that there is to know about a call."""
        if len(node.args) < self.operands:
            return False
        if not self.complexes and _touches_complex(node):
            return False
        rest = node.args[self.operands :]
        given = [(self._name(node, k), a) for k, a in enumerate(rest)]
        given += node.keywords.items()
        return all(k in self.options or _is_default(node, k, a) for k, a in given)

    def _name(self, node: Apply, place: int) -> str:
        """The name of an argument that is given by position."""
        parameters = list(node.op.signature.parameters.values())
        for parameter in parameters[: self.operands + place + 1]:
            if parameter.kind is parameter.VAR_POSITIONAL:
                named = self.options[place : place + 1]
                return "*" if "*" in self.options or not named else named[0]
        return parameters[self.operands + place].name


def _is_default(node: Apply, name: str, given: Node) -> bool:
    parameter = node.op.signature.parameters.get(name)
    if parameter is None or not isinstance(given, Constant):
        return False
    return type(given.value) is type(parameter.default) and bool(
        given.value == parameter.default
    )


LOWERINGS: dict[str, Lowering] = {}
_TREES: set[str] = set()


def _touches_complex(node: Apply) -> bool:
    """Whether complex numbers are made or read, also in a tuple of arrays."""
    if has_complex(node):
        return True
    tuples = [t for n in node.inputs if isinstance(t := deref(n.type), Tuple)]
    items = [deref(i) for t in tuples for i in t.items]
    return any(isinstance(t, Num) and is_complex(t.dtype) for t in items)


def lowers(
    *names: str,
    operands: int = 1,
    options: tuple[str, ...] = (),
    trees: bool = False,
    complexes: bool = False,
) -> Callable[[Lower], Lower]:
    """Register the lowering of primitives.

    It takes fused operands if `trees`, complex ones if `complexes`.
    """

    def enter(lower: Lower) -> Lower:
        for name in names:
            LOWERINGS[name] = Lowering(lower, operands, options, complexes)
            if trees:
                _TREES.add(name)
        return lower

    return enter


def has_lowering(node: Apply) -> bool:
    """Whether a call of a primitive can be written natively, as far as can be seen."""
    lowering = LOWERINGS.get(node.op.name)
    return lowering is not None and lowering.understands(node)


def consumes_trees(user: Apply, node: Node) -> bool:
    """Whether a statement computes a fused operand as it goes."""
    name = getattr(user.op, "name", "")
    if touches_narrow(user):
        return False
    if name == "setitem":
        return len(user.args) == 3 and user.args[2] is node
    return name in _TREES and user.args[0] is node and has_lowering(user)


def argument(e: Emitter, node: Apply, name: str) -> Value:
    """An argument of a primitive by its declared name; its default if not given."""
    bound = node.op.signature.bind(*node.args, **node.keywords)
    if name in bound.arguments:
        return e.value(bound.arguments[name])
    return Static(node.op.signature.parameters[name].default)


def option(e: Emitter, node: Apply, place: int, name: str, default: object) -> Value:
    """An argument of a primitive that does not declare its arguments."""
    if name in node.keywords:
        return e.value(node.keywords[name])
    if len(node.args) > 1 + place:
        return e.value(node.args[1 + place])
    return Static(default)


def static(e: Emitter, value: Value, what: str) -> Any:
    """The Python value of something that must be known at compile time."""
    if isinstance(value, Static):
        return value.value
    if isinstance(value, Pack):
        return tuple(static(e, i, what) for i in value.items)
    raise e.refuse(f"{what} that is known only at run time")


def array_of(e: Emitter, node: Node) -> Array:
    """A node as an array in memory; a number becomes one without axes."""
    value = e.value(node)
    if isinstance(value, Array):
        return value
    raise e.refuse("a number used as an array")


def result_type(e: Emitter, node: Apply) -> Num:
    """The type of an array or a number that a statement makes."""
    t = deref(node.type)
    if not isinstance(t, Num) or t.ndim is None or t.dtype is None:
        raise e.refuse(f"a result of type {t!r}", node.span)
    if stored_type(t.dtype) is None:
        raise e.refuse(f"numbers of type {t.dtype}", node.span)
    return t


def axes_of(e: Emitter, node: Apply, ndim: int) -> list[int]:
    """The axes of a reduction, counted from zero."""
    axis = static(e, argument(e, node, "axis"), "an axis")
    if axis is None:
        return list(range(ndim))
    return sorted(whole_axes(e, axis, ndim))


def whole_axes(e: Emitter, axis: Any, ndim: int) -> list[int]:
    """Axes that are given as a number or several, counted from zero.

    What NumPy does not accept is left to it.
    """
    axes = axis if isinstance(axis, tuple | list) else (axis,)
    if any(not -ndim <= a < ndim for a in axes):
        raise e.refuse("an axis that is not there")
    found = [a % ndim for a in axes]
    if len(set(found)) < len(found):
        raise e.refuse("an axis that is named twice")
    return found
