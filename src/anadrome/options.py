"""Options: frozen dataclasses whose fields a command and a TOML file can set.

The comment behind a field, or on the lines above it, says what it is for; its type says
which values it may have::

    @dataclass(frozen=True)
    class Config:
        hidden: Count = 256  # units of the recurrent layers
        dropout: Share = 0.2  # how much of the embeddings is dropped in training

So a program that declares what it needs has documented flags, and nothing is listed
twice.
"""

from __future__ import annotations

import ast
import dataclasses
import difflib
import functools
import inspect
import io
import operator
import textwrap
import tokenize
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import (
    Annotated,
    Any,
    Literal,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

Record = TypeVar("Record")


@dataclass(frozen=True)
class Bounds:
    """The numbers that an option may be."""

    at_least: float | None = None
    above: float | None = None
    below: float | None = None
    at_most: float | None = None

    def refuse(self, value: float) -> str | None:
        """Why a number is outside, or None if it is not."""
        if self.at_least is not None and not value >= self.at_least:
            return f"must be at least {self.at_least}"
        if self.above is not None and not value > self.above:
            return f"must be above {self.above}"
        if self.below is not None and not value < self.below:
            return f"must be below {self.below}"
        if self.at_most is not None and not value <= self.at_most:
            return f"must be at most {self.at_most}"
        return None


Count = Annotated[int, Bounds(at_least=1)]
Several = Annotated[int, Bounds(at_least=2)]
NonNegative = Annotated[int, Bounds(at_least=0)]
Share = Annotated[float, Bounds(at_least=0, below=1)]
Magnitude = Annotated[float, Bounds(at_least=0)]
Positive = Annotated[float, Bounds(above=0)]
Weight = Annotated[float, Bounds(at_least=0)]


@dataclass(frozen=True)
class NoOptions:
    """Nothing to choose."""


class OptionError(ValueError):
    """An option that does not exist, or has a value that it may not have."""


@dataclass(frozen=True)
class Option:
    """One field of a record of options."""

    name: str
    kind: Any  # int, float, bool, str, a Literal, or one of these or None
    default: Any
    help: str
    bounds: Bounds | None = None

    def check(self, value: Any) -> Any:
        """The value as the option keeps it; an error if it may not have it."""
        choices = _alternatives(self.kind)
        if value is None and type(None) in choices:
            return None
        for kind in choices:
            if get_origin(kind) is Literal:
                if value in get_args(kind):
                    return value
            elif kind is float and type(value) in (int, float):
                return self._within(float(value))
            elif kind in (int, bool, str) and type(value) is kind:
                return self._within(value)
        raise OptionError(
            f"{self.name} cannot be {value!r}; it is {_in_words(self.kind)}"
        )

    def _within(self, value: Any) -> Any:
        reason = None if self.bounds is None else self.bounds.refuse(value)
        if reason is not None:
            raise OptionError(f"{self.name} is {value!r}, but {reason}")
        return value


def options_of(cls: type) -> tuple[Option, ...]:
    """The options that are the fields of a dataclass, in their order."""
    if cls not in _KNOWN:
        _KNOWN[cls] = _read_options(cls)
    return _KNOWN[cls]


_KNOWN: dict[type, tuple[Option, ...]] = {}


def _read_options(cls: type) -> tuple[Option, ...]:
    hints = get_type_hints(cls, include_extras=True)
    helps = _comments(cls)
    found = []
    for field in dataclasses.fields(cls):
        kind, bounds = _without_notes(hints[field.name])
        default = field.default
        if field.default_factory is not dataclasses.MISSING:
            default = field.default_factory()
        if default is dataclasses.MISSING:
            raise TypeError(f"{cls.__qualname__}.{field.name} has no default")
        text = helps.get(field.name, "")
        found.append(Option(field.name, kind, default, text, bounds))
    return tuple(found)


def make_options(
    cls: type[Record], given: Mapping[str, Any], where: str = "options"
) -> Record:
    """A record with the given values, every one of them checked."""
    known = {option.name: option for option in options_of(cls)}
    for name in given:
        if name not in known:
            raise unknown_option(name, known, where)
    return cls(**{name: known[name].check(value) for name, value in given.items()})


def unknown_option(name: str, known: Any, where: str) -> OptionError:
    """The error that names an unknown option and the nearest known one."""
    near = difflib.get_close_matches(name, list(known), 1)
    text = f"{where}: there is no option {name!r}"
    if near:
        return OptionError(f"{text}\nhelp: did you mean {near[0]!r}?")
    return OptionError(f"{text}\nhelp: there are " + ", ".join(sorted(known)))


def _alternatives(kind: Any) -> tuple[Any, ...]:
    if get_origin(kind) in (Union, types.UnionType):
        return get_args(kind)
    return (kind,)


def _without_notes(kind: Any) -> tuple[Any, Bounds | None]:
    """A type without annotations, and the bounds that stood among them."""
    if get_origin(kind) is Annotated:
        kind, *notes = get_args(kind)
        return kind, next((n for n in notes if isinstance(n, Bounds)), None)
    if get_origin(kind) in (Union, types.UnionType):
        parts = [_without_notes(part) for part in get_args(kind)]
        bounds = next((b for _, b in parts if b is not None), None)
        return functools.reduce(operator.or_, [part for part, _ in parts]), bounds
    return kind, None


def _in_words(kind: Any) -> str:
    names = {int: "an integer", float: "a number", bool: "true or false", str: "text"}
    parts = []
    for part in _alternatives(kind):
        if get_origin(part) is Literal:
            parts.append("one of " + ", ".join(map(repr, get_args(part))))
        elif part is not type(None):
            parts.append(names.get(part, str(part)))
    return " or ".join(parts)


def _comments(cls: type) -> dict[str, str]:
    """What the comments of a class's source say of its fields, inherited ones too."""
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        if not dataclasses.is_dataclass(base):
            continue
        try:
            source = inspect.getsource(base)
        except (OSError, TypeError):  # a class without source has no comments
            continue
        found.update(_field_comments(source))
    return found


def _field_comments(source: str) -> Iterator[tuple[str, str]]:
    """The fields of a class and their comments: behind them, or above them."""
    source = textwrap.dedent(source)
    lines = source.splitlines()
    comments = {
        token.start[0]: token.string.lstrip("# ").rstrip()
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    }
    (body,) = ast.parse(source).body
    assert isinstance(body, ast.ClassDef)
    for statement in body.body:
        if not isinstance(statement, ast.AnnAssign):
            continue
        assert isinstance(statement.target, ast.Name)
        end = statement.end_lineno or statement.lineno
        text = [comments[k] for k in range(statement.lineno, end + 1) if k in comments]
        above = statement.lineno - 1
        while not text and above in comments and lines[above - 1].lstrip()[0] == "#":
            above -= 1
        text = text or [comments[k] for k in range(above + 1, statement.lineno)]
        yield statement.target.id, " ".join(text)
