"""Trees: a label for every phrase of a sentence, judged by the whole sentences."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np

from anadrome.corpora.trees import Tree, parse_trees, scan_trees
from anadrome.options import Count
from anadrome.tasks.overlap import OverlapCheck, read_apart
from anadrome.tasks.tokens import batches_by_length, predictor, with_vectors
from anadrome.text import (
    EncodedTree,
    Phrase,
    TokenSizes,
    Vocabulary,
    make_phrase_batch,
)
from anadrome.text.errors import EmptyCorpus, InvalidVocabulary, MalformedLine
from anadrome.text.vocabulary import load_json
from anadrome.train.task import Encoded, FileName, Task, Trained, Validation

BATCH = 32
"""How many trees are read together."""

DEEPEST = 200
"""How many phrases may stand one inside the other: Python's calls go as deep."""

_FORMAT = "anadrome labels of phrases 1"


@dataclass(frozen=True)
class Data(OverlapCheck):
    """Which trees and words are read, and what a model is judged by."""

    # nodes of other numbers of parts than two are made into such, or left as they are
    parts: Literal["two", "any"] = "two"
    min_count: Count = 2  # words that occur less often are unknown
    # a file of vectors of words (word2vec's or GloVe's formats) that training begins
    # with; --embedding must be their number of features
    vectors: str = ""
    # which accuracy decides about the best weights: of the roots, of the roots as
    # positive or negative, or of all phrases
    judge: Literal["root", "binary", "phrases"] = "root"


@dataclass(frozen=True)
class Predicting:
    """How to label phrases."""

    # trees with a label for every phrase, or the labels of the roots alone
    output: Literal["trees", "roots"] = "trees"
    # what runs the model: Python at once, or native code after some seconds
    backend: Literal["native", "python"] = "python"


@dataclass(frozen=True)
class TreeCodecs:
    """The words and labels that are known. Words are in small letters."""

    words: Vocabulary
    labels: tuple[str, ...]
    vectors: np.ndarray | None = None

    @property
    def sizes(self) -> TokenSizes:
        """How many there are of each."""
        return TokenSizes(len(self.words), 0, len(self.labels), self.vectors)

    def encode(self, tree: Tree, data: Data) -> EncodedTree:
        """A tree as numbers. Labels that are not known count as none."""
        if data.parts == "two":
            tree = tree.binarised("")
        numbers = {label: k for k, label in enumerate(self.labels)}
        made: list[Phrase] = []
        words = 0
        for node in tree.nodes():
            if node.is_leaf:
                made.append(Phrase(words, []))
                words += 1
            else:
                first = len(made) - len(node.children)
                made[first:] = [Phrase(-1, made[first:])]
        return EncodedTree(
            made[0],
            self.words.encode([word.lower() for word in tree.words]),
            np.array([numbers.get(n.label, -1) for n in tree.nodes()], np.int64),
        )

    def save(self, folder: Path) -> None:
        """Write `words.json` and `labels.json`."""
        self.words.save(folder / "words.json")
        record = {"format": _FORMAT, "labels": self.labels}
        (folder / "labels.json").write_text(json.dumps(record) + "\n", "utf-8")

    @classmethod
    def load(cls, folder: Path) -> TreeCodecs:
        """The codecs that `save` wrote."""
        labels = load_json(folder / "labels.json", _FORMAT).get("labels")
        if not isinstance(labels, list) or not all(isinstance(x, str) for x in labels):
            raise InvalidVocabulary("there is no list of labels", path=folder)
        return cls(Vocabulary.load(folder / "words.json"), tuple(labels))


class Trees(Task):
    """Trees of phrases into labels, such as the sentiment of each."""

    name = "trees"
    verb = "label the phrases of trees on"
    noun = "tree model"
    files = (FileName("file", "Bracketed trees: (3 (2 It) (4 works))."),)
    default_model = "tree-lstm"
    data = Data
    predicting = Predicting
    codecs = TreeCodecs
    training: ClassVar = {
        "steps": 4000,
        "batch_tokens": 600,
        "rate": 1e-3,
        "validate_every": 250,
    }

    def read(
        self, files: Sequence[Path], data: Data, held_out: Sequence[Path] = ()
    ) -> list[Tree]:
        """The trees of a file."""
        (path,) = files
        return read_apart(_scan, path, held_out, data.overlap)

    def prepare(self, examples: Sequence[Tree], data: Data) -> TreeCodecs:
        """The words and labels of training, and the words' vectors if there are any."""
        counts = Counter(word.lower() for tree in examples for word in tree.words)
        words = Vocabulary.from_counts(counts, min_count=data.min_count)
        labels = sorted({n.label for tree in examples for n in tree.nodes()} - {""})
        if not labels:
            raise EmptyCorpus("no phrase of the trees has a label")
        vectors = None
        if data.vectors:
            words, vectors = with_vectors(words, data.vectors)
        return TreeCodecs(words, tuple(labels), vectors)

    def encode(
        self, examples: Sequence[Tree], codecs: TreeCodecs, data: Data
    ) -> Encoded:
        """The trees as numbers."""
        every = [codecs.encode(tree, data) for tree in examples]
        encoded = [tree for tree in every if np.max(tree.labels) >= 0]
        notes = []
        if len(encoded) < len(every):
            without = len(every) - len(encoded)
            notes.append(f"{without:,} trees without a label were left out")
        changed = sum(not tree.is_binary for tree in examples)
        if data.parts == "two" and changed:
            notes.append(f"{changed:,} trees had to be made binary")
        return Encoded(
            [np.array([len(tree.words) for tree in encoded])],
            lambda indices: make_phrase_batch(encoded, indices),
            tuple(notes),
        )

    def validate(self, trained: Trained, examples: Sequence[Tree]) -> Validation:
        """The accuracies of phrases and roots."""
        found = judge(trained, examples)
        parts = [f"{name} {100 * share:.2f}" for name, (share, _) in found.items()]
        wanted = trained.data.judge
        score, _ = found.get(wanted, found["root"])
        text = f"accuracy {', '.join(parts)} on {len(examples)} trees"
        return Validation(100 * score, text)

    def predict(
        self, trained: Trained, lines: Sequence[str], first: int, options: Predicting
    ) -> Iterator[str]:
        """The trees with the likeliest labels; an empty line stays one."""
        places = [k for k, line in enumerate(lines) if line.strip()]
        trees = [_parse(lines[k], first + k) for k in places]
        if trained.data.parts == "two":
            trees = [tree.binarised(tree.label) for tree in trees]
        found = dict(zip(places, zip(trees, score_trees(trained, trees))))
        labels = trained.codecs.labels
        for k in range(len(lines)):
            if k not in found:
                yield ""
                continue
            tree, scores = found[k]
            best = [labels[j] for j in np.argmax(scores, axis=1)]
            yield best[-1] if options.output == "roots" else str(_labelled(tree, best))

    def evaluate(
        self, trained: Trained, examples: Sequence[Tree], options: Predicting
    ) -> Iterator[str]:
        """The accuracies of phrases and roots."""
        names = {
            "phrases": "all phrases",
            "root": "roots",
            "binary": "roots as positive or negative, without neutral ones",
        }
        for name, (share, count) in judge(trained, examples).items():
            yield f"{names[name]}: accuracy = {100 * share:.2f} ({count:,})"


TASK = Trees()


def score_trees(trained: Trained, trees: Sequence[Tree]) -> list[np.ndarray]:
    """The log-probabilities (N, K) of the labels of each tree's phrases.

    Phrases are in the order of `Tree.nodes`, of the binary tree if that was trained.
    """
    codecs: TreeCodecs = trained.codecs
    encoded = [codecs.encode(tree, trained.data) for tree in trees]
    found = [np.zeros((0, 0))] * len(trees)
    predict = predictor(trained)
    for chosen in batches_by_length([len(e.words) for e in encoded], BATCH):
        scores = predict(make_phrase_batch(encoded, chosen))
        ends = np.cumsum([len(encoded[i].labels) for i in chosen])
        for i, part in zip(chosen, np.split(scores, ends[:-1])):
            found[i] = part
    return found


def judge(
    trained: Trained, trees: Sequence[Tree]
) -> dict[Literal["phrases", "root", "binary"], tuple[float, int]]:
    """The shares of right labels, and of how many: of phrases, of roots, of polarity.

    Labels that are numbers say how positive a phrase is, the middle one is neutral. A
    root that is not neutral is right if the labels of its own side are together
    likelier than those of the other (Socher et al., 2013, section 5.2).
    """
    codecs: TreeCodecs = trained.codecs
    labels, sign = codecs.labels, polarity(codecs.labels)
    phrases: list[bool] = []
    roots: list[bool] = []
    sides: list[bool] = []
    for tree, scores in zip(trees, score_trees(trained, trees)):
        whole = tree.binarised("") if trained.data.parts == "two" else tree
        best = np.argmax(scores, axis=1)
        right = [
            (k, labels[k] == node.label)
            for k, node in zip(best, whole.nodes())
            if node.label
        ]
        phrases += [is_right for _, is_right in right]
        if not tree.label:
            continue
        roots.append(labels[best[-1]] == tree.label)
        side = sign.get(tree.label, 0)
        if side:
            signs = np.array([sign[label] for label in labels])
            chances = np.exp(scores[-1])
            sides.append((np.sum(chances * signs) > 0) == (side > 0))
    found: dict[Literal["phrases", "root", "binary"], tuple[float, int]] = {
        "phrases": _share(phrases),
        "root": _share(roots),
    }
    if sides:
        found["binary"] = _share(sides)
    return found


def polarity(labels: Sequence[str]) -> dict[str, int]:
    """-1, 0 or 1 for each label below, in or above the middle; empty for words."""
    try:
        ranked = sorted(labels, key=float)
    except ValueError:
        return {}
    middle = (len(ranked) - 1) / 2
    return {label: int(np.sign(k - middle)) for k, label in enumerate(ranked)}


def _share(right: Sequence[bool]) -> tuple[float, int]:
    return float(np.mean(right)) if right else 0.0, len(right)


def _scan(path: Path) -> Iterator[tuple[int, str, Tree]]:
    """The trees of a file with their lines and words."""
    for line, tree in scan_trees(path):
        _check_depth(tree, path, line)
        yield line, " ".join(tree.words), tree


def _check_depth(tree: Tree, path: Path | str, line: int) -> None:
    if tree.depth > DEEPEST:
        raise MalformedLine(
            f"the tree has {tree.depth} levels, more than {DEEPEST}",
            path=path,
            line=line,
        )


def _parse(line: str, number: int) -> Tree:
    """The one tree of a line of input."""
    where = "standard input"
    trees = [tree for _, tree in parse_trees([(number, line)], where)]
    if len(trees) != 1:
        raise MalformedLine(
            f"there are {len(trees)} trees on the line", path=where, line=number
        )
    _check_depth(trees[0], where, number)
    return trees[0]


def _labelled(tree: Tree, labels: Sequence[str]) -> Tree:
    """The tree with other labels, in the order of its nodes."""
    made: list[Tree] = []
    for node, label in zip(tree.nodes(), labels, strict=True):
        first = len(made) - len(node.children)
        made[first:] = [Tree(label, tuple(made[first:]), node.word)]
    return made[0]
