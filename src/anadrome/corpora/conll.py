"""Tagged sentences in columns, as the shared tasks of CoNLL wrote them.

One token on each line, its columns between tabs (or, where there is no tab, between
spaces); a blank line ends a sentence. WNUT17 and CoNLL-2003 look like this.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from anadrome.corpora.files import PathName, scan_lines, write_lines
from anadrome.text.errors import CorpusError, EmptyCorpus, MalformedLine

_SPACES = re.compile(" +")


@dataclass(frozen=True)
class TaggedSentence:
    """The tokens of a sentence and a tag for each."""

    tokens: tuple[str, ...]
    tags: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.tokens) != len(self.tags):
            raise CorpusError(f"{len(self.tokens)} tokens, but {len(self.tags)} tags")

    def __len__(self) -> int:
        return len(self.tokens)


def scan_conll(
    path: PathName, *, token: int = 0, tag: int = -1
) -> Iterator[tuple[int, TaggedSentence]]:
    """The sentences of a file with their first lines.

    `token` and `tag` are the numbers of the columns, from 0, or from -1 at the end.
    """
    tokens: list[str] = []
    tags: list[str] = []
    begin, width, sentences = 0, 0, 0
    for number, line in scan_lines(path):
        if not line.strip():
            if tokens:
                sentences += 1
                yield begin, TaggedSentence(tuple(tokens), tuple(tags))
                tokens, tags = [], []
            continue
        cells = line.split("\t") if "\t" in line else _SPACES.split(line.strip(" "))
        if cells[0] == "-DOCSTART-":
            continue
        if not width:
            width = len(cells)
            _check_width(width, token, tag, path, number)
        if len(cells) != width:
            raise MalformedLine(
                f"{len(cells)} column(s), but the lines before have {width}",
                path=path,
                line=number,
                help="put a tab between the token and its tag, and a blank line "
                "between sentences",
            )
        for kind, cell in (("token", cells[token]), ("tag", cells[tag])):
            if not cell.strip():
                raise MalformedLine(f"the {kind} is empty", path=path, line=number)
        if not tokens:
            begin = number
        tokens.append(cells[token])
        tags.append(cells[tag].strip())
    if tokens:
        sentences += 1
        yield begin, TaggedSentence(tuple(tokens), tuple(tags))
    if not sentences:
        raise EmptyCorpus("there is no sentence here", path=path)


def read_conll(
    path: PathName, *, token: int = 0, tag: int = -1
) -> list[TaggedSentence]:
    """The tagged sentences of a file; see `scan_conll`."""
    return [sentence for _, sentence in scan_conll(path, token=token, tag=tag)]


def write_conll(sentences: Iterable[TaggedSentence], path: PathName) -> None:
    """Write sentences with a tab between token and tag."""

    def lines() -> Iterator[str]:
        for sentence in sentences:
            for token, tag in zip(sentence.tokens, sentence.tags):
                if "\t" in token + tag:
                    raise CorpusError(f"{token!r} or its tag holds a tab", path=path)
                yield f"{token}\t{tag}"
            yield ""

    write_lines(path, lines())


def _check_width(width: int, token: int, tag: int, path: PathName, line: int) -> None:
    needed = max(2, *(n + 1 if n >= 0 else -n for n in (token, tag)))
    if width < needed:
        raise MalformedLine(
            f"{width} column(s), but {needed} are needed",
            path=path,
            line=line,
            help="put a tab between the token and its tag",
        )
