"""The integer algorithms for Numba: as they are, and where it needs it, with types.

An empty list or dictionary gets its types from what it is told first. Functions cannot
be given to `sorted` if they read what surrounds them, and its sort is not stable: the
place of an item is part of its key.
"""

# mypy: ignore-errors

from __future__ import annotations

import heapq

import numpy as np
from numba import types
from numba.typed import Dict

from benchmarks.families import systems

hash_counting = systems.hash_counting
model_one = systems.model_one
aho_corasick = systems.aho_corasick
phrase_extraction = systems.phrase_extraction
beam = systems.beam
edit_distance = systems.edit_distance
union_find = systems.union_find

PAIR = types.UniTuple(types.int64, 2)


def heap(values, k):
    smallest = [values[0] for _ in range(0)]
    for v in values:
        if len(smallest) < k:
            heapq.heappush(smallest, -v)
        elif -v > smallest[0]:
            heapq.heapreplace(smallest, -v)
    total = 0
    place = 1
    while len(smallest) > 0:
        total += place * heapq.heappop(smallest)
        place += 1
    return total


def dictionary_counting(words):
    counts = Dict.empty(PAIR, types.int64)
    previous = np.int64(-1)
    for w in words:
        key = (previous, w)
        counts[key] = counts.get(key, 0) + 1
        previous = w
    best = 0
    argbest = (0, 0)
    for key, n in counts.items():
        if n > best:
            best = n
            argbest = key
    return len(counts), best, argbest


def sorting_by_key(keys, values):
    order = [(keys[i], -values[i], i) for i in range(len(keys))]
    order.sort()
    total = 0
    for place in range(len(order)):
        total += place * values[order[place][2]] % 1000
    return total


def byte_pair_merging(text, merges):
    tokens = [np.int64(c) for c in text]
    made = []
    following = np.int64(256)
    for _ in range(merges):
        counts = Dict.empty(PAIR, types.int64)
        for k in range(len(tokens) - 1):
            pair = (tokens[k], tokens[k + 1])
            counts[pair] = counts.get(pair, 0) + 1
        best = (0, 0)
        most = 0
        for pair, n in counts.items():
            if n > most or (n == most and pair < best):
                most = n
                best = pair
        if most < 2:
            break
        a, b = best
        merged = []
        k = 0
        while k < len(tokens):
            if k + 1 < len(tokens) and tokens[k] == a and tokens[k + 1] == b:
                merged.append(following)
                k += 2
            else:
                merged.append(tokens[k])
                k += 1
        tokens = merged
        made.append(best)
        following += 1
    return len(tokens), made
