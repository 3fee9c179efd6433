"""A memory of the source that all hypotheses of a sentence look at.

A search looks at every slot many times. A context is a weighted mean of slots, and
enters a model by way of matrices: with the slots multiplied by these once, the mean is
all that is left to do in a step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from anadrome.nn import AdditiveAttention, map_arrays, softmax
from anadrome.nn.attention import HIDDEN

Shared = TypeVar("Shared")


@dataclass(frozen=True)
class Memory:
    """What the encoder leaves to the decoder."""

    slots: np.ndarray  # (B, S, M), or for a search what they add elsewhere
    prepared: np.ndarray  # (B, S, A) what energies need of the slots
    mask: np.ndarray  # (B, S)


def attend_together(
    attention: AdditiveAttention, memory: Memory, queries: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """What queries (B K, H) see, (B K, M), and their weights (B K, S).

    They are those of K hypotheses, in rows that follow each other, for each sentence.
    """
    B, S, width = memory.slots.shape
    queries = queries.reshape(B, -1, queries.shape[1])  # (B, K, H)
    energies = attention.energies(queries, memory.prepared[:, None])  # (B, K, S)
    weights = softmax(energies + (1 - memory.mask[:, None]) * HIDDEN)
    return (weights @ memory.slots).reshape(-1, width), weights.reshape(-1, S)


def reorder_memory(memory: Shared, B: int, rows: int, indices: np.ndarray) -> Shared:
    """The memory of B sentences for a search whose row i was row `indices[i]`.

    There were so many rows, equally many for each sentence, one after the other. The
    memory stays as it is, or loses sentences, as long as every sentence that is left
    has equally many rows; otherwise there is a sentence for each row.
    """
    owners = indices // (rows // B)  # the sentence of each row
    kept, counts = np.unique(owners, return_counts=True)
    grouped = np.all(counts == counts[:1]) and np.all(np.diff(owners) >= 0)
    kept = kept if grouped else owners
    if len(kept) != B or not grouped:
        return map_arrays(lambda array: array[kept], memory)
    return memory
