"""Complex numbers element by element, all without Python."""

import linecache

import numpy as np
import pytest

import anadrome as ad
from anadrome.backends.native.emission import codegen

RNG = np.random.default_rng(0)
PLAIN = RNG.normal(size=400) + 1j * RNG.normal(size=400)
WIDE = PLAIN * 10.0 ** RNG.uniform(-300, 300, size=400)
NEAR_ONE = np.exp(1j * RNG.uniform(-3, 3, size=50)) * (1 + RNG.normal(size=50) * 1e-8)
CORNERS = np.array(
    [
        complex(a, b)
        for a in (0.0, -0.0, 1.0, -1.0, 2.5, 709.0, -709.0)
        for b in (0.0, -0.0, 1.0, -2.0, 30.0)
    ]
)
EDGES = np.array([complex(a, b) for a in (np.inf, -np.inf) for b in (0.0, 1.0)])
EVERYWHERE = np.concatenate([PLAIN * 3, WIDE, NEAR_ONE, CORNERS])
UNARY = [
    "negative",
    "positive",
    "conjugate",
    "square",
    "reciprocal",
    "absolute",
    "angle",
    "sign",
    "exp",
    "log",
    "log2",
    "log10",
    "sqrt",
    "sin",
    "cos",
    "tan",
    "sinh",
    "cosh",
    "tanh",
    "real",
    "imag",
]
BINARY = ["add", "subtract", "multiply", "divide", "power", "equal", "not_equal"]


def written(name, parameters):
    """A function of a name of NumPy, with a source that can be read."""
    given = ", ".join(parameters)
    source = f"def f({given}):\n    return np.{name}({given})\n"
    file = f"<complex {name}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    space = {"np": np}
    exec(compile(source, file, "exec"), space)
    return space["f"]


@pytest.fixture
def _no_python(monkeypatch):
    def refuse(e, node):
        raise AssertionError(f"Python does {node.op.name}")

    monkeypatch.setattr(codegen, "perform", refuse)


def agree(found, wanted, rtol=4e-15):
    """Whether numbers are the same as far as moduli tell, infinite ones apart."""
    assert np.asarray(found).dtype == np.asarray(wanted).dtype
    assert np.shape(found) == np.shape(wanted)
    found, wanted = np.atleast_1d(found) * 1.0, np.atleast_1d(wanted) * 1.0
    finite = np.isfinite(wanted)
    assert np.array_equal(np.isfinite(found), finite)
    gap = np.abs(found[finite] - wanted[finite])
    assert np.all(gap <= rtol * np.abs(wanted[finite]))


@pytest.mark.usefixtures("_no_python")
@pytest.mark.filterwarnings("ignore:.*encountered in")
@pytest.mark.parametrize("name", UNARY)
def test_functions(name):
    function = written(name, "x")
    compiled = ad.jit(function)
    agree(compiled(EVERYWHERE), function(EVERYWHERE))
    agree(compiled(EVERYWHERE[::-3]), function(EVERYWHERE[::-3]))
    agree(compiled(EDGES), function(EDGES))
    agree(compiled(EVERYWHERE[:0]), function(EVERYWHERE[:0]))
    table = PLAIN.reshape(20, 20).T[::2]
    agree(compiled(table), function(table))
    for number in (1.5 - 0.25j, np.complex128(-2 + 0.5j)):
        agree(compiled(number), function(number))
        assert type(compiled(number)) is type(function(number))


@pytest.mark.usefixtures("_no_python")
@pytest.mark.filterwarnings("ignore:.*encountered in")
@pytest.mark.parametrize("name", BINARY)
def test_operations(name):
    function = written(name, "xy")
    compiled = ad.jit(function)
    x, y = PLAIN, np.roll(PLAIN, 1)
    agree(compiled(x, y), function(x, y), 2e-14)
    corners = CORNERS[np.abs(CORNERS) < 5]
    pairs = corners[:, None], corners[None]
    agree(compiled(*pairs), function(*pairs), 2e-14)
    agree(compiled(x, y.real), function(x, y.real), 2e-14)
    agree(compiled(x, 2.5), function(x, 2.5), 2e-14)
    agree(compiled(x.real, 1 - 0.5j), function(x.real, 1 - 0.5j), 2e-14)
    a, b = np.complex128(0.5 - 1j), 1.25 + 0.5j
    agree(compiled(a, b), function(a, b), 2e-14)


@pytest.mark.usefixtures("_no_python")
@pytest.mark.parametrize("exponent", [-3, -1, 0, 1, 2, 3, 7, 50])
def test_integer_powers(exponent):
    def power(z):
        return z**exponent

    agree(ad.jit(power)(PLAIN), power(PLAIN), 1e-13)
    agree(ad.jit(power)(0.5 + 1j), power(0.5 + 1j), 1e-13)


@pytest.mark.usefixtures("_no_python")
def test_parts_are_views():
    def doubled(z):
        z.real *= 2
        part = z.imag
        part[1:] += 1
        return z

    expected, given = doubled(PLAIN.copy()), PLAIN.copy()
    found = ad.jit(doubled)(given)
    assert found is given or np.shares_memory(found, given)
    assert np.array_equal(given, expected)


@pytest.mark.usefixtures("_no_python")
def test_stores_that_overlap():
    def overwritten(z):
        z[:] = z[::-1] * z
        z[1:] = z[:-1]
        z[0] = 2
        z[2] = z[1] + 1j
        return z

    agree(ad.jit(overwritten)(PLAIN.copy()), overwritten(PLAIN.copy()))


@pytest.mark.usefixtures("_no_python")
def test_results_of_calls_and_of_branches():
    def step(z, k):
        if k == 0:
            return z, 1.0, z.real > 0
        w, n, up = step(z * 0.5j + 1, k - 1)
        return w - z, n + 1, up

    found, expected = ad.jit(step)(1 + 2j, 5), step(1 + 2j, 5)
    assert found == expected
    assert [type(v) for v in found] == [complex, float, bool]


@pytest.mark.usefixtures("_no_python")
def test_lists_of_complex_numbers():
    def walk(n):
        places = [0j, 1j, 2 + 0j, 0j, 0j, 0j, 0j]
        for k in range(n):
            places[k + 1] = places[k] + 0.5j * places[k + 1]
        return places[n] + len(places)

    assert ad.jit(walk)(6) == walk(6)


@pytest.mark.usefixtures("_no_python")
def test_alignment_of_parts():
    space = np.zeros(8 * 33, dtype=np.uint8)
    z = space[8 : 8 + 16 * 16].view(complex)
    z[:] = PLAIN[:16]

    def f(z):
        return np.sum(z * z), z[3] * z[5]

    found, wanted = ad.jit(f)(z), f(z)
    agree(found[0], wanted[0])
    agree(found[1], wanted[1])


@pytest.mark.usefixtures("_no_python")
@pytest.mark.parametrize(
    ("function", "args", "error"),
    [
        (lambda a, b: a / b, (1 + 1j, 0j), ZeroDivisionError),
        (lambda a, b: a**b, (0j, -2), ZeroDivisionError),
        (lambda a, b: a**b, (0j, 1j), ZeroDivisionError),
        (lambda a, b: abs(a) + b, (1.7e308 + 1e308j, 0.0), OverflowError),
        (lambda a, b: a**b, (1e200 + 1e200j, 2.5), OverflowError),
    ],
)
def test_what_python_refuses(function, args, error):
    with pytest.raises(error):
        function(*args)
    with pytest.raises(error):
        ad.jit(function)(*args)


@pytest.mark.usefixtures("_no_python")
def test_numpy_numbers_are_not_refused():
    def f(a, b):
        return a / b

    zero = np.complex128(0)
    with np.errstate(all="ignore"):
        assert np.isnan(ad.jit(f)(zero, zero))


@pytest.mark.usefixtures("_no_python")
def test_shapes_that_do_not_fit():
    def f(a, b):
        return a * b

    with pytest.raises(ValueError, match="do not go together"):
        ad.jit(f)(PLAIN[:3], PLAIN[:4])


def test_what_has_no_lowering_is_left_to_python():
    def f(z):
        return np.arcsin(z) + np.sort(z) + z @ np.outer(z, z) + np.cumsum(z)

    agree(ad.jit(f)(PLAIN[:5]), f(PLAIN[:5]), 1e-13)


def test_single_precision_is_left_to_python():
    z = PLAIN.astype(np.complex64)

    def f(z):
        return z * z + 1

    assert np.array_equal(ad.jit(f)(z), f(z))
