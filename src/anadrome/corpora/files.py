"""Files as bytes and lines: gzip without asking, UTF-8 with a place for each error."""

from __future__ import annotations

import contextlib
import gzip
import os
import shutil
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from os import PathLike, fspath
from pathlib import Path

from anadrome.text.errors import (
    CorpusError,
    EmptyCorpus,
    InvalidEncoding,
    MalformedFile,
    MissingFile,
)

PathName = str | PathLike[str]

BOM = b"\xef\xbb\xbf"
"""The byte order mark of UTF-8, which some editors put before the text."""

_GZIP = b"\x1f\x8b"
_CHUNK = 1 << 16


def scan_chunks(path: PathName) -> Iterator[bytes]:
    """The content of a file in pieces, decompressed if it is gzip by its content."""
    with _reading(path), open(path, "rb") as file:
        # Looked at without being read, for a pipe cannot go back.
        if file.peek(2)[:2] == _GZIP:
            with gzip.GzipFile(fileobj=file) as unpacked:
                while chunk := unpacked.read(_CHUNK):
                    yield chunk
        else:
            while chunk := file.read(_CHUNK):
                yield chunk


def read_bytes(path: PathName) -> bytes:
    """The content of a file, decompressed; a file without any is an error."""
    content = b"".join(scan_chunks(path))
    if not content.removeprefix(BOM).strip():
        raise EmptyCorpus("the file is empty", path=path)
    return content


def scan_raw_lines(path: PathName) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with their numbers, without line ends or byte order mark."""
    number = 0
    rest: list[bytes] = []
    for chunk in scan_chunks(path):
        # Only the line feed ends a line: `splitlines` would also cut at U+2028 and
        # others, and the two sides of a corpus would drift apart.
        *whole, last = chunk.split(b"\n")
        for line in whole:
            rest.append(line)
            number += 1
            yield number, _clean(b"".join(rest), number)
            rest.clear()
        rest.append(last)
    if line := b"".join(rest):
        yield number + 1, _clean(line, number + 1)


def scan_lines(path: PathName) -> Iterator[tuple[int, str]]:
    """The lines of a UTF-8 file with their numbers, from 1; blank ones too."""
    blank = True
    for number, line in scan_raw_lines(path):
        text = decode_line(line, path, number)
        blank = blank and not text.strip()
        yield number, text
    if blank:
        raise EmptyCorpus("the file is empty", path=path)


def read_lines(path: PathName) -> list[str]:
    """The lines of a UTF-8 file, without line ends or byte order mark."""
    return [line for _, line in scan_lines(path)]


def decode_line(line: bytes, path: PathName, number: int) -> str:
    """The text of a line of UTF-8."""
    if number == 1 and line[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise InvalidEncoding(
            "the file is UTF-16", path=path, line=1, help=_encoding_help("utf-16")
        )
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidEncoding(
            f"byte {error.start + 1} of the line (0x{line[error.start]:02x}) is "
            "not UTF-8",
            path=path,
            line=number,
            help=_encoding_help(),
        ) from None
    if "\0" in text:
        raise InvalidEncoding(
            "the line holds a NUL character",
            path=path,
            line=number,
            help="is this a text file?",
        )
    return text


def decode_text(content: bytes, path: PathName) -> str:
    """The text of a whole UTF-8 file, its line ends as they are."""
    content = content.removeprefix(BOM)
    for number, line in enumerate(content.split(b"\n"), start=1):
        decode_line(line, path, number)
    return content.decode("utf-8")


def write_bytes(path: PathName, content: bytes) -> None:
    """Write a file whole or not at all; its name's `.gz` compresses it.

    A file that was there keeps its permissions, a link stays a link.
    """
    with _Writing(path) as writing:
        writing.write(content)


def write_pieces(path: PathName, pieces: Iterable[bytes]) -> None:
    """Write a file from its pieces, whole or not at all; see `write_bytes`."""
    with _Writing(path) as writing:
        for piece in pieces:
            writing.write(piece)


def write_lines(path: PathName, lines: Iterable[str]) -> None:
    """Write lines as UTF-8, whole or not at all; see `write_bytes`."""
    with _Writing(path) as writing:
        for number, line in enumerate(lines, start=1):
            if "\n" in line:
                raise CorpusError(
                    "the sentence holds a line end", path=path, line=number
                )
            writing.write(encode_text(line + "\n", path, number))


def encode_text(text: str, path: PathName, line: int | None = None) -> bytes:
    """The text as UTF-8; half of a surrogate pair has no such form."""
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidEncoding(
            f"the character U+{ord(text[error.start]):04X} has no UTF-8 form",
            path=path,
            line=line,
        ) from None


class _Writing:
    """A temporary file that takes its name when everything is written."""

    def __init__(self, path: PathName) -> None:
        self.path = Path(os.path.realpath(path))
        self.packed = fspath(path).endswith(".gz")

    def __enter__(self) -> _Writing:
        try:
            handle, self.temporary = tempfile.mkstemp(
                prefix=".partial-", dir=self.path.parent
            )
        except OSError as error:
            # The user knows the file by its own name.
            raise OSError(error.errno, error.strerror, str(self.path)) from None
        self.raw = os.fdopen(handle, "wb")
        # The time of writing would make equal corpora unequal files.
        self.file = (
            gzip.GzipFile(filename="", mode="wb", fileobj=self.raw, mtime=0)
            if self.packed
            else self.raw
        )
        return self

    def write(self, content: bytes) -> None:
        self.file.write(content)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if self.packed:
                self.file.close()
            self.raw.flush()
            os.fsync(self.raw.fileno())
            self.raw.close()
            if kind is None:
                if self.path.exists():
                    shutil.copymode(self.path, self.temporary)
                else:
                    mask = os.umask(0o022)
                    os.umask(mask)
                    os.chmod(self.temporary, 0o666 & ~mask)
                os.replace(self.temporary, self.path)
        finally:
            self.raw.close()
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self.temporary)


def _clean(line: bytes, number: int) -> bytes:
    line = line.removesuffix(b"\r")
    return line.removeprefix(BOM) if number == 1 else line


def _encoding_help(encoding: str | None = None) -> str:
    origin = "" if encoding is None else f" -f {encoding}"
    return f"save the file as UTF-8, for example with `iconv{origin} -t utf-8`"


@contextlib.contextmanager
def _reading(path: PathName) -> Iterator[None]:
    """What the system says about a file, in the words of this package."""
    try:
        yield
    except FileNotFoundError:
        raise MissingFile("there is no such file", path=path) from None
    except IsADirectoryError:
        raise MissingFile("this is a folder, not a file", path=path) from None
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise MalformedFile("the compressed file is damaged", path=path) from None
    except OSError as error:
        raise CorpusError(f"cannot be read ({error.strerror})", path=path) from None
