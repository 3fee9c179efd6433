"""Every derivative rule, on every sample of its primitive, as plain NumPy."""

from __future__ import annotations

import ast
import inspect
import math
import operator
import sys
from typing import Any

import numpy as np
import pytest
import rule_checker as check

from anadrome.errors import NotDifferentiable
from anadrome.frontend.calls.library import REPLACED
from anadrome.primitives import registry
from anadrome.primitives.numpy import rules
from anadrome.primitives.registry import Primitive, Sample

OURS = {f"anadrome.primitives.numpy.{name}" for name in rules.MODULES}
PRIMITIVES = sorted(
    {p for p in registry._by_target.values() if p.__module__ in OURS},
    key=lambda p: p.name,
)
DIFFERENTIABLE = [p for p in PRIMITIVES if p.jvp_rule is not None]
CASES = [
    pytest.param(p, sample, id=f"{p.name}-{i}")
    for p in DIFFERENTIABLE
    for i, sample in enumerate(p.samples())
    if check.RuleCase(p, sample).active
]


@pytest.mark.parametrize(("made", "sample"), CASES)
def test_forward_rule_agrees_with_differences(made: Primitive, sample: Sample) -> None:
    check.check_forward(check.RuleCase(made, sample), np.random.default_rng(1))


@pytest.mark.parametrize(("made", "sample"), CASES)
def test_reverse_rule_is_the_transpose(made: Primitive, sample: Sample) -> None:
    check.check_transposed(check.RuleCase(made, sample), np.random.default_rng(2))


@pytest.mark.parametrize(("made", "sample"), CASES)
def test_single_precision_is_kept(made: Primitive, sample: Sample) -> None:
    case = check.RuleCase(made, sample, np.float32)
    check.check_single_precision(case, np.random.default_rng(3))


@pytest.mark.parametrize("made", PRIMITIVES, ids=lambda p: p.name)
def test_every_primitive_says_what_its_derivative_is(made: Primitive) -> None:
    has_rules = made.vjp_rule is not None and made.jvp_rule is not None
    assert has_rules + made.zero + (made.refusal is not None) == 1
    if made.refusal is None:
        assert made.samples(), "a primitive is tested on its samples"


@pytest.mark.parametrize("made", PRIMITIVES, ids=lambda p: p.name)
def test_every_sample_can_be_evaluated(made: Primitive) -> None:
    for sample in made.samples():
        made.signature.bind(*sample.args, **sample.kwargs)
        made.impl(*sample.args, **sample.kwargs)


# What NumPy offers and is deliberately not declared here: effects on files, memory
# and settings, and functions on dates and text.
LEFT_OUT = {
    "asmatrix", "bmat", "base_repr", "binary_repr", "busday_count", "busday_offset",
    "copyto", "datetime_as_string", "datetime_data", "fill_diagonal", "from_dlpack",
    "frombuffer", "fromfile", "fromregex", "fromstring", "genfromtxt",
    "get_include", "get_printoptions", "getbufsize", "geterr", "geterrcall", "info",
    "is_busday", "isnat", "load", "loadtxt", "mintypecode", "nested_iters", "place",
    "printoptions", "put", "put_along_axis", "putmask", "row_stack", "save",
    "savetxt", "savez", "savez_compressed", "set_printoptions", "setbufsize",
    "seterr", "seterrcall", "show_config", "show_runtime", "test", "typename",
}  # fmt: skip


def functions_of(module: Any) -> list[tuple[str, Any]]:
    """The public functions of a module, with their names."""
    found = ((n, getattr(module, n)) for n in dir(module) if not n.startswith("_"))
    return [(n, f) for n, f in found if callable(f) and not isinstance(f, type)]


NUMPY_FUNCTIONS = [
    *((n, f) for n, f in functions_of(np) if n not in LEFT_OUT),
    *((f"linalg.{n}", f) for n, f in functions_of(np.linalg) if n != "test"),
    *((f"fft.{n}", f) for n, f in functions_of(np.fft) if n != "test"),
    *((f"math.{n}", f) for n, f in functions_of(math)),
]


@pytest.mark.parametrize(
    ("name", "function"), NUMPY_FUNCTIONS, ids=[n for n, _ in NUMPY_FUNCTIONS]
)
def test_every_function_is_declared(name: str, function: Any) -> None:
    declared = registry.find_primitive(function) is not None
    assert declared or function in REPLACED


OPERATORS = [
    "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "neg", "pos", "abs",
    "matmul", "lt", "le", "gt", "ge", "eq", "ne", "and_", "or_", "xor", "invert",
    "lshift", "rshift",
]  # fmt: skip


@pytest.mark.parametrize("name", OPERATORS)
def test_every_operator_is_declared(name: str) -> None:
    assert registry.find_primitive(getattr(operator, name)) is not None


# In-place methods are not declared as primitives: they store into a buffer.
IN_PLACE = {"fill", "put", "partition", "resize", "setfield", "setflags", "sort"}
WRITING = {"dump", "tofile"}


@pytest.mark.parametrize("name", [n for n in dir(np.ndarray) if not n.startswith("_")])
def test_every_attribute_of_arrays_is_declared(name: str) -> None:
    declared = name in registry.METHODS or name in registry.PROPERTIES
    assert declared or name in IN_PLACE | WRITING | {"device"}


@pytest.mark.parametrize("module", sorted(OURS))
def test_rules_call_only_primitives(module: str) -> None:
    """Whatever a rule calls must be differentiable again."""
    namespace = vars(sys.modules[module])
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    rules = [
        f
        for f in ast.walk(tree)
        if isinstance(f, ast.FunctionDef) and is_rule(f, namespace.get(f.name))
    ]
    for node in (n for rule in rules for n in ast.walk(rule)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            path = ast.unparse(node.func)
            if path.startswith(("np.", "math.")):
                target = eval(path, {"np": np, "math": math})
                assert registry.find_primitive(target) is not None, path


def is_rule(definition: ast.FunctionDef, function: Any) -> bool:
    """Whether the compiler reads a function: rules, and helpers that take arrays."""
    if not inspect.isfunction(function) or registry.is_nondifferentiable(function):
        return False
    return bool(definition.args.args) and definition.args.args[0].arg != "rng"


# Conventions where a derivative does not exist


def gradient_of(function: Any, *args: Any, **kwargs: Any) -> Any:
    """The reverse rule's cotangents of all arguments for a cotangent of ones."""
    made = registry.find_primitive(function)
    assert made is not None
    case = check.RuleCase(made, Sample(args, kwargs))
    found = case.vjp(np.ones_like(case.value))
    return found[case.active[0]] if len(case.active) == 1 else tuple(found.values())


@pytest.mark.parametrize("function", [np.max, np.min, np.nanmax, np.nanmin])
def test_tied_extremes_share_equally(function: Any) -> None:
    got = gradient_of(function, np.array([1.0, 1.0, 1.0, 1.0]))
    np.testing.assert_array_equal(got, [0.25] * 4)


@pytest.mark.parametrize("function", [np.maximum, np.minimum, np.fmax, np.fmin])
def test_tied_choices_share_equally(function: Any) -> None:
    dx, dy = gradient_of(function, np.array([1.0, -np.inf]), np.array([1.0, -np.inf]))
    np.testing.assert_array_equal(dx, [0.5, 0.5])
    np.testing.assert_array_equal(dy, [0.5, 0.5])


def test_numbers_win_over_nan() -> None:
    dx, dy = gradient_of(np.fmax, np.array([1.0]), np.array([np.nan]))
    assert (dx[0], dy[0]) == (1.0, 0.0)


def test_clip_is_inclusive() -> None:
    a = np.array([-1.0, 0.0, 0.5, 1.0, 2.0])
    da, low, high = gradient_of(np.clip, a, np.array(0.0), np.array(1.0))
    np.testing.assert_array_equal(da, [0.0, 1.0, 1.0, 1.0, 0.0])
    assert (low, high) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (np.abs, (np.zeros(2),)),
        (np.abs, (np.zeros(2, complex),)),
        (np.fabs, (np.zeros(2),)),
        (np.angle, (np.zeros(2, complex),)),
        (np.hypot, (np.zeros(2), np.zeros(2))),
        (np.arctan2, (np.zeros(2), np.zeros(2))),
        (np.linalg.norm, (np.zeros(2),)),
        (np.linalg.norm, (np.zeros(2), 3)),
        (np.linalg.vector_norm, (np.zeros(2),)),
        (np.linalg.matrix_norm, (np.zeros((2, 2)),)),
        (np.std, (np.ones(3),)),
        (math.hypot, (0.0, 0.0)),
        (math.dist, ((1.0, 2.0), (1.0, 2.0))),
        (np.logaddexp, (np.full(2, -np.inf), np.full(2, -np.inf))),
        (np.logaddexp.reduce, (np.full(2, -np.inf),)),
    ],
)
def test_singular_points_have_derivative_zero(function: Any, args: Any) -> None:
    np.testing.assert_array_equal(
        np.concatenate(
            [np.ravel(g) for g in check.leaves(gradient_of(function, *args))]
        ),
        0.0,
    )


def test_powers_at_zero() -> None:
    x = np.array([0.0, 0.0, 0.0, -2.0])
    y = np.array([0.0, 1.0, 2.0, 3.0])
    dx, dy = gradient_of(np.power, x, y)
    np.testing.assert_array_equal(dx, [0.0, 1.0, 0.0, 12.0])
    np.testing.assert_array_equal(dy, [0.0, 0.0, 0.0, 0.0])
    np.testing.assert_array_equal(gradient_of(np.power, np.zeros(2), 0), 0.0)


@pytest.mark.parametrize(
    "function",
    [np.nansum, np.nanmean, np.nanprod, np.nanvar, np.nanstd, np.nanmax, np.nanmedian],
)
def test_nan_entries_have_derivative_zero(function: Any) -> None:
    got = gradient_of(function, np.array([1.0, np.nan, 3.0]))
    assert got[1] == 0.0
    assert np.all(np.isfinite(got))


def test_unselected_branches_get_nothing() -> None:
    made = registry.find_primitive(np.where)
    assert made is not None
    assert made.vjp_rule is not None
    dz = np.array([np.inf, np.nan])
    dx, dy = made.vjp_rule(None, np.array([True, False]), None, None, dz=dz)
    np.testing.assert_array_equal(dx, [np.inf, 0.0])
    np.testing.assert_array_equal(dy, [0.0, np.nan])


def test_products_with_zeros() -> None:
    np.testing.assert_array_equal(
        gradient_of(np.prod, np.array([2.0, 0.0, 3.0])), [0.0, 6.0, 0.0]
    )
    np.testing.assert_array_equal(
        gradient_of(np.cumprod, np.array([2.0, 0.0, 3.0])), [1.0, 8.0, 0.0]
    )


@pytest.mark.parametrize("shape", [(3, 3), (4, 3), (3, 4)])
def test_complex_singular_vectors_rebuild_the_matrix(shape: tuple[int, int]) -> None:
    # The phases of complex vectors are arbitrary; products free of them are not.
    rng = np.random.default_rng(4)
    a = rng.normal(size=shape) + 1j * rng.normal(size=shape)
    da = rng.normal(size=shape) + 1j * rng.normal(size=shape)
    made = registry.find_primitive(np.linalg.svd)
    assert made is not None
    case = check.RuleCase(made, Sample((a,), {"full_matrices": False}))
    u, s, vh = case.value
    du, ds, dvh = case.jvp({"a": da})
    change = (du * s) @ vh + (u * ds) @ vh + (u * s) @ dvh
    np.testing.assert_allclose(change, da, atol=1e-12)
    check.check_transposed(case, rng)


def test_complex_hermitian_eigenvectors_rebuild_the_matrix() -> None:
    rng = np.random.default_rng(4)
    a = rng.normal(size=(3, 3)) + 1j * rng.normal(size=(3, 3))
    da = rng.normal(size=(3, 3)) + 1j * rng.normal(size=(3, 3))
    a, da = a + a.conj().T, da + da.conj().T
    made = registry.find_primitive(np.linalg.eigh)
    assert made is not None
    case = check.RuleCase(made, Sample((a,)))
    w, v = case.value
    dw, dv = case.jvp({"a": da})
    half = dv * w @ v.conj().T
    change = half + half.conj().T + (v * dw) @ v.conj().T
    np.testing.assert_allclose(change, da, atol=1e-12)
    check.check_transposed(case, rng)


@pytest.mark.parametrize(
    ("function", "args", "kwargs", "way_out"),
    [
        (np.linalg.svd, (np.ones((3, 2)) + np.eye(3, 2),), {}, "full_matrices=False"),
        (np.linalg.qr, (np.eye(3, 2),), {"mode": "complete"}, "mode='reduced'"),
        (np.pad, (np.ones(3), 1, "mean"), {}, "'constant', 'edge'"),
        (np.ravel, (np.ones((2, 2)), "K"), {}, "order='C'"),
    ],
)
def test_refusals_say_the_way_out(
    function: Any, args: Any, kwargs: Any, way_out: str
) -> None:
    made = registry.find_primitive(function)
    assert made is not None
    case = check.RuleCase(made, Sample(args, kwargs))
    with pytest.raises(NotDifferentiable, match=way_out):
        case.vjp(check.random_like(np.random.default_rng(0), case.value))
