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

from anadrome.primitives import numpy_rules, registry
from anadrome.primitives.registry import Primitive, Sample

OURS = {f"anadrome.primitives.{name}" for name in numpy_rules.MODULES}
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
    ("name", "function"), NUMPY_FUNCTIONS, ids=lambda x: str(x)[:40]
)
def test_every_function_is_declared(name: str, function: Any) -> None:
    assert registry.find_primitive(function) is not None


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
