"""How deep the stack of a thread may grow."""

from __future__ import annotations

import ctypes
import sys
import threading

# What is left for Python and NumPy when native code stops.
_MARGIN = 512 << 10
_ASSUMED = 4 << 20
_found = threading.local()


def stack_limit() -> int:
    """The lowest address that the frames of native code may reach in this thread."""
    limit: int | None = getattr(_found, "limit", None)
    if limit is None:
        limit = _found.limit = _lowest_address() + _MARGIN
    return limit


def _lowest_address() -> int:
    """The end of this thread's stack, which grows downwards."""
    if sys.platform.startswith("linux"):
        library = ctypes.CDLL(None)
        attributes = ctypes.create_string_buffer(256)
        low, size = ctypes.c_void_p(), ctypes.c_size_t()
        library.pthread_self.restype = ctypes.c_void_p
        thread = ctypes.c_void_p(library.pthread_self())
        if library.pthread_getattr_np(thread, attributes) == 0:
            library.pthread_attr_getstack(
                attributes, ctypes.byref(low), ctypes.byref(size)
            )
            library.pthread_attr_destroy(attributes)
            if low.value:
                return low.value
    # Elsewhere: this frame is near the top of a stack of at least this size.
    here = ctypes.c_char(0)
    return ctypes.addressof(here) - _ASSUMED
