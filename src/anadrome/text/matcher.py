"""All tokens that end at each place of a stream, found in one pass.

Aho and Corasick, "Efficient string matching: an aid to bibliographic search" (1975),
with the failure function put into the table of moves (section 6 of the paper).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import anadrome as ad


class Matcher:
    """An automaton for tokens that are sequences of symbols, numbers below `symbols`.

    Every symbol is a token by itself, with its own number; the longer tokens have the
    numbers symbols, symbols + 1, …
    """

    def __init__(self, symbols: int, longer: Sequence[Sequence[int]]) -> None:
        self.symbols = symbols
        self.lengths = np.array([1] * symbols + [len(t) for t in longer], np.int64)
        flat = np.array([s for token in longer for s in token], np.int64)
        # Only symbols of longer tokens have a column in the table of moves.
        self._column = np.zeros(symbols, np.int64)
        used = np.unique(flat)
        self._column[used] = np.arange(1, len(used) + 1)
        # The automaton is small; walking the text is what must be fast.
        self._moves, self._token, self._shorter = _build(
            self._column[flat], self.lengths[symbols:], len(used) + 1, symbols
        )

    def arcs(self, stream: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The tokens that end at each place: those of place i are
        `tokens[first[i] : first[i + 1]]`, the shortest first.
        """
        walk = _walk_native if len(stream) > 20000 else _walk
        return walk(
            np.asarray(stream), self._column, self._moves, self._token, self._shorter
        )


def _build(
    flat: np.ndarray, lengths: np.ndarray, columns: int, symbols: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Moves (S, columns), the token of each state or -1, and the next shorter state
    that has one, or 0.
    """
    S = len(flat) + 1
    moves = np.zeros((S, columns), np.int64)
    token = np.full(S, -1)
    made, at = 1, 0
    for n, length in enumerate(lengths.tolist()):
        state = 0
        for symbol in flat[at : at + length].tolist():
            if moves[state, symbol] == 0:
                moves[state, symbol] = made
                made += 1
            state = int(moves[state, symbol])
        token[state] = symbols + n
        at += length
    moves, token = moves[:made], token[:made]
    fail, shorter = np.zeros(made, np.int64), np.zeros(made, np.int64)
    queue = moves[0][moves[0] > 0].tolist()
    for state in queue:  # in the order of depth; the list grows
        back = fail[state]
        shorter[state] = back if token[back] >= 0 else shorter[back]
        children = moves[state]
        known = children > 0
        queue.extend(children[known].tolist())
        fail[children[known]] = moves[back][known]
        moves[state] = np.where(known, children, moves[back])
    return moves, token, shorter


def _walk(
    stream: np.ndarray,
    column: np.ndarray,
    moves: np.ndarray,
    token: np.ndarray,
    shorter: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    N = len(stream)
    first = np.zeros(N + 1, np.int64)
    state = 0
    for i in range(N):
        state = moves[state, column[stream[i]]]
        found = 1
        at = state
        while at > 0:
            if token[at] >= 0:
                found += 1
            at = shorter[at]
        first[i + 1] = first[i] + found
    tokens = np.zeros(first[N], np.int64)
    state = 0
    for i in range(N):
        state = moves[state, column[stream[i]]]
        n = first[i + 1]
        at = state
        while at > 0:
            if token[at] >= 0:
                n -= 1
                tokens[n] = token[at]
            at = shorter[at]
        tokens[n - 1] = stream[i]
    return first, tokens


_walk_native = ad.jit(_walk)
