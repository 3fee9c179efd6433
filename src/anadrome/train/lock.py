"""A folder that one process at a time may train in."""

from __future__ import annotations

import contextlib
import os
import socket
from pathlib import Path
from types import TracebackType
from typing import TextIO

from anadrome.train.errors import CheckpointError

try:
    import fcntl
except ImportError:  # not on POSIX: there is no lock that a crash gives back
    fcntl = None  # type: ignore[assignment]

LOCK = "lock"


class FolderLocked(CheckpointError):
    """Another process trains in the folder."""


class FolderLock:
    """The lock of a folder, held while a `with` block runs.

    It is the system's, so a process that dies, however it does, gives it back.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / LOCK
        self._file: TextIO | None = None

    def __enter__(self) -> FolderLock:
        self._file = self._path.open("a+", encoding="utf-8")
        if fcntl is not None:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                self._file.seek(0)
                holder = self._file.read().strip() or "another process"
                self._file.close()
                raise FolderLocked(
                    f"{self._path.parent}: {holder} trains here\n"
                    "help: wait for it, stop it, or give another folder"
                ) from None
        self._file.seek(0)
        self._file.truncate()
        self._file.write(f"process {os.getpid()} on {socket.gethostname()}\n")
        self._file.flush()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._file is not None
        with contextlib.suppress(OSError):
            self._path.unlink()
        self._file.close()
