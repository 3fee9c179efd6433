import pytest

from anadrome.backends.native.target import (
    TargetError,
    available_levels,
    select_target,
    target_machine,
)


def test_the_host_is_the_default(monkeypatch):
    monkeypatch.delenv("ANADROME_TARGET", raising=False)
    assert select_target() == select_target("host")


def test_the_environment_names_a_lower_target(monkeypatch):
    monkeypatch.setenv("ANADROME_TARGET", "baseline")
    assert select_target().vector_bits == 128
    assert select_target("host").level == "host"


def test_an_unknown_target_is_refused_with_the_known_ones():
    with pytest.raises(TargetError, match="set ANADROME_TARGET to one of host, avx512"):
        select_target("mmx")


def test_lanes_follow_from_the_width(target):
    assert target.lanes(4) * 32 == target.vector_bits == 2 * 64 * target.lanes(8) // 2


def test_fingerprints_tell_targets_apart():
    levels = available_levels()
    assert len({select_target(level).fingerprint for level in levels}) == len(levels)


def test_a_machine_is_made_once_per_thread(target):
    assert target_machine(target) is target_machine(target)
    assert target_machine(target) is not target_machine(target, 1)
