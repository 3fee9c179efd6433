"""The one place where functions of models are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anadrome as ad


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function in native code, where there is a native backend."""
    jit = getattr(ad, "jit", None)
    return function if jit is None else jit(function)  # type: ignore[no-any-return]
