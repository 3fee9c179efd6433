"""Integer algorithms over arrays, lists and dictionaries: counting, merging, searching.

What is measured is the program itself, without a gradient.
"""

from __future__ import annotations

import heapq

import numpy as np

from benchmarks.program import Arguments, Goal, Peer, Program, sizes


def hash_counting(words, bits):
    size = 1 << bits
    mask = size - 1
    keys = np.full(size, -1)
    counts = np.zeros(size, dtype=np.int64)
    for w in words:
        h = ((w * 2654435761) >> 7) & mask
        while keys[h] != -1 and keys[h] != w:
            h = (h + 1) & mask
        keys[h] = w
        counts[h] += 1
    distinct = 0
    best = 0
    for h in range(size):
        if counts[h] > 0:
            distinct += 1
            if counts[h] > best:
                best = counts[h]
    return distinct, best


def heap(values, k):
    smallest = []
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


def model_one(source, target, lengths_s, lengths_t, vs, vt, rounds):
    t = np.full((vs, vt), 1.0 / vt)
    for _ in range(rounds):
        counts = np.zeros((vs, vt))
        totals = np.zeros(vs)
        s0 = 0
        t0 = 0
        for n in range(len(lengths_s)):
            ls = lengths_s[n]
            lt = lengths_t[n]
            for j in range(lt):
                f = target[t0 + j]
                norm = 0.0
                for i in range(ls):
                    norm += t[source[s0 + i], f]
                for i in range(ls):
                    e = source[s0 + i]
                    c = t[e, f] / norm
                    counts[e, f] += c
                    totals[e] += c
            s0 += ls
            t0 += lt
        for e in range(vs):
            if totals[e] > 0.0:
                for f in range(vt):
                    t[e, f] = counts[e, f] / totals[e]
    return t


def aho_corasick(patterns, lengths, text):
    """patterns: bytes one after the other; number of occurrences of each."""
    total = 1
    for n in lengths:
        total += n
    go = np.full((total, 256), -1)
    fail = np.zeros(total, dtype=np.int64)
    out = np.full(total, -1)
    size = 1
    at = 0
    for p in range(len(lengths)):
        state = 0
        for k in range(lengths[p]):
            byte = patterns[at + k]
            if go[state, byte] < 0:
                go[state, byte] = size
                size += 1
            state = go[state, byte]
        out[state] = p
        at += lengths[p]
    queue = []
    for byte in range(256):
        if go[0, byte] < 0:
            go[0, byte] = 0
        else:
            queue.append(go[0, byte])
    link = np.full(total, -1)
    head = 0
    while head < len(queue):
        state = queue[head]
        head += 1
        f = fail[state]
        link[state] = f if out[f] >= 0 else link[f]
        for byte in range(256):
            following = go[state, byte]
            if following < 0:
                go[state, byte] = go[f, byte]
            else:
                fail[following] = go[f, byte]
                queue.append(following)
    counts = np.zeros(len(lengths), dtype=np.int64)
    state = 0
    for byte in text:
        state = go[state, byte]
        s = state
        while s > 0:
            if out[s] >= 0:
                counts[out[s]] += 1
            s = link[s]
    return counts


def dictionary_counting(words):
    counts = {}
    previous = -1
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
    order = sorted(range(len(keys)), key=lambda i: (keys[i], -values[i]))
    total = 0
    for place, i in enumerate(order):
        total += place * values[i] % 1000
    return total


def byte_pair_merging(text, merges):
    tokens = [int(c) for c in text]
    made = []
    following = 256
    for _ in range(merges):
        counts = {}
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


def phrase_extraction(links, source_lengths, target_lengths, link_counts, longest):
    """links: pairs (source, target) of all sentences."""
    phrases = 0
    checksum = 0
    at = 0
    for n in range(len(source_lengths)):
        ls = source_lengths[n]
        lt = target_lengths[n]
        aligned = [False] * lt
        pairs = []
        for k in range(link_counts[n]):
            pairs.append((links[at + k, 0], links[at + k, 1]))
            aligned[links[at + k, 1]] = True
        at += link_counts[n]
        for s1 in range(ls):
            for s2 in range(s1, min(s1 + longest, ls)):
                t1 = lt
                t2 = -1
                for s, t in pairs:
                    if s1 <= s <= s2:
                        t1 = min(t1, t)
                        t2 = max(t2, t)
                if t2 < 0 or t2 - t1 >= longest:
                    continue
                good = True
                for s, t in pairs:
                    if t1 <= t <= t2 and (s < s1 or s > s2):
                        good = False
                        break
                if not good:
                    continue
                a = t1
                while True:
                    b = t2
                    while b - a < longest:
                        phrases += 1
                        checksum += (s1 * 31 + s2 * 17 + a * 7 + b) % 1009
                        b += 1
                        if b >= lt or aligned[b]:
                            break
                    a -= 1
                    if a < 0 or aligned[a] or t2 - a >= longest:
                        break
    return phrases, checksum


def beam(scores, width):
    steps, symbols = scores.shape
    hypotheses = [(0.0, 0)]
    parents = []
    for t in range(steps):
        candidates = []
        for k in range(len(hypotheses)):
            total, last = hypotheses[k]
            for s in range(symbols):
                candidates.append((total + scores[t, s] - 0.1 * (s == last), s, k))
        candidates.sort(reverse=True)
        hypotheses = []
        back = []
        for total, s, k in candidates[:width]:
            hypotheses.append((total, s))
            back.append((k, s))
        parents.append(back)
    best = max(hypotheses)
    return best


def edit_distance(a, b):
    previous = list(range(len(b) + 1))
    for i in range(len(a)):
        current = [i + 1]
        for j in range(len(b)):
            cost = 0 if a[i] == b[j] else 1
            current.append(min(previous[j + 1] + 1, current[j] + 1, previous[j] + cost))
        previous = current
    return previous[-1]


def union_find(edges, n):
    parent = list(range(n))
    size = [1] * n
    groups = n
    for k in range(len(edges)):
        a = edges[k, 0]
        b = edges[k, 1]
        while parent[a] != a:
            parent[a] = parent[parent[a]]
            a = parent[a]
        while parent[b] != b:
            parent[b] = parent[parent[b]]
            b = parent[b]
        if a != b:
            if size[a] < size[b]:
                a, b = b, a
            parent[b] = a
            size[a] += size[b]
            groups -= 1
    return groups, max(size)


# What they are given ----------------------------------------------------------------


def _words(rng: np.random.Generator, count: int) -> np.ndarray:
    """Numbers of words, some of them far more frequent than others."""
    return rng.zipf(1.3, count) % 20_000


def _sentences(rng: np.random.Generator, count: int) -> Arguments:
    words, rounds = 300, 3
    lengths = rng.integers(4, 20, (2, count))
    source, target = (rng.integers(0, words, n.sum()) for n in lengths)
    return source, target, lengths[0], lengths[1], words, words, rounds


def _patterns(rng: np.random.Generator, count: int) -> Arguments:
    lengths = rng.integers(3, 8, 200)
    patterns = rng.integers(97, 105, lengths.sum()).astype(np.uint8)
    return patterns, lengths, rng.integers(97, 105, count).astype(np.uint8)


def _text(rng: np.random.Generator, count: int) -> np.ndarray:
    text = b"the quick brown fox jumps over the lazy dog and then he said that there "
    text += b"is no other way to go on with this "
    return np.frombuffer(text * (count // len(text) + 1), dtype=np.uint8)[:count]


def _alignments(rng: np.random.Generator, count: int) -> Arguments:
    source = rng.integers(8, 20, count)
    target = source + rng.integers(-3, 4, count)
    links = []
    for n, m in zip(source, target):
        places = np.arange(n)
        near = np.clip(places + rng.integers(-1, 2, n), 0, m - 1)
        links.append(np.stack([places, near], 1))
    return np.concatenate(links), source, target, source, 7


def _program(
    name: str,
    function: object,
    arguments: object,
    size: dict[str, int],
    tiny: dict[str, int],
    where: str = "",
) -> Program:
    peer = f"numba_systems.{where or function.__name__}"  # type: ignore[attr-defined]
    return Program(
        name=name,
        function=function,  # type: ignore[arg-type]
        arguments=arguments,  # type: ignore[arg-type]
        argnums=(),
        sizes=sizes((size,)),
        tiny=tiny,
        peers={"numba": Peer("numba", peer)},
        goals=(Goal("numba", 1 / 1.5),),
        tolerance=1e-10,
    )


PROGRAMS = (
    _program(
        "hash counting",
        hash_counting,
        lambda rng, words: (_words(rng, words), 16),
        {"words": 200_000},
        {"words": 300},
    ),
    _program(
        "heap",
        heap,
        lambda rng, numbers, k: (rng.integers(0, 10**9, numbers), k),
        {"numbers": 200_000, "k": 1000},
        {"numbers": 200, "k": 20},
    ),
    _program(
        "IBM Model 1",
        model_one,
        lambda rng, sentences: _sentences(rng, sentences),
        {"sentences": 400},
        {"sentences": 3},
    ),
    _program(
        "Aho–Corasick",
        aho_corasick,
        lambda rng, bytes: _patterns(rng, bytes),
        {"bytes": 200_000},
        {"bytes": 100},
    ),
    _program(
        "dictionary counting",
        dictionary_counting,
        lambda rng, words: (_words(rng, words),),
        {"words": 200_000},
        {"words": 300},
    ),
    _program(
        "sorting by key",
        sorting_by_key,
        lambda rng, items: (
            rng.integers(0, 5000, items),
            rng.integers(0, 10**6, items),
        ),
        {"items": 50_000},
        {"items": 100},
    ),
    _program(
        "byte-pair merging",
        byte_pair_merging,
        lambda rng, bytes, merges: (_text(rng, bytes), merges),
        {"bytes": 10_000, "merges": 30},
        {"bytes": 200, "merges": 4},
    ),
    _program(
        "phrase extraction",
        phrase_extraction,
        lambda rng, sentences: _alignments(rng, sentences),
        {"sentences": 300},
        {"sentences": 3},
    ),
    _program(
        "beam of tuples",
        beam,
        lambda rng, steps, width: (rng.normal(size=(steps, 200)), width),
        {"steps": 100, "width": 10},
        {"steps": 4, "width": 3},
    ),
    _program(
        "edit distance",
        edit_distance,
        lambda rng, length: (
            rng.integers(0, 30, length),
            rng.integers(0, 30, length + 100),
        ),
        {"length": 600},
        {"length": 12},
    ),
    _program(
        "union–find",
        union_find,
        lambda rng, edges: (rng.integers(0, edges, (edges, 2)), edges),
        {"edges": 100_000},
        {"edges": 60},
    ),
)
