"""Fixtures of the native backend: every target this machine can run."""

import pytest

from anadrome.backends.native.target import available_levels, select_target


@pytest.fixture(params=["host", "avx2", "baseline"])
def target(request):
    """A target of each vector width that this machine can run."""
    if request.param not in available_levels():
        pytest.skip(f"this CPU cannot run {request.param} code")
    return select_target(request.param)
