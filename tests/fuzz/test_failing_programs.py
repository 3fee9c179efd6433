"""Programs fail as Python does: the same exception, arguments changed as far.

Gradients leave their arguments as they are.
"""

import copy
import importlib.util
import sys
import warnings

import numpy as np
import pytest
from fuzz import failing

import anadrome as ad

COUNT = 24


def run(function, args):
    args = copy.deepcopy(args)
    try:
        return None, function(*args), args
    except Exception as error:
        return error, None, args


def same(a, b):
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, str):
        return a == b
    return np.shape(a) == np.shape(b) and bool(np.allclose(a, b))


def fails_alike(error, wanted):
    if isinstance(error, ad.AnadromeError):
        return isinstance(error, wanted)
    return type(error) is wanted


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    path = tmp_path_factory.mktemp("failing") / "failing_programs.py"
    path.write_text(failing.module(18, COUNT))
    spec = importlib.util.spec_from_file_location("failing_programs", path)
    made = importlib.util.module_from_spec(spec)
    sys.modules["failing_programs"] = made
    spec.loader.exec_module(made)
    return made


@pytest.mark.parametrize("k", range(COUNT))
def test_a_program_fails_as_python_does(programs, k):
    f = getattr(programs, f"f{k}")
    modes = {"jit": ad.jit(f), "grad": ad.grad(f), "both": ad.jit(ad.grad(f))}
    for bad in (True, False):
        args = failing.arguments(bad)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            error, value, changed = run(f, args)
            for name, g in modes.items():
                found, result, after = run(g, args)
                if error is not None:
                    assert fails_alike(found, type(error)), (name, found, error)
                else:
                    assert found is None, (name, found)
                    if name == "jit":
                        assert same(value, result)
                early = isinstance(found, ad.AnadromeError)
                wanted = changed if name == "jit" and not early else args
                assert same(wanted, after), name
