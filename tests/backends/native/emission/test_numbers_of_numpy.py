"""Numbers of Python and of NumPy in native code: values, types and exceptions.

What is compared is a table: every operator and many functions, of every pair of kinds
of numbers, as arguments and as constants in the program.
"""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import anadrome as ad

OPERATORS = ("+", "-", "*", "/", "//", "%", "<", "<=", "==", "!=", "&", "|")
BINARY = ("add", "subtract", "multiply", "divide", "fmod", "floor_divide", "power")
BINARY += ("remainder", "maximum", "copysign", "logical_and", "arctan2", "hypot")
UNARY = ("logical_not", "all", "any", "sqrt", "absolute", "sign", "floor", "exp")
KINDS: dict[str, list[Any]] = {
    "bool": [True, False],
    "int": [3, 0, -2, 2**31, 2**62],
    "float": [2.5, 0.0, 0.5],
    "int32": [np.int32(3), np.int32(-(2**31))],
    "float32": [np.float32(2.5), np.float32(0)],
    "float64": [np.float64(2.5), np.float64(0)],
    "int32s": [np.array([5, -2], np.int32)],
    "int64s": [np.array([5, -2])],
    "float32s": [np.array([0.5, 0], np.float32)],
    "bools": [np.array([True, False])],
    "uint8s": [np.array([200, 3], np.uint8)],
}
CONSTANTS = ("0.5", "-2", "2**31", "2**62", "0", "True", "np.float32(0.5)", "1j")


def define(text: str) -> Callable[..., Any]:
    """A function of one line."""
    name = f"<numbers {text}>"
    linecache.cache[name] = (len(text), None, [text], name)
    space: dict[str, Any] = {"np": np}
    exec(compile(text, name, "exec"), space)
    made: Callable[..., Any] = space["f"]
    return made


def outcome(function: Callable[..., Any], *args: Any) -> Any:
    """What a call returns, or the class of what it raises."""
    args = tuple(a.copy() if isinstance(a, np.ndarray) else a for a in args)
    try:
        with np.errstate(all="ignore"):
            return function(*args)
    except ad.AnadromeError:
        return "refused"
    except Exception as error:
        return next(c for c in type(error).__mro__ if c.__module__ == "builtins")


def check_same(text: str, args: tuple[Any, ...]) -> None:
    f = define(text)
    wanted, found = outcome(f, *args), outcome(ad.jit(f), *args)
    if isinstance(found, str):
        return
    message = f"{text.strip()} of {args!r}: {found!r}, not {wanted!r}"
    assert type(found) is type(wanted), message
    if isinstance(wanted, type):
        assert found is wanted, message
        return
    if isinstance(wanted, int):
        assert found == wanted, message
        return
    kinds = np.asarray(found).dtype, np.asarray(wanted).dtype
    assert kinds[0] == kinds[1], message
    assert np.allclose(found, wanted, rtol=1e-6, atol=0, equal_nan=True), message


@pytest.mark.parametrize("operator", OPERATORS)
def test_operators_follow_python(operator):
    for a, b in itertools.product(KINDS, KINDS):
        if np.ndim(KINDS[a][0]) and np.ndim(KINDS[b][0]):
            continue
        for args in zip(KINDS[a], itertools.cycle(KINDS[b])):
            check_same(f"def f(x, y): return x {operator} y\n", args)


@pytest.mark.parametrize("function", BINARY)
def test_functions_follow_numpy(function):
    for a, b in itertools.product(KINDS, KINDS):
        if function == "power" and "int" in (a, b):
            continue
        args = KINDS[a][0], KINDS[b][-1]
        check_same(f"def f(x, y): return np.{function}(x, y)\n", args)


@pytest.mark.parametrize("constant", CONSTANTS)
def test_constants_are_converted_as_numpy_does(constant):
    for name in UNARY:
        check_same(f"def f(x): return np.{name}({constant})\n", (1.5,))
    for kind, sign in itertools.product(KINDS, ("+", "<", "==", "*")):
        check_same(f"def f(x): return x {sign} {constant}\n", (KINDS[kind][0],))
        check_same(f"def f(x): return {constant} {sign} x\n", (KINDS[kind][0],))


def test_functions_of_python_numbers_wrap_and_divide_as_numpy_does():
    quotient = ad.jit(lambda x, y: np.divide(x, y))
    total = ad.jit(lambda x, y: np.add(x, y))
    with np.errstate(all="ignore"):
        assert quotient(1.5, 0) == np.inf
        assert total(2**62, 2**62) == -(2**63)
    with pytest.raises(ZeroDivisionError):
        ad.jit(lambda x, y: x / y)(1.5, 0)


STORES = ("a[0] = v", "a[1:] = v", "a[:] += v", "a = np.full(3, v, a.dtype)")
STORES += ("a = np.full_like(a, v)", "a = np.where(a > 0, a, v)", "a = a < v")
STORED = (3, 2**31, 0.5, 1 + 2j, np.int64(2**40), np.float32(0.5), np.array([3]))


@pytest.mark.parametrize("store", STORES)
@pytest.mark.filterwarnings("ignore:Casting complex")
@pytest.mark.parametrize("dtype", ["bool", "int32", "float32", "float64", "complex128"])
def test_stores_convert_as_numpy_does(store, dtype):
    f = define(f"def f(a, v): {store}; return a\n")
    for value in STORED:
        one, other = (np.array([1, 0, 2]).astype(dtype) for _ in range(2))
        wanted = outcome(lambda v, a=one: f(a, v), value)
        found = outcome(lambda v, a=other: ad.jit(f)(a, v), value)
        # `outcome` copies what it is given; the arrays here are changed in place.
        if isinstance(found, str):
            continue
        assert type(found) is type(wanted), (store, dtype, value)
        if isinstance(wanted, type):
            assert found is wanted, (store, dtype, value)
        else:
            np.testing.assert_array_equal(found, wanted)
            assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(one, other)


# Where paths meet ---------------------------------------------------------------------


def one_or_a_float(n, x):
    return n if x > 1 else 1.0


def zero_or_a_square(n, x):
    if x > 1:
        return x * x
    return 0


def pair(n, x):
    return (x if x > 1 else n, n)


def by_or(n, x):
    return n or x


def greater(n, x):
    return max(n, x), min(0, x)


def nested(n, x):
    return (1 if n > 2 else x) if x > 1 else 2.5


def scaled(n, x):
    return (x if x > 1 else 0.1) * 3.0


def either(n, x):
    z = x
    if x > 1:
        z = n
    return z * 0.1 + z


PATHS = (one_or_a_float, zero_or_a_square, pair, by_or, greater, nested, scaled, either)


def typed(value: Any) -> Any:
    """A value with its type; floats of double precision count as one."""
    if isinstance(value, tuple):
        return [*map(typed, value)]
    return (float if isinstance(value, float) else type(value), value)


@pytest.mark.parametrize("function", PATHS)
@pytest.mark.parametrize("kind", [float, np.float16, np.float32, np.float64])
def test_numbers_stay_what_they_are_on_their_path(function, kind):
    for n, x in itertools.product((3, 0, 0.7, np.float64(0.7)), (2.5, 0.5)):
        if function is either and isinstance(n, int):
            continue
        wanted = typed(function(n, kind(x)))
        assert typed(ad.jit(function)(n, kind(x))) == wanted


def arrays(x, y):
    return (x if np.sum(y) > 1 else y) * 0.1


def arrays_or_integers(x, y):
    return x if np.sum(y) > 1 else np.arange(3)


@pytest.mark.parametrize("function", [arrays, arrays_or_integers])
@pytest.mark.parametrize("size", [0.1, 2.0])
def test_arrays_keep_their_dtype_on_their_path(function, size):
    x = np.array([0.7, 0.1, 0.3], np.float32)
    y = np.full(3, size)
    found, wanted = ad.jit(function)(x, y), function(x, y)
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)


def changed_and_joined(x, y, s):
    x[0, 1] = 0.25
    z = x if s > 0 else x * y
    return np.sum(z)


@pytest.mark.parametrize("s", [1.0, -1.0])
def test_gradients_keep_the_dtype_of_their_argument(s):
    x, y = np.full((2, 2), 1.5, np.float32), np.full((2, 2), 2.0)
    for compiled in (ad.grad(changed_and_joined), ad.jit(ad.grad(changed_and_joined))):
        found = compiled(x.copy(), y, s)
        assert found.dtype == np.float32
        assert found[0, 1] == 0
        assert found[0, 0] == (1 if s > 0 else 2)
    for size in (0.5, 2.5):
        gradient = ad.grad(by_or, 1)(3, np.float32(size))
        assert type(gradient) is np.float32


# None ---------------------------------------------------------------------------------


def nothing_or(x):
    return print("") or x


def nothing_and(x):
    return (print("") and x) is None


def seeded(x):
    return np.random.seed(0) or x


def chosen(x):
    if print("hi"):
        return x
    return 2 * x


def refused(x):
    return 3 * x if not print("") else x


def repeated(x):
    while print(""):
        x = x + 1
    return x


def filtered(x):
    return sum([x for _ in range(3) if print("")])


def asserted(x):
    assert not print("")
    return x


NOTHING = (nothing_or, nothing_and, seeded, chosen, refused, repeated, asserted)


@pytest.mark.parametrize("function", [*NOTHING, filtered])
def test_what_prints_is_false(function, capsys):
    wanted = function(2.0)
    printed = capsys.readouterr().out
    assert ad.jit(function)(2.0) == wanted
    assert capsys.readouterr().out == printed


# Names --------------------------------------------------------------------------------


def loop(x):
    return np.sum(np.exp(x) * x + 1.0)


def kernel(x):
    return np.sum(np.tanh(x) + x)


def inner(x):
    return np.sum(np.sqrt(x + 2.0))


def release(x):
    return np.sum(x[1:] - x[:-1])


@pytest.mark.parametrize("function", [loop, kernel, inner, release])
def test_names_of_functions_are_the_users(function):
    x = np.linspace(0, 1, 40)
    np.testing.assert_allclose(ad.jit(function)(x), function(x))
    gradient = ad.grad(function)(x)
    np.testing.assert_allclose(ad.jit(ad.grad(function))(x), gradient)
