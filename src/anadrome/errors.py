"""The exceptions of the compiler, and the renderer that points at the user's code."""

from __future__ import annotations

import functools
import linecache
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True, unsafe_hash=True)
class Span:
    """A stretch of the user's source: 1-based lines, 0-based columns."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    function: str = ""
    # The calls that led there, from the differentiated function on.
    path: tuple[Span, ...] = field(default=(), compare=False, repr=False)

    def text(self) -> str:
        """The first line of the stretch, as written."""
        return linecache.getline(self.file, self.line).rstrip("\n")

    def snippet(self) -> str:
        """The stretch itself, its lines joined and its blanks folded."""
        lines = [
            linecache.getline(self.file, n).rstrip("\n")
            for n in range(self.line, self.end_line + 1)
        ]
        if not lines or not any(lines):
            return ""
        lines[-1] = _cut(lines[-1], None, self.end_column)
        lines[0] = _cut(lines[0], self.column, None)
        return " ".join(" ".join(lines).split())


def _cut(line: str, start: int | None, stop: int | None) -> str:
    """`line[start:stop]` where the offsets count UTF-8 bytes, as `ast` does."""
    return line.encode()[start:stop].decode(errors="replace")


def render(span: Span | None) -> str:
    """The file, the line and a caret under the stretch."""
    if span is None:
        return ""
    where = f'  File "{span.file}", line {span.line}'
    if span.function:
        where += f", in {span.function}"
    text = span.text()
    if not text:
        return where + "\n"
    stop = span.end_column if span.end_line == span.line else None
    shown = text.lstrip()
    indent = len(text) - len(shown)
    start = len(_cut(text, 0, span.column)) - indent
    width = len(_cut(text, span.column, stop)) or 1
    return f"{where}\n    {shown}\n    {' ' * max(start, 0)}{'^' * width}\n"


def _render_path(path: tuple[Span, ...]) -> str:
    """The calls that led to an error; one that repeats itself is shown once."""
    text, repeats = "", 0
    for k, span in enumerate(path):
        if k and span == path[k - 1]:
            repeats += 1
            continue
        if repeats:
            text += f"    (the same call {repeats} more times)\n"
            repeats = 0
        text += render(span)
    return text + (f"    (the same call {repeats} more times)\n" if repeats else "")


class AnadromeError(Exception):
    """What went wrong, where in the user's code, and a way out."""

    def __init__(
        self,
        message: str,
        span: Span | None = None,
        help: str | None = None,
        path: tuple[Span, ...] = (),
    ) -> None:
        self.message = message
        self.span = span
        self.help = help
        self.path = path
        # What Python would raise here, and the graph that was being written.
        self.python: type[BaseException] | None = None
        # Its text, if the program itself raises it where it gets there.
        self.python_text: str | None = None
        # What Python's exception is made of, if that is not a text.
        self.python_args: tuple[Any, ...] | None = None
        self.graph: object = None
        # Whether what it raises is written down already.
        self.written = False
        # Whether nobody can tell that native code was started before it was raised.
        self.unstarted = False
        # As much of the program as was read, under which it holds.
        self.program: Any = None
        super().__init__(message)

    def __str__(self) -> str:
        led = self.path or (self.span.path if self.span is not None else ())
        calls = _render_path(led)
        head = f"{calls}{render(self.span)}"
        text = (
            f"\n{head}{type(self).__name__}: {self.message}" if head else self.message
        )
        return f"{text}\nhelp: {self.help}" if self.help else text

    @property
    def is_fault(self) -> bool:
        """Whether Python, too, is said to fail here."""
        return self.python is not None or isinstance(self, _PYTHON)


_PYTHON = (
    ArithmeticError,
    AttributeError,
    LookupError,
    NameError,
    RuntimeError,
    TypeError,
    ValueError,
)


@functools.cache
def also(kind: type[AnadromeError], python: type[BaseException]) -> Any:
    """A kind of error that is Python's own as well, for those who catch that."""
    if issubclass(kind, python):
        return kind
    return type(kind.__name__, (kind, python), {"__module__": kind.__module__})


class UnsupportedSyntax(AnadromeError):
    """A construct of Python that has no derivative here, such as `yield`.

    Rewrite the construct as the help line says, or move it out of the
    differentiated function.
    """


class UnknownFunction(AnadromeError):
    """A call of something that has neither Python source nor a registered rule.

    Register a rule with `ad.primitive`, or keep differentiable values out of it.
    """


class NotDifferentiable(AnadromeError):
    """A derivative was asked for where there is none.

    Integers, booleans and strings have none; some functions have no rule, and the
    message says why.
    """


class MutationError(AnadromeError):
    """An array is changed in place through a path that cannot be followed.

    Work on a copy, or write through the name that owns the array.
    """


class NotFollowed(MutationError):
    """An array is changed in place in a way that native code does not follow."""


class TypeMismatch(AnadromeError):
    """Values of kinds that do not fit together, found before anything runs."""


class ShapeMismatch(AnadromeError, ValueError):
    """Arrays whose sizes do not fit together."""


class RecursionTooDeep(AnadromeError, RecursionError):
    """A function calls itself more often than Python allows."""


class UnexpectedType(AnadromeError, TypeError):
    """A value is of another type than the program was compiled for, or it has to be
    known which of several equal objects it is."""

    @property
    def is_fault(self) -> bool:
        """It is not: native code cannot go on, and Python can."""
        return False


class ArgumentError(AnadromeError, TypeError):
    """A call of the public interface with arguments that it cannot take."""


class NotCompiled(UserWarning):
    """A function under `ad.jit` runs in Python: native code cannot follow it.

    The warning says where and why. `warnings.simplefilter("error", ad.NotCompiled)`
    has such functions refused.
    """


class CompilerError(AnadromeError):
    """The compiler itself failed, at a program that it should take or refuse."""


def compiler_error(
    cause: Exception, span: Span | None = None, path: tuple[Span, ...] = ()
) -> CompilerError:
    """The error that says where the compiler failed, instead of how."""
    what = f"{type(cause).__name__}: {cause}".splitlines()[0].rstrip(": ")
    return CompilerError(
        f"the compiler failed here ({what})",
        span,
        "this is a defect of Anadrome: write this part differently, and report it",
        path,
    )
