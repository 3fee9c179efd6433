"""RNNsearch: an encoder–decoder that looks again at the source for every word.

Bahdanau, Cho and Bengio, "Neural machine translation by jointly learning to align and
translate" (2015). The encoder reads in both directions; before each word the decoder
forms a context, a weighted mean of what the encoder wrote.

Axis letters as in `anadrome.nn`; here M = 2H.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.models.deep_output import (
    DeepOutput,
    features_of_seen,
    make_deep_output,
    word_features,
)
from anadrome.models.registry import model
from anadrome.nn import (
    GRU,
    AdditiveAttention,
    Bidirectional,
    ResetAfterGRU,
    attend,
    embed,
    gaussian,
    glorot,
    make_additive_attention,
    make_gru,
    make_reset_after_gru,
    map_arrays,
    run_both_ways,
    softmax,
    steady_dropout,
    word_cross_entropy,
)
from anadrome.nn.attention import HIDDEN
from anadrome.options import Count, NonNegative, Share
from anadrome.random import Key, fold_in, split
from anadrome.text import PairBatch, PairSizes


@model("translate", name="attention", cites="Bahdanau, Cho and Bengio (2015)")
@dataclass(frozen=True)
class Config:
    """The sizes of the model, and how it is regularised."""

    embedding: Count = 128  # features of a word
    hidden: Count = 256  # units of each recurrent layer
    attention: NonNegative = 0  # units of the attention; 0 for as many as are hidden
    maxout: NonNegative = 0  # maxout units of the output; 0 for as many as features
    dropout: Share = 0.2  # how much of the embeddings and states is dropped in training
    smoothing: Share = 0.1  # label smoothing
    reset_after: bool = False  # PyTorch's GRU instead of Cho's, which the paper has


@dataclass(frozen=True)
class AttentionParams:
    """The weights."""

    source: np.ndarray  # (V, E) embeddings
    target: np.ndarray  # (V, E)
    encoder: Bidirectional
    first: np.ndarray  # (H, H) makes the first state
    attention: AdditiveAttention
    decoder: GRU | ResetAfterGRU
    C: np.ndarray  # (M, 3H) from the context to the decoder
    output: DeepOutput


@dataclass(frozen=True)
class Memory:
    """What the encoder leaves to the decoder."""

    slots: np.ndarray  # (B, S, M)
    prepared: np.ndarray  # (B, S, A)
    mask: np.ndarray  # (B, S)
    first: np.ndarray  # (B, H) the first state of the decoder


@dataclass(frozen=True)
class SearchedMemory:
    """The memory for a search, which looks at every slot many times.

    A context is a weighted mean of slots, and enters the model by way of matrices: with
    the slots multiplied by these once, the mean is all that is left to do in a step.
    """

    seen: np.ndarray  # (B, S, 3H + 2L) what slots add to the decoder and to the output
    prepared: np.ndarray  # (B, S, A)
    mask: np.ndarray  # (B, S)


@dataclass(frozen=True)
class Decoding:
    """The state of a search: K hypotheses, in rows that follow each other, for each of
    the B sentences of the memory.
    """

    memory: SearchedMemory
    words: np.ndarray  # (E + 1, V) the embeddings by columns, and under them the biases
    state: np.ndarray  # (B K, H)
    weights: np.ndarray  # (B K, S) of the step that led here


def make_params(config: Config, key: Key, sizes: PairSizes) -> AttentionParams:
    """First weights for vocabularies of these sizes."""
    E, H, M = config.embedding, config.hidden, 2 * config.hidden
    A, L = config.attention or H, config.maxout or E
    make_cell = make_reset_after_gru if config.reset_after else make_gru
    keys = split(key, 9)
    return AttentionParams(
        source=gaussian(keys[0], (sizes.source, E), 0.1),
        target=gaussian(keys[1], (sizes.target, E), 0.1),
        encoder=Bidirectional(make_cell(keys[2], E, H), make_cell(keys[3], E, H)),
        first=glorot(keys[4], (H, H)),
        attention=make_additive_attention(keys[5], H, M, A),
        decoder=make_cell(keys[6], E, H),
        C=glorot(keys[7], (M, H), 3),
        output=make_deep_output(keys[8], H, E, M, L, sizes.target),
    )


def encode(p: AttentionParams, x: np.ndarray, mask: np.ndarray) -> Memory:
    """The memory of embedded source sentences (S, B, E) with masks (S, B)."""
    annotations, _, back = run_both_ways(p.encoder, x, mask)  # (S, B, M)
    prepared = p.attention.prepare(annotations)  # (S, B, A)
    first = np.tanh(back[0] @ p.first)  # s₀ = tanh(W h←₁), appendix A.2.2
    return Memory(
        np.swapaxes(annotations, 0, 1), np.swapaxes(prepared, 0, 1), mask.T, first
    )


def advance(
    p: AttentionParams, memory: Memory, s: np.ndarray, a: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The next state (B, H), the context (B, M) and the weights (B, S).

    `a` (B, 3H) is the decoder's drive by the last word. The energies are those of the
    state before the step (equation 6); the context enters all gates (A.2.2).
    """
    energies = p.attention.energies(s, memory.prepared)
    c, weights = attend(energies, memory.slots, memory.mask)
    (s,) = p.decoder.step((s,), a + c @ p.C)
    return s, c, weights


def loss(p: AttentionParams, batch: PairBatch, config: Config, key: Key) -> np.ndarray:
    """The mean cross-entropy of the target words of a time-major batch."""
    x = embed(p.source, batch.source)  # (S, B, E)
    y = embed(p.target, batch.target_in)  # (T, B, E)
    x = steady_dropout(x, config.dropout, fold_in(key, 0))
    y = steady_dropout(y, config.dropout, fold_in(key, 1))
    memory = encode(p, x, batch.source_mask)
    a = p.decoder.drive(y)  # (T, B, 3H)
    s = memory.first
    states, contexts = [], []
    for t in range(y.shape[0]):
        s, c, _ = advance(p, memory, s, a[t])
        states.append(s)
        contexts.append(c)
    # p(y | …) = g(y, s, c), equation 4, for all words at once
    features = word_features(
        p.output,
        steady_dropout(np.stack(states), config.dropout, fold_in(key, 2)),
        y,
        np.stack(contexts),
    )  # (T, B, E)
    return word_cross_entropy(
        features.reshape(-1, features.shape[2]),
        p.target,
        p.output.g,
        batch.target_out.reshape(-1),
        batch.target_mask.reshape(-1),
        config.smoothing,
    )


def start(p: AttentionParams, source: np.ndarray, mask: np.ndarray) -> Decoding:
    """The state of a search before the first word, for sentences (S, B)."""
    memory = encode(p, embed(p.source, source), mask)
    seen = memory.slots @ np.concatenate((p.C, p.output.C), axis=1)
    words = np.concatenate((p.target.T, p.output.g[None]))
    searched = SearchedMemory(seen, memory.prepared, memory.mask)
    return Decoding(searched, words, memory.first, np.zeros_like(memory.mask))


def step(
    p: AttentionParams,
    decoding: Decoding,
    words: np.ndarray,
    rows: np.ndarray | None = None,
) -> tuple[Decoding, np.ndarray]:
    """The next state, and the scores (B K, V) of the word after `words`.

    A score is a log-probability but for a constant of the row. With `rows` (R,) only
    the scores (R, V) of these are given.
    """
    y = embed(p.target, words)  # (B K, E)
    memory, s = decoding.memory, decoding.state
    B, S, width = memory.seen.shape
    # as in `advance`, but all hypotheses of a sentence look at the same memory
    queries = s.reshape(B, -1, s.shape[1])  # (B, K, H)
    energies = p.attention.energies(queries, memory.prepared[:, None])  # (B, K, S)
    weights = softmax(energies + (1 - memory.mask[:, None]) * HIDDEN)
    seen = (weights @ memory.seen).reshape(-1, width)
    to_decoder, to_output = seen[:, : p.C.shape[1]], seen[:, p.C.shape[1] :]
    (s,) = p.decoder.step((s,), p.decoder.drive(y) + to_decoder)
    made = Decoding(memory, decoding.words, s, weights.reshape(-1, S))
    if rows is not None:
        s, y, to_output = s[rows], y[rows], to_output[rows]
    features = features_of_seen(p.output, s, y, to_output)
    ones = np.ones((features.shape[0], 1), np.float32)  # what the biases are a part of
    return made, np.concatenate((features, ones), axis=1) @ decoding.words


def reorder(decoding: Decoding, indices: np.ndarray) -> Decoding:
    """The state whose row i is row `indices[i]` of this one.

    The memory stays as it is, or loses sentences, as long as every sentence that is
    left has equally many rows.
    """
    memory = decoding.memory
    B = memory.mask.shape[0]
    owners = indices // (decoding.state.shape[0] // B)  # the sentence of each row
    kept, counts = np.unique(owners, return_counts=True)
    grouped = np.all(counts == counts[:1]) and np.all(np.diff(owners) >= 0)
    kept = kept if grouped else owners
    if len(kept) != B or not grouped:
        memory = map_arrays(lambda array: array[kept], memory)
    state, weights = decoding.state[indices], decoding.weights[indices]
    return Decoding(memory, decoding.words, state, weights)


def attention_weights(decoding: Decoding) -> np.ndarray:
    """Where the last step looked: (B, S)."""
    return decoding.weights
