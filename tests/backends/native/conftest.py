"""Fixtures of the native backend: every target this machine can run."""

import pytest

from anadrome.backends.native.target import available_levels, select_target


@pytest.fixture(params=["host", "avx2", "baseline"])
def target(request):
    """A target of each vector width that this machine can run."""
    if request.param not in available_levels():
        pytest.skip(f"this CPU cannot run {request.param} code")
    return select_target(request.param)


@pytest.fixture(autouse=True, scope="session")
def private_cache(tmp_path_factory):
    """Keep the tests' object code out of the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ANADROME_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield
