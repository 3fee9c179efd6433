"""The types of values, and the alias classes of what can be changed in place.

Typing is gradual: `ANY` is a value of which nothing is known, `NEVER` one that does
not exist yet (the result of a recursive call whose type is still being found).

Lists, dictionaries and objects have identity. Their types are cells that are unified
wherever two values may be the same object, so a type is at the same time the class of
everything that may alias. Arrays carry such a class beside their dtype and rank.
"""

from __future__ import annotations

import dataclasses
import reprlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np


class AliasClass:
    """A set of arrays or containers that may be one object; `stored` if written to.

    `told_apart` says that the program sees which object it is, by `is`, by `id` or as
    the key of a dictionary, so that a copy will not do in its place. Of those that are
    `copied` a derivative changes copies. Those that are `given` the caller gets, who
    may change one of them and look at another.
    """

    __slots__ = ("_parent", "copied", "given", "stored", "stores", "told_apart")

    def __init__(self) -> None:
        self._parent: AliasClass | None = None
        self.copied = False
        self.given = False
        self.stored = False
        self.stores = 0
        self.told_apart = False

    def find(self) -> AliasClass:
        """The representative of this class."""
        root = self
        while root._parent is not None:
            root = root._parent
        while self._parent is not None:
            self._parent, self = root, self._parent
        return root

    def store(self) -> None:
        """Record that something is written into the objects of this class."""
        root = self.find()
        root.stored = True
        root.stores += 1

    def unify(self, other: AliasClass) -> bool:
        """Merge two classes; whether they were different."""
        mine, theirs = self.find(), other.find()
        if mine is theirs:
            return False
        theirs._parent = mine
        mine.copied |= theirs.copied
        mine.given |= theirs.given
        mine.stored |= theirs.stored
        mine.stores += theirs.stores
        mine.told_apart |= theirs.told_apart
        return True


class Type:
    """What is known of a value."""

    __slots__ = ()


class AnyType(Type):
    """Nothing is known."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "any"


class NeverType(Type):
    """No value reaches here yet."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "never"


ANY = AnyType()
NEVER = NeverType()


@dataclass(frozen=True, eq=False)
class Num(Type):
    """A number or an array of numbers.

    `python` tells a Python scalar, which is weak in NumPy's promotion, from a NumPy
    one. A rank of None is unknown; a dtype of None too.
    """

    dtype: np.dtype[Any] | None
    ndim: int | None
    python: bool = False
    alias: AliasClass = dataclasses.field(default_factory=AliasClass)
    # A 0-d array, which unlike a number can be changed in place.
    boxed: bool = False
    # The classes of a number that is of another type on some path, or in some place
    # of a list; `object` among them stands for any.
    kinds: frozenset[type] = frozenset()

    @property
    def varied(self) -> bool:
        """Whether a number may be of another type on some path."""
        return bool(self.kinds)

    @property
    def inexact(self) -> bool:
        """Whether it can have a derivative."""
        return self.dtype is None or self.dtype.kind in "fc"

    @property
    def scalar(self) -> bool:
        """Whether it is surely a number, which cannot be changed in place."""
        return self.ndim == 0 and not self.boxed

    def __repr__(self) -> str:
        name = self.dtype.name if self.dtype is not None else "number"
        if self.boxed:
            return f"{name}[]{'!' if self.alias.find().stored else ''}"
        if self.ndim == 0:
            short = {"float64": "float", "int64": "int", "complex128": "complex"}
            return short.get(name, name) if self.python else name
        dims = "..." if self.ndim is None else ", ".join(":" * self.ndim)
        mark = "!" if self.alias.find().stored else ""
        return f"{name}[{dims}]{mark}"


FLOAT = Num(np.dtype(np.float64), 0, True)
INT = Num(np.dtype(np.int64), 0, True)
BOOL = Num(np.dtype(np.bool_), 0, True)
COMPLEX = Num(np.dtype(np.complex128), 0, True)
ANY_KIND = frozenset({object})
_PYTHON: dict[str, type] = {"b": bool, "i": int, "f": float, "c": complex}


def class_of_number(t: Num) -> type | None:
    """The class of the numbers of a type, but for those that are varied."""
    if t.ndim != 0 or t.dtype is None:
        return None
    if t.boxed:
        return np.ndarray
    return _PYTHON.get(t.dtype.kind) if t.python else t.dtype.type


def kinds_of_number(t: Num) -> frozenset[type]:
    """The classes that numbers of a type may have."""
    own = class_of_number(t)
    return t.kinds or (ANY_KIND if own is None else frozenset({own}))


@dataclass(frozen=True)
class NoneType_(Type):
    """The type of `None`."""

    def __repr__(self) -> str:
        return "None"


@dataclass(frozen=True)
class Str(Type):
    """Text."""

    def __repr__(self) -> str:
        return "str"


NONE = NoneType_()
STR = Str()


@dataclass(frozen=True)
class Other(Type):
    """An object known by its Python class, without a derivative unless `numeric`."""

    cls: type
    numeric: ClassVar[bool] = False

    def __repr__(self) -> str:
        return self.cls.__name__


@dataclass(frozen=True, repr=False)
class NumericSlice(Other):
    """A slice between floating-point numbers: no index, but `np.mgrid` takes it."""

    numeric: ClassVar[bool] = True


@dataclass(frozen=True, repr=False)
class GivenFunction(Other):
    """A function in an attribute of an object that is given: it is compiled in."""

    value: Any


@dataclass(frozen=True, eq=False)
class Tuple(Type):
    """A tuple of known length; `cls` is its class if it is a named tuple."""

    items: tuple[Type, ...]
    cls: type = tuple

    def __repr__(self) -> str:
        inner = ", ".join(map(repr, self.items))
        name = "" if self.cls is tuple else self.cls.__name__
        return f"{name}({inner})"


@dataclass(frozen=True, eq=False)
class FixedList(Tuple):
    """A list that is read as a tuple of its items; `fresh` if nobody has it yet."""

    fresh: bool = False


@dataclass(frozen=True, eq=False)
class Packed(Tuple):
    """A function stored as a tuple: a number for its code, then what it captured.

    `codes` are the front end's descriptions of the functions that it may be.
    """

    codes: tuple[Any, ...] = ()

    def __repr__(self) -> str:
        return f"function{super().__repr__()}"


@dataclass(frozen=True, eq=False)
class VarTuple(Type):
    """A tuple of unknown length whose items share a type.

    It is `listed` if it may be a list in truth, as a `FixedList` is.
    """

    item: Type
    listed: bool = False

    def __repr__(self) -> str:
        return f"({self.item!r}, ...)"


@dataclass(frozen=True, eq=False)
class Optional(Type):
    """Either None or a value of the inner type."""

    inner: Type

    def __repr__(self) -> str:
        return f"{self.inner!r}?"


class Cell(Type):
    """A type with identity, unified where two values may be the same object."""

    __slots__ = ("_link", "alias", "fields", "item", "key")

    def __init__(self) -> None:
        self._link: Cell | None = None
        self.alias = AliasClass()
        self.item: Type = NEVER
        self.key: Type = NEVER
        self.fields: dict[Any, Type] | None = None

    def find(self) -> Any:
        """The representative of the cell."""
        root = self
        while root._link is not None:
            root = root._link
        while self._link is not None:
            self._link, self = root, self._link
        return root

    @property
    def stored(self) -> bool:
        """Whether something changes the objects of this class in place."""
        return self.find().alias.find().stored

    @property
    def told_apart(self) -> bool:
        """Whether the program sees which object of this class it is."""
        return self.find().alias.find().told_apart


class List(Cell):
    """A list whose items share a type."""

    __slots__ = ()

    def __init__(self, item: Type = NEVER) -> None:
        super().__init__()
        self.item = item

    @reprlib.recursive_repr()
    def __repr__(self) -> str:
        root = self.find()
        return f"[{root.item!r}]{'!' if root.stored else ''}"


class Stack(Type):
    """Residuals of a loop: one value for each iteration, in their order."""

    __slots__ = ("item",)

    def __init__(self, item: Type) -> None:
        self.item = item

    def __repr__(self) -> str:
        return f"stack {self.item!r}"


class Dict(Cell):
    """A dictionary: `fields` for constant keys, else one type for all values."""

    __slots__ = ()

    def __init__(
        self,
        fields: dict[Any, Type] | None = None,
        key: Type = NEVER,
        item: Type = NEVER,
    ) -> None:
        super().__init__()
        self.fields = fields
        self.key = key
        self.item = item

    @reprlib.recursive_repr()
    def __repr__(self) -> str:
        root = self.find()
        mark = "!" if root.stored else ""
        if root.fields is not None:
            inner = ", ".join(f"{k!r}: {v!r}" for k, v in root.fields.items())
            return f"{{{inner}}}{mark}"
        return f"{{{root.key!r}: {root.item!r}}}{mark}"


class Object(Cell):
    """An instance of a Python class with typed attributes."""

    __slots__ = ("cls",)

    def __init__(self, cls: type, fields: dict[str, Type] | None = None) -> None:
        super().__init__()
        self.cls = cls
        self.fields = fields if fields is not None else {}

    def __repr__(self) -> str:
        return f"{self.cls.__name__}{'!' if self.stored else ''}"


@dataclass(frozen=True, eq=False)
class Function(Type):
    """A function known at compile time; `value` is the front end's description."""

    value: Any

    def __repr__(self) -> str:
        return f"function {getattr(self.value, 'name', '?')}"


class Union(AnyType):
    """An object of one of several classes; for all else nothing is known of it.

    The objects of the different classes share an alias class, so that one of them is
    changed in place only if all are.
    """

    __slots__ = ("options",)

    def __init__(self, options: tuple[Object, ...]) -> None:
        self.options = options

    def __repr__(self) -> str:
        return " | ".join(o.cls.__name__ for o in self.options)


def same_dtype(a: np.dtype[Any] | None, b: np.dtype[Any] | None) -> bool:
    """Whether two dtypes are one; to NumPy `None` is double precision."""
    return a is b or (a is not None and b is not None and a == b)


def same_form(a: Num, b: Num) -> bool:
    """Whether numbers or arrays have one dtype and one rank."""
    return same_dtype(a.dtype, b.dtype) and a.ndim == b.ndim


def deref(t: Type) -> Type:
    """The type with unified cells followed."""
    return t.find() if isinstance(t, Cell) else t


def alias_of(t: Type) -> AliasClass | None:
    """The alias class of what the value itself refers to, if it is mutable."""
    t = deref(t)
    if isinstance(t, Num):
        return None if t.scalar else t.alias.find()
    if isinstance(t, Cell):
        found: AliasClass = t.alias.find()
        return found
    if isinstance(t, Optional):
        return alias_of(t.inner)
    if isinstance(t, Union):
        return alias_of(t.options[0])
    return None


def is_stored(t: Type) -> bool:
    """Whether the object itself is changed in place somewhere."""
    alias = alias_of(t)
    return alias is not None and alias.stored


def unchanged(t: Type) -> Type:
    """The type of an array that is copied before it is changed; others as they are."""
    if isinstance(t, Num) and not t.scalar:
        return Num(t.dtype, t.ndim, t.python, boxed=t.boxed)
    return t


def parts(t: Type) -> tuple[Type, ...]:
    """The types of the values inside a container."""
    t = deref(t)
    if isinstance(t, Tuple):
        return t.items
    if isinstance(t, VarTuple | Stack):
        return (t.item,)
    if isinstance(t, Optional):
        return (t.inner,)
    if isinstance(t, Union):
        return t.options
    if isinstance(t, Cell):
        found = tuple(t.fields.values()) if t.fields is not None else ()
        return found if isinstance(t, Object) or t.fields is not None else (t.item,)
    return ()


def holds_stored(t: Type, seen: frozenset[int] = frozenset()) -> bool:
    """Whether a value is, or contains, something that is changed in place."""
    t = deref(t)
    if isinstance(t, Num):
        return is_stored(t)
    if id(t) in seen:
        return False
    return is_stored(t) or any(holds_stored(p, seen | {id(t)}) for p in parts(t))


def tell_apart(t: Type, deep: bool = False, arrays: bool = False) -> None:
    """Record that the program sees which object a value is, or holds if `deep`."""
    pending, seen = [t], set()
    while pending:
        t = deref(pending.pop())
        if id(t) in seen:
            continue
        seen.add(id(t))
        if isinstance(t, Object) or (arrays and isinstance(t, Num) and not t.scalar):
            t.alias.find().told_apart = True
        if deep or isinstance(t, Optional | Union):
            pending += parts(t)


def are_told_apart(t: Type) -> bool:
    """Whether the program sees which array a value is, or which nan."""
    t = deref(t)
    return isinstance(t, Num) and t.alias.find().told_apart


def classes_of(types: Iterable[Type]) -> list[AliasClass]:
    """The alias classes of what values of some types are and contain."""
    found: list[AliasClass] = []
    seen: set[int] = set()
    pending = list(types)
    while pending:
        t = deref(pending.pop())
        if id(t) in seen:
            continue
        seen.add(id(t))
        alias = alias_of(t)
        if alias is not None:
            found.append(alias)
        pending += parts(t)
    return found


def note_given(result: Type, taken: Iterable[Type]) -> None:
    """Record what a caller gets: the result, and what is put into its containers."""
    for alias in classes_of([result]):
        alias.given = True
    pending, seen = list(taken), set()
    while pending:
        t = deref(pending.pop())
        if id(t) in seen:
            continue
        seen.add(id(t))
        pending += parts(t)
        if is_stored(t):
            for alias in classes_of(parts(t)):
                alias.given = True


def is_given(t: Type) -> bool:
    """Whether a caller may get an array that a value is, or is in a tuple of it."""
    t = deref(t)
    if isinstance(t, Tuple):
        return any(map(is_given, t.items))
    return isinstance(t, Num) and not t.scalar and t.alias.find().given


def holds_itself(t: Type) -> bool:
    """Whether a value may contain values of its own type, to any depth."""
    whole = deref(t)
    seen: set[int] = set()
    pending = list(parts(whole))
    while pending:
        part = deref(pending.pop())
        if part is whole:
            return True
        if id(part) not in seen:
            seen.add(id(part))
            pending += parts(part)
    return False


def is_differentiable(t: Type, seen: frozenset[int] = frozenset()) -> bool:
    """Whether a value of this type can hold a floating-point number."""
    t = deref(t)
    if isinstance(t, Num):
        return t.inexact
    if isinstance(t, AnyType) or (isinstance(t, Other) and t.numeric):
        return True
    if isinstance(t, Function):
        return False
    if id(t) in seen:
        return False
    inner = seen | {id(t)}
    return any(is_differentiable(p, inner) for p in parts(t))


def strip_optional(t: Type) -> Type:
    """The type of the value if it is not None."""
    t = deref(t)
    return deref(t.inner) if isinstance(t, Optional) else t


def is_certain(t: Type) -> bool:
    """Whether what a type says of a value holds on every path."""
    t = strip_optional(t)
    return isinstance(
        t, Num | Str | List | Dict | Tuple | VarTuple | Object | NoneType_
    )


def same(a: Type, b: Type) -> bool:
    """Whether two types say the same, so that a loop has reached its fixed point."""
    a, b = deref(a), deref(b)
    if a is b or (isinstance(a, NeverType) and isinstance(b, NeverType)):
        return True
    if isinstance(a, Num) and isinstance(b, Num):
        mine = (a.ndim, a.python, a.boxed)
        return mine == (b.ndim, b.python, b.boxed) and same_dtype(a.dtype, b.dtype)
    if isinstance(a, Packed) or isinstance(b, Packed):
        if not (isinstance(a, Packed) and isinstance(b, Packed) and a.codes == b.codes):
            return False
    if isinstance(a, Tuple) and isinstance(b, Tuple):
        return (
            a.cls is b.cls
            and len(a.items) == len(b.items)
            and all(map(same, a.items, b.items))
        )
    if isinstance(a, VarTuple) and isinstance(b, VarTuple):
        return same(a.item, b.item)
    if isinstance(a, Stack) and isinstance(b, Stack):
        return same(a.item, b.item)
    if isinstance(a, Optional) and isinstance(b, Optional):
        return same(a.inner, b.inner)
    if isinstance(a, Function) and isinstance(b, Function):
        return bool(a.value == b.value)
    if isinstance(a, Union) and isinstance(b, Union):
        return {o.cls for o in a.options} == {o.cls for o in b.options}
    if isinstance(a, Cell | Union) or isinstance(b, Union):
        return False
    return type(a) is type(b) and a == b
