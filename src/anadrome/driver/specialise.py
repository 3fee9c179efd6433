"""Callables made by the public interface: derivatives that specialise themselves.

A derivative is compiled when it is called with arguments of new types, and kept. It
can also be called inside a function that is itself being read; then its graph becomes
part of that function's, which is how derivatives nest to any depth. The compiler is
imported when it is first needed.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import types as pytypes
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from anadrome.backends.building import BUILDING
from anadrome.errors import AnadromeError, ArgumentError, compiler_error
from anadrome.infer.values import (
    is_foreign_array,
    is_plain_record,
    signature_of,
    signature_of_record,
)

if TYPE_CHECKING:
    from anadrome.driver.program import Compiled
    from anadrome.frontend.interpreter import Interpreter
    from anadrome.ir.graph import Graph, Node, Parameter

_ndarray = np.ndarray

KEPT = 4
"""How many programs are kept for the same types under different captured values."""


@contextlib.contextmanager
def _collector_paused() -> Iterator[None]:
    """Compile without looking for garbage, of which there is none yet."""
    active = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if active:
            gc.enable()


class Specialising:
    """A callable that keeps a program for each set of types it is called with."""

    function: Callable[..., Any]

    def __init__(self) -> None:
        self._compiled: dict[Any, tuple[Any, ...]] = {}

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """The callable as a method: `self` is its first argument."""
        return self if instance is None else pytypes.MethodType(self, instance)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        raise NotImplementedError

    def build(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """A new program for arguments of these types."""
        raise NotImplementedError

    def key(self, place: int | str, value: Any) -> Any:
        """What tells arguments apart that need programs of their own."""
        return key_of(value)

    def specialise(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """The program for arguments of these types, made if it is new."""
        key: Any = tuple([self.key(k, a) for k, a in enumerate(args)])
        if keywords:
            key = (key, tuple((k, self.key(k, v)) for k, v in keywords.items()))
        code = getattr(self.function, "__code__", None)
        for found in self._compiled.get(key, ()):
            if found.code is code and found.holds():
                return found
        with BUILDING, _collector_paused():
            # Another thread may have made it in the meantime.
            for found in self._compiled.get(key, ()):
                if found.code is code and found.holds():
                    return found
            try:
                made = self.build(args, keywords)
            except (AnadromeError, MemoryError, RecursionError):
                raise
            except Exception as error:
                raise compiler_error(error) from error
            # Captured values have changed, or the types are new.
            self._compiled[key] = (made, *self._compiled.get(key, ())[: KEPT - 1])
        return made


class Derived(Specialising):
    """A function made from another by a transformation of its graph."""

    kind = "derived"

    def __init__(self, function: Callable[..., Any], argnums: Any = 0) -> None:
        if not callable(function) and not hasattr(function, "type"):
            raise ArgumentError(
                f"{self.kind} needs a function, this is a {type(function).__name__}",
                help=f"write ad.{self.kind}(f), then call the result with arguments",
            )
        super().__init__()
        self.function = function
        self.argnums = checked_argnums(argnums)
        if isinstance(getattr(function, "__name__", None), str):
            functools.update_wrapper(self, function, updated=())
            self.__name__ = f"{self.kind}_{function.__name__}".replace("<lambda>", "f")

    def __repr__(self) -> str:
        return (
            f"<ad.{self.kind} of {getattr(self.function, '__name__', self.function)}>"
        )

    # What a kind of derivative says --------------------------------------------------

    def transform(self, graph: Graph, sources: list[Parameter], name: str) -> Graph:
        """The graph of the derivative."""
        raise NotImplementedError

    # Positions -----------------------------------------------------------------------

    @property
    def wanted(self) -> tuple[int, ...]:
        """`argnums` as a tuple."""
        return self.argnums if isinstance(self.argnums, tuple) else (self.argnums,)

    def positions(self, count: int) -> list[int]:
        """The positions of the arguments to differentiate, counted from zero."""
        found = []
        for k in self.wanted:
            if not -count <= k < count:
                raise ArgumentError(
                    f"argnums={k}, but the function was called with {count} positional "
                    "arguments",
                    help="pass the arguments to differentiate by position",
                )
            found.append(k % count)
        if len(set(found)) < len(found):
            raise ArgumentError(f"argnums={self.argnums} names an argument twice")
        return found

    # Calling -------------------------------------------------------------------------

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        if keywords:
            return self.specialise(args, keywords).run(args, keywords, ())
        key = tuple([key_of(a) for a in args])
        code = getattr(self.function, "__code__", None)
        for found in self._compiled.get(key, ()):
            if found.code is not code:
                continue
            if found.guarded and not found.holds():
                continue
            if not found.direct:
                return found.run(args, keywords, ())
            try:
                return found.function(*args)
            except Exception as error:
                return found.failed(error, args, {})
        return self.specialise(args, keywords).run(args, keywords, ())

    def build(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> Compiled:
        """A new program for arguments of these types."""
        from anadrome.driver.pipeline import build

        return build(self, args, keywords)

    # Inside another function ---------------------------------------------------------

    def __anadrome_inline__(
        self, it: Interpreter, args: list[Node], keywords: dict[str, Node]
    ) -> Node:
        """The derivative as part of a function that is being read."""
        from anadrome.driver.pipeline import inline

        return inline(self, it, args, keywords)


def checked_argnums(argnums: Any) -> int | tuple[int, ...]:
    """`argnums` as an integer or a tuple of integers; anything else is refused."""
    several = isinstance(argnums, tuple | list)
    found = tuple(argnums) if several else (argnums,)
    for k in found:
        if not isinstance(k, int | np.integer) or isinstance(k, bool):
            raise ArgumentError(
                f"argnums must be an integer or a tuple of them, not {k!r}"
            )
    if not found:
        raise ArgumentError("argnums is empty", help="name at least one argument")
    return tuple(int(k) for k in found) if several else int(found[0])


_SIMPLE = frozenset((float, int, complex, type(None)))


def key_of(value: Any) -> Any:
    """What tells values apart that need programs of their own."""
    cls = type(value)
    if cls is _ndarray:
        # Axes of length one are broadcast, so a program is made for their places.
        shape = value.shape
        return (
            value.dtype,
            tuple([n != 1 for n in shape]) if 1 in shape else len(shape),
        )
    if cls in _SIMPLE:
        return cls
    return _structured_key(value)


def _structured_key(value: Any) -> Any:
    cls = type(value)
    if cls in _CONTAINERS and _begins_with_array(value):
        return signature_of(value)
    if is_plain_record(cls):
        return signature_of_record(value, cls)
    from anadrome.primitives.captured import is_static

    if isinstance(value, np.ndarray) and type(value) not in (np.ndarray, np.memmap):
        raise ArgumentError(
            f"this is a {type(value).__name__}, a subclass of numpy.ndarray with rules "
            "of its own",
            help="convert it with np.asarray",
        )
    if is_foreign_array(cls):
        raise ArgumentError(
            f"this is a {cls.__name__}, which computes like an array in a way of its "
            "own",
            help="pass a plain array: np.asarray(x)",
        )
    if is_static(value):
        # It is compiled in, and 1, 1.0 and True must not be taken for each other.
        return ("static", _typed(value))
    return signature_of(value)


_CONTAINERS = frozenset((tuple, list, dict))


def _begins_with_array(value: Any) -> bool:
    """Whether an array is at once found in a value, which is not compiled in then."""
    while type(value) in _CONTAINERS and value:
        value = next(iter(value.values() if type(value) is dict else value))
    return type(value) is _ndarray


def _typed(value: Any) -> Any:
    if isinstance(value, tuple):
        return (type(value), tuple(_typed(v) for v in value))
    if isinstance(value, slice):
        return (slice, value.start, value.stop, value.step)
    return (type(value), value)


_LIMIT = 512


@functools.lru_cache(maxsize=_LIMIT)
def _remembered(make: Callable[..., Any], function: Any, rest: tuple[Any, ...]) -> Any:
    return make(function, *rest)


def remember(make: Callable[..., Any], function: Any, *rest: Any) -> Any:
    """`make(function, *rest)`, the same object as the last time if there was one.

    What `ad.jvp(f, …)` and `ad.vjp(f, …)` compile is found again by their next call.
    """
    try:
        return _remembered(make, function, rest)
    except TypeError:
        return make(function, *rest)


__all__ = ["Derived", "Specialising", "key_of", "remember"]
