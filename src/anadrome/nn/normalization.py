"""Layer normalisation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class LayerNorm:
    """The gain and bias of each feature."""

    gain: np.ndarray  # (H,)
    bias: np.ndarray  # (H,)


def layer_norm(p: LayerNorm, x: np.ndarray, epsilon: float = 1e-5) -> np.ndarray:
    """Features (…, H) with mean 0 and variance 1, then gain and bias.

    Ba, Kiros and Hinton (2016), equations 3 and 4.
    """
    centred = x - np.mean(x, axis=-1, keepdims=True)
    variance = np.mean(centred * centred, axis=-1, keepdims=True)
    return p.gain * (centred / np.sqrt(variance + epsilon)) + p.bias


def make_layer_norm(H: int) -> LayerNorm:
    """A normalisation that begins with gain 1 and bias 0."""
    return LayerNorm(np.ones(H, np.float32), np.zeros(H, np.float32))
