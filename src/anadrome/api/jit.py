"""Native code: `jit` compiles a function, or a derivative, through LLVM.

A program is made for the types and ranks of the arguments, never for their sizes, and
kept; the compiler is imported when it is first needed.
"""

from __future__ import annotations

import functools
import inspect
import types as pytypes
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from anadrome.driver.specialise import Derived, Specialising, key_of
from anadrome.errors import AnadromeError, ArgumentError, compiler_error

if TYPE_CHECKING:
    from anadrome.driver.in_python import InPython
    from anadrome.driver.program import NativeProgram
    from anadrome.frontend.interpreter import Interpreter
    from anadrome.ir.graph import Node


class Jitted(Specialising):
    """A function that runs as native code."""

    def __init__(
        self,
        function: Callable[..., Any],
        static_argnums: int | Iterable[int] = (),
        static_argnames: str | Iterable[str] = (),
    ) -> None:
        if not callable(function):
            raise ArgumentError(
                f"jit needs a function, this is a {type(function).__name__}",
                help="write ad.jit(f), then call the result with arguments",
            )
        super().__init__()
        self.function = function
        self._recent: tuple[Any, NativeProgram | None] = (None, None)
        numbers = static_argnums
        self.static = _static_places(
            function,
            (numbers,) if isinstance(numbers, int) else tuple(numbers),
            (static_argnames,)
            if isinstance(static_argnames, str)
            else tuple(static_argnames),
        )
        if isinstance(getattr(function, "__name__", None), str):
            functools.update_wrapper(self, function, updated=())

    def __repr__(self) -> str:
        return f"<ad.jit of {getattr(self.function, '__name__', self.function)}>"

    # Calling -------------------------------------------------------------------------

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        if keywords or self.static:
            return self.specialise(args, keywords).run(args, keywords, ())
        code = getattr(self.function, "__code__", None)
        # Most calls are of the types of the one before.
        recognises, found = self._recent
        if found is not None and recognises(*args) and found.code is code:
            if not found.guarded or found.holds():
                return _call_directly(found, args)
        key = tuple([key_of(a) for a in args])
        for found in self._compiled.get(key, ()):
            if found.code is not code:
                continue
            if found.guarded and not found.holds():
                continue
            if not found.direct:
                return found.run(args, keywords, ())
            recogniser = found.recognise(args)
            if recogniser is not None:
                self._recent = recogniser.recognises, found
            return _call_directly(found, args)
        return self.specialise(args, keywords).run(args, keywords, ())

    def build(
        self, args: tuple[Any, ...], keywords: dict[str, Any]
    ) -> NativeProgram | InPython:
        """A new program for arguments of these types."""
        from anadrome.driver.recall import recall

        try:
            made = recall(self, args, keywords)
        except (ArgumentError, MemoryError):
            raise
        except Exception as error:
            from anadrome.driver.in_python import InPython

            refusal = (
                error if isinstance(error, AnadromeError) else compiler_error(error)
            )
            return InPython(self.function, refusal, len(args))
        made.original = self.function
        if not isinstance(self.function, Derived):
            made.function.hands_over = True  # type: ignore[attr-defined]
        return made

    def key(self, place: int | str, value: Any) -> Any:
        """What tells arguments apart: the values of those that are compiled in."""
        if place not in self.static:
            return key_of(value)
        try:
            hash(value)
        except TypeError:
            raise ArgumentError(
                f"the static argument {place!r} is a {type(value).__name__}, which "
                "cannot be hashed",
                help="static arguments are compiled in: pass a number, a string, a "
                "tuple or a function",
            ) from None
        return ("static", type(value), value)

    # Inside another function ---------------------------------------------------------

    def __anadrome_inline__(
        self, it: Interpreter, args: list[Node], keywords: dict[str, Node]
    ) -> Node:
        """The function itself as part of one that is being read."""
        from anadrome.frontend.calls.calls import call

        return call(it, it.constant(self.function), args, keywords)


def _call_directly(program: NativeProgram, args: tuple[Any, ...]) -> Any:
    """The result of a program that takes the user's arguments as they are."""
    try:
        return program.function.call(*args)  # type: ignore[attr-defined]
    except Exception as error:
        return program.failed(error, args, {})


def _static_places(
    function: Any, numbers: tuple[int, ...], names: tuple[str, ...]
) -> frozenset[int | str]:
    """The static arguments by position and by name, however they are passed."""
    if not numbers and not names:
        return frozenset()
    try:
        declared = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        declared = []
    parameters = [p.name for p in declared]
    # Whatever comes by position after the starred parameter has no name.
    stars = [k for k, p in enumerate(declared) if p.kind is p.VAR_POSITIONAL]
    named = stars[0] if stars else len(parameters)
    found: set[int | str] = set()
    for k in numbers:
        if parameters and not stars and not -named <= k < named:
            raise ArgumentError(
                f"static_argnums={k}, but the function has {named} parameters"
            )
        k = k % named if k < 0 and named else k
        found.add(k)
        if k < named:
            found.add(parameters[k])
    free = any(p.kind is p.VAR_KEYWORD for p in declared)
    for name in names:
        if parameters and name not in parameters and not free:
            raise ArgumentError(f"the function has no parameter {name!r}")
        found.add(name)
        if name in parameters[:named]:
            found.add(parameters.index(name))
    return frozenset(found)


def jit(
    fun: Callable[..., Any] | None = None,
    *,
    static_argnums: int | Iterable[int] = (),
    static_argnames: str | Iterable[str] = (),
) -> Callable[..., Any]:
    """The function in native code, compiled when it is called with new types.

    `fun` may be a plain function, a method, or a derivative such as `ad.grad(f)`.
    Lengths and batch sizes change without compiling again. Arguments named by
    `static_argnums` or `static_argnames` are compiled in: the function is compiled
    again for each of their values. A function that native code cannot follow runs in
    Python, and an `ad.NotCompiled` warning says where and why.
    """
    if fun is None:
        return functools.partial(
            jit, static_argnums=static_argnums, static_argnames=static_argnames
        )
    return Jitted(fun, static_argnums, static_argnames)


def is_native(function: Any) -> bool:
    """Whether a function is jitted, or a derivative of one that is."""
    while True:
        if isinstance(function, pytypes.MethodType):
            function = function.__func__
        if not isinstance(function, Derived):
            return isinstance(function, Jitted)
        function = function.function


def _jit_inside(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    """`ad.jit(f)` in the code of a function that is being read: the function itself."""
    return args[0]


jit.__anadrome_inline__ = _jit_inside  # type: ignore[attr-defined]

__all__ = ["Jitted", "is_native", "jit"]
