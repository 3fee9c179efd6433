"""Ctrl-C that waits until it is safe to stop."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any


class Interrupt:
    """Whether the user wants to stop, noted while a `with` block runs.

    The first Ctrl-C (or SIGTERM) only sets `wanted`; a second one stops at once.
    """

    def __init__(self) -> None:
        self.wanted = False
        self.signal = 0  # the number of the signal that asked for it
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Interrupt:
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.wanted:
            raise KeyboardInterrupt
        self.wanted, self.signal = True, number
