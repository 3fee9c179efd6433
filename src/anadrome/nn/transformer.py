"""Layers of a Transformer: attention and two products, each added to what comes in.

Vaswani et al., "Attention is all you need" (2017), section 3. Layer normalisation comes
after each sum, as in the paper, or before each part (Xiong et al., "On layer
normalization in the Transformer architecture", 2020). Everything is batch-major.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.nn.dropout import dropout
from anadrome.nn.linear import Linear, linear, make_linear
from anadrome.nn.multi_head import (
    MultiHeadAttention,
    look,
    make_multi_head_attention,
    multi_head_attention,
    project_memory,
)
from anadrome.nn.normalization import LayerNorm, layer_norm, make_layer_norm
from anadrome.random import Key, fold_in, split

Projected = tuple[np.ndarray, np.ndarray]
"""The keys and the values (B, N, S, D) of a memory."""


@dataclass(frozen=True)
class FeedForward:
    """max(0, x W₁ + b₁) W₂ + b₂ (equation 2)."""

    first: Linear
    second: Linear


@dataclass(frozen=True)
class EncoderLayer:
    """The weights of a layer that looks at its own inputs."""

    attention: MultiHeadAttention
    forward: FeedForward
    norms: tuple[LayerNorm, LayerNorm]


@dataclass(frozen=True)
class DecoderLayer:
    """The weights of a layer that looks at its own inputs, then at a memory."""

    own: MultiHeadAttention
    source: MultiHeadAttention
    forward: FeedForward
    norms: tuple[LayerNorm, LayerNorm, LayerNorm]


@dataclass(frozen=True)
class Residuals:
    """How the parts of a layer are added up: normalised before, and with dropout."""

    before: bool  # normalise what goes into a part, and not the sum
    rate: float = 0.0  # of dropout, where there is a key
    key: Key | None = None

    def enter(self, norm: LayerNorm, x: np.ndarray) -> np.ndarray:
        """What goes into a part."""
        return layer_norm(norm, x) if self.before else x

    def leave(
        self, norm: LayerNorm, x: np.ndarray, y: np.ndarray, number: int
    ) -> np.ndarray:
        """What comes out after part `number`, which made y of x."""
        if self.key is not None:
            y = dropout(y, self.rate, fold_in(self.key, number))
        return x + y if self.before else layer_norm(norm, x + y)


def feed_forward(p: FeedForward, x: np.ndarray) -> np.ndarray:
    """The same two products for every place."""
    return linear(p.second, np.maximum(linear(p.first, x), 0))


def encoder_layer(
    p: EncoderLayer, x: np.ndarray, mask: np.ndarray, residuals: Residuals
) -> np.ndarray:
    """The outputs (B, S, M) for inputs (B, S, M), of which a mask (B, 1, S) is seen."""
    y = residuals.enter(p.norms[0], x)
    y, _ = multi_head_attention(p.attention, y, y, mask)
    x = residuals.leave(p.norms[0], x, y, 0)
    y = feed_forward(p.forward, residuals.enter(p.norms[1], x))
    return residuals.leave(p.norms[1], x, y, 1)


def decoder_layer(
    p: DecoderLayer,
    x: np.ndarray,
    past: Projected | None,
    own_mask: np.ndarray,
    memory: Projected,
    mask: np.ndarray,
    residuals: Residuals,
) -> tuple[np.ndarray, Projected, np.ndarray]:
    """The outputs for inputs x, the keys and values of these, and the weights.

    The inputs are (B, T, M), or those of one time (B K, 1, M) with their past: K places
    of each memory that do not see each other. The weights (B, N, T or K, S) are those
    of the memory, of which a mask (B, 1, S) is seen.
    """
    y = residuals.enter(p.norms[0], x)
    keys, values = project_memory(p.own, y)
    if past is not None:
        keys = np.concatenate((past[0], keys), axis=2)
        values = np.concatenate((past[1], values), axis=2)
    y, _ = look(p.own, y, keys, values, own_mask)
    x = residuals.leave(p.norms[0], x, y, 0)
    y = residuals.enter(p.norms[1], x).reshape(memory[0].shape[0], -1, x.shape[2])
    y, weights = look(p.source, y, memory[0], memory[1], mask)
    x = residuals.leave(p.norms[1], x, y.reshape(x.shape), 1)
    y = feed_forward(p.forward, residuals.enter(p.norms[2], x))
    return residuals.leave(p.norms[2], x, y, 2), (keys, values), weights


def make_encoder_layer(key: Key, M: int, N: int, F: int) -> EncoderLayer:
    """A layer of M features, N heads and F units between the two products."""
    keys = split(key, 3)
    return EncoderLayer(
        make_multi_head_attention(keys[0], M, N),
        FeedForward(make_linear(keys[1], M, F), make_linear(keys[2], F, M)),
        (make_layer_norm(M), make_layer_norm(M)),
    )


def make_decoder_layer(key: Key, M: int, N: int, F: int) -> DecoderLayer:
    """A layer of M features, N heads and F units between the two products."""
    keys = split(key, 4)
    return DecoderLayer(
        make_multi_head_attention(keys[0], M, N),
        make_multi_head_attention(keys[1], M, N),
        FeedForward(make_linear(keys[2], M, F), make_linear(keys[3], F, M)),
        (make_layer_norm(M), make_layer_norm(M), make_layer_norm(M)),
    )
