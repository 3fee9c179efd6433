"""The configuration of a Moses system: features, weights and limits.

Of Moses's features those of a phrase-based system are known: a phrase table in memory,
one language model, msd-bidirectional-fe orientations, distortion and the penalties.
"""

from __future__ import annotations

import os
import string
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from anadrome.corpora.files import PathName, scan_lines
from anadrome.ngram.model import NgramModel
from anadrome.smt.decoder import Decoder, Searching, check_vocabularies
from anadrome.smt.features import ORIENTATIONS, TABLE
from anadrome.smt.moses_table import read_moses_table
from anadrome.text.errors import CorpusError, MalformedFile, MalformedLine, MissingFile

_KINDS = {
    "PhraseDictionaryMemory": TABLE,
    "PhraseDictionaryBinary": TABLE,
    "PhraseDictionaryCompact": TABLE,
    "KENLM": "LM0",
    "SRILM": "LM0",
    "IRSTLM": "LM0",
    "LexicalReordering": ORIENTATIONS,
    "Distortion": "Distortion0",
    "WordPenalty": "WordPenalty0",
    "UnknownWordPenalty": "UnknownWordPenalty0",
    "PhrasePenalty": "PhrasePenalty0",
}
_WITH_FILES = (TABLE, "LM0", ORIENTATIONS)


@dataclass
class MosesIni:
    """What a configuration says."""

    path: Path
    files: dict[str, str] = field(default_factory=dict)  # by the names of features
    weights: dict[str, list[float]] = field(default_factory=dict)
    stack: int = 200
    threshold: float = 1e-5
    distortion: int = 6
    table_limit: int = 20

    @property
    def searching(self) -> Searching:
        """The limits of the search."""
        return Searching(self.stack, self.threshold, self.distortion, self.table_limit)


def read_moses_ini(path: PathName) -> MosesIni:
    """The configuration in a file."""
    found = MosesIni(Path(path))
    names: dict[str, str] = {}  # of Moses -> ours
    section = ""
    for number, raw in scan_lines(path):
        line = raw.partition("#")[0].strip()
        if not line:
            continue
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1].strip()
        elif section == "feature":
            _read_feature(found, names, line, number)
        elif section == "weight":
            _read_weight(found, names, line, number)
        elif section in _LIMITS:
            name, kind = _LIMITS[section]
            try:
                setattr(found, name, kind(line))
            except ValueError:
                raise MalformedLine(
                    f"{line!r} is not a number", path=path, line=number
                ) from None
    for name in (TABLE, "LM0"):
        if name not in found.files:
            raise MalformedFile(f"there is no feature for {name}", path=path)
    return found


_LIMITS = {
    "stack": ("stack", int),
    "beam-threshold": ("threshold", float),
    "distortion-limit": ("distortion", int),
}


def load_moses(
    path: PathName,
    *,
    variables: Mapping[str, str] | None = None,
    files: Mapping[str, PathName] | None = None,
) -> Decoder:
    """The decoder that a configuration describes.

    `variables` are what ${NAME} stands for in its paths, besides the environment;
    `files` replace paths, by the names `TranslationModel0`, `LM0` and
    `LexicalReordering0`.
    """
    ini = read_moses_ini(path)
    known = {**os.environ, **(variables or {})}
    given = files or {}

    def place(name: str) -> Path | None:
        if name in given:
            return Path(given[name])
        if name not in ini.files:
            return None
        text = string.Template(ini.files[name]).safe_substitute(known)
        found = ini.path.parent / text
        for suffix in ("", ".gz"):
            if Path(f"{found}{suffix}").exists():
                return Path(f"{found}{suffix}")
        raise MissingFile(
            f"the file of {name} is not there: {text}",
            path=path,
            help="name it in `files`, or set the variables of its path",
        )

    table_path, lm_path = place(TABLE), place("LM0")
    assert table_path is not None
    assert lm_path is not None
    table = read_moses_table(table_path, place(ORIENTATIONS))
    lm = NgramModel.read(lm_path)
    check_vocabularies(table, lm, lm_path)
    decoder = Decoder(table, lm, searching=ini.searching)
    try:
        decoder.weights = decoder.features.weights(ini.weights)
    except CorpusError as error:
        raise MalformedFile(error.message, path=path, help=error.help) from None
    return decoder


def _read_feature(ini: MosesIni, names: dict[str, str], line: str, number: int) -> None:
    kind, *rest = line.split()
    options = dict(cell.partition("=")[::2] for cell in rest)
    if kind not in _KINDS:
        raise MalformedLine(
            f"the feature {kind} is not known",
            path=ini.path,
            line=number,
            help=f"known are {', '.join(_KINDS)}",
        )
    ours = _KINDS[kind]
    if ours in names.values():
        raise MalformedLine(
            f"there is a feature like {kind} already", path=ini.path, line=number
        )
    names[options.get("name", f"{kind}0")] = ours
    if ours in _WITH_FILES:
        if "path" not in options:
            raise MalformedLine(f"{kind} has no path", path=ini.path, line=number)
        ini.files[ours] = options["path"]
    if ours == ORIENTATIONS and not options.get("type", "").endswith(
        "msd-bidirectional-fe"
    ):
        raise MalformedLine(
            f"orientations of the type {options.get('type')!r} are not known",
            path=ini.path,
            line=number,
            help="only msd-bidirectional-fe",
        )
    if "table-limit" in options:
        ini.table_limit = int(options["table-limit"])


def _read_weight(ini: MosesIni, names: dict[str, str], line: str, number: int) -> None:
    name, equals, text = line.partition("=")
    name = name.strip()
    if not equals or name not in names:
        raise MalformedLine(
            f"there is no feature {name!r}",
            path=ini.path,
            line=number,
            help=f"there are {', '.join(names)}",
        )
    try:
        ini.weights[names[name]] = [float(cell) for cell in text.split()]
    except ValueError:
        raise MalformedLine(
            f"the weights {text.strip()!r} are not numbers", path=ini.path, line=number
        ) from None
