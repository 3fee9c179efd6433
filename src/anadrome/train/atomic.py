"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

TEMPORARY = ".partial-"
"""How the names of files that are being written begin."""


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that it is never seen half-written, not even after a crash.

    The content goes to a temporary file in the same folder and to the disk; then the
    file takes its name; then the folder goes to the disk.
    """
    try:
        handle, temporary = tempfile.mkstemp(prefix=TEMPORARY, dir=path.parent)
    except OSError as error:
        raise _of(path, error) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp lets nobody else read; a checkpoint is an ordinary file.
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException as error:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        if isinstance(error, OSError) and error.errno is not None:
            raise _of(path, error) from None
        raise
    sync_folder(path.parent)


def _of(path: Path, error: OSError) -> OSError:
    """The same error of the file by its own name, which is what the user knows."""
    return OSError(error.errno, error.strerror, str(path))


def sync_folder(folder: Path) -> None:
    """Put the names in a folder on the disk, where the system can."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
