"""Treebanks of Universal Dependencies: CoNLL-U (de Marneffe et al. 2021).

Ten columns between tabs. A word has a whole number; a multiword token (`3-4`) is what
the text has for several words; an empty node (`5.1`) is a word that the text leaves
out. Sentences are written back as they were read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass

from anadrome.corpora.files import PathName, scan_lines, write_lines
from anadrome.text.errors import EmptyCorpus, MalformedLine

_COLUMNS = 10
_WORD = re.compile(r"[1-9][0-9]{0,8}")
_RANGE = re.compile(r"([1-9][0-9]{0,8})-([1-9][0-9]{0,8})")
_EMPTY = re.compile(r"([0-9]{1,9})\.([1-9][0-9]{0,8})")
_HEAD = re.compile(r"0|[1-9][0-9]{0,8}")


@dataclass(frozen=True)
class Node:
    """A line of a sentence: its ten columns as the file has them, `_` for nothing."""

    id: str
    form: str
    lemma: str = "_"
    upos: str = "_"
    xpos: str = "_"
    feats: str = "_"
    head: str = "_"
    deprel: str = "_"
    deps: str = "_"
    misc: str = "_"

    @property
    def is_word(self) -> bool:
        """Whether this is a word, neither multiword token nor empty node."""
        return not {"-", "."} & set(self.id)

    @property
    def span(self) -> tuple[int, int]:
        """The numbers of the first and the last word that this stands for."""
        first, _, last = self.id.partition("-")
        return int(first), int(last or first)

    @property
    def space_after(self) -> bool:
        """Whether the text has a space after this."""
        return "SpaceAfter=No" not in self.misc.split("|")


@dataclass(frozen=True)
class TreebankSentence:
    """The lines of a sentence: comments without `#`, then words and other nodes."""

    comments: tuple[str, ...]
    nodes: tuple[Node, ...]

    @property
    def words(self) -> tuple[Node, ...]:
        """The syntactic words, which are what is tagged and parsed."""
        return tuple(node for node in self.nodes if node.is_word)

    @property
    def forms(self) -> tuple[str, ...]:
        """The words as they are written."""
        return tuple(node.form for node in self.words)

    @property
    def tags(self) -> tuple[str, ...]:
        """The universal part of speech of each word."""
        return tuple(node.upos for node in self.words)

    @property
    def heads(self) -> tuple[int, ...]:
        """The number of each word's head, 0 for the root; -1 where none is given."""
        return tuple(-1 if n.head == "_" else int(n.head) for n in self.words)

    @property
    def multiword(self) -> tuple[Node, ...]:
        """The multiword tokens, such as `3-4 don't`."""
        return tuple(node for node in self.nodes if "-" in node.id)

    @property
    def empty(self) -> tuple[Node, ...]:
        """The empty nodes, such as `5.1`."""
        return tuple(node for node in self.nodes if "." in node.id)

    @property
    def text(self) -> str:
        """The sentence as text, from its tokens and the spaces between them."""
        parts: list[str] = []
        covered = 0
        for node in self.nodes:
            if "." in node.id or node.span[0] <= covered:
                continue
            covered = node.span[1]
            parts.append(node.form + (" " if node.space_after else ""))
        return "".join(parts).strip()


def scan_conllu(path: PathName) -> Iterator[tuple[int, TreebankSentence]]:
    """The sentences of a treebank with the lines on which they begin."""
    comments: list[str] = []
    rows: list[tuple[int, Node]] = []
    begin, sentences = 0, 0

    def finish() -> TreebankSentence:
        if not rows:
            raise MalformedLine("comments without a sentence", path=path, line=begin)
        _check_numbers(rows, path)
        made = TreebankSentence(tuple(comments), tuple(node for _, node in rows))
        comments.clear()
        rows.clear()
        return made

    for number, line in scan_lines(path):
        if not line.strip():
            if comments or rows:
                sentences += 1
                yield begin, finish()
            continue
        if not comments and not rows:
            begin = number
        if line.startswith("#"):
            if rows:
                raise MalformedLine(
                    "a comment inside a sentence",
                    path=path,
                    line=number,
                    help="end the sentence before with a blank line",
                )
            comments.append(line[1:])
        else:
            rows.append((number, _read_node(line, path, number)))
    if comments or rows:
        sentences += 1
        yield begin, finish()
    if not sentences:
        raise EmptyCorpus("there is no sentence here", path=path)


def read_conllu(path: PathName) -> list[TreebankSentence]:
    """The sentences of a treebank."""
    return [sentence for _, sentence in scan_conllu(path)]


def write_conllu(sentences: Iterable[TreebankSentence], path: PathName) -> None:
    """Write sentences as CoNLL-U."""

    def lines() -> Iterator[str]:
        for sentence in sentences:
            yield from ("#" + comment for comment in sentence.comments)
            yield from ("\t".join(astuple(node)) for node in sentence.nodes)
            yield ""

    write_lines(path, lines())


def _read_node(line: str, path: PathName, number: int) -> Node:
    cells = line.split("\t")
    if len(cells) != _COLUMNS:
        raise MalformedLine(
            f"{len(cells)} column(s), but CoNLL-U has {_COLUMNS}",
            path=path,
            line=number,
            help="columns stand between tabs, `_` where there is nothing",
        )
    if "" in cells:
        raise MalformedLine(
            f"column {cells.index('') + 1} is empty",
            path=path,
            line=number,
            help="write `_` where there is nothing",
        )
    return Node(*cells)


def _check_numbers(rows: list[tuple[int, Node]], path: PathName) -> None:
    """Words count from 1, ranges stand before their words, heads are words."""
    count = sum(node.is_word for _, node in rows)
    last, empty, covered = 0, 0, 0
    for line, node in rows:
        wrong = None
        if _WORD.fullmatch(node.id):
            if int(node.id) != last + 1:
                wrong = f"word {node.id} after word {last}"
            last, empty = last + 1, 0
        elif found := _RANGE.fullmatch(node.id):
            low, high = int(found[1]), int(found[2])
            if low != last + 1 or high < low or high > count or low <= covered:
                wrong = f"the token {node.id} does not stand before its words"
            covered = high
        elif found := _EMPTY.fullmatch(node.id):
            if (int(found[1]), int(found[2])) != (last, empty + 1):
                wrong = f"the empty node {node.id} is out of order"
            empty += 1
        else:
            wrong = f"{node.id!r} is not the number of a word"
        if wrong is None and node.is_word and node.head != "_":
            if not _HEAD.fullmatch(node.head) or int(node.head) > count:
                wrong = f"the head {node.head!r} is not a word of the sentence"
            elif int(node.head) == int(node.id):
                wrong = "the word is its own head"
        if wrong is not None:
            raise MalformedLine(wrong, path=path, line=line)
