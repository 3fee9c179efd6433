"""Lowerings of checks that values fit together."""

from __future__ import annotations

from anadrome.ir.graph import Apply

from ..emission.function import Emitter
from ..emission.values import Array, Nothing, Value
from .elementwise import broadcast
from .registry import argument, array_of, lowers, static


@lowers("fit_together", operands=0, options=("*",), complexes=True)
def _lower_fit_together(e: Emitter, node: Apply) -> Value:
    arrays = [v for v in map(e.value, node.args) if isinstance(v, Array)]
    broadcast(e, arrays, max((a.ndim for a in arrays), default=0))
    return Nothing()


@lowers("same_length", operands=4, complexes=True)
def _lower_same_length(e: Emitter, node: Apply) -> Value:
    a, i, b, j = node.args
    sizes = [
        array_of(e, x).shape[static(e, e.value(axis), "an axis")]
        for x, axis in ((a, i), (b, j))
    ]
    equal = e.builder.icmp_signed("==", *sizes)
    e.fail_unless(equal, ValueError, "axes of different length do not go together")
    return Nothing()


@lowers("check_count", operands=2, options=("more",))
def _lower_check_count(e: Emitter, node: Apply) -> Value:
    return _check_length(e, node, ValueError, "values to unpack (expected {})")


@lowers("check_arguments", operands=2, options=("more",))
def _lower_check_arguments(e: Emitter, node: Apply) -> Value:
    return _check_length(e, node, TypeError, "arguments from a star (expected {})")


def _check_length(
    e: Emitter, node: Apply, error: type[Exception], message: str
) -> Value:
    length = e.integer(e.value(node.args[0]))
    count = static(e, e.value(node.args[1]), "a number of values")
    more = static(e, argument(e, node, "more"), "whether there may be more values")
    wanted = f"at least {count}" if more else count
    orders = (
        ((">=", "not enough"),) if more else ((">=", "not enough"), ("<=", "too many"))
    )
    for order, what in orders:
        fits = e.builder.icmp_signed(order, length, length.type(count))
        e.fail_unless(fits, error, f"{what} {message.format(wanted)}")
    return Nothing()


@lowers("check_some", operands=2)
def _lower_check_some(e: Emitter, node: Apply) -> Value:
    length = e.integer(e.value(node.args[0]))
    name = static(e, e.value(node.args[1]), "the name of a function")
    some = e.builder.icmp_signed("!=", length, length.type(0))
    e.fail_unless(some, ValueError, f"{name}() iterable argument is empty")
    return Nothing()
