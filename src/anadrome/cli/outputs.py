"""Files that commands write: nothing is lost that is not theirs."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from anadrome.text.errors import CorpusError
from anadrome.viz.figures import ForeignFile


def refuse_other(path: Path, read: Callable[[Path], Any]) -> None:
    """Fail if a file is there that cannot be read as what is to be written."""
    if not path.exists():
        return
    try:
        read(path)
    except CorpusError:
        raise ForeignFile(
            errno.EEXIST,
            "there is another file already, which is left alone",
            str(path),
        ) from None


def refuse_inputs(inputs: Iterable[Path], outputs: Iterable[Path]) -> None:
    """Fail if a file is to be written that is also read."""
    read = {path.resolve() for path in inputs}
    for path in outputs:
        if path.resolve() in read:
            raise CorpusError("the file is read, and cannot be written", path=path)
