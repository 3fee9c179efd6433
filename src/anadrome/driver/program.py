"""Compiled programs as the public interface calls them."""

from __future__ import annotations

import traceback
import types as pytypes
from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from anadrome.driver.specialise import key_of
from anadrome.errors import (
    AnadromeError,
    MutationError,
    ShapeMismatch,
    Span,
    render,
)
from anadrome.frontend.values.class_members import itself
from anadrome.infer.values import attributes_of, callable_data, known_by_identity
from anadrome.ir.types import Num, Type, alias_of, deref, holds_stored
from anadrome.runtime import overlap, refuse_same

if TYPE_CHECKING:
    from anadrome.backends.native.runtime.dispatch import Recogniser
    from anadrome.backends.python.printer import Source
    from anadrome.frontend.captures import Guard
    from anadrome.frontend.program import Program
    from anadrome.ir.graph import Graph


class Compiled:
    """A program for arguments of given types, and the facts it was made under."""

    differentiated: Callable[..., Any] | None = None
    """The function that this is a derivative of."""

    def __init__(
        self,
        program: Program,
        graph: Graph,
        function: Callable[..., Any],
        source: Source | None,
        code: Any,
        count: int,
    ) -> None:
        self.program = program
        self.graph = graph
        self._source = source
        given = program.graph.params
        self.use(
            function,
            code,
            count,
            [key for key, _ in program.arguments],
            [c.read for c in program.captures],
            [(g.read, g.expected) for g in _distinct(program.guards)],
            [k for k, p in enumerate(given) if _is_changed(p.type)],
            [k for k, p in enumerate(given) if _is_number(p.type)],
        )
        self.copied: list[int] = [k for k, p in enumerate(given) if _is_copied(p.type)]

    def use(
        self,
        function: Callable[..., Any],
        code: Any,
        count: int,
        order: list[int | str],
        captures: list[Callable[[], Any]],
        guards: list[tuple[Callable[[], Any], Any]],
        written: list[int],
        numbers: list[int],
    ) -> None:
        """Take over what is called, and how."""
        self.function = function
        self.code = code
        self.places: list[int] = []
        self.order = order
        self.captures = tuple(captures)
        self.captured = tuple(key_of(read()) for read in captures)
        self.checks = _checks(guards)
        # Arguments that share memory must not be told apart if one is written to.
        self.written = written
        # Of these a derivative changes copies.
        self.copied = []
        # An array without axes counts as a number, which cannot be changed in place.
        self.numbers = numbers
        # Whether it can be called with the user's arguments as they are.
        plain = order == list(range(count))
        self.direct = plain and not (self.captures or written or numbers)
        # Whether there is anything captured that may have changed.
        self.guarded = bool(self.captures or self.checks)

    @property
    def source(self) -> Source:
        """The program as Python; of native code it is printed when asked for."""
        if self._source is None:
            from anadrome.backends.python.compiled import compile_graph

            self._source = compile_graph(self.graph, self.graph.name)[1]
        return self._source

    def holds(self) -> bool:
        """Whether everything it was made under is still so."""
        try:
            for get, expected, identical, code in self.checks:
                now = get()
                if now is expected:
                    if code is not None and now.__code__ is not code:
                        return False
                elif identical or type(now) is not type(expected) or now != expected:
                    return False
        except Exception:
            return False
        if not self.captures:
            return True
        for get, expected in zip(self.captures, self.captured):
            try:
                if key_of(get()) != expected:
                    return False
            except Exception:
                return False
        return True

    def run(
        self, args: tuple[Any, ...], keywords: dict[str, Any], extra: tuple[Any, ...]
    ) -> Any:
        """Call it with a user's arguments."""
        given = self.checked(args, keywords)
        try:
            return self.function(*given, *extra)
        except Exception as error:
            return self.failed(error, args, keywords)

    def failed(
        self, error: Exception, args: tuple[Any, ...], keywords: dict[str, Any]
    ) -> Any:
        """What comes of a call in which the program failed: mostly its exception."""
        span = self.explain(error)
        if self.differentiated is None or isinstance(error, AnadromeError):
            raise error
        from anadrome.driver.failures import confirm_derivative

        failure = confirm_derivative(self, error, args, keywords, span)
        raise failure from failure.__cause__

    def checked(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> list[Any]:
        """What the program is called with, if it can take it."""
        given = self.given(args, keywords)
        for k in self.numbers:
            if isinstance(given[k], np.ndarray):
                given[k] = given[k][()]
        if self.written:
            refuse_overlap(given, self.written, self.copied)
        return given

    def given(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> list[Any]:
        """What the program is called with: arguments in its order, and captures."""
        given = [
            args[key] if isinstance(key, int) else keywords[key] for key in self.order
        ]
        return [*given, *(get() for get in self.captures)]

    def explain(self, error: Exception) -> Span | None:
        """Say of an error of printed code which line of the user's it stands for."""
        return explain(error, self.source)


def explain(error: Exception, source: Source) -> Span | None:
    """Say of an error of printed code which line of the user's it stands for."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename.startswith("<anadrome ") and frame.lineno is not None:
            spans = source.spans
            span = spans[frame.lineno - 1] if frame.lineno <= len(spans) else None
            if span is None:
                return None
            if not isinstance(error, AnadromeError):
                shown = render(span).rstrip()
                error.add_note("which stands for your code here:\n" + shown)
            elif error.span is None:
                error.span = span
            return span
    return None


Check = tuple[Callable[[], Any], Any, bool, Any]


def _distinct(guards: list[Guard]) -> list[Guard]:
    """One guard of each variable, however often the function reads it."""
    return list({(g.key, id(g.expected)): g for g in guards}.values())


def _checks(guards: list[tuple[Callable[[], Any], Any]]) -> tuple[Check, ...]:
    """How to find out whether the facts about captured values still hold."""
    found: list[Check] = []
    functions: list[Any] = []
    for read, expected in guards:
        if isinstance(read, partial) and read.func is itself:
            functions.append(expected)
            continue
        is_function = isinstance(expected, pytypes.FunctionType)
        # Reloaders give a function new code.
        code = expected.__code__ if is_function else None
        found.append((read, expected, known_by_identity(expected), code))
    if functions:

        def read_code() -> Any:
            return [*map(_code_of, functions)]

        found.append((read_code, read_code(), False, None))
    return tuple(found)


_code_of = attrgetter("__code__")


class NativeProgram(Compiled):
    """A program in native code."""

    recogniser: Recogniser | None = None
    """What knows the types of its arguments without Python, if anything does."""
    unknown = True
    """Whether that has not been asked for yet."""
    original: Callable[..., Any] | None = None
    """The function itself, which can be called in its place."""

    def recognise(self, args: tuple[Any, ...]) -> Recogniser | None:
        """What tells the arguments this is called with from those of other types."""
        if self.unknown:
            from anadrome.backends.native.runtime import dispatch

            self.unknown = False
            if self.direct and dispatch.can_recognise(args):
                self.recogniser = dispatch.Recogniser(args)
        return self.recogniser

    def run(
        self, args: tuple[Any, ...], keywords: dict[str, Any], extra: tuple[Any, ...]
    ) -> Any:
        """Call it with a user's arguments."""
        try:
            given = self.checked(args, keywords)
        except AnadromeError as error:
            return self.in_python(error, args, keywords)
        try:
            return self.function(*given, *extra)
        except Exception as error:
            return self.failed(error, args, keywords)

    def failed(
        self, error: Exception, args: tuple[Any, ...], keywords: dict[str, Any]
    ) -> Any:
        """The result in Python where native code found that it cannot go on."""
        from anadrome.backends.native.repeatable import is_silent

        if self.original is None:
            return super().failed(error, args, keywords)
        if not isinstance(error, AnadromeError) or error.is_fault:
            return self.confirmed(error, args, keywords)
        if error.unstarted:
            return self.original(*args, **keywords)
        if not is_silent(self.graph):
            raise error
        return self.in_python(error, args, keywords)

    def confirmed(
        self, error: Exception, args: tuple[Any, ...], keywords: dict[str, Any]
    ) -> Any:
        """The result of the function itself if it does not fail as native code did."""
        from anadrome.driver.failures import confirm_native

        error = self.better(error, self.given(args, keywords))
        return confirm_native(self, error, args, keywords)

    def in_python(
        self, error: AnadromeError, args: tuple[Any, ...], keywords: dict[str, Any]
    ) -> Any:
        """The result of the function itself, which native code refuses to compute."""
        if self.original is None:
            raise error
        self.tell(error)
        return self.original(*args, **keywords)

    def tell(self, refusal: AnadromeError) -> None:
        """Warn that the function runs in Python."""
        from anadrome.driver.in_python import warn_not_compiled

        assert self.original is not None
        warn_not_compiled(self.original, refusal)

    def explain(self, error: Exception) -> Span | None:
        """Native code names the user's line by itself."""
        return None

    def better(self, error: Exception, given: list[Any]) -> Exception:
        """A better error if sizes that do not fit are the reason of this one."""
        if isinstance(error, ValueError) and not isinstance(error, AnadromeError):
            from anadrome.infer.sizes import check_sizes

            try:
                check_sizes(self.graph, given, failed=True)
            except ShapeMismatch as better:
                return better
        return error


# Arguments that are written to ------------------------------------------------------


def _is_changed(t: Type) -> bool:
    """Whether an argument is changed in place, or a derivative changes a copy of it."""
    alias = alias_of(t)
    return holds_stored(t) or (alias is not None and alias.copied)


def _is_copied(t: Type) -> bool:
    alias = alias_of(t)
    return alias is not None and alias.copied and not alias.stored


def _is_number(t: Type) -> bool:
    t = deref(t)
    return isinstance(t, Num) and t.ndim == 0 and not t.python and not t.boxed


def refuse_overlap(given: list[Any], written: list[int], copied: list[int]) -> None:
    """Refuse arguments of which one is changed in place and shares memory with another.

    The compiler takes them for different arrays. A derivative changes what is `copied`
    and would not see that it is read-only.
    """
    arrays: list[tuple[int, np.ndarray]] = []
    containers: dict[int, int] = {}
    for k, value in enumerate(given):
        for part in _mutable_parts(value):
            if isinstance(part, np.ndarray):
                arrays.append((k, part))
                if k in copied and not part.flags.writeable:
                    raise MutationError(
                        "an argument that is changed in place is read-only",
                        help="pass a copy of it",
                    )
                if k in written and _overlaps_itself(part):
                    raise MutationError(
                        "an argument that is changed in place is an array whose "
                        "elements share memory",
                        help="pass a copy of it",
                    )
            elif id(part) in containers and (
                k in written or containers[id(part)] in written
            ):
                refuse_same(type(part).__name__)
            else:
                containers[id(part)] = k
    for i, (k, a) in enumerate(arrays):
        for j, b in arrays[:i]:
            if (k in written or j in written) and overlap(a, b):
                refuse_same("array")


def _overlaps_itself(a: np.ndarray) -> bool:
    """Whether elements of an array may share memory, as those of a broadcast one do."""
    if a.flags.c_contiguous or a.flags.f_contiguous or not a.size:
        return False
    axes = sorted((abs(s), n) for n, s in zip(a.shape, a.strides) if n > 1)
    reach = a.itemsize
    for stride, n in axes:
        if stride < reach:
            return True
        reach += stride * (n - 1)
    return False


def _mutable_parts(value: Any) -> list[Any]:
    """The arrays and containers inside a value, each as often as it is met."""
    found: list[Any] = []
    seen: set[int] = set()

    def visit(v: Any) -> None:
        if isinstance(v, np.ndarray):
            found.append(v)
            return
        if isinstance(v, list | dict) or (
            hasattr(v, "__dict__") and not callable_data(v) and not isinstance(v, type)
        ):
            found.append(v)
            if id(v) in seen:
                return
            seen.add(id(v))
        if isinstance(v, list | tuple):
            inner: Any = v
        elif isinstance(v, dict):
            inner = v.values()
        elif hasattr(v, "__dict__") and not callable_data(v):
            inner = attributes_of(v).values()
        else:
            return
        for x in inner:
            visit(x)

    visit(value)
    return found
