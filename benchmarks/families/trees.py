"""A recursive network over trees of mixed shape, one tree at a time."""

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
)
