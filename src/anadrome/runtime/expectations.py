"""What a compiled program relied on, and how it fails where it does not hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from anadrome import errors


def with_cause(error: BaseException, cause: BaseException | None) -> BaseException:
    """An exception that is raised from another one."""
    if cause is not None and not isinstance(cause, BaseException):
        return TypeError("exception causes must derive from BaseException")
    error.__cause__ = cause
    return error


def out_of_generator(error: BaseException) -> BaseException:
    """What an exception is to those outside of the generator that it leaves."""
    if not isinstance(error, StopIteration):
        return error
    made = RuntimeError("generator raised StopIteration")
    made.__cause__ = error
    return made


def refusal(kind: str, message: str, help: str | None, places: tuple[Any, ...]) -> Any:
    """The refusal of something that is wrong only where a program comes to it."""
    spans = [errors.Span(*place) for place in places]
    span = spans.pop() if spans else None
    return getattr(errors, kind)(message, span, help, tuple(spans))


def ignore_errors() -> dict[str, Any]:
    """What NumPy did with floating-point errors, which are ignored from here on."""
    return dict(np.seterr(all="ignore"))


def heed_errors(before: dict[str, Any]) -> None:
    """Have NumPy do with floating-point errors what it did before."""
    np.seterr(**before)


def unpacked(mapping: Any) -> dict[Any, Any]:
    """What two stars unpack in a dictionary that is written out."""
    return {**mapping}


def expect_class(value: Any, names: tuple[str, ...]) -> None:
    """Refuse a number of a class that a program was not compiled for."""
    if type(value).__name__ not in names:
        raise errors.UnexpectedType(
            f"a number is a {type(value).__name__} on this path, and the program was "
            f"compiled for {' or '.join(names)}",
            help="make it one type on every path: start with 0.0 instead of 0, or "
            "convert it with float(…)",
        )


def expect_dtype(items: Any, dtype: np.dtype) -> None:
    """Refuse a list that makes an array that a program was not compiled for."""
    found = np.asarray(items).dtype
    if found != dtype:
        raise errors.UnexpectedType(
            f"a list makes an array of {found} on this path, and the program was "
            f"compiled for {dtype}",
            help="make its items one type on every path: 0.0 instead of 0, or float(…)",
        )


def of_dtype(
    dtype: np.dtype, function: Callable[..., Any], /, *args: Any, **named: Any
) -> Any:
    """The result of a call, which must have the dtype that a program relies on."""
    result = function(*args, **named)
    found = getattr(result, "dtype", None)
    if found != dtype:
        got = found or type(result).__name__
        raise errors.UnexpectedType(
            f"a result is of {got} on this path, and the program was compiled for "
            f"{dtype}",
            help="make what it is computed from one type on every path: 0.0 instead of "
            "0, or float(…)",
        )
    return result


def pass_refusal(error: Any) -> None:
    """Raise again what is no exception of the program's but a refusal of ours."""
    if isinstance(error, errors.AnadromeError) and error.python is None:
        if not isinstance(error, _OF_PYTHON):
            raise error


# They are what Python raises there, with a better text.
_OF_PYTHON = (errors.ShapeMismatch, errors.RecursionTooDeep)


def take_all(items: list[Any]) -> Iterator[Any]:
    """The items of a list from the last to the first, taken off it one by one."""
    while items:
        yield items.pop()
