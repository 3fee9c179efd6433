"""Programs are found on disk by their graphs, without being written again."""

from __future__ import annotations

import numpy as np
import pytest

from anadrome.backends.native import compile
from anadrome.backends.native.disk.graph_hash import graph_fingerprint
from anadrome.backends.native.speculation import NativeFunction
from anadrome.frontend.program import read
from anadrome.optimize.passes import optimize


def scaled(x, k):
    return np.exp(x[:k]) * 2.5


def scaled_otherwise(x, k):
    return np.exp(x[:k]) * 2.75


def graph_of(function, *args):
    return optimize(read(function, args, {}).graph)


@pytest.fixture
def written(monkeypatch, tmp_path):
    """The graphs that were written as LLVM."""
    monkeypatch.setenv("ANADROME_CACHE_DIR", str(tmp_path))
    found = []

    def write(graph, target, level):
        found.append(graph)
        return compile_(graph, target, level)

    compile_ = compile.write_module
    monkeypatch.setattr(compile, "write_module", write)
    return found


def test_a_second_program_of_the_same_graph_is_not_written(written):
    x = np.arange(4.0)
    for _ in range(2):
        native = NativeFunction(graph_of(scaled, x, 3))
        np.testing.assert_allclose(native(x, 3), scaled(x, 3), rtol=1e-13)
    assert len(written) == 1


def test_another_constant_is_another_program(written):
    x = np.arange(4.0)
    for function in (scaled, scaled_otherwise):
        native = NativeFunction(graph_of(function, x, 3))
        np.testing.assert_allclose(native(x, 3), function(x, 3), rtol=1e-13)
    assert len(written) == 2


def test_another_type_is_another_program(written):
    for dtype in (np.float64, np.float32):
        x = np.arange(4, dtype=dtype)
        found = NativeFunction(graph_of(scaled, x, 3))(x, 3)
        assert found.dtype == dtype
    assert len(written) == 2


def test_failures_of_a_program_from_disk_point_at_the_users_line(written):
    def reads(x, i):
        x[0] = 1.0
        return x[i] * 2.0

    for _ in range(2):
        native = NativeFunction(graph_of(reads, np.ones(3), 1))
        with pytest.raises(IndexError) as caught:
            native(np.ones(3), 3)
        assert "x[i] * 2.0" in caught.value.__notes__[0]
    assert len(written) == 1


def test_a_damaged_entry_is_made_again(written, tmp_path):
    x = np.arange(4.0)
    NativeFunction(graph_of(scaled, x, 3))
    for entry in tmp_path.iterdir():
        entry.write_bytes(entry.read_bytes()[:-7])
    native = NativeFunction(graph_of(scaled, x, 3))
    np.testing.assert_allclose(native(x, 2), scaled(x, 2), rtol=1e-13)
    assert len(written) == 2


def test_fingerprints_tell_constants_and_slices_apart():
    x = np.arange(4.0)
    weights = np.arange(4.0)

    def first(x):
        return np.sum(x[1:] * 2.0)

    def second(x):
        return np.sum(x[:1] * 2.0)

    def third(x):
        return np.sum(x * weights)

    prints = [graph_fingerprint(graph_of(f, x)) for f in (first, second, third)]
    assert len(set(prints)) == 3
    assert prints[0] == graph_fingerprint(graph_of(first, x))


def test_what_python_does_for_an_operation_is_found_again(written):
    def described(x, names):
        return {"named " + n: x for n in names} if "a" in names else {}

    for _ in range(2):
        native = NativeFunction(graph_of(described, 2.0, ["a", "b"]))
        assert native(2.0, ["a", "b"]) == {"named a": 2.0, "named b": 2.0}
    assert len(written) == 1
