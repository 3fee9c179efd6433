"""What is replaced after a first call is seen by the next one, as in Python."""

import pytest
import stale_programs as programs

import anadrome as ad
from anadrome.primitives import registry

X = 1.5


def arguments(function):
    return (X, programs.Model(3.0)) if function is programs.given else (X,)


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, tmp_path):
    monkeypatch.setenv("ANADROME_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(registry, "_foreign", [])


@pytest.mark.parametrize("number", range(len(programs.CHANGES)))
@pytest.mark.parametrize("transform", ["grad", "jit", "jit grad", "found again"])
def test_a_change_is_noticed(transform, number, monkeypatch):
    function, change = programs.CHANGES[number]
    args = arguments(function)
    if transform == "grad":
        run = ad.value_and_grad(function)
    elif transform == "jit grad":
        run = ad.jit(ad.value_and_grad(function))
    else:
        run = ad.jit(function)

    def value(found):
        return found[0] if "grad" in transform else found

    if transform == "found again":
        ad.jit(function)(*args)
    before = function(*args)
    assert value(run(*args)) == pytest.approx(before)
    with monkeypatch.context() as patch:
        undo = change(patch)
        after = function(*arguments(function))
        assert after != before
        try:
            assert value(run(*arguments(function))) == pytest.approx(after)
        finally:
            if undo is not None:
                undo()
    assert value(run(*args)) == pytest.approx(before)
