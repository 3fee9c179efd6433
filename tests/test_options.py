"""Options: read off a dataclass, checked, and misspelt ones named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pytest

from anadrome.options import (
    Count,
    OptionError,
    Positive,
    Share,
    make_options,
    options_of,
)


@dataclass(frozen=True)
class Config:
    """Some options."""

    hidden: Count = 256  # units of the layers
    dropout: Share = 0.2
    # how fast it learns,
    # at most
    rate: Positive = 1e-3
    kind: Literal["a", "b"] = "a"  # which of them
    words: Count | None = None  # a limit, if any
    flag: bool = False


@dataclass(frozen=True)
class Wider(Config):
    """More of them."""

    name: str = "x"  # a name


def test_comments_are_the_help():
    helps = {option.name: option.help for option in options_of(Wider)}
    assert helps == {
        "hidden": "units of the layers",
        "dropout": "",
        "rate": "how fast it learns, at most",
        "kind": "which of them",
        "words": "a limit, if any",
        "flag": "",
        "name": "a name",
    }


def test_values_are_taken_over():
    made = make_options(Config, {"hidden": 3, "rate": 1, "kind": "b", "words": 4})
    assert made == Config(hidden=3, rate=1.0, kind="b", words=4)
    assert isinstance(made.rate, float)
    assert make_options(Config, {"words": None}).words is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"hiden": 3}, "no option 'hiden'\nhelp: did you mean 'hidden'?"),
        ({"zzz": 3}, "there are dropout, flag, hidden"),
        ({"hidden": 0}, "hidden is 0, but must be at least 1"),
        ({"words": 0}, "words is 0, but must be at least 1"),
        ({"hidden": 1.5}, "hidden cannot be 1.5; it is an integer"),
        ({"hidden": True}, "hidden cannot be True"),
        ({"hidden": None}, "hidden cannot be None"),
        ({"dropout": 1.0}, "must be below 1"),
        ({"rate": 0.0}, "must be above 0"),
        ({"kind": "c"}, "one of 'a', 'b'"),
        ({"flag": 1}, "true or false"),
    ],
)
def test_what_may_not_be_is_named(given, message):
    with pytest.raises(OptionError) as error:
        make_options(Config, given)
    assert message in str(error.value)
