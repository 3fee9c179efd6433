"""grConv: neighbours are merged level by level until one vector is left.

The gated recursive convolutional network of chapter 6 of van Merriënboer's thesis,
section 6.2.2; Cho, van Merriënboer, Bahdanau and Bengio, "On the properties of neural
machine translation" (2014). Every node takes a new activation of its two children, or
the left one, or the right one, in shares that the gates choose: a kind of parse. The
decoder is that of `encoder_decoder`, in `summary_decoder`.

Axis letters as in `anadrome.nn`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from anadrome.models.deep_output import DeepOutput
from anadrome.models.registry import model
from anadrome.models.summary_decoder import (
    Decoding,
    SummaryConfig,
    loss_of_summary,
    start_of_summary,
    step,
)
from anadrome.nn import (
    GRU,
    ResetAfterGRU,
    embed,
    gaussian,
    orthogonal,
    softmax,
    steady_dropout,
)
from anadrome.options import Positive
from anadrome.random import Key, fold_in, split
from anadrome.text import PairBatch, PairSizes

__all__ = [
    "Config",
    "GrConvParams",
    "Node",
    "encode",
    "loss",
    "make_params",
    "parse",
    "start",
    "step",
]


@model("translate", name="grconv", cites="Cho et al. (2014), properties; thesis, 6.2")
@dataclass(frozen=True)
class Config(SummaryConfig):
    """The sizes of the model, its nodes, and how it is regularised."""

    activation: Literal["rectifier", "tanh"] = "rectifier"  # of new activations
    radius: Positive = 0.4  # spectral radius of the two square matrices at first


@dataclass(frozen=True)
class GrConvParams:
    """The weights. New activations are rectified (6.4.2)."""

    source: np.ndarray  # (V, E) embeddings
    target: np.ndarray  # (V, E)
    U: np.ndarray  # (E, H) makes leaves of words
    left: np.ndarray  # (H, H + 3) Wˡ and Gˡ, side by side
    right: np.ndarray  # (H, H + 3) Wʳ and Gʳ
    first: np.ndarray  # (H, H) makes the first state
    decoder: GRU | ResetAfterGRU
    C: np.ndarray  # (H, 3H) from the summary to the decoder
    output: DeepOutput


@dataclass(frozen=True)
class TanhGrConvParams(GrConvParams):
    """The same weights. New activations are hyperbolic tangents."""


def make_params(config: Config, key: Key, sizes: PairSizes) -> GrConvParams:
    """First weights for vocabularies of these sizes."""
    E, H, weights = config.embedding, config.hidden, config.weights
    keys = split(key, 9)

    def child(key: Key) -> np.ndarray:
        one, other = split(key, 2)
        W = np.float32(config.radius) * orthogonal(one, H)
        return np.concatenate((W, gaussian(other, (H, 3))), axis=1)

    make = GrConvParams if config.activation == "rectifier" else TanhGrConvParams
    return make(
        source=gaussian(keys[0], (sizes.source, E), config.deviation),
        target=gaussian(keys[1], (sizes.target, E), config.deviation),
        U=weights(keys[2], (E, H)),
        left=child(keys[3]),
        right=child(keys[4]),
        first=weights(keys[5], (H, H)),
        decoder=config.make_decoder(keys[6]),
        C=weights(keys[7], (H, H), 3),
        output=config.make_output(keys[8], sizes.target),
    )


def merge(p: GrConvParams, h: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The nodes (S - 1, B, H) above nodes (S, B, H), and their gates (S - 1, B, 3).

    h_j = ω_c h̃_j + ω_l h_{j-1} + ω_r h_j with h̃_j = φ(Wˡ h_{j-1} + Wʳ h_j) and
    ω = softmax(Gˡ h_{j-1} + Gʳ h_j), where all h on the right are of the level below.
    """
    H = h.shape[2]
    left, right = h[:-1], h[1:]
    a = left @ p.left + right @ p.right  # (S - 1, B, H + 3)
    gates = softmax(a[:, :, H:])
    new = a[:, :, :H]
    new = np.tanh(new) if isinstance(p, TanhGrConvParams) else np.maximum(new, 0)
    made = gates[:, :, :1] * new + gates[:, :, 1:2] * left + gates[:, :, 2:] * right
    return made, gates


def encode(p: GrConvParams, x: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """The summaries (B, H) of embedded source sentences (S, B, E) with masks (S, B).

    The first node of level n - 1 has seen the first n words, and no more: it is the
    summary of a sentence of n words, whatever padding follows.
    """
    h = x @ p.U
    longer = mask[:, :, None]  # (S, B, 1) whether there is a word at this place
    c = h[0]
    for t in range(1, x.shape[0]):
        h, _ = merge(p, h)
        c = longer[t] * h[0] + (1 - longer[t]) * c
    return c


def loss(p: GrConvParams, batch: PairBatch, config: Config, key: Key) -> np.ndarray:
    """The mean cross-entropy of the target words of a time-major batch."""
    x = embed(p.source, batch.source)  # (S, B, E)
    x = steady_dropout(x, config.dropout, fold_in(key, 0))
    c = encode(p, x, batch.source_mask)
    return loss_of_summary(p, c, batch, config, key)


def summarize(p: GrConvParams, source: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """The summaries (B, H) of sentences (T, B)."""
    return encode(p, embed(p.source, source), mask)


def start(p: GrConvParams, source: np.ndarray, mask: np.ndarray) -> Decoding:
    """The state of a search before the first word, for sentences (S, B)."""
    c = encode(p, embed(p.source, source), mask)
    return start_of_summary(p, c)


@dataclass(frozen=True)
class Node:
    """A part of a sentence: the words `first` to `last`, and how they were merged."""

    first: int
    last: int
    gates: tuple[float, ...] = ()  # ω_c, ω_l, ω_r; none for a word
    children: tuple[Node, ...] = ()  # both if merged, one if that was taken, or none


def gates_of(p: GrConvParams, sentence: np.ndarray) -> list[np.ndarray]:
    """The gates (N, 3) of the N nodes of every level above a sentence (S,)."""
    h = embed(p.source, sentence[:, None]) @ p.U
    levels = []
    while len(h) > 1:
        h, gates = merge(p, h)
        levels.append(gates[:, 0])
    return levels


def parse(p: GrConvParams, sentence: np.ndarray) -> Node:
    """The tree that the gates induce over a sentence (S,), from the top.

    Each node takes what its largest gate chooses, as if the decision were hard (figure
    6.2 c and d); words that no chosen node has below it are not in the tree.
    """
    levels = gates_of(p, sentence)

    def node(level: int, j: int) -> Node:
        if level == 0:
            return Node(j, j)
        gates = levels[level - 1][j]
        chosen = ((j, j + 1), (j,), (j + 1,))[int(np.argmax(gates))]
        children = tuple([node(level - 1, k) for k in chosen])
        return Node(j, j + level, tuple(map(float, gates)), children)

    return node(len(levels), 0)
