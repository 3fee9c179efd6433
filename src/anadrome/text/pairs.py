"""Pairs of sentences as a model reads them: numbers in a batch, with masks.

Axis letters: B sentences in the batch, S source positions, T target positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anadrome.text.batching import mask_lengths
from anadrome.text.vocabulary import BOS, EOS, pad_sentences


@dataclass(frozen=True)
class PairSizes:
    """How many tokens the two vocabularies have."""

    source: int
    target: int


@dataclass(frozen=True)
class PairBatch:
    """Padded sentences. Masks are float32: 1 on tokens and 0 on padding.

    Arrays are batch-major (B, T), or time-major (T, B) when asked for, which is what a
    loop over time wants.
    """

    indices: np.ndarray  # (B,) places of the pairs in the corpus
    source: np.ndarray  # (B, S) tokens, then </s>
    source_lengths: np.ndarray  # (B,) counting </s>
    source_mask: np.ndarray  # (B, S)
    target_in: np.ndarray  # (B, T) <s>, then the tokens
    target_out: np.ndarray  # (B, T) the tokens, then </s>
    target_lengths: np.ndarray  # (B,) counting </s>
    target_mask: np.ndarray  # (B, T)

    @property
    def size(self) -> int:
        """How many target tokens there are, with `</s>` and without padding."""
        return int(self.target_lengths.sum())


def make_pair_batch(
    source: Sequence[np.ndarray],
    target: Sequence[np.ndarray],
    indices: np.ndarray,
    *,
    time_major: bool = False,
) -> PairBatch:
    """The batch of the pairs with these indices; sentences bear no special tokens."""
    start, end = np.array([BOS]), np.array([EOS])
    padded, lengths = pad_sentences([np.concatenate([source[i], end]) for i in indices])
    inputs, target_lengths = pad_sentences(
        [np.concatenate([start, target[i]]) for i in indices]
    )
    outputs, _ = pad_sentences([np.concatenate([target[i], end]) for i in indices])

    def transposed(array: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(array.T) if time_major else array

    return PairBatch(
        indices=np.asarray(indices),
        source=transposed(padded),
        source_lengths=lengths,
        source_mask=transposed(mask_lengths(lengths, padded.shape[1])),
        target_in=transposed(inputs),
        target_out=transposed(outputs),
        target_lengths=target_lengths,
        target_mask=transposed(mask_lengths(target_lengths, inputs.shape[1])),
    )
