"""Recursive networks over trees of mixed shape, one tree at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.program import Goal, Peer, Program, single, sizes


@dataclass
class Tree:
    """A word, or two parts."""

    word: int
    left: Tree | None = None
    right: Tree | None = None


def encode(tree, words, W, b):
    if tree.left is None:
        return words[tree.word]
    left = encode(tree.left, words, W, b)
    right = encode(tree.right, words, W, b)
    return np.tanh(np.concatenate((left, right)) @ W + b)


def tree_network(words, W, b, tree):
    state = encode(tree, words, W, b)
    return np.sum(state * state)


def random_tree(rng, leaves, vocabulary):
    """A tree that is split at random places."""
    if leaves == 1:
        return Tree(int(rng.integers(0, vocabulary)))
    split = int(rng.integers(1, leaves))
    return Tree(
        -1,
        random_tree(rng, split, vocabulary),
        random_tree(rng, leaves - split, vocabulary),
    )


def arguments(rng, H, leaves, vocabulary=50):
    return (
        single(rng, vocabulary, H),
        single(rng, 2 * H, H, scale=H**-0.5),
        single(rng, H, scale=0.1),
        random_tree(rng, leaves, vocabulary),
    )


@dataclass
class Phrase:
    """A phrase with its label: a word, or two parts."""

    label: int
    word: int
    left: Phrase | None = None
    right: Phrase | None = None


@dataclass(frozen=True)
class TreeLSTM:
    """The weights of a Tree-LSTM (Tai et al., 2015). Gates stand side by side."""

    words: np.ndarray  # (V, H)
    W: np.ndarray  # (H, 3H) leaves: input and output gate, update
    b: np.ndarray
    U: np.ndarray  # (2H, 5H) inner nodes: input, two forget, output gate, update
    c: np.ndarray
    V: np.ndarray  # (H, 5) labels
    d: np.ndarray


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def compose(p, tree):
    """The state and the cell of a phrase, and the cross-entropy of all labels in it."""
    H = p.V.shape[0]
    if tree.left is None:
        a = p.words[tree.word] @ p.W + p.b
        c = sigmoid(a[:H]) * np.tanh(a[2 * H :])
        h = sigmoid(a[H : 2 * H]) * np.tanh(c)
        loss = np.float32(0)
    else:
        h_l, c_l, loss_l = compose(p, tree.left)
        h_r, c_r, loss_r = compose(p, tree.right)
        a = np.concatenate((h_l, h_r)) @ p.U + p.c
        i, f_l, f_r = sigmoid(a[:H]), sigmoid(a[H : 2 * H]), sigmoid(a[2 * H : 3 * H])
        c = i * np.tanh(a[4 * H :]) + f_l * c_l + f_r * c_r
        h = sigmoid(a[3 * H : 4 * H]) * np.tanh(c)
        loss = loss_l + loss_r
    y = h @ p.V + p.d
    highest = np.max(y)
    loss += highest + np.log(np.sum(np.exp(y - highest))) - y[tree.label]
    return h, c, loss


def tree_lstm(p, tree):
    return compose(p, tree)[2]


def tree_lstm_arguments(rng, H, leaves, vocabulary=2000):
    labels = np.random.default_rng(1)

    def labelled(tree):
        label = int(labels.integers(0, 5))
        if tree.left is None:
            return Phrase(label, tree.word)
        return Phrase(label, -1, labelled(tree.left), labelled(tree.right))

    weights = TreeLSTM(
        single(rng, vocabulary, H),
        single(rng, H, 3 * H, scale=H**-0.5),
        single(rng, 3 * H, scale=0.1),
        single(rng, 2 * H, 5 * H, scale=(2 * H) ** -0.5),
        single(rng, 5 * H, scale=0.1),
        single(rng, H, 5, scale=H**-0.5),
        single(rng, 5, scale=0.1),
    )
    return weights, labelled(random_tree(rng, leaves, vocabulary))


PROGRAMS = (
    Program(
        name="tree network",
        function=tree_network,
        arguments=arguments,
        argnums=(0, 1, 2),
        sizes=sizes(
            ({"H": 64, "leaves": 8}, {"H": 64, "leaves": 25}),
            ({"H": 64, "leaves": 60}, {"H": 128, "leaves": 25}),
        ),
        tiny={"H": 4, "leaves": 5},
        peers={"pytorch": Peer("torch", "torch_small.tree_network")},
        goals=(Goal("pytorch", 20),),
    ),
    Program(
        name="tree LSTM",
        function=tree_lstm,
        arguments=tree_lstm_arguments,
        argnums=(0,),
        sizes=sizes(
            ({"H": 64, "leaves": 20}, {"H": 150, "leaves": 20}),
            ({"H": 150, "leaves": 60},),
        ),
        tiny={"H": 4, "leaves": 5, "vocabulary": 6},
        peers={"pytorch": Peer("torch", "torch_small.tree_lstm")},
        goals=(Goal("pytorch", 6),),
    ),
)
