"""RNNsearch: an encoder–decoder that looks again at the source for every word.

Bahdanau, Cho and Bengio, "Neural machine translation by jointly learning to align and
translate" (2015). The encoder reads in both directions; before each word the decoder
forms a context, a weighted mean of what the encoder wrote. By default the words of the
output are the embeddings; `examples/recipes/bahdanau2015.toml` has the paper's own.

Axis letters as in `anadrome.nn`; here M = 2H.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.models.decoder_cells import choose_cell, count_blocks
from anadrome.models.deep_output import (
    DeepOutput,
    EarlyOutput,
    OutputConfig,
    features_of_seen,
    make_deep_output,
    output_words,
    word_features,
)
from anadrome.models.registry import model
from anadrome.models.shared_memory import Memory, attend_together, reorder_memory
from anadrome.models.target_words import target_loss
from anadrome.nn import (
    AdditiveAttention,
    Bidirectional,
    Cell,
    attend,
    embed,
    gaussian,
    make_additive_attention,
    run_both_ways,
    steady_dropout,
)
from anadrome.options import Count, NonNegative, Share
from anadrome.random import Key, fold_in, split
from anadrome.text import PairBatch, PairSizes


@model("translate", name="attention", cites="Bahdanau, Cho and Bengio (2015)")
@dataclass(frozen=True)
class Config(OutputConfig):
    """The sizes of the model, how it is regularised, how near it is to the paper."""

    embedding: Count = 128  # features of a word
    hidden: Count = 256  # units of each recurrent layer
    attention: NonNegative = 0  # units of the attention; 0 for as many as are hidden
    maxout: NonNegative = 0  # maxout units of the output; 0 for as many as features
    dropout: Share = 0.2  # how much of the embeddings and states is dropped in training
    smoothing: Share = 0.1  # label smoothing
    reset_after: bool = False  # PyTorch's GRU instead of Cho's, which the paper has
    # what reads and writes: gru, elman, mut3, …, or a file.py of your own
    cell: str = "gru"
    early_output: bool = False  # words see the state before the step, as in A.2.2


@dataclass(frozen=True)
class AttentionParams:
    """The weights."""

    source: np.ndarray  # (V, E) embeddings
    target: np.ndarray  # (V, E)
    encoder: Bidirectional
    first: np.ndarray  # (H, H) makes the first state
    attention: AdditiveAttention
    decoder: Cell  # with a state of one array
    C: np.ndarray  # (M, 3H), for a gated unit, from the context to the decoder
    output: DeepOutput


@dataclass(frozen=True)
class Decoding:
    """The state of a search: K hypotheses, in rows that follow each other, for each of
    the B sentences of the memory.
    """

    memory: Memory  # slots are what they add to the decoder and to the output
    words: np.ndarray  # (F + 1, V) the words by columns, and under them the biases
    state: np.ndarray  # (B K, H)
    weights: np.ndarray  # (B K, S) of the step that led here


def make_params(config: Config, key: Key, sizes: PairSizes) -> AttentionParams:
    """First weights for vocabularies of these sizes."""
    E, H, M = config.embedding, config.hidden, 2 * config.hidden
    A, L = config.attention or H, config.maxout or E
    keys, weights = split(key, 9), config.weights
    make = choose_cell("reset-after-gru" if config.reset_after else config.cell)
    ahead, back, decoder = (make(keys[k], E, H, weights) for k in (2, 3, 6))
    attention = make_additive_attention(keys[5], H, M, A)
    if config.initial == "gaussian":  # appendix B.1
        W, U = (gaussian(k, (n, A), 1e-3) for k, n in zip(split(keys[5], 2), (H, M)))
        attention = AdditiveAttention(W, U, np.zeros(A, np.float32))
    words = (H, E, M, L, sizes.target)
    return AttentionParams(
        source=gaussian(keys[0], (sizes.source, E), config.deviation),
        target=gaussian(keys[1], (sizes.target, E), config.deviation),
        encoder=Bidirectional(ahead, back),
        first=weights(keys[4], (H, H)),
        attention=attention,
        decoder=decoder,
        C=weights(keys[7], (M, H), count_blocks(decoder, E, H)),
        output=make_deep_output(keys[8], config, words, config.early_output),
    )


def encode(
    p: AttentionParams, x: np.ndarray, mask: np.ndarray
) -> tuple[Memory, np.ndarray]:
    """The memory of embedded source sentences (S, B, E) with masks (S, B), and the
    first state (B, H) of the decoder.
    """
    annotations, _, back = run_both_ways(p.encoder, x, mask)  # (S, B, M)
    prepared = p.attention.prepare(annotations)  # (S, B, A)
    first = np.tanh(back[0] @ p.first)  # s₀ = tanh(W h←₁), appendix A.2.2
    slots, prepared = np.swapaxes(annotations, 0, 1), np.swapaxes(prepared, 0, 1)
    return Memory(slots, prepared, mask.T), first


def loss(p: AttentionParams, batch: PairBatch, config: Config, key: Key) -> np.ndarray:
    """The mean cross-entropy of the target words of a time-major batch.

    The energies are those of the state before the step (equation 6); the context enters
    all gates (A.2.2).
    """
    x = embed(p.source, batch.source)  # (S, B, E)
    y = embed(p.target, batch.target_in)  # (T, B, E)
    x = steady_dropout(x, config.dropout, fold_in(key, 0))
    y = steady_dropout(y, config.dropout, fold_in(key, 1))
    memory, s = encode(p, x, batch.source_mask)
    a = p.decoder.drive(y)  # (T, B, 3H)
    states, contexts = [], []
    for t in range(y.shape[0]):
        before, energies = s, p.attention.energies(s, memory.prepared)
        c, _ = attend(energies, memory.slots, memory.mask)
        (s,) = p.decoder.step((s,), a[t] + c @ p.C)
        states.append(before if isinstance(p.output, EarlyOutput) else s)
        contexts.append(c)
    # p(y | …) = g(y, s, c), equation 4, for all words at once
    seen = steady_dropout(np.stack(states), config.dropout, fold_in(key, 2))
    features = word_features(p.output, seen, y, np.stack(contexts))  # (T, B, F)
    return target_loss(
        features, output_words(p.output, p.target), p.output.g, batch, config.smoothing
    )


def start(p: AttentionParams, source: np.ndarray, mask: np.ndarray) -> Decoding:
    """The state of a search before the first word, for sentences (S, B)."""
    memory, first = encode(p, embed(p.source, source), mask)
    seen = memory.slots @ np.concatenate((p.C, p.output.C), axis=1)
    words = np.concatenate((output_words(p.output, p.target).T, p.output.g[None]))
    memory = Memory(seen, memory.prepared, memory.mask)
    return Decoding(memory, words, first, np.zeros_like(memory.mask))


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
    memory, before = decoding.memory, decoding.state
    seen, weights = attend_together(p.attention, memory, before)
    to_decoder, to_output = seen[:, : p.C.shape[1]], seen[:, p.C.shape[1] :]
    (s,) = p.decoder.step((before,), p.decoder.drive(y) + to_decoder)
    made = Decoding(memory, decoding.words, s, weights)
    h = before if isinstance(p.output, EarlyOutput) else s
    if rows is not None:
        h, y, to_output = h[rows], y[rows], to_output[rows]
    features = features_of_seen(p.output, h, y, to_output)
    ones = np.ones((features.shape[0], 1), np.float32)  # what the biases are a part of
    return made, np.concatenate((features, ones), axis=1) @ decoding.words


def reorder(decoding: Decoding, indices: np.ndarray) -> Decoding:
    """The state whose row i is row `indices[i]` of this one."""
    memory, state = decoding.memory, decoding.state
    memory = reorder_memory(memory, memory.mask.shape[0], len(state), indices)
    weights = decoding.weights[indices]
    return Decoding(memory, decoding.words, state[indices], weights)


def attention_weights(decoding: Decoding) -> np.ndarray:
    """Where the last step looked: (B, S)."""
    return decoding.weights
