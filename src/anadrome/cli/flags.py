"""Flags made from records of options, so that no option is written down twice."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any

from cyclopts import Group, Parameter
from cyclopts.validators import Number

from anadrome.options import Bounds, Option
from anadrome.tasks.translation_options import MAX_BEAM

Count = Annotated[int, Parameter(validator=Number(gte=1))]
Beam = Annotated[int, Parameter(validator=Number(gte=1, lte=MAX_BEAM))]


def flag(option: Option, group: str) -> inspect.Parameter:
    """The flag of an option: None unless it was given."""
    text = option.help or option.name.replace("_", " ")
    shown = _shown(option.default)
    notes = Parameter(
        help=f"{text[0].upper()}{text[1:]}."
        + (f" [default: {shown}]" if shown else ""),
        group=Group(group, sort_key=_place(group)),
        show_default=False,
        validator=_validator(option.bounds),
    )
    return inspect.Parameter(
        option.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[option.kind | None, notes],
    )


_PLACES: dict[str, int] = {}


def _place(group: str) -> int:
    """Groups are shown in the order in which they are made."""
    return _PLACES.setdefault(group, len(_PLACES))


def flags(options: Iterable[Option], group: str) -> list[inspect.Parameter]:
    """The flags of several options."""
    return [flag(option, group) for option in options]


def positional(name: str, kind: Any, text: str, *default: Any) -> inspect.Parameter:
    """An argument without a flag, which must be given if there is no default."""
    return inspect.Parameter(
        name,
        inspect.Parameter.POSITIONAL_ONLY,
        default=default[0] if default else inspect.Parameter.empty,
        annotation=Annotated[kind, Parameter(help=text)],
    )


def remaining(name: str, kind: Any, text: str) -> inspect.Parameter:
    """All arguments without a flag that are left."""
    return inspect.Parameter(
        name,
        inspect.Parameter.VAR_POSITIONAL,
        annotation=Annotated[kind, Parameter(help=text)],
    )


def keyword(name: str, kind: Any, text: str, *default: Any) -> inspect.Parameter:
    """A flag of the command's own, which must be given if there is no default."""
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default[0] if default else inspect.Parameter.empty,
        annotation=Annotated[kind, Parameter(help=text, negative=())],
    )


def with_signature(
    function: Callable[[dict[str, Any]], int],
    parameters: Sequence[inspect.Parameter],
    documentation: str,
) -> Callable[..., int]:
    """A command that hands what it is given to a function, by name.

    What has the value None was not given, and is left out.
    """
    signature = inspect.Signature(list(parameters))

    def command(*args: Any, **keywords: Any) -> int:
        given = signature.bind(*args, **keywords).arguments
        return function({k: v for k, v in given.items() if v is not None})

    command.__signature__ = signature  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    command.__doc__ = documentation
    return command


def chosen(options: Iterable[Option], given: dict[str, Any]) -> dict[str, Any]:
    """Of what was given, the values of these options."""
    return {o.name: given[o.name] for o in options if o.name in given}


def _validator(bounds: Bounds | None) -> Any:
    if bounds is None:
        return None
    return Number(
        gte=bounds.at_least, gt=bounds.above, lt=bounds.below, lte=bounds.at_most
    )


def _shown(default: Any) -> str:
    if default is None or default is False:
        return ""
    return "yes" if default is True else str(default)
