"""The formats of corpora, each with one reader and one writer, found by name.

A reader gives records of its kind with the line on which each begins; a writer takes
records of that kind. What holds pairs can be read as pairs, and everything as text,
so any format is converted into any other that can hold it.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from os import fspath
from pathlib import Path
from typing import Any

from anadrome.corpora.conll import TaggedSentence, scan_conll, write_conll
from anadrome.corpora.conllu import scan_conllu, write_conllu
from anadrome.corpora.files import PathName, scan_lines, write_lines
from anadrome.corpora.gettext import scan_mo, scan_po, write_mo, write_po
from anadrome.corpora.parallel import scan_parallel, scan_tsv, write_tsv
from anadrome.corpora.subtitles import scan_srt, scan_vtt, write_srt, write_vtt
from anadrome.corpora.tables import (
    column_texts,
    scan_csv,
    scan_jsonl,
    write_csv,
    write_jsonl,
)
from anadrome.corpora.tmx import scan_tmx, write_tmx
from anadrome.corpora.trees import scan_trees, write_trees
from anadrome.corpora.xliff import scan_xliff, write_xliff
from anadrome.text.errors import CorpusError, UnknownFormat

Located = Iterator[tuple[int, Any]]
Pairs = Iterator[tuple[int, tuple[str, str]]]

COLUMNS = ("source", "target")
"""How the two columns of a table are called unless one says otherwise."""


@dataclass(frozen=True)
class Format:
    """A format: the ends of its files' names, and what its records are.

    `kind` is text (strings), pairs, rows (dictionaries), tagged (`TaggedSentence`),
    treebank (`TreebankSentence`), trees (`Tree`) or cues (`Cue`).
    """

    name: str
    suffixes: tuple[str, ...]
    kind: str
    scan: Callable[..., Located]
    write: Callable[..., None]
    languages: bool = False  # whether reader and writer take names of languages


def _write_text(lines: Iterable[str], path: PathName) -> None:
    write_lines(path, lines)


FORMATS = {
    made.name: made
    for made in (
        Format("text", (".txt",), "text", scan_lines, _write_text),
        Format("tsv", (".tsv", ".tab"), "pairs", scan_tsv, write_tsv),
        Format("csv", (".csv",), "rows", scan_csv, write_csv),
        Format("jsonl", (".jsonl", ".ndjson"), "rows", scan_jsonl, write_jsonl),
        Format("conll", (".conll", ".bio", ".iob"), "tagged", scan_conll, write_conll),
        Format("conllu", (".conllu",), "treebank", scan_conllu, write_conllu),
        Format("trees", (".trees", ".mrg", ".ptb"), "trees", scan_trees, write_trees),
        Format("tmx", (".tmx",), "pairs", scan_tmx, write_tmx, languages=True),
        Format("po", (".po", ".pot"), "pairs", scan_po, write_po),
        Format("mo", (".mo", ".gmo"), "pairs", scan_mo, write_mo),
        Format("xliff", (".xlf", ".xliff"), "pairs", scan_xliff, write_xliff),
        Format("srt", (".srt",), "cues", scan_srt, write_srt),
        Format("vtt", (".vtt",), "cues", scan_vtt, write_vtt),
    )
}
_BY_SUFFIX = {suffix: made for made in FORMATS.values() for suffix in made.suffixes}


def find_format(path: PathName, name: str | None = None) -> Format:
    """The format with this name, or else the one that the file's name tells."""
    if name is not None:
        if name not in FORMATS:
            near = difflib.get_close_matches(name, FORMATS, n=1)
            guess = f"did you mean {near[0]}? " if near else ""
            raise UnknownFormat(
                f"there is no format {name!r}",
                path=path,
                help=f"{guess}the formats are {', '.join(FORMATS)}",
            )
        return FORMATS[name]
    suffix = Path(fspath(path).removesuffix(".gz")).suffix.lower()
    if suffix not in _BY_SUFFIX:
        raise UnknownFormat(
            "the name of the file does not say its format",
            path=path,
            help=f"name one of {', '.join(FORMATS)}",
        )
    return _BY_SUFFIX[suffix]


def scan_corpus(path: PathName, format: str | None = None, **options: Any) -> Located:
    """The records of a file with their lines, in the format found or given."""
    return find_format(path, format).scan(path, **options)


def scan_pairs(
    path: PathName,
    format: str | None = None,
    *,
    columns: tuple[str, str] = COLUMNS,
    languages: tuple[str | None, str | None] = (None, None),
) -> Pairs:
    """The pairs of sentences of a file with their lines.

    `columns` are the names of those of a table, `languages` those of a memory (TMX).
    """
    found = find_format(path, format)
    if found.kind == "pairs":
        options = dict(zip(COLUMNS, languages)) if found.languages else {}
        yield from found.scan(path, **options)
    elif found.kind == "rows":
        for line, row in found.scan(path):
            source, target = column_texts(row, columns, path, line)
            yield line, (source, target)
    else:
        raise UnknownFormat(
            f"{found.name} holds {found.kind}, not pairs of sentences", path=path
        )


def scan_texts(
    path: PathName, format: str | None = None, *, column: str = COLUMNS[0]
) -> Iterator[tuple[int, str]]:
    """The sentences of a file with their lines: of pairs, the source."""
    found = find_format(path, format)
    for line, record in found.scan(path):
        if found.kind == "text":
            yield line, record
        elif found.kind == "pairs":
            yield line, record[0]
        elif found.kind == "rows":
            yield line, column_texts(record, (column,), path, line)[0]
        elif found.kind == "tagged":
            yield line, " ".join(record.tokens)
        elif found.kind == "trees":
            yield line, " ".join(record.words)
        elif found.kind == "treebank":
            yield line, record.text
        else:
            yield line, " ".join(record.text.split())


def convert(
    inputs: tuple[PathName, ...],
    outputs: tuple[PathName, ...],
    *,
    read_as: str | None = None,
    write_as: str | None = None,
    columns: tuple[str, str] = COLUMNS,
    languages: tuple[str | None, str | None] = (None, None),
) -> int:
    """How many records were written from one format into another.

    Two inputs, or two outputs, are files of text whose lines translate each other.
    """
    for given, what in ((inputs, "read"), (outputs, "written")):
        if len(given) not in (1, 2):
            raise CorpusError(f"one file or two can be {what}, not {len(given)}")
    count = 0

    def counted(records: Iterable[tuple[int, Any]]) -> Iterator[Any]:
        nonlocal count
        for _, record in records:
            count += 1
            yield record

    def pairs() -> Pairs:
        if len(inputs) == 2:
            return scan_parallel(*inputs)
        return scan_pairs(inputs[0], read_as, columns=columns, languages=languages)

    if len(outputs) == 2:
        # Both sides of all pairs are held, so that neither file is written if one of
        # the pairs is wrong.
        held = list(counted(pairs()))
        for path, side in zip(outputs, (0, 1)):
            write_lines(path, (" ".join(pair[side].split()) for pair in held))
        return count
    found = find_format(outputs[0], write_as)
    options: dict[str, Any] = {}
    records: Iterable[tuple[int, Any]]
    if found.kind == "pairs":
        named = {k: v for k, v in zip(COLUMNS, languages) if v is not None}
        options = named if found.name in ("tmx", "xliff") else {}
        if found.name == "po" and languages[1] is not None:
            options = {"target": languages[1]}
        records = pairs()
        if found.name == "tsv":
            records = ((n, (_flat(s), _flat(t))) for n, (s, t) in records)
    elif found.kind == "rows":
        records = _rows(inputs, read_as, pairs, columns)
    elif found.kind == "text" and len(inputs) == 1:
        texts = scan_texts(inputs[0], read_as, column=columns[0])
        records = ((number, _flat(text)) for number, text in texts)
    else:
        records = _same_kind(inputs, read_as, found)
    found.write(counted(records), outputs[0], **options)
    return count


def _flat(text: str) -> str:
    return " ".join(text.split())


def _rows(
    inputs: tuple[PathName, ...],
    read_as: str | None,
    pairs: Callable[[], Pairs],
    columns: tuple[str, str],
) -> Iterator[tuple[int, dict[str, Any]]]:
    if len(inputs) == 1:
        given = find_format(inputs[0], read_as)
        if given.kind == "rows":
            yield from given.scan(inputs[0])
            return
        if given.kind != "pairs":
            for line, text in scan_texts(inputs[0], read_as):
                yield line, {"text": text}
            return
    for line, pair in pairs():
        yield line, dict(zip(columns, pair))


def _same_kind(
    inputs: tuple[PathName, ...], read_as: str | None, wanted: Format
) -> Located:
    given = find_format(inputs[0], read_as)
    if len(inputs) == 1 and given.kind == wanted.kind:
        return given.scan(inputs[0])
    if len(inputs) == 1 and (given.kind, wanted.kind) == ("treebank", "tagged"):
        return (
            (line, TaggedSentence(sentence.forms, sentence.tags))
            for line, sentence in given.scan(inputs[0])
        )
    raise UnknownFormat(
        f"{wanted.name} holds {wanted.kind}, which {given.name} does not give",
        path=inputs[0],
    )
