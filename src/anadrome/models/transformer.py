"""The Transformer: attention takes the place of recurrence.

Vaswani et al., "Attention is all you need" (2017). Every word looks at all words of the
source, and at those of the target before it; places are told apart by waves that are
added to the embeddings (3.5), which are also the words of the output (3.4).

Axis letters as in `anadrome.nn`; M features of a word, N heads, D = M / N. Arrays are
batch-major inside.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from anadrome.models.registry import model
from anadrome.models.shared_memory import reorder_memory
from anadrome.models.target_words import target_loss
from anadrome.nn import (
    DecoderLayer,
    EncoderLayer,
    LayerNorm,
    Projected,
    Residuals,
    causal_mask,
    decoder_layer,
    dropout,
    embed,
    encoder_layer,
    gaussian,
    layer_norm,
    make_decoder_layer,
    make_encoder_layer,
    make_layer_norm,
    map_arrays,
    project_memory,
    sinusoidal_positions,
)
from anadrome.options import Count, OptionError, Share
from anadrome.random import Key, fold_in, split
from anadrome.text import PairBatch, PairSizes


@model("translate", name="transformer", cites="Vaswani et al. (2017)")
@dataclass(frozen=True)
class Config:
    """The sizes of the model, and how it is regularised."""

    embedding: Count = 128  # features of a word, and of every layer
    hidden: Count = 512  # units between the two products of a layer
    heads: Count = 4  # heads of each attention, among which the features are shared
    layers: Count = 2  # layers of the encoder, and of the decoder; the paper has 6
    dropout: Share = 0.1  # how much of the embeddings and of each part is dropped
    smoothing: Share = 0.1  # label smoothing
    # normalise what goes into a part of a layer, or as in the paper the sum behind it
    norm: Literal["before", "after"] = "before"
    output: Literal["tied", "own"] = "tied"  # words of the output: embeddings, or own

    def __post_init__(self) -> None:
        if self.embedding % self.heads:
            raise OptionError(
                f"{self.embedding} features cannot be shared among {self.heads} heads\n"
                "help: let embedding be a multiple of heads"
            )


@dataclass(frozen=True)
class TransformerParams:
    """The weights."""

    source: np.ndarray  # (V, M) embeddings
    target: np.ndarray  # (V, M)
    encoder: tuple[EncoderLayer, ...]
    decoder: tuple[DecoderLayer, ...]
    # of the last layers of both, if it comes before parts, and so not behind the last
    last: tuple[LayerNorm, LayerNorm] | None
    words: np.ndarray | None  # (V, M), unless these are the embeddings
    bias: np.ndarray  # (V,)


@dataclass(frozen=True)
class Memory:
    """The source, as every layer of the decoder looks at it."""

    layers: tuple[Projected, ...]  # (B, N, S, D) each
    mask: np.ndarray  # (B, 1, S)


@dataclass(frozen=True)
class Decoding:
    """The state of a search: K hypotheses, in rows that follow each other, for each of
    the B sentences of the memory.
    """

    memory: Memory
    past: tuple[Projected, ...]  # (B K, N, T, D) of the T words so far
    weights: np.ndarray  # (B K, S) of the last layer and step, the mean of the heads


def make_params(config: Config, key: Key, sizes: PairSizes) -> TransformerParams:
    """First weights for vocabularies of these sizes."""
    M, N, F, L = config.embedding, config.heads, config.hidden, config.layers
    keys = split(key, 5)
    norms = (make_layer_norm(M), make_layer_norm(M))
    own = config.output == "own"
    return TransformerParams(
        source=gaussian(keys[0], (sizes.source, M), M**-0.5),
        target=gaussian(keys[1], (sizes.target, M), M**-0.5),
        encoder=tuple(make_encoder_layer(k, M, N, F) for k in split(keys[2], L)),
        decoder=tuple(make_decoder_layer(k, M, N, F) for k in split(keys[3], L)),
        last=norms if config.norm == "before" else None,
        words=gaussian(keys[4], (sizes.target, M), M**-0.5) if own else None,
        bias=np.zeros(sizes.target, np.float32),
    )


def place(table: np.ndarray, ids: np.ndarray, first: int = 0) -> np.ndarray:
    """Words (B, T) as features (B, T, M) of what they are and where they stand."""
    M = table.shape[1]
    return embed(table, ids) * M**0.5 + sinusoidal_positions(ids.shape[1], M, first)


def encode(
    p: TransformerParams, x: np.ndarray, mask: np.ndarray, rate: float, key: Key | None
) -> Memory:
    """The memory of placed source sentences (B, S, M) with masks (B, 1, S)."""
    for n, layer in enumerate(p.encoder):
        part = None if key is None else fold_in(key, n)
        x = encoder_layer(layer, x, mask, Residuals(p.last is not None, rate, part))
    if p.last is not None:
        x = layer_norm(p.last[0], x)
    return Memory(tuple([project_memory(d.source, x) for d in p.decoder]), mask)


def loss(
    p: TransformerParams, batch: PairBatch, config: Config, key: Key
) -> np.ndarray:
    """The mean cross-entropy of the target words of a time-major batch."""
    rate = config.dropout
    x = dropout(place(p.source, batch.source.T), rate, fold_in(key, 0))  # (B, S, M)
    y = dropout(place(p.target, batch.target_in.T), rate, fold_in(key, 1))  # (B, T, M)
    memory = encode(p, x, batch.source_mask.T[:, None], rate, fold_in(key, 2))
    ahead = causal_mask(y.shape[1])
    for n, (layer, seen) in enumerate(zip(p.decoder, memory.layers)):
        adding = Residuals(p.last is not None, rate, fold_in(key, 3 + n))
        y, _, _ = decoder_layer(layer, y, None, ahead, seen, memory.mask, adding)
    if p.last is not None:
        y = layer_norm(p.last[1], y)
    words = p.target if p.words is None else p.words
    return target_loss(np.swapaxes(y, 0, 1), words, p.bias, batch, config.smoothing)


def start(p: TransformerParams, source: np.ndarray, mask: np.ndarray) -> Decoding:
    """The state of a search before the first word, for sentences (S, B)."""
    memory = encode(p, place(p.source, source.T), mask.T[:, None], 0.0, None)
    nothing = tuple([(k[:, :, :0], v[:, :, :0]) for k, v in memory.layers])
    return Decoding(memory, nothing, np.zeros_like(mask.T))


def step(
    p: TransformerParams,
    decoding: Decoding,
    words: np.ndarray,
    rows: np.ndarray | None = None,
) -> tuple[Decoding, np.ndarray]:
    """The next state, and the scores (B K, V) of the word after `words`.

    A score is a log-probability but for a constant of the row. With `rows` (R,) only
    the scores (R, V) of these are given.
    """
    memory, passed = decoding.memory, decoding.past[0][0].shape[2]
    y = place(p.target, words[:, None], passed)  # (B K, 1, M)
    whole, adding = np.ones((1, passed + 1), np.float32), Residuals(p.last is not None)
    past, looked = [], decoding.weights
    for layer, old, seen in zip(p.decoder, decoding.past, memory.layers):
        y, new, weights = decoder_layer(layer, y, old, whole, seen, memory.mask, adding)
        past.append(new)
        # (B, N, K, S) to (B K, S)
        looked = np.mean(weights, axis=1).reshape(-1, weights.shape[3])
    if p.last is not None:
        y = layer_norm(p.last[1], y)
    features = y[:, 0] if rows is None else y[rows, 0]
    table = p.target if p.words is None else p.words
    return Decoding(memory, tuple(past), looked), features @ table.T + p.bias


def reorder(decoding: Decoding, indices: np.ndarray) -> Decoding:
    """The state whose row i is row `indices[i]` of this one."""
    memory, weights = decoding.memory, decoding.weights
    memory = reorder_memory(memory, len(memory.mask), len(weights), indices)
    past = map_arrays(lambda array: array[indices], decoding.past)
    return Decoding(memory, past, weights[indices])


def attention_weights(decoding: Decoding) -> np.ndarray:
    """Where the last layer looked in the last step: (B, S)."""
    return decoding.weights
