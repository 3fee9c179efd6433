"""One thread at a time makes programs."""

from __future__ import annotations

import threading

BUILDING = threading.RLock()
"""Held while a program is made: neither the compiler nor LLVM works for two threads."""
