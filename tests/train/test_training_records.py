from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

from anadrome.train import MismatchedRecord, flatten, unflatten


@dataclass(frozen=True)
class Layer:
    W: Any
    b: Any = None


@dataclass(frozen=True)
class Model:
    layers: tuple
    embeddings: dict
    scale: float = 1.0


class Moments(NamedTuple):
    first: Any
    second: Any


def model(seed=0):
    rng = np.random.default_rng(seed)
    return Model(
        layers=(Layer(rng.normal(size=(2, 3)), np.zeros(3, np.float32)),
                Layer(rng.normal(size=(3, 1)))),
        embeddings={"source": [rng.normal(size=4), np.arange(3)],
                    "moments": Moments(np.float64(2.5), np.array(True))},
        scale=rng.normal(),
    )  # fmt: skip


def test_names_say_the_way():
    assert list(flatten(model())) == [
        "layers.0.W",
        "layers.0.b",
        "layers.1.W",
        "embeddings.source.0",
        "embeddings.source.1",
        "embeddings.moments.first",
        "embeddings.moments.second",
        "scale",
    ]


def test_a_record_comes_back_in_its_structure():
    saved = model(1)
    restored = unflatten(model(2), flatten(saved))
    assert type(restored) is Model
    assert type(restored.layers) is tuple
    assert type(restored.embeddings["moments"]) is Moments
    assert type(restored.embeddings["moments"].first) is np.float64
    assert type(restored.scale) is float
    assert restored.layers[1].b is None
    one, two = flatten(saved), flatten(restored)
    assert one.keys() == two.keys()
    for name in one:
        assert one[name].dtype == two[name].dtype
        np.testing.assert_array_equal(one[name], two[name])
        assert not np.shares_memory(one[name], two[name])


def test_other_mappings_and_empty_parts():
    record = OrderedDict(a=np.ones(2), b=[], c=())
    restored = unflatten(record, {"a": np.zeros(2)})
    assert type(restored) is OrderedDict
    assert restored["b"] == []
    assert flatten(np.ones(2)).keys() == {""}


def test_differences_are_named():
    arrays = flatten(model())
    del arrays["layers.0.b"]
    arrays["other"] = np.zeros(1)
    with pytest.raises(
        MismatchedRecord, match=r"layers.0.b missing; other not expected"
    ):
        unflatten(model(), arrays)
    arrays = flatten(model())
    arrays["layers.0.W"] = np.zeros((3, 2))
    with pytest.raises(MismatchedRecord, match=r"layers.0.W has the shape \(3, 2\)"):
        unflatten(model(), arrays)
    arrays = flatten(model())
    arrays["layers.0.W"] = np.zeros((2, 3), np.float32)
    with pytest.raises(MismatchedRecord, match=r"layers.0.W is float32"):
        unflatten(model(), arrays)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"a": {"b": "text"}}, "a.b is a str"),
        ({"a.b": np.zeros(1)}, "'a.b'.*without dots"),
        ({1: np.zeros(1)}, "the key 1"),
        ([np.array(["x"])], "0 holds <U1, not numbers"),
        ({"a": object()}, "a is a object"),
        ([np.zeros(2, complex)], "0 holds complex128"),
    ],
)
def test_what_is_no_record_is_refused(record, message):
    with pytest.raises(TypeError, match=message):
        flatten(record)
