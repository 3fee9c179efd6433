import json
import os
import random
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from checkpoint_writer import contents

from anadrome.train import (
    CheckpointError,
    CheckpointWarning,
    CorruptCheckpoint,
    MismatchedRecord,
    generator_state,
    list_checkpoints,
    load_checkpoint,
    load_newest_checkpoint,
    restore_generator,
    save_checkpoint,
)

WRITER = Path(__file__).with_name("checkpoint_writer.py")


@dataclass(frozen=True)
class Config:
    hidden: int = 8
    rate: float = 0.1
    names: tuple = ("a", "b")


def save(folder, *steps, **options):
    for step in steps:
        save_checkpoint(folder, step, contents(step), state={"step": step}, **options)


def assert_whole(checkpoint):
    expected = contents(checkpoint.step)
    assert checkpoint.state == {"step": checkpoint.step}
    for name, like in expected.items():
        restored = checkpoint.restore(name, like)
        np.testing.assert_equal(restored, like)


def test_everything_comes_back(tmp_path):
    rng = np.random.default_rng(5)
    rng.normal(size=3)
    path = save_checkpoint(
        tmp_path,
        7,
        {"params": {"W": np.arange(6.0).reshape(2, 3).T, "n": 3}},
        config=Config(),
        state={"rng": generator_state(rng), "batches": {"epoch": 1, "batch": 4}},
    )
    found = load_newest_checkpoint(tmp_path)
    assert found.path == path
    assert found.step == 7
    assert found.config == {"hidden": 8, "rate": 0.1, "names": ["a", "b"]}
    assert found.state["batches"] == {"epoch": 1, "batch": 4}
    restored = found.restore("params", {"W": np.zeros((3, 2)), "n": 0})
    np.testing.assert_array_equal(restored["W"], np.arange(6.0).reshape(2, 3).T)
    assert restored["n"] == 3
    again = restore_generator(found.state["rng"])
    assert again.normal() == rng.normal()


@pytest.mark.parametrize("kind", ["PCG64", "MT19937", "Philox", "SFC64", "PCG64DXSM"])
def test_generators_go_on(kind):
    rng = np.random.Generator(getattr(np.random, kind)(3))
    rng.normal(size=5)
    state = json.loads(json.dumps(generator_state(rng)))
    np.testing.assert_array_equal(restore_generator(state).random(9), rng.random(9))


def test_an_unknown_generator_is_named():
    with pytest.raises(CheckpointError, match="'default_rng'"):
        restore_generator({"bit_generator": "default_rng"})


def test_the_newest_is_used_and_old_ones_go(tmp_path):
    save(tmp_path, 1, 2, 3, 20, 100, keep=2)
    assert list_checkpoints(tmp_path) == [20, 100]
    assert len(list(tmp_path.iterdir())) == 2 * 3
    assert_whole(load_newest_checkpoint(tmp_path))
    assert load_newest_checkpoint(tmp_path).step == 100
    save(tmp_path, 200, 300, keep=1, protect=[100])
    assert list_checkpoints(tmp_path) == [100, 300]
    assert_whole(load_checkpoint(tmp_path, 100))


def test_a_folder_without_checkpoints(tmp_path):
    assert load_newest_checkpoint(tmp_path) is None
    assert load_newest_checkpoint(tmp_path / "nowhere") is None
    with pytest.raises(CheckpointError, match="no such checkpoint"):
        load_checkpoint(tmp_path, 3)


def find_part(folder, step, part):
    """The manifest ("json"), or the file of a record."""
    if part == "json":
        return folder / f"step-{step:08d}.json"
    (found,) = folder.glob(f"step-{step:08d}.{part}.*.safetensors")
    return found


def damage_by_cutting(path):
    path.write_bytes(path.read_bytes()[:-10])


def damage_by_flipping(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


def damage_by_emptying(path):
    path.write_bytes(b"")


@pytest.mark.parametrize(
    "damage", [damage_by_cutting, damage_by_flipping, damage_by_emptying, os.unlink]
)
@pytest.mark.parametrize("part", ["json", "params", "optimizer"])
def test_a_damaged_checkpoint_is_passed_over(tmp_path, part, damage):
    save(tmp_path, 1, 2)
    damage(find_part(tmp_path, 2, part))
    if part == "json" and damage is os.unlink:
        # Without a manifest there never was a checkpoint.
        assert load_newest_checkpoint(tmp_path).step == 1
        return
    with pytest.warns(CheckpointWarning, match=r"step-00000002.*going on from step 1"):
        found = load_newest_checkpoint(tmp_path)
    assert found.step == 1
    assert_whole(found)
    with pytest.raises(CorruptCheckpoint, match=r"step-00000002"):
        load_checkpoint(tmp_path, 2)


def test_reasons_are_clear(tmp_path):
    save(tmp_path, 1)
    file = find_part(tmp_path, 1, "params")
    whole = file.read_bytes()
    file.write_bytes(whole[:-1])
    with pytest.raises(CorruptCheckpoint, match=rf"{len(whole) - 1} bytes instead of"):
        load_checkpoint(tmp_path, 1)
    file.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(CorruptCheckpoint, match="SHA-256 differs"):
        load_checkpoint(tmp_path, 1)
    file.unlink()
    with pytest.raises(CorruptCheckpoint, match=r"params\.\w+\.safetensors is missing"):
        load_checkpoint(tmp_path, 1)


def test_when_all_are_damaged_training_does_not_begin_anew(tmp_path):
    save(tmp_path, 1, 2)
    for step in (1, 2):
        (tmp_path / f"step-0000000{step}.json").write_text("{}")
    with pytest.raises(CorruptCheckpoint, match="no checkpoint can be used") as caught:
        load_newest_checkpoint(tmp_path)
    assert "step-00000001" in str(caught.value)
    assert "step-00000002" in str(caught.value)


def test_a_manifest_of_another_step_is_refused(tmp_path):
    save(tmp_path, 1)
    (tmp_path / "step-00000001.json").rename(tmp_path / "step-00000009.json")
    with pytest.raises(CorruptCheckpoint, match="manifest of 1"):
        load_checkpoint(tmp_path, 9)


def test_another_model_is_an_error_and_not_damage(tmp_path):
    save(tmp_path, 1)
    found = load_newest_checkpoint(tmp_path)
    with pytest.raises(MismatchedRecord, match=r"'params': W has the shape") as caught:
        found.restore("params", {"W": np.zeros((5, 5)), "step": np.array(0)})
    assert "help:" in str(caught.value)
    with pytest.raises(CheckpointError, match="no record 'other', only 'optimizer', "):
        found.restore("other", {})


def test_what_cannot_be_saved_leaves_no_trace(tmp_path):
    save(tmp_path, 1)
    before = sorted(p.name for p in tmp_path.iterdir())
    with pytest.raises(TypeError, match="cannot be kept in a manifest"):
        save_checkpoint(tmp_path, 2, {}, state={"model": object()})
    with pytest.raises(TypeError, match="a is a str"):
        save_checkpoint(tmp_path, 2, {"params": {"a": "text"}})
    with pytest.raises(ValueError, match="file name"):
        save_checkpoint(tmp_path, 2, {"../params": {}})
    with pytest.raises(ValueError, match="at least"):
        save_checkpoint(tmp_path, 2, {}, keep=0)
    assert sorted(p.name for p in tmp_path.iterdir()) == before


def test_saving_the_same_step_again(tmp_path):
    save(tmp_path, 1)
    save_checkpoint(tmp_path, 1, {"params": {"W": np.zeros(2)}})
    found = load_newest_checkpoint(tmp_path)
    assert found.restore("params", {"W": np.ones(2)})["W"].tolist() == [0, 0]
    assert "optimizer" not in found.arrays
    assert len(list(tmp_path.iterdir())) == 2


def test_a_damaged_manifest_keeps_its_files(tmp_path):
    save(tmp_path, 1)
    find_part(tmp_path, 1, "json").write_text("{}")
    save(tmp_path, 2, keep=5)
    assert find_part(tmp_path, 1, "params").exists()


def run_writer(mode, folder, number):
    return subprocess.Popen(
        [sys.executable, str(WRITER), mode, str(folder), str(number)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked")
def test_killed_at_any_use_of_the_file_system(tmp_path):
    """SIGKILL before each call in turn, over more than two whole checkpoints."""
    calls = 60
    process = run_writer("sweep", tmp_path, calls)
    process.communicate(timeout=60)
    assert process.returncode == 0
    reached = set()
    for call in range(1, calls + 1):
        reported = (tmp_path / f"{call}.reported").read_text().split()
        found = load_newest_checkpoint(tmp_path / str(call))
        assert_whole(found)
        # What was reported as saved is there, or something newer.
        assert found.step >= max(map(int, reported), default=0)
        reached.add(found.step)
    assert reached == {0, 1, 2}


def test_killed_at_random_moments(tmp_path):
    moments = random.Random(0)
    newest = 0
    for _ in range(4):
        process = run_writer("write", tmp_path, newest + 1)
        process.stdout.readline()
        time.sleep(moments.uniform(0, 0.1))
        process.kill()
        printed, _ = process.communicate(timeout=60)
        found = load_newest_checkpoint(tmp_path)
        assert_whole(found)
        saved = [int(line) for line in printed.split()]
        assert found.step >= max(saved, default=newest + 1)
        newest = found.step
    save(tmp_path, newest + 1, keep=1)
    assert len(list(tmp_path.iterdir())) == 3
