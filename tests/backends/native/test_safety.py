"""Native code fails as Python does: with an exception, and the process goes on."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from anadrome.backends.native.speculation import NativeFunction
from anadrome.frontend.program import read
from anadrome.optimize.passes import optimize


def compiled(function, *args):
    return NativeFunction(optimize(read(function, args, {}).graph))


def resident_bytes():
    words = Path("/proc/self/statm").read_text().split()
    return int(words[1]) * os.sysconf("SC_PAGE_SIZE")


def reads(x, i):
    return x[i] * 2.0


def writes_first(x):
    x[0] = 5.0
    return np.sum(x)


def adds(x, y):
    return x + y


def squares(n):
    return np.sum(np.zeros((n, n)))


def deep(n, x):
    return x if n <= 0 else deep(n - 1, x) * 1.0001 + np.sum(np.ones(2))


# Failures -----------------------------------------------------------------------------


@pytest.mark.parametrize("index", [3, -4, 10**12])
def test_an_index_out_of_bounds_is_named(index):
    native = compiled(reads, np.ones(3), 1)
    expected = f"index {index} is out of bounds for axis 0 with size 3"
    with pytest.raises(IndexError, match=expected) as caught:
        native(np.ones(3), index)
    assert "x[i] * 2.0" in caught.value.__notes__[0]


def test_index_arrays_out_of_bounds():
    native = compiled(lambda x, i: x[i], np.ones((3, 2)), np.array([0, 1]))
    assert native(np.ones((3, 2)), np.array([-3, 2])).shape == (2, 2)
    with pytest.raises(IndexError, match="index 3 is out of bounds"):
        native(np.ones((3, 2)), np.array([0, 3]))


def test_shapes_that_do_not_fit():
    native = compiled(adds, np.ones(3), np.ones(3))
    with pytest.raises(ValueError, match="broadcast"):
        native(np.ones(3), np.ones(4))
    product = compiled(lambda x, y: x @ y, np.ones((2, 3)), np.ones((3, 2)))
    with pytest.raises(ValueError):
        product(np.ones((2, 3)), np.ones((4, 2)))


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 3)])
def test_arrays_without_elements(shape):
    x = np.ones(shape)
    native = compiled(lambda x: (np.sum(x), x + x, np.exp(x).T), x)
    total, doubled, transposed = native(x)
    assert total == 0.0
    assert doubled.shape == shape
    assert transposed.shape == shape[::-1]


def test_the_largest_of_nothing():
    native = compiled(lambda x: np.max(x), np.ones(3))
    with pytest.raises(ValueError, match="zero-size array"):
        native(np.ones(0))


def test_division_of_integers_by_zero():
    native = compiled(lambda a, b: a // b + a % b, 5, 2)
    assert native(-7, 2) == -7 // 2 + -7 % 2
    with pytest.raises(ZeroDivisionError):
        native(1, 0)


def test_too_much_memory():
    native = compiled(squares, 3)
    with pytest.raises(MemoryError):
        native(10**7)
    for n in (2**40, 2**62):
        # NumPy does not even ask for so much.
        with pytest.raises(ValueError, match="too big"):
            native(n)
    with pytest.raises(ValueError, match="negative dimensions"):
        native(-1)
    assert native(4) == 0.0


def test_deep_recursion_in_any_thread():
    native = compiled(deep, 5, 1.0)
    assert native(5000, 1.0) > 1.0
    found = []

    def run():
        with pytest.raises(RecursionError, match="maximum recursion depth"):
            native(10**8, 1.0)
        found.append(native(100, 1.0))

    run()
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found[0] == found[1]


def bottomless(n):
    return bottomless(n + 1) + 1


def test_recursion_that_never_returns_does_not_become_a_loop():
    native = compiled(bottomless, 0)
    with pytest.raises(RecursionError):
        native(0)


def every(x, k):
    return x[::k]


def every_none(x):
    return x[::0]


def clears_every(x, k):
    x[::k] = 0.0
    return np.sum(x)


def test_a_slice_without_a_step():
    x = np.ones(5)
    for native, args in [
        (compiled(every, x, 1), (x, 0)),
        (compiled(every_none, x), (x,)),
        (compiled(clears_every, x, 1), (x, 0)),
    ]:
        with pytest.raises(ValueError, match="slice step cannot be zero"):
            native(*args)
    assert np.all(x == 1.0)


LARGEST = 2**63 - 1


def counted(start, stop, step):
    n = 0
    for _ in range(start, stop, step):
        n += 1
    return n


@pytest.mark.parametrize(
    "given",
    [
        (0, LARGEST, 2**62),
        (-LARGEST - 1, LARGEST, LARGEST),
        (0, -LARGEST - 1, -LARGEST - 1),
        (10, 0, -LARGEST - 1),
        (7, 0, -3),
        (3, 3, 1),
    ],
)
def test_ranges_and_slices_as_wide_as_integers(given):
    x = np.arange(7.0)
    assert compiled(counted, *given)(*given) == len(range(*given))
    taken = compiled(lambda x, i, j, k: x[i:j:k], x, *given)(x, *given)
    np.testing.assert_array_equal(taken, x[slice(*given)])


def test_evenly_spaced_integers_without_a_step():
    native = compiled(lambda n, k: np.arange(0, n, k), 5, 1)
    with pytest.raises(ZeroDivisionError):
        native(5, 0)


def test_exceptions_of_python_keep_their_class_and_their_place():
    def inverts(x):
        return np.sum(np.linalg.inv(x))

    native = compiled(inverts, np.eye(2))
    with pytest.raises(np.linalg.LinAlgError) as caught:
        native(np.zeros((2, 2)))
    assert "np.linalg.inv(x)" in caught.value.__notes__[0]


def test_handlers_catch_what_native_code_and_python_raise():
    def guarded(x, i):
        try:
            y = x[i]
        except IndexError:
            y = -1.0
        try:
            z = np.linalg.inv(np.array([[y, 0.0], [0.0, y]]))[0, 0]
        except np.linalg.LinAlgError:
            z = 100.0
        return y + z

    x = np.array([2.0, 0.0])
    native = compiled(guarded, x, 0)
    for i in (0, 1, 2):
        assert native(x, i) == guarded(x, i)


def test_an_exception_of_another_class_passes_a_handler():
    def guarded(x, i):
        try:
            y = x[i]
        except KeyError:
            y = -1.0
        return y

    native = compiled(guarded, np.ones(2), 0)
    with pytest.raises(IndexError, match="index 2 is out of bounds"):
        native(np.ones(2), 2)


def test_raised_exceptions_have_their_class_and_message():
    def refuses(x):
        if x < 0.0:
            raise ValueError(f"negative: {x}")
        return x

    native = compiled(refuses, 1.0)
    assert native(2.0) == 2.0
    with pytest.raises(ValueError, match=r"negative: -1\.0"):
        native(-1.0)


# Arguments ----------------------------------------------------------------------------


def strided(x):
    return np.repeat(x, 2)[::2]


def backwards(x):
    return np.ascontiguousarray(x[::-1])[::-1]


def swapped(x):
    return x.astype(x.dtype.newbyteorder())


def unaligned(x):
    memory = np.zeros(x.nbytes + 1, np.uint8)[1:].view(x.dtype)
    memory[:] = x
    return memory


LAYOUTS = [strided, backwards, swapped, unaligned]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_arguments_of_any_layout(layout):
    x = np.arange(5.0)
    native = compiled(writes_first, x)
    given, plain = layout(x), x.copy()
    assert native(given) == writes_first(plain)
    np.testing.assert_array_equal(given, plain)


def test_read_only_arguments_are_read_but_not_written():
    x = np.arange(3.0)
    x.flags.writeable = False
    assert compiled(lambda x: np.sum(x), np.ones(3))(x) == 3.0
    with pytest.raises(ValueError, match="read-only"):
        compiled(writes_first, np.ones(3))(x)


@pytest.mark.parametrize(
    "other", [np.ones((2, 2)), np.ones(2, np.float32), [1.0], 1.0, None]
)
def test_arguments_of_another_type_are_refused(other):
    native = compiled(writes_first, np.ones(3))
    with pytest.raises(TypeError):
        native(other)


def test_the_number_of_arguments_is_checked():
    native = compiled(adds, np.ones(3), np.ones(3))
    with pytest.raises(TypeError, match="2 arguments"):
        native(np.ones(3))


# Results ------------------------------------------------------------------------------


def test_results_are_views_of_arguments_exactly_where_python_has_views():
    x = np.arange(6.0)
    assert compiled(lambda x: x, x)(x) is x
    part = compiled(lambda x: x[1:3], x)(x)
    assert np.shares_memory(part, x)
    assert not np.shares_memory(compiled(lambda x: x[1:3] + 0.0, x)(x), x)


def test_results_outlive_the_call_and_the_function():
    x = np.arange(1000.0)
    native = compiled(lambda x: (x + 1.0, (x * 2.0)[10:]), x)
    kept = [native(x) for _ in range(5)]
    kept[0][0][:] = -1.0
    del native
    gc.collect()
    for first, second in kept[1:]:
        np.testing.assert_array_equal(first, x + 1.0)
        np.testing.assert_array_equal(second, (x * 2.0)[10:])


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_nothing_is_leaked():
    def mixed(x, i):
        kept = []
        for v in x:
            kept.append(v * 2.0)
        return x[i] + sum(kept), np.array(kept)

    x = np.arange(64.0)
    native = compiled(mixed, x, 0)

    def run(times):
        for _ in range(times):
            native(x, 1)
            with pytest.raises(IndexError):
                native(x, 64)

    def growth():
        gc.collect()
        before = resident_bytes()
        run(2000)
        gc.collect()
        return resident_bytes() - before

    run(500)
    # A leak of one array a call shows every time, what others do in between does not.
    assert min(growth() for _ in range(4)) < 1 << 20


def test_threads_call_one_function():
    native = compiled(
        lambda x, y: np.sum(x * y) + np.sum(np.exp(-x)), *2 * [np.ones(3)]
    )
    found = {}

    def run(k):
        x = np.full(200, float(k))
        found[k] = {native(x, x) for _ in range(300)}

    threads = [threading.Thread(target=run, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for k in range(4):
        assert len(found[k]) == 1
        expected = 200.0 * k * k + 200.0 * np.exp(-float(k))
        np.testing.assert_allclose(found[k].pop(), expected, rtol=1e-13)


_ENDLESS = """
import signal
import numpy as np
from anadrome.backends.native.speculation import NativeFunction
from anadrome.frontend.program import read
from anadrome.optimize.passes import optimize

# What is started in the background ignores it.
signal.signal(signal.SIGINT, signal.default_int_handler)

def numbers(x):
    while x > 0.0:
        x = x * 1.0000001
        if x > 10.0:
            x = 1.0
    return x

def lists(x):
    kept = [x]
    while len(kept) > 0:
        kept[0] = kept[0] + 1.0
    return kept[0]

def rows(x):
    h = np.ones((64, 64)) * x
    for _ in range(10**9):
        h = np.tanh(h @ W)
    return np.sum(h)

W = np.eye(64)
made = read({name}, (1.0,), {{}})
native = NativeFunction(optimize(made.graph))
print("ready", flush=True)
try:
    native(1.0, *(c.read() for c in made.captures))
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
@pytest.mark.parametrize("name", ["numbers", "lists", "rows"])
def test_the_user_can_interrupt_a_long_loop(name, tmp_path):
    program = tmp_path / "endless.py"
    program.write_text(_ENDLESS.format(name=name))
    with subprocess.Popen(
        [sys.executable, str(program)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "ready\n"
        # Long enough for the loop to have begun.
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        try:
            out, _ = process.communicate(timeout=60)
        finally:
            process.kill()
    assert out == "interrupted\n"
    assert process.returncode == 0
