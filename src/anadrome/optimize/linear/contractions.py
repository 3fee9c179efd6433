"""Products of arrays in canonical form: `@` where it does, else `einsum`."""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anadrome.infer.examples import runs_as_written
from anadrome.ir.graph import Apply, Constant, Graph, Node
from anadrome.ir.types import STR, Num, same_dtype
from anadrome.optimize.analysis.iterations import (
    array_type,
    is_primitive,
    primitive,
    transposed,
)
from anadrome.optimize.rewriting import fixed_items, rewrite_statements
from anadrome.optimize.simplify.retained_checks import check_lengths
from anadrome.primitives.numpy.einsum import explicit
from anadrome.primitives.numpy.products import summed_axes
from anadrome.primitives.registry import Primitive

_UNKNOWN = object()


def canonicalise_contractions(graph: Graph) -> Graph:
    """The graph with products of arrays as matrix products, or sums over letters.

    np.einsum("bi,ij->bj", x, W)       →    x @ W
    np.tensordot(x, y, ((0,), (0,)))   →    x.T @ y
    np.inner(a, b)                     →    a @ b.T
    a[:, None, :] @ b                  →    np.einsum("abc,acd->abd", a[:, None, :], b)
    np.einsum("ij,jk,kl", a, b, c)     →    (a @ b) @ c
    """
    rewrite_statements(graph, _rewritten)
    return graph


@dataclass(frozen=True)
class Product:
    """What is multiplied: arrays, the letters of their axes, those of the result."""

    operands: tuple[Node, ...]
    given: tuple[str, ...]
    output: str


def product_of(node: Node) -> Product | None:
    """The letters of a product of arrays of one float type, or None."""
    if not isinstance(node, Apply) or not isinstance(node.op, Primitive):
        return None
    reader = _READERS.get(node.op.name)
    result = array_type(node)
    if reader is None or result is None:
        return None
    operands = node.args[1:] if node.op.name == "einsum" else node.args[:2]
    types = [array_type(a) for a in operands]
    ranks = []
    for t in types:
        if (
            t is None
            or t.ndim is None
            or not same_dtype(t.dtype, result.dtype)
            or t.python
        ):
            return None
        ranks.append(t.ndim)
    if result.dtype is None or result.dtype.kind != "f" or len(ranks) < 2:
        return None
    if result.dtype.itemsize < 4:
        return None  # what Python computes stays what it was called as
    found = reader(node, ranks)
    if found is None:
        return None
    given, output = found
    if [len(letters) for letters in given] != ranks or len(output) != result.ndim:
        return None
    return Product(tuple(operands), tuple(given), output)


# Reading ------------------------------------------------------------------------------

Letters = tuple[Sequence[str], str]


def _static(node: Node) -> Any:
    """The Python value of a constant or of a tuple of constants."""
    if isinstance(node, Constant):
        return node.value
    items = fixed_items(node)
    if items is None:
        return _UNKNOWN
    values = tuple(_static(a) for a in items)
    return _UNKNOWN if _UNKNOWN in values else values


def _option(node: Apply, name: str, place: int, default: Any) -> Any:
    if name in node.keywords:
        return _static(node.keywords[name])
    return _static(node.args[place]) if len(node.args) > place else default


def _einsum(node: Apply, ranks: list[int]) -> Letters | None:
    subscripts = _static(node.args[0])
    if not isinstance(subscripts, str) or set(node.keywords) - {"optimize"}:
        return None
    found: Letters = explicit(subscripts, ranks)
    return found


def _matmul(node: Apply, ranks: list[int]) -> Letters | None:
    if node.keywords or 0 in ranks:
        return None
    a, b = ranks
    width = max(a, b, 2) - 2
    batch = string.ascii_lowercase[:width]
    left = batch[width - max(a - 2, 0) :] + ("XS" if a > 1 else "S")
    right = batch[width - max(b - 2, 0) :] + ("SY" if b > 1 else "S")
    return (left, right), batch + "X" * (a > 1) + "Y" * (b > 1)


def _dot(node: Apply, ranks: list[int]) -> Letters | None:
    if node.keywords or 0 in ranks:
        return None
    a, b = ranks
    axis = max(b - 2, 0)
    return _paired(ranks, (a - 1,), (axis,))


def _inner(node: Apply, ranks: list[int]) -> Letters | None:
    if node.keywords or 0 in ranks:
        return None
    a, b = ranks
    return _paired(ranks, (a - 1,), (b - 1,))


def _tensordot(node: Apply, ranks: list[int]) -> Letters | None:
    axes = _option(node, "axes", 2, 2)
    if axes is _UNKNOWN or isinstance(axes, np.ndarray):
        return None
    if not runs_as_written(np.tensordot, node.args, node.keywords):
        return None  # an axis that is not there
    pairs = [summed_axes(axes, n, bool(k)) for k, n in enumerate(ranks)]
    return _paired(ranks, *pairs) if len(pairs[0]) == len(pairs[1]) else None


def _paired(
    ranks: list[int], first: tuple[int, ...], second: tuple[int, ...]
) -> Letters:
    """The letters of arrays of which pairs of axes are summed over."""
    names = iter(string.ascii_letters)
    left = [next(names) for _ in range(ranks[0])]
    right = [next(names) for _ in range(ranks[1])]
    for i, j in zip(first, second):
        right[j] = left[i]
    kept = [c for k, c in enumerate(left) if k not in first]
    kept += [c for k, c in enumerate(right) if k not in second]
    return ("".join(left), "".join(right)), "".join(kept)


def _vecdot(node: Apply, ranks: list[int]) -> Letters | None:
    axis = _option(node, "axis", 2, -1)
    if set(node.keywords) - {"axis"} or axis not in (-1, *[n - 1 for n in ranks[:1]]):
        return None
    if 0 in ranks or (axis != -1 and ranks[0] != ranks[1]):
        return None
    return _stretched(ranks, (1, 1), ("S", "S"), "")


def _matvec(node: Apply, ranks: list[int]) -> Letters | None:
    if node.keywords:
        return None
    return _stretched(ranks, (2, 1), ("XS", "S"), "X")


def _vecmat(node: Apply, ranks: list[int]) -> Letters | None:
    if node.keywords:
        return None
    return _stretched(ranks, (1, 2), ("S", "SX"), "X")


def _stretched(
    ranks: list[int], cores: tuple[int, int], ends: tuple[str, str], output: str
) -> Letters:
    """The letters of a product over the last axes, for all of the others."""
    loops = [n - core for n, core in zip(ranks, cores)]
    batch = string.ascii_lowercase[: max(loops)]
    given = [batch[len(batch) - n :] + end for n, end in zip(loops, ends)]
    return given, batch + output


_READERS = {
    "einsum": _einsum,
    "matmul": _matmul,
    "dot": _dot,
    "inner": _inner,
    "tensordot": _tensordot,
    "vecdot": _vecdot,
    "matvec": _matvec,
    "vecmat": _vecmat,
}


# Writing ------------------------------------------------------------------------------


def _rewritten(node: Apply) -> list[Apply]:
    """The statements that take the place of one; none if it stays."""
    product = product_of(node)
    if product is None or _is_plain(node):
        return []
    dtype = array_type(node)
    assert dtype is not None
    made: list[Apply] = []
    product = _untransposed(product)
    while len(product.operands) > 2:
        pair = _closest(product)
        if pair is None:
            break
        product = _contract(product, pair, dtype.dtype, made)
    made += _as_matmul(product, node) or [
        *_checks(product, node),
        _as_einsum(product, node.type),
    ]
    return made


def _checks(product: Product, node: Apply) -> list[Apply]:
    """That axes which are summed over are equally long; in `einsum` one may be 1."""
    if node.op.name == "einsum":
        return []
    (a, b), (left, right) = product.operands, product.given
    shared = [c for c in left if c in right and c not in product.output]
    return [
        check_lengths(a, left.index(c), b, right.index(c), near=node) for c in shared
    ]


def _untransposed(product: Product) -> Product:
    """The product of arrays as they were before their axes were exchanged."""
    operands, given = list(product.operands), list(product.given)
    for k, letters in enumerate(given):
        x = operands[k]
        while isinstance(x, Apply) and array_type(x.args[0]) is not None:
            order = list(range(len(letters)))
            if is_primitive(x, "swapaxes") and len(x.args) == 3:
                axes = [_static(a) for a in x.args[1:]]
                if any(type(i) is not int for i in axes):
                    break
                i, j = axes
                order[i], order[j] = order[j], order[i]
            elif is_primitive(x, "transpose_all", "transpose") and len(x.inputs) == 1:
                order.reverse()
            else:
                break
            letters, x = "".join(letters[i] for i in order), x.args[0]
        operands[k], given[k] = x, letters
    return Product(tuple(operands), tuple(given), product.output)


def _is_plain(node: Apply) -> bool:
    """Whether a product is one of a matrix on the right, or of vectors, by `@`."""
    if node.op.name not in ("matmul", "dot"):
        return False
    a, b = (array_type(x) for x in node.args[:2])
    assert a is not None
    assert b is not None
    return b.ndim == 2 if (a.ndim or 0) > 2 else (b.ndim or 0) <= 2


def _closest(product: Product) -> tuple[int, int] | None:
    """Two operands that alone have a letter which is summed over."""
    for letter in dict.fromkeys("".join(product.given)):
        places = [k for k, g in enumerate(product.given) if letter in g]
        if letter not in product.output and len(places) == 2:
            return places[0], places[1]
    return None


def _contract(
    product: Product, pair: tuple[int, int], dtype: Any, made: list[Apply]
) -> Product:
    """The product after two of its operands have been multiplied."""
    rest = [k for k in range(len(product.operands)) if k not in pair]
    wanted = set(product.output).union(*(product.given[k] for k in rest))
    both = dict.fromkeys("".join(product.given[k] for k in pair))
    output = "".join(c for c in both if c in wanted)
    part = Product(
        tuple(product.operands[k] for k in pair),
        tuple(product.given[k] for k in pair),
        output,
    )
    node = _as_einsum(part, Num(dtype, len(output)))
    made += _as_matmul(part, node) or [node]
    return Product(
        (made[-1], *(product.operands[k] for k in rest)),
        (output, *(product.given[k] for k in rest)),
        product.output,
    )


def _as_einsum(product: Product, t: Any) -> Apply:
    subscripts = ",".join(product.given) + "->" + product.output
    name = Constant(subscripts, STR)
    return primitive(np.einsum, name, *product.operands, type=t)


def _as_matmul(product: Product, node: Apply) -> list[Apply]:
    """A product of rows and a matrix: at most one letter summed, none shared else."""
    if len(product.operands) != 2:
        return []
    for first, second in ((0, 1), (1, 0)):
        left, right = product.given[first], product.given[second]
        both = set(left) & set(right)
        if len(both) != 1 or len(set(left)) < len(left) or len(right) != 2:
            continue
        (summed,) = both
        kept = left.replace(summed, "") + right.replace(summed, "")
        if summed in product.output or right[0] == right[1] or kept != product.output:
            continue
        x, w = product.operands[first], product.operands[second]
        made: list[Apply] = []
        if left[-1] != summed:
            if len(left) != 2:
                continue
            x = transposed(x)
            made.append(x)
        if right[0] != summed:
            w = transposed(w)
            made.append(w)
        return [*made, primitive(np.matmul, x, w, type=node.type)]
    return []
