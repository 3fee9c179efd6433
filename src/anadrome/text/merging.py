"""Merges and un-merges over a stream of symbols, with counts that are kept up to date.

Algorithm 3 of the thesis (8.2.3), and plain byte-pair encoding over the same stream.
The commonest pair is merged, of several the one of the lowest numbers, from left to
right. Then the rarest token goes, and the next, as long as it is rarer than the level;
its places are given to its parts, or to theirs if they have gone. The algorithm has the
count of the newest token for the level. That count can rise again, for un-merging
brings pairs back; then tokens go that were made a moment ago, come again, and on real
text it does not end. So the level is the lowest count that any new token has had.

One symbol may be a wall, which no token holds: what stands between walls is cut by
itself.

Tokens are numbered: the symbols 0, …, A - 1, then the merged ones as they are made. Two
tokens that spell the same symbols are one. Everything is an array, so that the whole of
it is native code:

- `first[i]` is the token that begins at place i of the stream, -1 if none does;
  `last[i]` is the token that ends there, if one does
- `table` is a hash table of pairs: key, count, and the first and last of the places
  where the pair has been (`places`, `after`); places may be out of date
- `heap` holds count and pair in one number; an entry whose count is no longer true is
  put back with the true one

No step passes over the stream, only over the places of the pair or token in question.
"""

from __future__ import annotations

import numpy as np

import anadrome as ad

LIMIT = 1 << 16
"""More tokens than this cannot be numbered."""

_PAIRS = LIMIT * LIMIT
_EMPTY = -1


def merge_stream(
    stream: np.ndarray,
    symbols: int,
    wanted: int,
    unmerge: bool,
    max_merges: int,
    capacity: int,
    wall: int = -1,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, int]:
    """The tokens that merges make of a stream (N,) of numbers below `symbols`.

    Merging stops at `wanted` tokens, or when no pair occurs twice, or after so many
    merges. For each token: its two parts (-1 for symbols), a place where it is spelt,
    its length, how often it occurs now, and whether it is still in the dictionary; with
    them how many tokens were ever made. `capacity`, a power of 2, is the size
    of the table at first. `wall` is the symbol that is never merged, -1 if there is
    none.
    """
    N = len(stream)
    first, last = stream.copy(), stream.copy()
    M = min(LIMIT, symbols + max_merges + 1)
    left, right = np.full(M, -1), np.full(M, -1)
    sample, length = np.zeros(M, np.int64), np.ones(M, np.int64)
    count, live = np.zeros(M, np.int64), np.zeros(M, np.int64)
    code = np.zeros(M, np.int64)  # a number of the spelling
    begin, finish = np.full(M, -1), np.full(M, -1)  # of the places of a token
    for i in range(N):
        count[stream[i]] += 1
        sample[stream[i]] = i
    for s in range(symbols):
        live[s] = 1
        code[s] = s + 1
    made = symbols
    size = symbols

    room = 3 * N + 1024
    places, after = np.zeros(room, np.int64), np.zeros(room, np.int64)
    token_places, token_after = np.zeros(room, np.int64), np.zeros(room, np.int64)
    while capacity < 2 * min(N, symbols * symbols):
        capacity *= 2
    table = np.full((capacity, 4), _EMPTY)
    touched = np.zeros(capacity, np.int64)
    stamps = np.full(capacity, -1)
    heap = np.zeros(4 * capacity, np.int64)
    # how many there are of: pairs, places, places of tokens, entries of the heap,
    # touched pairs, and the number of the merge
    sizes = np.zeros(6, np.int64)
    collect(first, length, table, places, after, heap, sizes, wall)

    parts = np.zeros(N + 1, np.int64)
    stack = np.zeros(N + 1, np.int64)
    merges = 0
    level = N + 1
    while size < wanted and merges < max_merges and made < M:
        # the commonest pair
        found = -1
        while sizes[3] > 0 and found < 0:
            top = pop(heap, sizes)
            key = _PAIRS - 1 - top % _PAIRS
            slot = find(table, key)
            true = table[slot, 1]
            if true == top // _PAIRS:
                found = slot
            elif true > 1:
                push(heap, sizes, true * _PAIRS + (_PAIRS - 1 - key))
        if found < 0:
            break
        merges += 1
        key = table[found, 0]
        j, k = key // LIMIT, key % LIMIT

        # the token of this spelling: a new one, or one there is or has been
        spelt = join_codes(code[j], code[k], length[k])
        long = length[j] + length[k]
        place = spelling_place(first, length, table, places, after, found, j, k)
        new = made
        for t in range(symbols, made):
            if new == made and code[t] == spelt and length[t] == long:
                if same(stream, sample[t], place, long):
                    new = t
        if new == made:
            made += 1
            code[new], length[new], sample[new] = spelt, long, place
        if live[new] == 0:
            live[new] = 1
            left[new], right[new] = j, k
            size += 1

        need = 2 * table[found, 1] + 2
        if is_full(table, places, heap, sizes, need):
            table, touched, stamps, heap = make_room(table, sizes, need)
            collect(first, length, table, places, after, heap, sizes, wall)
            collect_tokens(
                first, length, symbols, begin, finish, token_places, token_after, sizes
            )
            found = find(table, key)
        sizes[4] = 0
        sizes[5] = merges

        # substitute
        at = table[found, 2]
        if j == k:
            at = in_order(places, after, at)
        while at >= 0:
            i = places[at]
            at = after[at]
            if first[i] != j:
                continue
            m = i + length[j]
            if m >= N or first[m] != k:
                continue
            end = i + long
            change(table, j, k, -1)
            if i > 0:
                other = last[i - 1]
                change(table, other, j, -1)
                begin_pair(
                    table,
                    places,
                    after,
                    touched,
                    stamps,
                    sizes,
                    other,
                    new,
                    i - length[other],
                )
            if end < N:
                other = first[end]
                change(table, k, other, -1)
                begin_pair(table, places, after, touched, stamps, sizes, new, other, i)
            first[m] = -1
            first[i] = new
            last[end - 1] = new
            count[j] -= 1
            count[k] -= 1
            count[new] += 1
            note(begin, finish, token_places, token_after, sizes, new, i)

        # tokens that have become too rare go
        level = min(level, count[new])
        while unmerge and size < wanted:
            rare = -1
            for t in range(symbols, made):
                if live[t] == 1 and count[t] < level:
                    if rare < 0 or count[t] < count[rare]:
                        rare = t
            if rare < 0:
                break
            live[rare] = 0
            size -= 1
            pieces = split(rare, left, right, live, parts, stack)
            need = (pieces + 1) * count[rare] + 2
            if is_full(table, places, heap, sizes, need):
                table, touched, stamps, heap = make_room(table, sizes, need)
                collect(first, length, table, places, after, heap, sizes, wall)
                collect_tokens(
                    first,
                    length,
                    symbols,
                    begin,
                    finish,
                    token_places,
                    token_after,
                    sizes,
                )
                sizes[4] = 0  # all pairs are in the heap
            at = begin[rare]
            while at >= 0:
                i = token_places[at]
                at = token_after[at]
                if first[i] != rare:
                    continue
                end = i + length[rare]
                before = -1
                if i > 0:
                    before = last[i - 1]
                    change(table, before, rare, -1)
                if end < N:
                    change(table, rare, first[end], -1)
                start = i
                if before >= 0:
                    start = i - length[before]
                for p in range(pieces):
                    part = parts[p]
                    if before >= 0:
                        begin_pair(
                            table,
                            places,
                            after,
                            touched,
                            stamps,
                            sizes,
                            before,
                            part,
                            start,
                        )
                    start = i
                    first[i] = part
                    i += length[part]
                    last[i - 1] = part
                    count[part] += 1
                    if part >= symbols:
                        note(
                            begin, finish, token_places, token_after, sizes, part, start
                        )
                    before = part
                if end < N:
                    begin_pair(
                        table,
                        places,
                        after,
                        touched,
                        stamps,
                        sizes,
                        before,
                        first[end],
                        start,
                    )
            count[rare] = 0
            begin[rare], finish[rare] = -1, -1

        for n in range(sizes[4]):
            slot = touched[n]
            if table[slot, 1] > 1 and may_join(table[slot, 0], wall):
                entry = table[slot, 1] * _PAIRS + (_PAIRS - 1 - table[slot, 0])
                push(heap, sizes, entry)
    return left, right, sample, length, count, live, made


merge_stream_native = ad.jit(merge_stream)


# The table of pairs -------------------------------------------------------------------


def find(table: np.ndarray, key: int) -> int:
    """The slot of a pair, or the empty one where it would be."""
    mask = len(table) - 1
    slot = (key // LIMIT * 40503 + key % LIMIT * 10007) & mask
    while table[slot, 0] != key and table[slot, 0] != _EMPTY:
        slot = (slot + 1) & mask
    return slot


def change(table: np.ndarray, j: int, k: int, by: int) -> None:
    """Count a pair that is in the table."""
    table[find(table, j * LIMIT + k), 1] += by


def begin_pair(
    table: np.ndarray,
    places: np.ndarray,
    after: np.ndarray,
    touched: np.ndarray,
    stamps: np.ndarray,
    sizes: np.ndarray,
    j: int,
    k: int,
    place: int,
) -> None:
    """Count a pair that has come to stand at a place."""
    key = j * LIMIT + k
    slot = find(table, key)
    if table[slot, 0] == _EMPTY:
        table[slot, 0] = key
        table[slot, 1] = 0
        sizes[0] += 1
    table[slot, 1] += 1
    n = sizes[1]
    sizes[1] = n + 1
    places[n] = place
    after[n] = -1
    if table[slot, 2] < 0:
        table[slot, 2] = n
    else:
        after[table[slot, 3]] = n
    table[slot, 3] = n
    if stamps[slot] != sizes[5]:
        stamps[slot] = sizes[5]
        touched[sizes[4]] = slot
        sizes[4] += 1


def collect(
    first: np.ndarray,
    length: np.ndarray,
    table: np.ndarray,
    places: np.ndarray,
    after: np.ndarray,
    heap: np.ndarray,
    sizes: np.ndarray,
    wall: int,
) -> None:
    """Count all pairs of the stream anew, with the places of each side by side."""
    N = len(first)
    table[:] = _EMPTY
    sizes[0] = 0
    sizes[3] = 0
    j = first[0]
    i = length[j]
    while i < N:
        k = first[i]
        key = j * LIMIT + k
        slot = find(table, key)
        if table[slot, 0] == _EMPTY:
            table[slot, 0] = key
            table[slot, 1] = 0
            sizes[0] += 1
        table[slot, 1] += 1
        j = k
        i += length[k]
    total = 0
    for slot in range(len(table)):
        if table[slot, 0] != _EMPTY:
            table[slot, 2] = total
            table[slot, 3] = total
            total += table[slot, 1]
            if table[slot, 1] > 1 and may_join(table[slot, 0], wall):
                entry = table[slot, 1] * _PAIRS + (_PAIRS - 1 - table[slot, 0])
                push(heap, sizes, entry)
    sizes[1] = total
    i = 0
    j = first[0]
    while i + length[j] < N:
        m = i + length[j]
        k = first[m]
        slot = find(table, j * LIMIT + k)
        n = table[slot, 3]
        places[n] = i
        after[n] = n + 1
        table[slot, 3] = n + 1
        i = m
        j = k
    for slot in range(len(table)):
        if table[slot, 0] != _EMPTY:
            table[slot, 3] -= 1
            after[table[slot, 3]] = -1


def may_join(key: int, wall: int) -> bool:
    """Whether neither of a pair is the wall."""
    return key // LIMIT != wall and key % LIMIT != wall


def is_full(
    table: np.ndarray,
    places: np.ndarray,
    heap: np.ndarray,
    sizes: np.ndarray,
    need: int,
) -> bool:
    """Whether so many more pairs might find no room."""
    return (
        max(sizes[1], sizes[2]) + need > len(places)
        or sizes[3] + sizes[4] + need > len(heap)
        or 2 * (sizes[0] + need) > len(table)
    )


def make_room(
    table: np.ndarray, sizes: np.ndarray, need: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """An empty table with room for more pairs, and the heap that goes with it.

    Between them what is touched, and when it was.
    """
    C = len(table)
    while 3 * (sizes[0] + need) > C:
        C *= 2
    return (
        np.full((C, 4), _EMPTY),
        np.zeros(C, np.int64),
        np.full(C, -1),
        np.zeros(4 * C, np.int64),
    )


# Places of tokens ---------------------------------------------------------------------


def note(
    begin: np.ndarray,
    finish: np.ndarray,
    token_places: np.ndarray,
    token_after: np.ndarray,
    sizes: np.ndarray,
    token: int,
    place: int,
) -> None:
    """Remember where a token is."""
    n = sizes[2]
    sizes[2] = n + 1
    token_places[n] = place
    token_after[n] = -1
    if begin[token] < 0:
        begin[token] = n
    else:
        token_after[finish[token]] = n
    finish[token] = n


def collect_tokens(
    first: np.ndarray,
    length: np.ndarray,
    symbols: int,
    begin: np.ndarray,
    finish: np.ndarray,
    token_places: np.ndarray,
    token_after: np.ndarray,
    sizes: np.ndarray,
) -> None:
    """Find the places of all merged tokens anew."""
    begin[:] = -1
    finish[:] = -1
    sizes[2] = 0
    i = 0
    while i < len(first):
        token = first[i]
        if token >= symbols:
            note(begin, finish, token_places, token_after, sizes, token, i)
        i += length[token]


def in_order(places: np.ndarray, after: np.ndarray, at: int) -> int:
    """The same list with its places in ascending order; its new first entry.

    A pair of equal tokens overlaps with itself, and is merged from left to right.
    """
    n = 0
    entry = at
    while entry >= 0:
        n += 1
        entry = after[entry]
    entries = np.zeros(n, np.int64)
    entry = at
    for m in range(n):
        entries[m] = entry
        entry = after[entry]
    order = np.sort(places[entries])
    for m in range(n):
        places[entries[m]] = order[m]
    return at


# Tokens -------------------------------------------------------------------------------


def spelling_place(
    first: np.ndarray,
    length: np.ndarray,
    table: np.ndarray,
    places: np.ndarray,
    after: np.ndarray,
    slot: int,
    j: int,
    k: int,
) -> int:
    """A place where a pair stands now."""
    at = table[slot, 2]
    while at >= 0:
        i = places[at]
        if first[i] == j:
            m = i + length[j]
            if m < len(first) and first[m] == k:
                return i
        at = after[at]
    return -1


def join_codes(one: int, other: int, length: int) -> int:
    """The number of a spelling from those of its two parts: a polynomial."""
    prime, base = 2147483629, 1000003
    power = 1
    for _ in range(length):
        power = power * base % prime
    return (one * power + other) % prime


def same(stream: np.ndarray, a: int, b: int, length: int) -> bool:
    """Whether the same symbols stand at two places."""
    return bool(np.all(stream[a : a + length] == stream[b : b + length]))


def split(
    token: int,
    left: np.ndarray,
    right: np.ndarray,
    live: np.ndarray,
    parts: np.ndarray,
    stack: np.ndarray,
) -> int:
    """How many tokens of the dictionary a token falls into; they are put in `parts`."""
    n, top = 0, 1
    stack[0] = token
    while top > 0:
        top -= 1
        t = stack[top]
        if live[t] == 1:
            parts[n] = t
            n += 1
        else:
            stack[top] = right[t]
            stack[top + 1] = left[t]
            top += 2
    return n


# The heap -----------------------------------------------------------------------------


def push(heap: np.ndarray, sizes: np.ndarray, entry: int) -> None:
    """Put a number into the heap."""
    n = sizes[3]
    sizes[3] = n + 1
    while n > 0:
        parent = (n - 1) // 2
        if heap[parent] >= entry:
            break
        heap[n] = heap[parent]
        n = parent
    heap[n] = entry


def pop(heap: np.ndarray, sizes: np.ndarray) -> int:
    """Take the largest number out of the heap."""
    top = heap[0]
    sizes[3] -= 1
    size = sizes[3]
    entry = heap[size]
    n = 0
    while 2 * n + 1 < size:
        child = 2 * n + 1
        if child + 1 < size and heap[child + 1] > heap[child]:
            child += 1
        if heap[child] <= entry:
            break
        heap[n] = heap[child]
        n = child
    heap[n] = entry
    return top
