"""Object code kept on disk between runs.

An entry is one file: a magic word, a SHA-256 of the body, the body.  Its name
is a hash of everything the code depends on, so entries never change meaning;
a reader that meets a torn or damaged file sees a wrong checksum, and the entry
is built again.  Writers write a temporary file and rename it, which is atomic,
so any number of processes may share the directory without locks.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import os
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from anadrome.version import VERSION

from ..target import Target

_MAGIC = b"anadrome object 1\n"
_SUFFIX = ".anadrome"
DEFAULT_LIMIT = 256 * 1024 * 1024
# Looking at the whole directory costs more than one write: do it rarely.
_WRITES_BETWEEN_EVICTIONS = 32


def user_cache_dir() -> Path:
    """The directory of this user's cache: `ANADROME_CACHE_DIR` or the system's."""
    if chosen := os.environ.get("ANADROME_CACHE_DIR"):
        return Path(chosen)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "anadrome"


def cache_key(target: Target, *material: str | bytes) -> str:
    """A file name for code made from `material` for a target by this version."""
    digest = hashlib.sha256()
    for part in (VERSION, target.fingerprint, *material):
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


@functools.cache
def source_fingerprint(*modules: str) -> str:
    """A hash of the source files of Python modules, given by dotted name.

    Key material for code that those modules generate: editing one of them then
    invalidates what it generated, without generating it to find out.
    """
    digest = hashlib.sha256()
    for name in modules:
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            raise ModuleNotFoundError(f"no source file for {name}", name=name)
        digest.update(Path(spec.origin).read_bytes())
    return digest.hexdigest()


@dataclass
class ObjectCache:
    """Bytes by key in a directory of bounded size; the oldest used go first.

    A cache that cannot be read or written (a full or read-only disk) behaves as
    an empty one: it costs time, never correctness.
    """

    directory: Path = field(default_factory=user_cache_dir)
    limit_bytes: int = DEFAULT_LIMIT

    def load(self, key: str) -> bytes | None:
        """The bytes stored under a key, or None if absent or damaged."""
        path = self._path(key)
        try:
            data = path.read_bytes()
        except OSError:
            return None
        start = len(_MAGIC) + 32
        body = data[start:]
        intact = data[: len(_MAGIC)] == _MAGIC
        if not intact or hashlib.sha256(body).digest() != data[len(_MAGIC) : start]:
            with contextlib.suppress(OSError):
                path.unlink()
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return body

    def store(self, key: str, body: bytes) -> None:
        """Keep bytes under a key, for every process that shares the directory."""
        digest = hashlib.sha256(body).digest()
        with contextlib.suppress(OSError):
            self.directory.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=self.directory, prefix="tmp-")
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(_MAGIC + digest + body)
                os.replace(name, self._path(key))
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(name)
                raise
        # Few processes write often: chance, not a count, says whose turn it is.
        if digest[0] % _WRITES_BETWEEN_EVICTIONS == 0:
            self.evict()

    def evict(self) -> None:
        """Remove the entries least recently used until the rest fit the limit."""
        entries = []
        with contextlib.suppress(OSError):
            for item in os.scandir(self.directory):
                if item.name.endswith(_SUFFIX):
                    with contextlib.suppress(OSError):
                        info = item.stat()
                        entries.append((info.st_mtime_ns, info.st_size, item.path))
        total = sum(size for _, size, _ in entries)
        for _, size, path in sorted(entries):
            if total <= self.limit_bytes:
                break
            with contextlib.suppress(OSError):
                os.unlink(path)
            total -= size

    def clear(self) -> None:
        """Remove every entry."""
        limit, self.limit_bytes = self.limit_bytes, -1
        try:
            self.evict()
        finally:
            self.limit_bytes = limit

    def _path(self, key: str) -> Path:
        return self.directory / (key + _SUFFIX)
