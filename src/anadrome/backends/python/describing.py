"""Names for values that the user has not named, from what they are."""

from __future__ import annotations

from collections.abc import Callable

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Node, Parameter
from anadrome.ir.types import Num, deref
from anadrome.primitives.registry import Primitive

Known = Callable[[Node], str | None]

_SUFFIXES = {"shape": "shape", "transpose_all": "T", "transpose": "T", "size": "size"}
_FUNCTIONS = frozenset(
    ["tanh", "exp", "log", "sqrt", "sin", "cos", "tan", "sinh", "cosh", "expit", "erf"]
)
_COMPARISONS = frozenset(
    ["less", "less_equal", "greater", "greater_equal", "equal", "not_equal"]
)


def describe(node: Node, known: Known) -> str | None:
    """A name for a value: `xs_shape`, `tanh_c`, `test`; None if nothing fits."""
    if isinstance(node, Parameter):
        return "k" if _counts(node) else None
    if not isinstance(node, Apply) or (node.comment or "").startswith("Grad of"):
        return None
    if _is_length(node):
        return "n"
    if node.op in (ops.IS, ops.NOT, ops.CONTAINS):
        return "test"
    if not isinstance(node.op, Primitive) or not node.args:
        return None
    name = node.op.name
    if name in _COMPARISONS:
        t = deref(node.type)
        return "test" if isinstance(t, Num) and t.ndim == 0 else None
    if name in _SUFFIXES and len(node.args) == 1:
        return _joined(known, node.args[0], "{}_" + _SUFFIXES[name])
    if name in _FUNCTIONS and len(node.args) == 1:
        return _joined(known, node.args[0], name + "_{}") or name
    return None


def _is_length(node: Apply) -> bool:
    """Whether a value is a length: `len(x)`, `x.shape[0]`, the shortest of several."""
    if node.op is ops.LENGTH:
        return True
    if node.op is ops.PYCALL and getattr(node.args[0], "value", None) is min:
        return all(isinstance(a, Apply) and _is_length(a) for a in node.args[1:])
    if node.op is not ops.GETITEM:
        return False
    base = node.args[0]
    shape = isinstance(base, Apply) and isinstance(base.op, Primitive)
    return shape and base.op.name == "shape"  # type: ignore[attr-defined]


def _counts(node: Parameter) -> bool:
    """Whether a parameter is the index of a loop."""
    t = deref(node.type)
    integral = isinstance(t, Num) and t.dtype is not None and t.dtype.kind == "i"
    return integral and node.graph.parent is not None and node.graph.params[0] is node


def _joined(known: Known, argument: Node, template: str) -> str | None:
    if isinstance(argument, Constant):
        return None
    name = known(argument)
    return None if name is None or is_number(name) else template.format(bare(name))


def is_number(name: str) -> bool:
    """Whether a name says nothing: `t1`, `t2` and so on."""
    return name[0] == "t" and name[1:].isdigit()


def bare(name: str) -> str:
    """A name without the number that tells it from others: `c_1` is `c`."""
    head, _, tail = name.rpartition("_")
    return head if head and tail.isdigit() else name
