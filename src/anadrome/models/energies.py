"""How states are compared with the source, chosen by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

from anadrome.nn import (
    Attention,
    DotAttention,
    make_additive_attention,
    make_content_attention,
    make_general_attention,
    make_location_attention,
    make_reduced_rank_attention,
)
from anadrome.random import Key

Energies = Literal["general", "concat", "dot", "location", "reduced-rank", "content"]
"""Luong et al. (2015), section 3.1; general of a lower rank; the cosine."""


def make_energies(kind: Energies, key: Key, H: int, rank: int, slots: int) -> Attention:
    """What compares states (…, H) with slots (…, S, H).

    The rank is that of "reduced-rank"; "location" knows so many slots.
    """
    make: dict[str, Callable[[], Attention]] = {
        "general": partial(make_general_attention, key, H, H),
        "concat": partial(make_additive_attention, key, H, H, H),
        "dot": DotAttention,
        "location": partial(make_location_attention, key, H, slots),
        "reduced-rank": partial(make_reduced_rank_attention, key, H, H, rank),
        "content": make_content_attention,
    }
    return make[kind]()
