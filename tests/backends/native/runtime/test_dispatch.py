"""Calls of the types of the call before are recognised without Python's help."""

import gc
import os
import subprocess
import sys

import numpy as np
import pytest

import anadrome as ad
from anadrome.backends.native.runtime.dispatch import Recogniser, can_recognise

FIRST = (np.ones((2, 3)), 1.5, np.zeros(4, np.float32), None, 2)

OTHERS = {
    "another number of arguments": FIRST[:-1],
    "another dtype": (np.ones((2, 3), np.float32), *FIRST[1:]),
    "an integer for a float": (FIRST[0], 1, *FIRST[2:]),
    "a truth value for a number": (*FIRST[:-1], True),
    "another rank": (np.ones(3), *FIRST[1:]),
    "an axis of length one": (np.ones((1, 3)), *FIRST[1:]),
    "another axis of length one": (np.ones((2, 1)), *FIRST[1:]),
    "a list for an array": ([[1.0]], *FIRST[1:]),
    "a subclass": (np.ma.masked_array(np.ones((2, 3))), *FIRST[1:]),
    "swapped bytes": (np.ones((2, 3), ">f8"), *FIRST[1:]),
    "something for nothing": (*FIRST[:3], 0.0, 2),
}


@pytest.mark.parametrize("others", OTHERS.values(), ids=OTHERS.keys())
def test_other_types_are_not_recognised(others):
    assert Recogniser(FIRST).recognises(*others) is False


def test_the_same_types_are_recognised():
    again = (np.zeros((7, 0)).T[:0], -1.0, np.ones(9, np.float32)[::2], None, 10**30)
    again = (np.zeros((7, 5)), *again[1:])
    assert Recogniser(FIRST).recognises(*again) is True
    ones = np.ones((1, 3, 1))
    assert Recogniser((ones,)).recognises(np.zeros((1, 8, 1))) is True
    assert Recogniser((ones,)).recognises(np.zeros((8, 8, 1))) is False


@pytest.mark.parametrize("value", [[1.0], "a", True, np.float64(1), {"a": 1}])
def test_what_python_must_look_at(value):
    assert can_recognise((np.ones(3), 1.0))
    assert not can_recognise((np.ones(3), value))


def test_numbers_alone_are_left_to_python():
    assert not can_recognise((1.0, 2))


def test_calls_of_changing_types():
    def f(x, y):
        return x * y

    g = ad.jit(f)
    arrays = [
        np.arange(6.0).reshape(2, 3),
        np.arange(3.0),
        np.arange(3, dtype=np.float32),
        np.ones((2, 1)),
        np.arange(3),
    ]
    numbers = [2.0, 3, np.float32(0.5), np.array([1.0, 2.0, 3.0])]
    for _ in range(3):
        for x in arrays:
            for y in numbers:
                found, wanted = g(x, y), f(x, y)
                assert found.dtype == wanted.dtype
                assert np.array_equal(found, wanted)


SCALE = 2.0


def scaled(x):
    return SCALE * x


def test_captured_values_that_change(monkeypatch):
    g, x = ad.jit(scaled), np.arange(3.0)
    for _ in range(3):
        assert np.array_equal(g(x), 2.0 * x)
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    assert np.array_equal(g(x), 5.0 * x)


def test_programs_are_taken_down():
    for k in range(20):

        def f(x, k=k):
            return x * k

        g = ad.jit(f)
        for _ in range(3):
            assert g(np.ones(3))[0] == k
        del g, f
        gc.collect()


OUTLIVES = """
import ctypes, gc, sys
from anadrome.backends.native.linking import builtin

function = builtin.make_builtin("f", 4096, None)
place = ctypes.c_void_p.from_address(id(function) + 2 * ctypes.sizeof(ctypes.c_void_p))
before = ctypes.string_at(place.value, 32)
vars(builtin).clear()
del builtin
gc.collect()
assert ctypes.string_at(place.value, 32) == before
assert function.__name__ == "f"
"""


def test_descriptions_outlive_the_module():
    # The last functions are taken down when modules have been emptied.
    environment = {**os.environ, "PYTHONMALLOC": "debug"}
    subprocess.run([sys.executable, "-c", OUTLIVES], check=True, env=environment)
