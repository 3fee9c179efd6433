"""What a beam search tried, as a tree: one node for each hypothesis it looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np


class Fate(Enum):
    """What became of a hypothesis."""

    KEPT = "kept"  # in the beam
    PRUNED = "pruned"  # there were better ones
    FINISHED = "finished"
    CUT = "cut"  # at the length limit


@dataclass(frozen=True)
class Node:
    """A hypothesis: its last token, and the node of what came before.

    `log_prob` is that of the whole hypothesis. `score`, of one that has left the beam,
    is what outputs are ranked by.
    """

    parent: int | None
    token: int
    length: int
    log_prob: float
    fate: Fate
    score: float | None = None


@dataclass(frozen=True)
class SearchTree:
    """The hypotheses for one sentence. The first node is the root, `<s>`.

    Parents come before their children.
    """

    nodes: tuple[Node, ...]

    def path(self, node: int) -> tuple[int, ...]:
        """The nodes from the root, which is left out, to this one."""
        found: list[int] = []
        at: int | None = node
        while at:
            found.append(at)
            at = self.nodes[at].parent
        return tuple(reversed(found))

    def tokens(self, node: int) -> tuple[int, ...]:
        """The tokens of a hypothesis, without `<s>`."""
        return tuple(self.nodes[i].token for i in self.path(node))

    @property
    def best(self) -> int | None:
        """The node of the best output, finished if there is one."""
        for fate in (Fate.FINISHED, Fate.CUT):
            ended = [
                (-(node.score or 0.0), i)
                for i, node in enumerate(self.nodes)
                if node.fate is fate
            ]
            if ended:
                return min(ended)[1]
        return None

    def children(self, node: int) -> list[int]:
        """The nodes that extend this one."""
        return [i for i, child in enumerate(self.nodes) if child.parent == node]

    def without_pruned(self, spared: int = 0) -> SearchTree:
        """The tree without what was pruned, but for the `spared` best of each node."""
        left: dict[int | None, int] = {}
        kept: list[int] = []
        order = sorted(
            range(len(self.nodes)),
            key=lambda i: (self.nodes[i].length, -self.nodes[i].log_prob),
        )
        for i in order:
            node = self.nodes[i]
            if node.fate is Fate.PRUNED:
                left[node.parent] = left.get(node.parent, 0) + 1
                if left[node.parent] > spared:
                    continue
            kept.append(i)
        places = {old: new for new, old in enumerate(kept)}
        return SearchTree(
            tuple(
                replace(
                    self.nodes[i],
                    parent=None if (p := self.nodes[i].parent) is None else places[p],
                )
                for i in kept
            )
        )

    def table(self, words: Sequence[str]) -> str:
        """The tree as indented lines, `words[token]` with its score and its fate."""
        marks = {Fate.KEPT: "", Fate.PRUNED: " ×", Fate.FINISHED: " ■", Fate.CUT: " …"}
        children: dict[int | None, list[int]] = {}
        for i, node in enumerate(self.nodes):
            children.setdefault(node.parent, []).append(i)

        def lines(i: int) -> Iterator[str]:
            node = self.nodes[i]
            scored = "" if node.score is None else f" (score {node.score:.3f})"
            yield (
                f"{'  ' * node.length}{words[node.token]} {node.log_prob:.3f}"
                f"{scored}{marks[node.fate]}"
            )
            ranked = sorted(children.get(i, []), key=lambda c: -self.nodes[c].log_prob)
            for child in ranked:
                yield from lines(child)

        return "\n".join(lines(0))


class SearchTrace:
    """A notebook that a beam search writes into, if it is given one.

    `trees` has then a tree for each sentence.
    """

    def __init__(self) -> None:
        self._nodes: list[list[Node]] = []
        self._rows = np.zeros(0, np.int64)  # the node of each row of the beam
        self._chosen = np.zeros((0, 0), np.int64)  # the nodes of the step's choices

    @property
    def trees(self) -> list[SearchTree]:
        """The trees, one for each sentence."""
        return [SearchTree(tuple(nodes)) for nodes in self._nodes]

    def begin(self, size: int, bos: int) -> None:
        """Start anew, with a root for each sentence."""
        root = Node(None, bos, 0, 0.0, Fate.KEPT)
        self._nodes = [[root] for _ in range(size)]
        self._rows = np.zeros(size, np.int64)

    def note(
        self,
        owners: np.ndarray,
        totals: np.ndarray,
        tokens: np.ndarray,
        parents: np.ndarray,
        chosen: np.ndarray,
        best: np.ndarray,
    ) -> None:
        """Note a step: all extensions (B, R, C) and the choices (B, K) among them."""
        B, R, _ = totals.shape
        self._chosen = np.full(chosen.shape, -1, np.int64)
        for b in range(B):
            nodes = self._nodes[owners[b]]
            made: dict[tuple[int, int], int] = {}
            for r, c in zip(*np.nonzero(totals[b] > -np.inf)):
                parent, token = int(self._rows[b * R + r]), int(tokens[b, r, c])
                # Groups of a beam may hold the same hypothesis: it is one node.
                if (parent, token) not in made:
                    made[parent, token] = len(nodes)
                    length, total = nodes[parent].length + 1, float(totals[b, r, c])
                    nodes.append(Node(parent, token, length, total, Fate.PRUNED))
            for k in np.flatnonzero(best[b] > -np.inf):
                parent = int(self._rows[parents[b, k]])
                i = made[parent, int(chosen[b, k])]
                nodes[i] = replace(nodes[i], fate=Fate.KEPT)
                self._chosen[b, k] = i

    def end(self, owner: int, b: int, k: int, score: float, finished: bool) -> None:
        """Note that a choice of the step has left the beam."""
        nodes, i = self._nodes[owner], int(self._chosen[b, k])
        fate = Fate.FINISHED if finished else Fate.CUT
        nodes[i] = replace(nodes[i], fate=fate, score=score)

    def keep(self, sentences: np.ndarray) -> None:
        """Say which of the B sentences the search goes on with."""
        self._rows = self._chosen[sentences].ravel()
