import multiprocessing
import os

import pytest

from anadrome.backends.native.disk.object_cache import (
    ObjectCache,
    cache_key,
    source_fingerprint,
    user_cache_dir,
)
from anadrome.backends.native.target import select_target


def test_stored_bytes_come_back(tmp_path):
    cache = ObjectCache(tmp_path / "new")
    assert cache.load("a") is None
    cache.store("a", b"code")
    assert cache.load("a") == b"code"
    assert ObjectCache(tmp_path / "new").load("a") == b"code"


@pytest.mark.parametrize("damage", ["truncate", "flip", "empty", "foreign"])
def test_a_damaged_entry_is_absent_and_removed(tmp_path, damage):
    cache = ObjectCache(tmp_path)
    cache.store("a", b"code" * 100)
    (path,) = tmp_path.iterdir()
    data = path.read_bytes()
    path.write_bytes(
        {
            "truncate": data[:-1],
            "flip": data[:-1] + bytes([data[-1] ^ 1]),
            "empty": b"",
            "foreign": b"#!/bin/sh\n" + data,
        }[damage]
    )
    assert cache.load("a") is None
    assert list(tmp_path.iterdir()) == []


def test_the_least_recently_used_entries_are_evicted(tmp_path):
    cache = ObjectCache(tmp_path, limit_bytes=3500)
    for age, key in enumerate("abcd"):
        cache.store(key, bytes(1000))
        os.utime(cache._path(key), (1000 + age, 1000 + age))
    cache.load("a")
    cache.evict()
    assert [cache.load(key) is not None for key in "abcd"] == [True, False, True, True]
    cache.clear()
    assert list(tmp_path.iterdir()) == []


def test_writes_of_many_processes_stay_near_the_limit(tmp_path):
    for k in range(400):
        # Each process writes once or twice, with a cache object of its own.
        ObjectCache(tmp_path, limit_bytes=10_000).store(f"k{k}", b"%d" % k * 500)
    assert len(list(tmp_path.iterdir())) < 250


def test_a_directory_that_cannot_be_written_is_an_empty_cache(tmp_path):
    (tmp_path / "file").write_text("in the way")
    cache = ObjectCache(tmp_path / "file")
    cache.store("a", b"code")
    assert cache.load("a") is None


def _store_and_load(directory):
    cache = ObjectCache(directory)
    for round_ in range(50):
        body = b"x" * (1000 + round_)
        cache.store("shared", body)
        seen = cache.load("shared")
        assert seen is not None
        assert set(seen) == {ord("x")}
    return True


def test_processes_share_a_directory(tmp_path):
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        assert all(pool.map(_store_and_load, [tmp_path] * 3))
    assert len(list(tmp_path.iterdir())) == 1


def test_keys_depend_on_target_and_on_where_parts_end():
    host, baseline = select_target("host"), select_target("baseline")
    keys = {
        cache_key(host, "ab", "c"),
        cache_key(host, "a", "bc"),
        cache_key(host, "abc"),
        cache_key(baseline, "abc"),
    }
    assert len(keys) == 4
    assert cache_key(host, "abc") == cache_key(host, b"abc")


def test_the_directory_can_be_chosen(monkeypatch, tmp_path):
    monkeypatch.setenv("ANADROME_CACHE_DIR", str(tmp_path / "here"))
    assert user_cache_dir() == tmp_path / "here"
    monkeypatch.delenv("ANADROME_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    assert user_cache_dir() == tmp_path / "anadrome"


def test_source_fingerprints_differ():
    ours = "anadrome.backends.native."
    assert source_fingerprint(ours + "compile") != source_fingerprint(ours + "target")
    with pytest.raises(ModuleNotFoundError):
        source_fingerprint(ours + "nothing")
