"""Accuracy, special values and vectorisation of the elementary functions."""

import ctypes
import importlib.util
import math
import re
from pathlib import Path

import numpy as np
import pytest
import scipy.special
from llvmlite import ir

from anadrome.backends.native.emission.dsl import DOUBLE, FLOAT
from anadrome.backends.native.linking.engine import (
    Passes,
    compile_assembly,
    compile_object,
    load_object,
)
from anadrome.backends.native.vectormath import (
    OUT_OF_LINE,
    TABLE,
    elementwise,
    math_function,
    math_symbols,
)
from anadrome.backends.native.vectormath.loops import loop_module

_path = Path(__file__).parents[4] / "benchmarks" / "ulp_table.py"
_spec = importlib.util.spec_from_file_location("ulp_table", _path)
ulp_table = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(ulp_table)


def _lgamma(x):
    # Python refuses the poles; C and NumPy go to infinity.
    is_pole = x <= 0 and x == np.floor(x) and np.isfinite(x)
    return np.inf if is_pole else math.lgamma(x)


NUMPY = {
    "sigmoid": scipy.special.expit,
    "softplus": lambda x: np.logaddexp(x, x.dtype.type(0)),
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": np.arctan2,
    "erf": scipy.special.erf,
    "erfc": scipy.special.erfc,
    "erfcx": scipy.special.erfcx,
    "pow": np.power,
    "gamma": scipy.special.gamma,
    "lgamma": np.vectorize(lambda x: _lgamma(float(x)), otypes=[float]),
    "digamma": scipy.special.digamma,
}
SPECIAL = [
    *(0.0, 1.0, 0.5, 2.0, 3.0, 7.5, 0.999999, 1.0000001, 1e-20, 1e-40, 1e-45),
    *(5e-324, 1e-310, 1e30, 1e300, 88.8, 89.5, 103.9, 104.5, 709.5, 710.5, 745.5),
    *(2.0**52, 2.0**53 + 2, 2.0**23 + 1, np.inf),
]
EXACT_ONES = [name for name, f in TABLE.items() if f.ulps == (0.0, 0.0)]
ROUNDED_ONES = [name for name in TABLE if name not in EXACT_ONES]


@pytest.mark.parametrize("name", ROUNDED_ONES)
def test_doubles_are_within_the_published_bound(name, target):
    worst, where = ulp_table.worst_double(name, target, 400, seed=1)
    assert worst <= TABLE[name].ulps[1], where


@pytest.mark.parametrize("name", ROUNDED_ONES)
def test_singles_are_within_the_published_bound(name, target):
    worst, where = ulp_table.worst_single(name, target, 1 << 17, seed=1)
    assert worst <= TABLE[name].ulps[0], where


def _special_arguments(name, dtype):
    with np.errstate(over="ignore"):
        half = np.array(SPECIAL).astype(dtype)
    values = np.concatenate([half, -half, [dtype(np.nan)]])
    if TABLE[name].arity == 1:
        return [values]
    return [grid.ravel().copy() for grid in np.meshgrid(values, values)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", TABLE)
def test_special_values_are_those_of_numpy(name, dtype, target):
    arguments = _special_arguments(name, dtype)
    reference = NUMPY.get(name) or getattr(np, name)
    with np.errstate(all="ignore"):
        expected = reference(*(a.astype(np.float64) for a in arguments)).astype(dtype)
    computed = elementwise(name, dtype, target)(*arguments)
    if name == "sigmoid":
        # SciPy flushes results that are denormal.
        tiny = expected == 0
        assert (computed[tiny] < 1e-37).all()
        expected[tiny] = computed[tiny]
    np.testing.assert_array_equal(np.isnan(computed), np.isnan(expected))
    known = ~np.isnan(expected)
    computed, expected = computed[known], expected[known]
    np.testing.assert_array_equal(np.signbit(computed), np.signbit(expected))
    np.testing.assert_array_equal(np.isinf(computed), np.isinf(expected))
    finite = np.isfinite(expected)
    tolerance = (8 if name in ROUNDED_ONES else 0) * np.finfo(dtype).eps
    smallest = 2 * float(np.finfo(dtype).smallest_subnormal) if tolerance else 0
    if "gamma" in name:
        # The references themselves are no better beside poles and roots.
        tolerance, smallest = max(tolerance, 1e-10), 1e-14
    np.testing.assert_allclose(
        computed[finite], expected[finite], rtol=tolerance, atol=smallest
    )


@pytest.mark.parametrize("name", ["sin", "cos", "tan"])
def test_huge_angles_are_reduced_exactly(name, target):
    angles = np.array([1e22, -1e308, 2.0**36 + 1, 2.0**1023, 6381956970095103e282])
    computed = elementwise(name, np.float64, target)(angles)
    for angle, value in zip(angles, computed):
        with ulp_table.mp.workprec(1300):
            exact = ulp_table.EXACT[name](ulp_table.mp.mpf(float(angle)))
        assert ulp_table.ulps(value, exact, 52, 2.0**-1074) <= TABLE[name].ulps[1]


@pytest.mark.parametrize("name", ["exp", "pow", "sin", "fmod"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_value_does_not_depend_on_its_place_in_the_array(name, dtype, target):
    rng = np.random.default_rng(3)
    function = elementwise(name, dtype, target)
    arguments = [
        rng.uniform(0.1, 40, 101).astype(dtype) for _ in range(TABLE[name].arity)
    ]
    whole = function(*arguments)
    for length in [0, 1, 2, 3, 7, 15, 16, 17, 31, 33, 64, 65]:
        part = function(*(a[101 - length :] for a in arguments))
        np.testing.assert_array_equal(part, whole[101 - length :])


@pytest.mark.parametrize("element", [FLOAT, DOUBLE], ids=["f32", "f64"])
@pytest.mark.parametrize("name", TABLE)
def test_loops_are_vectorised(name, element, target):
    if not target.triple.startswith("x86_64"):
        pytest.skip("looks for x86 registers")
    text = compile_assembly(loop_module(name, element, target), target)
    register = {512: "%zmm", 256: "%ymm", 128: "p[sd]\t"}[target.vector_bits]
    assert re.search(register, text)
    called = {line.split()[1] for line in text.splitlines() if "\tcall" in line}
    called = {symbol.removesuffix("@PLT") for symbol in called}
    if name in OUT_OF_LINE:
        widest = target.lanes(4 if element == FLOAT else 8)
        kind = "f32" if element == FLOAT else "f64"
        assert f"anadrome.{name}.v{widest}{kind}" in called
    else:
        assert called == set()


@pytest.mark.parametrize("name", ["tanh", "sin", "pow"])
def test_functions_take_vectors(name, target):
    lanes = target.lanes(4)
    vector = ir.VectorType(FLOAT, lanes)
    module = ir.Module()
    pointer = vector.as_pointer()
    arity = TABLE[name].arity
    signature = ir.FunctionType(ir.VoidType(), [pointer] * (arity + 1))
    run = ir.Function(module, signature, "run")
    builder = ir.IRBuilder(run.append_basic_block())
    callee = math_function(module, name, vector, target)
    values = [builder.load(source, align=4) for source in run.args[:-1]]
    builder.store(builder.call(callee, values), run.args[-1], align=4)
    builder.ret_void()
    code = compile_object(module, target, Passes.LIGHT)
    outside = [] if TABLE[name].inline else [(name, "f32")]
    library = load_object(code, ["run"], target, math_symbols(outside, target))
    arguments = [np.linspace(0.5, 9, lanes).astype(np.float32)] * arity
    result = np.empty(lanes, np.float32)
    call = library.function("run", None, *[ctypes.c_void_p] * (arity + 1))
    call(*(a.ctypes.data for a in arguments), result.ctypes.data)
    expected = elementwise(name, np.float32, target)(*arguments)
    np.testing.assert_array_equal(result, expected)
