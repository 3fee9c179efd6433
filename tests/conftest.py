"""Options and fixtures for all tests."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import pytest

GOLDENS = Path(__file__).parent / "goldens"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write the goldens anew instead of comparing with them",
    )


def pytest_configure() -> None:
    # Whoever starts the tests in the background may have had it ignored, and the
    # programs that the tests start and interrupt would ignore it too.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compares a text with tests/goldens/<name>.txt, or writes that file anew."""

    def compare(name: str, text: str) -> None:
        path = GOLDENS / f"{name}.txt"
        if request.config.getoption("--update-golden"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        assert path.exists(), f"no golden {name}: run with --update-golden"
        assert text == path.read_text()

    return compare
