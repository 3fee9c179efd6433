"""The ways to read rows of characters in tokens of a dictionary: arcs of a lattice.

Thesis, figure 8.3: a state for each place of the text, an arc for each token that ends
there. Axis letters: T symbols that a window predicts, B rows, N arcs, K arcs that end
at one place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from anadrome.text.matcher import Matcher


@dataclass(frozen=True)
class Lattice:
    """The arcs that end at the places 0, …, T of a window, by place and then by row.

    Those of place t are `first[t]`, …, `first[t + 1] - 1`. A source is a row of the
    states that are known at place t: first those of places before the window from
    which arcs come, then those of the window, B rows for each place. The former are
    rows of the `longest` places before the window, B for each: `opening` those that
    only arcs into place 0 leave, then `past` all others.
    """

    first: np.ndarray  # (T + 2,)
    tokens: np.ndarray  # (N,)
    distinct: np.ndarray  # (D,) the tokens that occur
    kinds: np.ndarray  # (N,) which of them an arc is
    sources: np.ndarray  # (N,)
    ends: np.ndarray  # (N,) the row of the window's states that an arc leads to
    opening: np.ndarray  # rows before the window
    past: np.ndarray  # rows before the window
    mean: np.ndarray  # (B, N) float32: 1 / n for the n arcs into the place of a row
    # Which arcs, counted from place 1, end at the place t + 1 of row b, and how long
    # they are; as many as there are, `arc_mask` is 0 behind them.
    arcs: np.ndarray  # (T, B, K)
    lengths: np.ndarray  # (T, B, K)
    arc_mask: np.ndarray  # (T, B, K) float32


def lattices(matcher: Matcher, tokens: np.ndarray) -> Callable[[int, int], Lattice]:
    """The lattice of the window of rows (L + 1, B) that begins at a place.

    The symbol at place 0 of a row was read before, so no arc crosses it.
    """
    found = []
    for b in range(tokens.shape[1]):
        first, arcs = matcher.arcs(tokens[1:, b])
        # place 0 has the arc of its own symbol
        first = np.concatenate(([0], first + 1))
        found.append((first, np.concatenate((tokens[:1, b], arcs))))
    offsets = np.concatenate(([0], np.cumsum([len(arcs) for _, arcs in found])))
    starts = np.stack([f + o for (f, _), o in zip(found, offsets)])  # (B, L + 2)
    every = np.concatenate([arcs for _, arcs in found]).astype(np.int32)

    def window(begin: int, length: int) -> Lattice:
        return _window(matcher, starts[:, begin : begin + length + 2], every)

    return window


def _window(matcher: Matcher, starts: np.ndarray, every: np.ndarray) -> Lattice:
    """The lattice of the places whose arcs are between `starts` (B, T + 2)."""
    B, T = starts.shape[0], starts.shape[1] - 2
    longest = int(matcher.lengths.max())
    counts = np.diff(starts, axis=1).T  # (T + 1, B)
    flat = counts.reshape(-1)
    ends = np.cumsum(flat)
    begins = ends - flat
    N = int(ends[-1])
    # the place and row of each arc, and which of the arcs there it is
    where = np.repeat(np.arange(len(flat)), flat)
    nth = np.arange(N) - begins[where]
    place, row = where // B, where % B
    tokens = every[starts.T[:-1].reshape(-1)[where] + nth].astype(np.int64)
    sizes = matcher.lengths[tokens]
    distinct, kinds = np.unique(tokens, return_inverse=True)
    sources = (longest + place - sizes) * B + row
    opening, past, sources = _compact(sources, longest * B, place)
    mean = np.zeros((B, N), np.float32)
    mean[row, np.arange(N)] = (np.float32(1) / flat.astype(np.float32))[where]
    first = np.concatenate(([0], ends[B - 1 :: B]))
    skipped = int(first[1])
    K = int(counts[1:].max(initial=1))
    shape = (T + 1, B, K)
    arcs, lengths = np.zeros(shape, np.int64), np.ones(shape, np.int64)
    mask = np.zeros(shape, np.float32)
    late = slice(skipped, N)
    at = (place[late], row[late], nth[late])
    arcs[at] = np.arange(N - skipped)
    lengths[at] = sizes[late]
    mask[at] = 1
    return Lattice(
        first,
        tokens,
        distinct,
        kinds,
        sources,
        where,
        opening,
        past,
        mean,
        arcs[1:],
        lengths[1:],
        mask[1:],
    )


def _compact(
    sources: np.ndarray, before: int, place: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The old rows that arcs leave, and the sources counted among them.

    Few tokens are as long as the longest, so most of the old rows are not needed.
    """
    old = sources < before
    past = np.unique(sources[old & (place > 0)])
    opening = np.setdiff1d(sources[old], past)
    kept = np.concatenate((opening, past))
    renamed = np.empty(before, np.int64)
    renamed[kept] = np.arange(len(kept))
    moved = sources - before + len(kept)
    moved[old] = renamed[sources[old]]
    return opening, past, moved
