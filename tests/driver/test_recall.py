"""Programs of earlier processes are found again, and never for something else."""

from __future__ import annotations

import importlib
import linecache
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import anadrome as ad
from anadrome.driver import recall
from anadrome.primitives import registry

X = np.array([0.3, -0.7, 1.2])


@pytest.fixture
def made(monkeypatch, tmp_path):
    """The programs that were made rather than found."""
    monkeypatch.setenv("ANADROME_CACHE_DIR", str(tmp_path / "cache"))
    # Other tests of this process register functions.
    monkeypatch.setattr(registry, "_foreign", [])
    found = []
    original = recall._make

    def make(jitted, args, keywords):
        found.append(jitted)
        return original(jitted, args, keywords)

    monkeypatch.setattr(recall, "_make", make)
    return found


@pytest.fixture
def module(monkeypatch, tmp_path):
    """A function that writes a module and imports it anew."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(name, text):
        path = tmp_path / f"{name}.py"
        path.write_text(textwrap.dedent(text))
        # Bytecode is found by the time of its source, in whole seconds.
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
        sys.modules.pop(name, None)
        linecache.checkcache()
        importlib.invalidate_caches()
        found = importlib.import_module(name)
        monkeypatch.setitem(sys.modules, name, found)
        return found

    return write


SCALE, COUNT, WEIGHTS = 2.0, 3, np.array([1.0, 2.0, 3.0])


def helper(x):
    return x**2


def weighted(x, power=2, *, shift=0.5):
    return SCALE * np.sum(helper(x) * WEIGHTS) + COUNT * x[0] ** power + shift


def fresh(function, *args, **keywords):
    """What a callable that knows nothing yet returns."""
    return ad.jit(function)(*args, **keywords)


def test_a_program_is_found_again(made):
    for function in (weighted, ad.grad(weighted), ad.value_and_grad(weighted)):
        del made[:]
        expected = function(X)
        for _ in range(2):
            for a, b in zip(
                np.atleast_1d(*fresh(function, X))
                if isinstance(expected, tuple)
                else [fresh(function, X)],
                np.atleast_1d(*expected) if isinstance(expected, tuple) else [expected],
            ):
                np.testing.assert_allclose(a, b, rtol=1e-12)
        assert len(made) == 1


def test_sizes_do_not_matter_but_types_do(made):
    def f(x, y):
        return np.sum(x * y)

    x = np.ones(3)
    fresh(f, x, x)
    assert fresh(f, np.ones(5), np.ones(5)) == 5
    assert len(made) == 1
    others = [
        (x.astype(np.float32), x),
        (np.ones((2, 3)), x),
        (np.ones(1), x),
        (x, 2.0),
        (x, 2),
        (x, np.float64(2.0)),
    ]
    for k, args in enumerate(others):
        np.testing.assert_allclose(fresh(f, *args), f(*args))
        assert len(made) == 2 + k
    fresh(f, x=x, y=x)
    fresh(f, y=x, x=x)
    assert len(made) == 2 + len(others) + 1


def test_what_is_read_at_each_call_may_change(made, monkeypatch):
    fresh(weighted, X)
    for name, value in (("SCALE", 5.0), ("WEIGHTS", np.array([1.0, 0.0, 7.0]))):
        monkeypatch.setattr(sys.modules[__name__], name, value)
        np.testing.assert_allclose(fresh(weighted, X), weighted(X))
    assert len(made) == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("COUNT", 4),
        ("COUNT", True),
        ("SCALE", 2),
        ("WEIGHTS", np.array([1, 2, 3])),
        ("WEIGHTS", np.ones(1)),
        ("helper", lambda x: x**3),
        ("helper", np.sin),
    ],
)
def test_another_global_is_another_program(made, monkeypatch, name, value):
    fresh(weighted, X)
    monkeypatch.setattr(sys.modules[__name__], name, value)
    np.testing.assert_allclose(fresh(weighted, X), weighted(X))
    assert len(made) == 2


def test_other_defaults_are_other_programs(made, monkeypatch):
    fresh(weighted, X)
    monkeypatch.setattr(weighted, "__defaults__", (3,))
    np.testing.assert_allclose(fresh(weighted, X), weighted(X))
    assert len(made) == 2
    monkeypatch.setattr(weighted, "__kwdefaults__", {"shift": 0.75})
    np.testing.assert_allclose(fresh(weighted, X), weighted(X))
    assert len(made) == 2
    monkeypatch.setattr(weighted, "__kwdefaults__", {"shift": 1})
    np.testing.assert_allclose(fresh(weighted, X), weighted(X))
    assert len(made) == 3


def make_scaled(power, scale, inner):
    def scaled(x):
        return np.sum(inner(x) ** power) * scale

    return scaled


def test_cells_are_told_apart(made):
    for k, (power, scale, inner) in enumerate(
        [(2, 0.5, np.sin), (3, 0.5, np.sin), (3, 1, np.sin), (3, 1, helper)]
    ):
        f = make_scaled(power, scale, inner)
        for _ in range(2):
            np.testing.assert_allclose(fresh(f, X), f(X), rtol=1e-12)
        assert len(made) == k + 1
    f = make_scaled(2, 0.25, np.sin)
    np.testing.assert_allclose(fresh(f, X), f(X), rtol=1e-12)
    assert len(made) == 4


def test_functions_that_change_places_are_told_apart(made):
    double, triple = make_scaled(2, 1, np.sin), make_scaled(3, 1, np.sin)

    def quotient(first, second):
        return lambda x: first(x) / second(x)

    for pair in ((double, triple), (triple, double), (double, double)):
        f = quotient(*pair)
        np.testing.assert_allclose(fresh(f, X), f(X), rtol=1e-12)
    assert len(made) == 3


def test_what_a_program_was_made_under_is_watched(made, monkeypatch):
    fresh(weighted, X)
    jitted = ad.jit(weighted)
    np.testing.assert_allclose(jitted(X), weighted(X))
    assert len(made) == 1
    monkeypatch.setattr(sys.modules[__name__], "COUNT", 7)
    np.testing.assert_allclose(jitted(X), weighted(X))
    assert len(made) == 2
    monkeypatch.setattr(sys.modules[__name__], "SCALE", 1.0)
    np.testing.assert_allclose(jitted(X), weighted(X))
    assert len(made) == 2


HELPERS = """
    import numpy as np

    FACTOR = {factor}


    def scaled(x):
        return np.sum(x) * FACTOR{more}
"""
USER = """
    import numpy as np
    import helpers_of_recalling as helpers


    def f(x):
        return helpers.scaled(x) + np.sum(x)
"""


def test_a_changed_module_is_another_program(made, module):
    name = "helpers_of_recalling"
    texts = [
        HELPERS.format(factor=2.5, more=""),
        HELPERS.format(factor=2.5, more=" + 1.0"),
        HELPERS.format(factor=3.5, more=" + 1.0"),
        HELPERS.format(factor=3, more=" + 1.0"),
    ]
    for k, text in enumerate(texts):
        module(name, text)
        f = module("user_of_recalling", USER).f
        for _ in range(2):
            np.testing.assert_allclose(fresh(f, X), f(X))
        assert len(made) == k + 1


def test_text_that_is_not_what_runs_is_told_apart(made, module, tmp_path):
    text = "def f(x):\n    return x * 2.0\n"
    f = module("edited_of_recalling", text).f
    assert fresh(f, 3.0) == 6.0
    (tmp_path / "edited_of_recalling.py").write_text(text.replace("2.0", "4.0"))
    linecache.checkcache()
    fresh(f, 3.0)
    assert len(made) == 2


class Wave:
    """Something with a method."""

    def __init__(self, frequency):
        self.frequency = frequency

    def at(self, x):
        return np.sin(self.frequency * x)


@dataclass(frozen=True)
class Parameters:
    """A record."""

    w: np.ndarray
    b: float = 0.5
    order: int = 2


class Pair(NamedTuple):
    """A tuple with names."""

    a: np.ndarray
    b: float


def of_objects(wave, parameters, pair):
    made = Parameters(parameters.w * 2.0)
    return np.sum(wave.at(pair.a) * made.w + made.b * pair.b + parameters.order)


def test_classes_are_followed(made, monkeypatch):
    def args():
        return Wave(2.0), Parameters(X), Pair(X, 1.5)

    for _ in range(2):
        np.testing.assert_allclose(fresh(of_objects, *args()), of_objects(*args()))
    assert len(made) == 1
    gradient = ad.grad(of_objects, 1)
    for _ in range(2):
        np.testing.assert_allclose(
            fresh(gradient, *args()).w, gradient(*args()).w, rtol=1e-12
        )
    assert len(made) == 2
    monkeypatch.setattr(Wave, "at", lambda self, x: np.cos(self.frequency * x))
    np.testing.assert_allclose(fresh(of_objects, *args()), of_objects(*args()))
    assert len(made) == 3


def test_functions_of_numpy_are_looked_at(made, monkeypatch):
    def f(x):
        return np.sum(np.exp(x))

    fresh(f, X)
    monkeypatch.setattr(np, "exp", np.expm1)
    np.testing.assert_allclose(fresh(f, X), f(X))
    assert len(made) == 2


def test_names_made_at_run_time_are_not_trusted(made, monkeypatch):
    def f(x):
        return getattr(sys.modules[__name__], "COUNT") * np.sum(x)  # noqa: B009

    def g(x, k):
        return x * k

    assert recall.dependencies_of_call(f, frozenset(), (X,), {}) is None
    assert recall.dependencies_of_call(g, frozenset(), (X, 2), {}) is not None


def test_registered_functions_are_not_trusted(made, monkeypatch):
    monkeypatch.setattr(registry, "_foreign", [object()])
    assert recall.dependencies_of_call(helper, frozenset(), (X,), {}) is None


def test_static_arguments_are_compiled_in(made):
    def power(x, n, f):
        for _ in range(n):
            x = f(x)
        return x

    for n in (1, 2, 2):
        for f in (helper, np.sin):
            found = ad.jit(power, static_argnums=(1, 2))(X, n, f)
            np.testing.assert_allclose(found, power(X, n, f))
    assert len(made) == 4


def test_a_level_that_assumes_too_much_is_left(made):
    def f(x, y):
        total = 0.0
        for k in range(3):
            total = total + np.sum(np.tanh(x * k) * y + x)
        return total

    gradient = ad.grad(f, (0, 1))
    fresh(gradient, np.ones((2, 3)), np.ones(3))
    args = np.linspace(0, 1, 6).reshape(2, 3), np.ones(3)
    jitted = ad.jit(gradient)
    for _ in range(5):
        for a, b in zip(jitted(*args), gradient(*args)):
            np.testing.assert_allclose(a, b, rtol=1e-12)


def test_errors_are_those_of_a_new_program(made):
    def f(x, y):
        return np.sum(x * y)

    x = np.ones(3)
    fresh(f, x, x)
    messages = []
    for function in (ad.jit(f), ad.jit(f)):
        with pytest.raises(ad.ShapeMismatch) as caught:
            function(x, np.ones(4))
        messages.append(str(caught.value))
    assert messages[0] == messages[1]
    with pytest.raises(ad.ShapeMismatch) as caught:
        recall._make(ad.jit(f), (x, np.ones(4)), {})
    assert str(caught.value) == messages[0]


def test_arguments_that_are_changed_must_not_overlap(made):
    def f(x, y):
        x[0] = 2.0
        return np.sum(x * y)

    for _ in range(2):
        jitted = ad.jit(f)
        assert jitted(np.ones(3), np.ones(3)) == 4.0
        shared = np.ones(3)
        with pytest.raises(ad.MutationError):
            jitted(shared, shared[::-1])
    assert len(made) == 1


def test_arguments_in_another_layout_are_converted(made):
    def f(x):
        return np.sum(x) * 2.0

    fresh(f, X)
    jitted = ad.jit(f)
    jitted(X)
    bytes_ = np.zeros(1 + X.nbytes, np.uint8)
    unaligned = bytes_[1:].view(np.float64)
    unaligned[:] = X
    assert not unaligned.flags.aligned
    for other in (unaligned, X.astype(">f8"), X[::-1]):
        np.testing.assert_allclose(jitted(other), f(X), rtol=1e-14)


def test_source_and_graph_are_there_when_asked_for(made):
    fresh(weighted, X)
    found = ad.jit(weighted).specialise((X,), {})
    assert len(made) == 1
    assert "COUNT" not in found.source.text
    assert found.graph.params
    assert len(made) == 2


def test_an_entry_without_its_program_is_made_again(made, tmp_path):
    fresh(helper, X)
    entries = sorted((tmp_path / "cache").iterdir(), key=lambda p: p.stat().st_size)
    for entry in entries[1:]:
        entry.unlink()
    np.testing.assert_allclose(fresh(helper, X), helper(X))
    assert len(made) == 2


def test_arguments_of_the_first_call_are_not_kept(made):
    fresh(helper, X)
    found = ad.jit(of_objects)
    array = np.ones(3)
    given = (Wave(2.0), Parameters(array), Pair(array, 1.5))
    fresh(of_objects, *given)
    before = sys.getrefcount(array)
    found(*given)
    assert sys.getrefcount(array) == before


def test_a_new_process_reads_nothing(made, module, tmp_path):
    module("started_of_recalling", "def f(x):\n    return 2.0 * x * x\n")
    script = textwrap.dedent(
        """
        import sys
        import anadrome as ad
        from started_of_recalling import f

        assert ad.jit(ad.grad(f))(3.0) == 12.0
        print("anadrome.frontend.interpreter" in sys.modules)
        """
    )
    found = [
        subprocess.run(
            [sys.executable, "-c", script],
            check=True,
            capture_output=True,
            text=True,
            cwd=tmp_path,
        ).stdout.strip()
        for _ in range(2)
    ]
    assert found == ["True", "False"]
