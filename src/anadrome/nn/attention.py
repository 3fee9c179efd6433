"""Attention: where to look in a memory, and what is seen there.

A memory has S slots for each of B rows. Masks (B, S) are 1 on slots that may be seen.

The records here differ in how well they find that a query fits a slot. Each has two
methods, so that a decoder can have any of them: `prepare(memory)` is the part that is
the same for every query, slot by slot; `energies(query, prepared)` is the rest. Queries
are (…, H), memories (…, S, M), energies (…, S).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from anadrome.nn.activations import softmax
from anadrome.nn.initializers import glorot
from anadrome.options import OptionError
from anadrome.random import Key, split

HIDDEN = -1e9
"""Added to the energy of a slot that may not be seen: its weight is exactly 0."""


class Attention(Protocol):
    """What every kind of attention can do."""

    def prepare(self, memory: np.ndarray) -> np.ndarray:
        """What is the same for every query, for each slot of a memory (…, S, M)."""

    def energies(self, query: np.ndarray, prepared: np.ndarray) -> np.ndarray:
        """How well a query (…, H) fits each slot: (…, S)."""


@dataclass(frozen=True)
class AdditiveAttention:
    """Bahdanau, Cho and Bengio (2015), appendix A.1.2: e = vᵀ tanh(W s + U h)."""

    W: np.ndarray  # (H, A)
    U: np.ndarray  # (M, A)
    v: np.ndarray  # (A,)

    def prepare(self, memory: np.ndarray) -> np.ndarray:
        """The part U h (B, S, A) of the energies, the same for every query."""
        return memory @ self.U

    def energies(self, query: np.ndarray, prepared: np.ndarray) -> np.ndarray:
        """How well a query (…, H) fits each slot of what is prepared (…, S, A)."""
        return np.tanh(prepared + (query @ self.W)[..., None, :]) @ self.v


@dataclass(frozen=True)
class DotAttention:
    """e = sᵀ h: Luong, Pham and Manning (2015), section 3.1, "dot"; H is M."""

    def prepare(self, memory: np.ndarray) -> np.ndarray:
        """The memory."""
        return memory

    def energies(self, query: np.ndarray, prepared: np.ndarray) -> np.ndarray:
        """The products of a query with the slots."""
        return dot_energies(query, prepared)


@dataclass(frozen=True)
class ScaledDotAttention:
    """e = sᵀ h / √M: Vaswani et al. (2017), equation 1; H is M."""

    def prepare(self, memory: np.ndarray) -> np.ndarray:
        """The memory."""
        return memory

    def energies(self, query: np.ndarray, prepared: np.ndarray) -> np.ndarray:
        """The products of a query with the slots, of variance 1 if the two have it."""
        return scaled_dot_energies(query, prepared)


@dataclass(frozen=True)
class GeneralAttention:
    """e = sᵀ W h: Luong et al. (2015), section 3.1, "general", or bilinear."""

    W: np.ndarray  # (M, H)

    def prepare(self, memory: np.ndarray) -> np.ndarray:
        """The part W h (…, S, H)."""
        return memory @ self.W

    def energies(self, query: np.ndarray, prepared: np.ndarray) -> np.ndarray:
        """The products of a query with W h."""
        return dot_energies(query, prepared)


@dataclass(frozen=True)
class ReducedRankAttention:
    """e = (U s)ᵀ (V h): `GeneralAttention` with a W of rank A, smaller than H and M."""

    U: np.ndarray  # (H, A)
    V: np.ndarray  # (M, A)

    def prepare(self, memory: np.ndarray) -> np.ndarray:
        """The part V h (…, S, A)."""
        return memory @ self.V

    def energies(self, query: np.ndarray, prepared: np.ndarray) -> np.ndarray:
        """The products of U s with V h."""
        return dot_energies(query @ self.U, prepared)


@dataclass(frozen=True)
class LocationAttention:
    """e = W s: Luong et al. (2015), section 3.1; slots are known by their number only.

    W has a column for each of the slots of the longest memory.
    """

    W: np.ndarray  # (H, longest)

    def prepare(self, memory: np.ndarray) -> np.ndarray:
        """The memory, of which only the length is used."""
        return memory

    def energies(self, query: np.ndarray, prepared: np.ndarray) -> np.ndarray:
        """The first S of the energies that a query has for slots."""
        S, longest = prepared.shape[-2], self.W.shape[1]
        if S > longest:
            raise OptionError(
                "the memory has more slots than the attention has columns\n"
                "help: train with more of them, or give shorter sentences"
            )
        return query @ self.W[:, :S]


@dataclass(frozen=True)
class ContentAttention:
    """e = β cos(s, h): Graves, Wayne and Danihelka, "Neural Turing machines" (2014).

    Equations 5 and 6. The strength β is learnt; with 1 the energy is the cosine.
    """

    strength: np.ndarray  # (1,)

    def prepare(self, memory: np.ndarray) -> np.ndarray:
        """The slots, of length 1."""
        return _unit(memory)

    def energies(self, query: np.ndarray, prepared: np.ndarray) -> np.ndarray:
        """The cosines of the angles between a query and the slots, times β."""
        return self.strength * dot_energies(_unit(query), prepared)


def _unit(x: np.ndarray) -> np.ndarray:
    # A slot of padding is 0, and stays so.
    return x / np.sqrt(np.sum(x * x, axis=-1, keepdims=True) + 1e-12)


def dot_energies(query: np.ndarray, memory: np.ndarray) -> np.ndarray:
    """The products (…, S) of a query (…, M) with each slot of a memory (…, S, M).

    Luong, Pham and Manning (2015), equation 8, "dot".
    """
    return (memory @ query[..., None])[..., 0]


def scaled_dot_energies(query: np.ndarray, memory: np.ndarray) -> np.ndarray:
    """`dot_energies` over √M (Vaswani et al., 2017, equation 1)."""
    return dot_energies(query, memory) / query.shape[-1] ** 0.5


def attend(
    energies: np.ndarray, memory: np.ndarray, mask: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The weighted mean (B, M) of a memory (B, S, M), and the weights (B, S).

    Bahdanau et al. (2015), equations 5 and 6.
    """
    weights = softmax(energies + (1 - mask) * HIDDEN)
    return (weights[:, None, :] @ memory)[:, 0, :], weights


def make_additive_attention(key: Key, H: int, M: int, A: int) -> AdditiveAttention:
    """Additive attention with Glorot weights."""
    keys = split(key, 3)
    return AdditiveAttention(
        glorot(keys[0], (H, A)), glorot(keys[1], (M, A)), glorot(keys[2], (A, 1))[:, 0]
    )


def make_general_attention(key: Key, H: int, M: int) -> GeneralAttention:
    """General attention with Glorot weights."""
    return GeneralAttention(glorot(key, (M, H)))


def make_reduced_rank_attention(
    key: Key, H: int, M: int, A: int
) -> ReducedRankAttention:
    """Reduced-rank attention with Glorot weights."""
    one, other = split(key, 2)
    return ReducedRankAttention(glorot(one, (H, A)), glorot(other, (M, A)))


def make_location_attention(key: Key, H: int, longest: int) -> LocationAttention:
    """Location attention for memories of so many slots, with Glorot weights."""
    return LocationAttention(glorot(key, (H, longest)))


def make_content_attention() -> ContentAttention:
    """Content attention with the cosine itself."""
    return ContentAttention(np.ones(1, np.float32))
