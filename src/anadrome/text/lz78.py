"""The phrases of Ziv and Lempel's parse of a stream.

Ziv and Lempel, "Compression of individual sequences via variable-rate coding" (1978):
the stream is cut into phrases, each the longest one seen before and one symbol more.
"""

from __future__ import annotations

import numpy as np

import anadrome as ad


def parse_phrases(
    stream: np.ndarray, symbols: int, capacity: int, wall: int = -1
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """The phrases of a stream (N,) of numbers below `symbols`.

    For each the place where it was first cut, its length, and how many phrases begin
    with it, itself among them; with them how many there are. Phrases are nodes of a
    trie, whose edges are in a hash table; `capacity` is a power of 2 above 2 N. A
    phrase ends before the symbol `wall` (-1 for none), and the next begins behind it.
    """
    N = len(stream)
    keys, nodes = np.full(capacity, -1), np.zeros(capacity, np.int64)
    place, length = np.zeros(N + 1, np.int64), np.zeros(N + 1, np.int64)
    count = np.zeros(N + 1, np.int64)
    mask = capacity - 1
    made = 1  # the empty phrase
    node, begin = 0, 0
    for i in range(N):
        if stream[i] == wall:
            node, begin = 0, i + 1
            continue
        key = node * symbols + stream[i]
        slot = (node * 40503 + stream[i] * 10007) & mask
        while keys[slot] != key and keys[slot] != -1:
            slot = (slot + 1) & mask
        if keys[slot] == key:
            node = nodes[slot]
            count[node] += 1
        else:
            keys[slot] = key
            nodes[slot] = made
            place[made], length[made] = begin, i + 1 - begin
            count[made] = 1
            made += 1
            node, begin = 0, i + 1
    return place[1:made], length[1:made], count[1:made], made - 1


parse_phrases_native = ad.jit(parse_phrases)
