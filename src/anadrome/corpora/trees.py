"""Bracketed trees, as treebanks write them: `(3 (2 It) (4 (4 works) (2 .)))`.

The Stanford Sentiment Treebank has one tree on each line. A tree may also go on over
indented lines, as in the Penn Treebank. Nothing here recurses, so a tree may be as deep
as it likes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from anadrome.corpora.files import PathName, scan_lines, write_lines
from anadrome.text.errors import EmptyCorpus, MalformedLine

# Words may hold a space that does not break, as 8 1/2 does in the sentiment treebank.
_TOKENS = re.compile(r"[()]|[^ \t\r()]+")


@dataclass(frozen=True, eq=False, repr=False)
class Tree:
    """A node with its label: a leaf with a word, or an inner node with children."""

    label: str
    children: tuple[Tree, ...] = ()
    word: str | None = None

    @property
    def is_leaf(self) -> bool:
        """Whether the node has a word and no children."""
        return not self.children

    def nodes(self) -> Iterator[Tree]:
        """Every node, children before their parents, from left to right."""
        pending = [(self, False)]
        while pending:
            node, done = pending.pop()
            if done or node.is_leaf:
                yield node
            else:
                pending.append((node, True))
                pending.extend((child, False) for child in reversed(node.children))

    @property
    def words(self) -> tuple[str, ...]:
        """The words of the leaves, from left to right."""
        return tuple(node.word or "" for node in self.nodes() if node.is_leaf)

    @property
    def depth(self) -> int:
        """How many nodes stand one above the other, at most."""
        deepest, level = 0, [self]
        while level:
            deepest += 1
            level = [child for node in level for child in node.children]
        return deepest

    @property
    def is_binary(self) -> bool:
        """Whether every inner node has two children."""
        return all(len(node.children) in (0, 2) for node in self.nodes())

    def binarised(self, label: str) -> Tree:
        """A tree of which every inner node has two children.

        A node with one child becomes one with it and has its own label; a node with
        more than two gets further nodes with the given label, which take its children
        from the left on.
        """
        made: list[Tree] = []
        for node in self.nodes():
            if node.is_leaf:
                made.append(node)
                continue
            children = made[len(made) - len(node.children) :]
            del made[len(made) - len(node.children) :]
            if len(children) == 1:
                made.append(Tree(node.label, children[0].children, children[0].word))
                continue
            while len(children) > 2:
                children[:2] = [Tree(label, tuple(children[:2]))]
            made.append(Tree(node.label, tuple(children)))
        return made[0]

    def __str__(self) -> str:
        parts: list[str] = []
        pending: list[Tree | str] = [self]
        while pending:
            item = pending.pop()
            if isinstance(item, str):
                parts.append(item)
            elif item.is_leaf:
                parts.append(f"({item.label} {item.word})")
            else:
                parts.append(f"({item.label}")
                pending.append(")")
                for child in reversed(item.children):
                    pending += (child, " ")
        return "".join(parts)

    def __repr__(self) -> str:
        return f"<tree {self}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tree) and self._shape() == other._shape()

    def __hash__(self) -> int:
        return hash(self._shape())

    def _shape(self) -> tuple[tuple[str, int, str | None], ...]:
        return tuple((n.label, len(n.children), n.word) for n in self.nodes())


def scan_trees(path: PathName) -> Iterator[tuple[int, Tree]]:
    """The trees of a file with the lines on which they begin."""
    return parse_trees(scan_lines(path), path)


def parse_trees(
    lines: Iterable[tuple[int, str]], path: PathName
) -> Iterator[tuple[int, Tree]]:
    """The trees of numbered lines, each with the line on which it begins.

    `path` is where the lines come from, for errors.
    """
    # An open node: its label, its children, its word, the column of its bracket.
    open_nodes: list[_Open] = []
    begin, trees = 0, 0
    for number, line in lines:
        if open_nodes and line[:1] == "(":
            # A tree goes on only over indented lines: the mistake is not here but in
            # the line before, where a bracket is missing.
            raise _unclosed(open_nodes, path, begin)
        for found in _TOKENS.finditer(line):
            token, column = found[0], found.start() + 1
            if not open_nodes:
                if token != "(":
                    wrong = "a bracket too many" if token == ")" else "text"
                    raise MalformedLine(
                        f"{wrong} outside a tree (column {column})",
                        path=path,
                        line=number,
                        help="a tree is written (label child child) or (label word)",
                    )
                if not trees or begin != number:
                    begin = number
            if token == "(":
                open_nodes.append(_Open(column))
            elif token == ")":
                node = open_nodes.pop()
                tree = node.close(path, number)
                if open_nodes:
                    open_nodes[-1].add_child(tree, path, number, column)
                else:
                    trees += 1
                    yield begin, tree
            else:
                open_nodes[-1].add_text(token, path, number, column)
    if open_nodes:
        raise _unclosed(open_nodes, path, begin)
    if not trees:
        raise EmptyCorpus("there is no tree here", path=path)


def read_trees(path: PathName) -> list[Tree]:
    """The trees of a file."""
    return [tree for _, tree in scan_trees(path)]


def write_trees(trees: Iterable[Tree], path: PathName) -> None:
    """Write trees, one on each line."""
    write_lines(path, map(str, trees))


class _Open:
    """A node whose closing bracket has not come yet."""

    __slots__ = ("children", "column", "label", "word")

    def __init__(self, column: int) -> None:
        self.column = column
        self.label: str | None = None
        self.word: str | None = None
        self.children: list[Tree] = []

    def add_text(self, token: str, path: PathName, line: int, column: int) -> None:
        if self.label is None and not self.children:
            self.label = token
        elif self.word is None and not self.children:
            self.word = token
        else:
            raise MalformedLine(
                f"the word {token!r} does not belong to a leaf (column {column})",
                path=path,
                line=line,
                help="every word stands in brackets of its own: (label word)",
            )

    def add_child(self, tree: Tree, path: PathName, line: int, column: int) -> None:
        if self.word is not None:
            raise MalformedLine(
                f"a node has both the word {self.word!r} and a child (column {column})",
                path=path,
                line=line,
            )
        self.children.append(tree)

    def close(self, path: PathName, line: int) -> Tree:
        if self.word is None and not self.children:
            raise MalformedLine(
                f"a node with neither word nor children (column {self.column})",
                path=path,
                line=line,
            )
        # The outermost bracket of the Penn Treebank has no label.
        return Tree(self.label or "", tuple(self.children), self.word)


def _unclosed(open_nodes: list[_Open], path: PathName, line: int) -> MalformedLine:
    return MalformedLine(
        f"{len(open_nodes)} bracket(s) not closed (the first in column "
        f"{open_nodes[0].column})",
        path=path,
        line=line,
    )
