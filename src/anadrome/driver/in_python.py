"""Functions under `ad.jit` that native code cannot follow, which run in Python.

What a compiled function computes is what Python computes, so where there can be no
native code the function itself is called, and a warning says why.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from anadrome.driver.program import Compiled
from anadrome.errors import AnadromeError, NotCompiled

if TYPE_CHECKING:
    from anadrome.frontend.program import Program
    from anadrome.ir.graph import Graph


class InPython(Compiled):
    """A function as it is, for arguments for which it was refused."""

    def __init__(
        self, function: Callable[..., Any], refusal: AnadromeError, count: int
    ) -> None:
        self.refusal = refusal
        found: Program | None = refusal.program
        refusal.program = None
        self.use(
            function,
            getattr(function, "__code__", None),
            count,
            [],
            [c.read for c in found.captures] if found is not None else [],
            [(g.read, g.expected) for g in found.guards] if found is not None else [],
            [],
            [],
        )
        self.direct, self.guarded = False, True
        self._told = False

    @property
    def graph(self) -> Graph:  # type: ignore[override]
        """There is none: the refusal."""
        raise self.refusal

    @property
    def source(self) -> Any:
        """There is none: the refusal."""
        raise self.refusal

    def holds(self) -> bool:
        """Whether what was refused would be again."""
        # Whether Python fails may depend on sizes, and on what it was given before.
        return not self.refusal.is_fault and super().holds()

    def run(
        self, args: tuple[Any, ...], keywords: dict[str, Any], extra: tuple[Any, ...]
    ) -> Any:
        """Call the function."""
        if self.refusal.is_fault:
            return self._run_fault(args, keywords)
        self._tell()
        return self.function(*args, **keywords)

    def _run_fault(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """Call a function of which it was found that it fails."""
        try:
            result = self.function(*args, **keywords)
        except Exception as error:
            if isinstance(self.refusal, type(error)):
                raise self.refusal from error
            error.add_note(str(self.refusal))
            raise
        self._tell()
        return result

    def _tell(self) -> None:
        if not self._told:
            warn_not_compiled(self.function, self.refusal)
            self._told = True


def warn_not_compiled(function: Callable[..., Any], refusal: AnadromeError) -> None:
    """Say that a function runs in Python; refuse it where warnings are errors."""
    name = getattr(function, "__name__", type(function).__name__)
    depth, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("anadrome."):
        depth, frame = depth + 1, frame.f_back
    try:
        reason = str(refusal)
        if not reason.startswith("\n"):
            # It stands on no line.
            reason = f"\n{type(refusal).__name__}: {reason}"
        message = f"'{name}' runs in Python, not in native code:{reason}"
        warnings.warn(NotCompiled(message), stacklevel=depth)
    except NotCompiled:
        raise refusal from None


__all__ = ["InPython", "warn_not_compiled"]
