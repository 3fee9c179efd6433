"""Memory that stays with the process while it trains."""

from __future__ import annotations

import ctypes
import platform

# Of <malloc.h>.
_TRIM_THRESHOLD, _MMAP_MAX = -1, -4


def keep_freed_memory() -> bool:
    """Whether freed arrays are kept for the next ones from now on, as they should be.

    The arrays of a step are as large as those of the step before. The C library gives
    large ones back to the system all the same, and takes them anew page by page, which
    costs a tenth of the time of a step.
    """
    if platform.libc_ver()[0] != "glibc":
        return False
    library = ctypes.CDLL(None)
    return bool(library.mallopt(_MMAP_MAX, 0) and library.mallopt(_TRIM_THRESHOLD, -1))
