"""Values that exist only while a function is being read.

Functions are known at compile time and calls of them are inlined, so they need no
place in the graph. Objects that never leave the function that makes them live as
separate variables, one for each attribute.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from anadrome.errors import Span, UnexpectedType
from anadrome.frontend.syntax.source import FunctionSource
from anadrome.ir.graph import Graph, Node
from anadrome.ir.types import Dict, Object, Type

_numbers = itertools.count()


class Scope:
    """The variables of one activation of a function."""

    def __init__(
        self,
        source: FunctionSource | None,
        parent: Scope | None = None,
        globals: dict[str, Any] | None = None,
        cells: dict[str, Any] | None = None,
        locals: frozenset[str] | None = None,
    ) -> None:
        self.source = source
        self.parent = parent
        self.globals = globals if globals is not None else {}
        self.cells = cells or {}
        self.locals = (
            locals
            if locals is not None
            else source.locals
            if source is not None
            else frozenset()
        )
        self.nonlocals: set[str] = set()
        self.captured = False
        self.suspended = False
        self.is_comprehension = False
        self.number = next(_numbers)
        # For methods: the class whose body they stand in and the instance (`super`).
        self.owner: type | None = None
        self.instance: Node | None = None
        # For generators: where the iterators that its loops run over were made.
        self.homes: dict[int, Graph] = {}

    def __repr__(self) -> str:
        return f"Scope({self.source.name if self.source else '?'})"


class _Known:
    """A function as the reader knows it, which has no derivative where it is kept."""

    def __anadrome_zero__(self) -> None:
        return None


@dataclass(eq=False)
class Closure(_Known):
    """A function defined inside the function being read."""

    source: FunctionSource
    scope: Scope
    defaults: tuple[Node, ...] = ()
    keyword_defaults: dict[str, Node] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What the function is called."""
        return self.source.name


@dataclass(frozen=True, eq=False)
class BoundMethod(_Known):
    """A function with its first argument already given."""

    function: Any
    instance: Node
    owner: type | None = None

    @property
    def name(self) -> str:
        """What the method is called."""
        return getattr(self.function, "__name__", "method")


@dataclass(frozen=True, eq=False)
class ArrayMethod(_Known):
    """A method of an array, a list or another value, looked up but not yet called."""

    instance: Node
    name: str


@dataclass(frozen=True, eq=False)
class Partial(_Known):
    """`functools.partial` of a function, its arguments values of the graph."""

    function: Node
    args: tuple[Node, ...]
    keywords: dict[str, Node]
    name: str = "partial"
    wrapped: Node | None = None  # whose name it has, with functools.wraps


@dataclass(frozen=True, eq=False)
class FunctionChoice(_Known):
    """One of several known functions; which, is decided when the program runs."""

    selector: Node
    keys: list[Any]
    options: list[Node]
    name: str = "choice"


@dataclass(frozen=True, eq=False)
class Super:
    """What `super()` returns."""

    owner: type
    instance: Node


@dataclass(frozen=True, eq=False)
class LateBound:
    """A variable of a function being read, as the methods of a class in it see it.

    When Python itself calls such a method, nobody knows the value: it cannot be used.
    """

    scope: Scope
    name: str

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._refuse()

    def _refuse(self, *args: Any, **keywords: Any) -> Any:
        raise UnexpectedType(
            f"'{self.name}' is read in a method of an object of unknown class",
            help="keep objects of one class in one place, or define the class at "
            "module level",
        )


for _name in (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "divmod"),
    *("and", "or", "xor", "lshift", "rshift"),
):
    setattr(LateBound, f"__{_name}__", LateBound._refuse)
    setattr(LateBound, f"__r{_name}__", LateBound._refuse)
for _name in (
    *("call", "getitem", "setitem", "delitem", "iter", "len", "contains", "bool"),
    *("lt", "le", "gt", "ge", "neg", "pos", "abs", "invert", "int", "float", "index"),
    *("complex", "round", "array", "array_ufunc", "array_function", "enter", "format"),
):
    setattr(LateBound, f"__{_name}__", LateBound._refuse)


@dataclass(frozen=True, eq=False)
class Splat:
    """`*sequence` among the arguments of a call, of unknown length."""

    sequence: Node
    name: str = "star"


class LazyIterator:
    """A value that is consumed as it is asked: see `iterators`."""


class Virtual(Node):
    """An object whose attributes are variables of the reader, until it escapes.

    `home` is the region in which it was made.
    """

    __slots__ = ("cls", "home", "number")

    def __init__(self, cls: type, type: Type, span: Span | None, home: Graph) -> None:
        super().__init__(type, None, span)
        self.cls = cls
        self.home = home
        self.number = next(_numbers)

    @property
    def is_dict(self) -> bool:
        """Whether it is a dictionary with constant keys rather than an object."""
        return isinstance(self.type, Dict)

    def __repr__(self) -> str:
        return f"Virtual({self.cls.__name__})"


@dataclass(eq=False)
class TryLevel:
    """A `try` whose body is being read.

    `kinds` holds the classes that its handlers name, or None if they are known only
    at run time; `exact` says that nothing else can have reached the handlers.
    """

    number: int
    caught: Node
    kinds: tuple[type, ...] | None
    exact: bool = True
    # The last statement of the body and the handlers, which may stand right at it.
    tail: ast.stmt | None = None
    handle: Callable[[Node], None] | None = None


@dataclass
class Frame:
    """A function that is being read: its scope and where it was called.

    `levels` are the loops (None) and the `try` bodies that are being read, and
    `handling` the exceptions whose handlers are. `finals` counts the `finally` clauses
    that may read a variable after a `return`.
    """

    scope: Scope
    source: FunctionSource
    call_span: Span | None
    levels: list[TryLevel | None] = field(default_factory=list)
    handling: list[Node] = field(default_factory=list)
    finals: int = 0
    # For generators: what is done with a value that is yielded.
    on_yield: Callable[[Node], Node] | None = None
    # Whether who runs over it may leave it at a `yield`.
    # For generators: whether a loop over them may be left before they end.
    may_leave: bool = False
    left: bool = False
    # The position of the iterator that this makes items of: what raises here ends it.
    ends: Key | None = None


def rule_frame() -> Frame:
    """A frame for code that belongs to no function of the user's."""
    from anadrome.frontend.syntax.source import source_of

    source = source_of(_nowhere)  # type: ignore[arg-type]
    return Frame(Scope(source), source, None)


def _nowhere() -> None:
    """Where derivatives are written: nowhere in the user's source."""


@dataclass
class RecursiveFunction:
    """A function that calls itself and therefore becomes a graph of its own."""

    key: Any
    graph: Any
    params: list[Any]
    param_types: list[Type]
    statics: list[Node | None]
    result: Type
    names: list[str]
    dirty: bool = False
    free: list[Node] = field(default_factory=list)
    # Whether it is still being read.
    open: bool = True
    # What it captured, when it had been read.
    state: Any = None


class Recursion(Exception):
    """Thrown when a function that is being inlined is called again."""

    def __init__(self, key: Any) -> None:
        self.key = key


Key = tuple[Any, str]

__all__ = [
    "ArrayMethod",
    "BoundMethod",
    "Closure",
    "Dict",
    "Frame",
    "FunctionChoice",
    "Key",
    "LateBound",
    "LazyIterator",
    "Object",
    "Partial",
    "Recursion",
    "RecursiveFunction",
    "Scope",
    "Splat",
    "Super",
    "TryLevel",
    "Virtual",
]
