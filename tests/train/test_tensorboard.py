"""The log for TensorBoard has what the JSONL log has, and a clear error without it."""

from __future__ import annotations

import struct
import sys

import pytest

from anadrome.corpora import ParallelCorpus
from anadrome.options import OptionError
from anadrome.tasks.translate import TASK
from anadrome.train.log import read_log
from anadrome.train.recipe import make_recipe
from anadrome.train.run import train
from anadrome.train.tensorboard import TensorBoard

CORPUS = ParallelCorpus(("the cat", "a dog"), ("le chat", "un chien"))


def recipe(**training):
    return make_recipe(
        TASK,
        {
            "model": {"embedding": 4, "hidden": 5},
            "data": {"merges": 0},
            "training": {"steps": 3, "backend": "python", "validate_every": 2},
        },
        {"training": training},
    )


def events(folder):
    """The (name, step, number) of every event file: records of TFRecord's format."""
    event_pb2 = pytest.importorskip("tensorboardX.proto.event_pb2")
    found = []
    for path in sorted(folder.iterdir()):
        data = path.read_bytes()
        while data:
            (length,) = struct.unpack("<Q", data[:8])
            event = event_pb2.Event.FromString(data[12 : 12 + length])
            data = data[16 + length :]
            found += [(v.tag, event.step, v.simple_value) for v in event.summary.value]
    return found


def test_both_logs_have_the_same_numbers(tmp_path):
    pytest.importorskip("tensorboardX")
    train(recipe(tensorboard=True), tmp_path / "m", CORPUS, valid=CORPUS)
    written = {(tag, step): n for tag, step, n in events(tmp_path / "m/tensorboard")}
    for event in read_log(tmp_path / "m" / "log.jsonl"):
        step = event["step"]
        if "loss" in event:
            for name in ("loss", "norm", "rate", "size"):
                wanted = pytest.approx(event[name], rel=1e-6)
                assert written[f"training/{name}", step] == wanted
        else:
            wanted = pytest.approx(event["score"], rel=1e-6)
            assert written["validation/score", step] == wanted
    assert ("validation/score", 2) in written


def test_there_is_none_unless_it_is_wanted(tmp_path):
    train(recipe(), tmp_path / "m", CORPUS)
    assert not (tmp_path / "m" / "tensorboard").exists()


def test_a_missing_package_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    with pytest.raises(OptionError, match=r"pip install 'anadrome\[tensorboard\]'"):
        TensorBoard(tmp_path, 0)
