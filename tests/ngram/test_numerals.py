"""Numbers of ARPA files: nine digits bring single precision back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anadrome.ngram.numerals import NUMERAL, put_number, take_number


def written(value: float) -> bytes:
    out = np.zeros(NUMERAL, np.uint8)
    return out[: put_number(out, 0, value)].tobytes()


@given(st.floats(-999998.0, 999998.0, width=32))
def test_numbers_come_back(value: float) -> None:
    if 0 < abs(value) < 1e-37:
        return  # not of full precision
    text = written(value)
    assert np.float32(text) == value
    cursor = np.zeros(1, np.int64)
    taken = take_number(np.frombuffer(text + b"\n", np.uint8), 0, cursor)
    assert cursor[0] == len(text)
    assert np.float32(taken) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, b"0"),
        (-0.0, b"0"),
        (-99.0, b"-99"),
        (-0.5, b"-0.5"),
        (-0.25e-4, b"-2.5e-05"),
        (-9.9999999999, b"-10"),
        (12.75, b"12.75"),
        (-np.inf, b"-inf"),
    ],
)
def test_how_numbers_look(value: float, text: bytes) -> None:
    assert written(value) == text


@pytest.mark.parametrize("text", ["nan", "-inf", "", "-", "1.2.3", "1e5", "1e", "x"])
def test_what_is_left_to_python(text: str) -> None:
    cursor = np.zeros(1, np.int64)
    take_number(np.frombuffer(text.encode() + b"\n", np.uint8), 0, cursor)
    assert cursor[0] == -1
