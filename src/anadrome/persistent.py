"""Persistent arrays: a changed array shares everything else with the old one.

A `PersistentArray` is a sequence of rows in a tree with 32 branches at each node, as
in Driscoll et al. (1989) and the thesis, section 13.5.4. `append` and `setitem` return
a new array in O(log n) steps and leave the old one as it was, so that keeping every
version of it for the backward pass costs no more than the changes themselves. Where a
subtree is missing the rows are zero: that makes the cotangent of one row as small as
the row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from anadrome.errors import ShapeMismatch
from anadrome.ir.types import Num, Other
from anadrome.primitives.registry import Primitive, primitive

if TYPE_CHECKING:
    from anadrome.frontend.interpreter import Interpreter
    from anadrome.ir.graph import Node

_BITS = 5
_WIDTH = 1 << _BITS
_MASK = _WIDTH - 1
_EMPTY: tuple[Any, ...] = (None,) * _WIDTH

Tree = tuple[Any, ...] | None


class PersistentArray:
    """Rows of one shape and dtype that are never changed in place.

    `PersistentArray(rows)` takes an array or a sequence of rows. It can be indexed,
    iterated over and passed to NumPy like an array; `append(row)` and `setitem(k, row)`
    return new arrays.
    """

    __slots__ = ("depth", "dtype", "length", "root", "row_shape")

    root: Tree
    length: int
    depth: int
    row_shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def __init__(self, rows: Any) -> None:
        array = np.array(rows)
        if array.ndim == 0:
            raise ShapeMismatch(
                "a persistent array needs a first axis", help="pass a sequence of rows"
            )
        if array.dtype.kind not in "fc":
            array = array.astype(float)
        array.flags.writeable = False
        depth = _depth_for(len(array))
        root = _from_rows(list(array), depth)
        _fill(self, root, len(array), depth, array.shape[1:], array.dtype)

    # Reading -------------------------------------------------------------------------

    def __len__(self) -> int:
        return self.length

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of rows and the shape of each."""
        return (self.length, *self.row_shape)

    @property
    def ndim(self) -> int:
        """The number of axes, that of the rows included."""
        return 1 + len(self.row_shape)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, int | np.integer):
            return self._row(self._place(int(index)))
        return np.asarray(self)[index]

    def __iter__(self) -> Iterator[Any]:
        return (self._row(k) for k in range(self.length))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        made = np.zeros(self.shape, self.dtype)
        for k, row in _rows(self.root, self.depth, 0):
            made[k] = row
        return made if dtype is None else made.astype(dtype)

    def __repr__(self) -> str:
        return f"PersistentArray(shape={self.shape}, dtype={self.dtype})"

    def _place(self, index: int) -> int:
        if not -self.length <= index < self.length:
            raise IndexError(f"there is no row {index}, there are {self.length}")
        return index % self.length

    def _row(self, k: int) -> Any:
        tree = self.root
        for level in range(self.depth, -1, -1):
            if tree is None:
                break
            tree = tree[(k >> (_BITS * level)) & _MASK]
        return np.zeros(self.row_shape, self.dtype)[()] if tree is None else tree

    # New versions --------------------------------------------------------------------

    def append(self, row: Any) -> PersistentArray:
        """The array with one more row."""
        k, root, depth = self.length, self.root, self.depth
        if k == _WIDTH ** (depth + 1):
            root = None if root is None else (root, *_EMPTY[1:])
            depth += 1
        made = _with_row(root, depth, k, self._checked(row))
        return _make(made, k + 1, depth, self.row_shape, self.dtype)

    def setitem(self, index: int, row: Any) -> PersistentArray:
        """The array with another row in the place of one."""
        k = self._place(int(index))
        made = _with_row(self.root, self.depth, k, self._checked(row))
        return _make(made, self.length, self.depth, self.row_shape, self.dtype)

    def without_last(self) -> PersistentArray:
        """The array without its last row."""
        k = self._place(-1)
        made = _with_row(self.root, self.depth, k, None)
        return _make(made, k, self.depth, self.row_shape, self.dtype)

    def _checked(self, row: Any) -> Any:
        if np.ndim(row) == 0 and self.row_shape and not np.any(row):
            return None
        if np.shape(row) != self.row_shape:
            raise ShapeMismatch(
                f"the row has the shape {np.shape(row)}, the others have {self.row_shape}"  # noqa: E501
            )
        made = np.array(row, self.dtype)
        made.flags.writeable = False
        return made[()] if made.ndim == 0 else made

    # What the compiler asks ----------------------------------------------------------

    def __anadrome_type__(self) -> PersistentType:
        return PersistentType(PersistentArray, self.dtype, len(self.row_shape))

    def __anadrome_zero__(self) -> PersistentArray:
        return _make(None, self.length, self.depth, self.row_shape, self.dtype)

    def __anadrome_add__(self, other: PersistentArray) -> PersistentArray:
        if other.shape != self.shape:
            raise ShapeMismatch(
                f"cotangents of shapes {self.shape} and {other.shape} cannot be added"
            )
        depth = max(self.depth, other.depth)
        a, b = _raised(self, depth), _raised(other, depth)
        root = _sum(a, b, depth)
        return _make(root, self.length, depth, self.row_shape, self.dtype)

    def __anadrome_map__(self, function: Callable[[Any], Any]) -> Any:
        made = function(np.asarray(self))
        return None if made is None else PersistentArray(made)


def _fill(made: Any, *values: Any) -> None:
    names = ("root", "length", "depth", "row_shape", "dtype")
    for name, value in zip(names, values, strict=True):
        object.__setattr__(made, name, value)


def _make(
    root: Tree, length: int, depth: int, row_shape: tuple[int, ...], dtype: Any
) -> PersistentArray:
    made = object.__new__(PersistentArray)
    _fill(made, root, length, depth, row_shape, dtype)
    return made


def _depth_for(length: int) -> int:
    depth = 0
    while _WIDTH ** (depth + 1) < length:
        depth += 1
    return depth


def _from_rows(rows: list[Any], depth: int) -> Tree:
    if not rows:
        return None
    size = _WIDTH**depth
    if depth == 0:
        children = rows
    else:
        parts = range(0, len(rows), size)
        children = [_from_rows(rows[k : k + size], depth - 1) for k in parts]
    return (*children, *_EMPTY[len(children) :])


def _with_row(tree: Tree, level: int, k: int, row: Any) -> Tree:
    """The tree with a row at a place; only the way to it is new."""
    if tree is None and row is None:
        return None
    children = list(tree or _EMPTY)
    place = (k >> (_BITS * level)) & _MASK
    children[place] = (
        row if level == 0 else _with_row(children[place], level - 1, k, row)
    )
    return tuple(children)


def _rows(tree: Tree, level: int, start: int) -> Iterator[tuple[int, Any]]:
    if tree is None:
        return
    size = _WIDTH**level
    for k, child in enumerate(tree):
        if child is None:
            continue
        if level == 0:
            yield start + k, child
        else:
            yield from _rows(child, level - 1, start + k * size)


def _raised(array: PersistentArray, depth: int) -> Tree:
    root = array.root
    for _ in range(depth - array.depth):
        root = None if root is None else (root, *_EMPTY[1:])
    return root


def _sum(a: Any, b: Any, level: int) -> Any:
    """The sum of two trees; what only one of them has is shared with it."""
    if a is None:
        return b
    if b is None:
        return a
    if level < 0:
        return a + b
    return tuple(_sum(x, y, level - 1) for x, y in zip(a, b))


# The type ---------------------------------------------------------------------------


@dataclass(frozen=True)
class PersistentType(Other):
    """A persistent array: the dtype and the number of axes of its rows."""

    dtype: np.dtype[Any]
    row_ndim: int
    numeric: ClassVar[bool] = True

    def __repr__(self) -> str:
        return f"PersistentArray of {Num(self.dtype, self.row_ndim)!r}"

    def get_item(self, it: Interpreter, node: Node, index: Node) -> Node:
        """`x[index]` in code that is being read."""
        from anadrome.frontend.values.item_reads import get_item
        from anadrome.ir.types import deref

        t = deref(index.type)
        if isinstance(t, Num) and t.ndim == 0:
            return it.apply(get_row, (node, index))
        return get_item(it, it.apply(to_array, (node,)), index)

    def get_attribute(self, it: Interpreter, node: Node, name: str) -> Node:
        """`x.name` in code that is being read."""
        from anadrome.frontend.values.attributes import get_attribute
        from anadrome.frontend.values.compile_time import Partial

        methods = {"append": append, "setitem": setitem}
        if name in methods:
            return it.constant(Partial(it.constant(methods[name]), [node], {}))  # type: ignore[arg-type]
        return get_attribute(it, it.apply(to_array, (node,)), name)

    def as_array(self, it: Interpreter, node: Node) -> Node:
        """The rows as an array, for functions that know only arrays."""
        return it.apply(to_array, (node,))


# Primitives and their rules ---------------------------------------------------------


def _row_type(x: Node, *rest: Node) -> Num:
    t = x.type
    assert isinstance(t, PersistentType)
    return Num(t.dtype, t.row_ndim, False)


def _array_type(x: Node) -> Num:
    t = x.type
    assert isinstance(t, PersistentType)
    return Num(t.dtype, t.row_ndim + 1)


def _persistent_type(rows: Node, *rest: Node) -> Any:
    from anadrome.ir.types import deref

    t = deref(rows.type)
    if isinstance(t, PersistentType):
        return t
    assert isinstance(t, Num)
    ndim = t.ndim if t.ndim is not None else 1
    dtype = t.dtype if t.dtype is not None else np.dtype(float)
    return PersistentType(PersistentArray, dtype, max(ndim - 1, 0))


@primitive(infer=_row_type)
def get_row(x: Any, index: Any) -> Any:
    """One row of a persistent array."""
    return x[int(index)]


@get_row.vjp
def get_row_vjp(z: Any, x: Any, index: Any, *, dz: Any) -> Any:
    return one_row(zeros_of(x), index, dz)


@get_row.jvp
def get_row_jvp(z: Any, x: Any, index: Any, *, dx: Any) -> Any:
    return get_row(dx, index)


@primitive(infer=_persistent_type, zero=True)
def zeros_of(x: Any) -> Any:
    """A persistent array of zeros in the shape of another, which takes no space."""
    return x.__anadrome_zero__()


@primitive(infer=_persistent_type)
def one_row(x: Any, index: Any, row: Any) -> Any:
    """A persistent array of zeros but for one row."""
    return x.setitem(int(index), row)


@one_row.vjp
def one_row_vjp(z: Any, x: Any, index: Any, row: Any, *, dz: Any) -> Any:
    return set_row(dz, index, 0.0), get_row(dz, index)


@one_row.jvp
def one_row_jvp(z: Any, x: Any, index: Any, row: Any, *, dx: Any, drow: Any) -> Any:
    return set_row(dx, index, drow)


@primitive(infer=_persistent_type)
def set_row(x: Any, index: Any, row: Any) -> Any:
    """The array with another row in the place of one."""
    return x.setitem(int(index), row)


@set_row.vjp
def set_row_vjp(z: Any, x: Any, index: Any, row: Any, *, dz: Any) -> Any:
    return set_row(dz, index, 0.0), get_row(dz, index)


@set_row.jvp
def set_row_jvp(z: Any, x: Any, index: Any, row: Any, *, dx: Any, drow: Any) -> Any:
    return set_row(dx, index, drow)


@primitive(infer=_persistent_type)
def append_row(x: Any, row: Any) -> Any:
    """The array with one more row."""
    return x.append(row)


@append_row.vjp
def append_row_vjp(z: Any, x: Any, row: Any, *, dz: Any) -> Any:
    return drop_row(dz), get_row(dz, -1)


@append_row.jvp
def append_row_jvp(z: Any, x: Any, row: Any, *, dx: Any, drow: Any) -> Any:
    return append_row(dx, drow)


@primitive(infer=_persistent_type)
def drop_row(x: Any) -> Any:
    """The array without its last row."""
    return x.without_last()


@drop_row.vjp
def drop_row_vjp(z: Any, x: Any, *, dz: Any) -> Any:
    return append_row(dz, 0.0)


@drop_row.jvp
def drop_row_jvp(z: Any, x: Any, *, dx: Any) -> Any:
    return drop_row(dx)


@primitive(infer=_array_type)
def to_array(x: Any) -> Any:
    """The rows of a persistent array as one array."""
    return np.asarray(x)


@to_array.vjp
def to_array_vjp(z: Any, x: Any, *, dz: Any) -> Any:
    return from_array(dz)


@to_array.jvp
def to_array_jvp(z: Any, x: Any, *, dx: Any) -> Any:
    return to_array(dx)


@primitive(infer=_persistent_type)
def from_array(rows: Any) -> Any:
    """The rows of an array as a persistent array."""
    return PersistentArray(rows)


@from_array.vjp
def from_array_vjp(z: Any, rows: Any, *, dz: Any) -> Any:
    return to_array(dz)


@from_array.jvp
def from_array_jvp(z: Any, rows: Any, *, drows: Any) -> Any:
    return from_array(drows)


# The public functions ---------------------------------------------------------------


def append(x: Any, row: Any) -> Any:
    """A new array with one more row; a persistent one shares its rows with the old one.

    For an ordinary array all rows are copied.
    """
    if isinstance(x, PersistentArray):
        return x.append(row)
    return np.concatenate([x, np.expand_dims(row, 0)])


def setitem(x: Any, index: Any, value: Any) -> Any:
    """A new array with another value at an index; the old one stays as it was.

    For an ordinary array all of it is copied.
    """
    if isinstance(x, PersistentArray):
        return x.setitem(index, value)
    made = np.copy(x)
    made[index] = value
    return made


def _plain_append(x: Any, row: Any) -> Any:
    return np.concatenate([x, np.expand_dims(row, 0)])


def _plain_setitem(x: Any, index: Any, value: Any) -> Any:
    made = np.copy(x)
    made[index] = value
    return made


def _inside(
    persistent: Primitive, plain: Callable[..., Any], names: tuple[str, ...]
) -> Any:
    """`ad.append(x, row)` in code that is being read."""

    def handler(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
        from anadrome.errors import TypeMismatch
        from anadrome.frontend.calls.calls import call
        from anadrome.ir.types import deref

        given = dict(zip(names, args), **keywords)
        if given.keys() != set(names):
            raise it.fail(TypeMismatch, f"the arguments are {', '.join(names)}")
        nodes = [it.concrete(given[n]) for n in names]
        if isinstance(deref(nodes[0].type), PersistentType):
            return it.apply(persistent, tuple(nodes))
        return call(it, it.constant(plain), nodes, {})

    return handler


append.__anadrome_inline__ = _inside(append_row, _plain_append, ("x", "row"))  # type: ignore[attr-defined]
setitem.__anadrome_inline__ = _inside(  # type: ignore[attr-defined]
    set_row, _plain_setitem, ("x", "index", "value")
)


def _construct_inside(
    it: Interpreter, args: list[Node], keywords: dict[str, Node]
) -> Node:
    (rows,) = (*args, *keywords.values())
    rows = it.concrete(rows)
    from anadrome.ir.types import deref
    from anadrome.primitives.registry import find_primitive

    if not isinstance(deref(rows.type), Num):
        array = find_primitive(np.array)
        assert array is not None
        rows = it.apply(array, (rows,))
    return it.apply(from_array, (rows,))


PersistentArray.__anadrome_construct__ = staticmethod(_construct_inside)  # type: ignore[attr-defined]
