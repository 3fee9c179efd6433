"""How often words stand near each other, counted in bounded memory.

Pennington, Socher and Manning, "GloVe: global vectors for word representation" (2014),
section 3: two words that are d words apart count 1/d.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import anadrome as ad

EMPTY = -1
"""The key of a slot that is free."""

_PARTS = 16  # of the keys; parts that were written out are added up one at a time


@dataclass(frozen=True)
class Cooccurrences:
    """The pairs of words that stand near each other, ordered by both."""

    rows: np.ndarray  # (N,) the word before
    columns: np.ndarray  # (N,) the word after
    values: np.ndarray  # (N,) float64

    def __len__(self) -> int:
        return len(self.values)


def count_cooccurrences(
    ids: np.ndarray,
    size: int,
    *,
    window: int = 10,
    symmetric: bool = True,
    slots: int = 1 << 24,
) -> Cooccurrences:
    """The counts of a text of word numbers below `size`.

    A number below 0 is the end of a document, across which nothing is counted.

    A hash table of `slots` (16 bytes each) holds the counts. When three quarters of it
    are taken, they are written to temporary files in parts by key, and added up part
    by part at the end. With `symmetric`, a pair counts in both orders.
    """
    if slots & (slots - 1) or slots < 4 * window:
        raise ValueError(f"slots must be a power of two, and not {slots}")
    keys = np.full(slots, EMPTY, np.int64)
    sums = np.zeros(slots)
    ids = np.ascontiguousarray(ids, np.int64)
    start = 0
    with tempfile.TemporaryDirectory() as folder:
        runs = 0
        while True:
            start = int(_count(ids, start, size, window, keys, sums, 3 * slots // 4))
            found = np.flatnonzero(keys != EMPTY)
            some = keys[found], sums[found]
            if start == len(ids) and not runs:
                total_keys, total = _added(*some)
                break
            _write_out(Path(folder), runs, *some, size)
            runs += 1
            if start == len(ids):
                total_keys, total = _add_runs(Path(folder), runs)
                break
            keys[:] = EMPTY
            sums[:] = 0
    rows, columns = total_keys // size, total_keys % size
    if symmetric:
        return _both_orders(rows, columns, total, size)
    return Cooccurrences(rows, columns, total)


@ad.jit
def _count(
    ids: np.ndarray,
    start: int,
    size: int,
    window: int,
    keys: np.ndarray,
    sums: np.ndarray,
    full: int,
) -> int:
    """Count from a place in the text until its end, or until so many slots are taken.

    Gives the place where counting ended.
    """
    mask = len(keys) - 1
    taken = 0
    for t in range(start, len(ids)):
        if taken + window > full:
            return t
        second = ids[t]
        for distance in range(1, min(window, t) + 1):
            first = ids[t - distance]
            if first < 0 or second < 0:
                break
            key = first * size + second
            # Multiplicative hashing (Knuth, volume 3, 6.4) of the middle bits.
            slot = (key * 2654435761 >> 9) & mask
            while keys[slot] != key and keys[slot] >= 0:
                slot = (slot + 1) & mask
            if keys[slot] < 0:
                keys[slot] = key
                taken += 1
            sums[slot] += 1.0 / distance
    return len(ids)


def _added(keys: np.ndarray, sums: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Keys in order, each once, with their sums."""
    order = np.argsort(keys, kind="stable")
    keys, sums = keys[order], sums[order]
    first = np.flatnonzero(np.diff(keys, prepend=EMPTY) != 0)
    return keys[first], np.add.reduceat(sums, first) if len(first) else sums


def _write_out(
    folder: Path, run: int, keys: np.ndarray, sums: np.ndarray, size: int
) -> None:
    part = keys // (size * size // _PARTS + 1)
    for k in range(_PARTS):
        mine = part == k
        np.save(folder / f"{run}-{k}-keys.npy", keys[mine])
        np.save(folder / f"{run}-{k}-sums.npy", sums[mine])


def _add_runs(folder: Path, runs: int) -> tuple[np.ndarray, np.ndarray]:
    parts = []
    for k in range(_PARTS):
        keys = [np.load(folder / f"{run}-{k}-keys.npy") for run in range(runs)]
        sums = [np.load(folder / f"{run}-{k}-sums.npy") for run in range(runs)]
        parts.append(_added(np.concatenate(keys), np.concatenate(sums)))
    return (
        np.concatenate([part[0] for part in parts]),
        np.concatenate([part[1] for part in parts]),
    )


def _both_orders(
    rows: np.ndarray, columns: np.ndarray, values: np.ndarray, size: int
) -> Cooccurrences:
    keys = np.concatenate((rows * size + columns, columns * size + rows))
    keys, total = _added(keys, np.concatenate((values, values)))
    return Cooccurrences(keys // size, keys % size, total)
