"""How a multiscale model reads a text: its likeliest segmentation, arcs, samples.

The lattice of the thesis, figure 8.3: dynamic programs over the arcs whose scores the
model gives. In logarithms and float64; N symbols, M arcs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from anadrome.models.multiscale import (
    Config,
    MultiscaleParams,
    arc_scores,
    carry,
    score,
    states,
)
from anadrome.nn import log_softmax
from anadrome.text import EOS, Rows, TextSizes, Window
from anadrome.text.lattice import lattices
from anadrome.text.matcher import Matcher


@dataclass(frozen=True)
class Reading:
    """The arcs of a text, and what the model thinks of them."""

    starts: np.ndarray  # (M,) the place that an arc leaves
    ends: np.ndarray  # (M,) the place that it reaches
    tokens: np.ndarray  # (M,)
    scores: np.ndarray  # (M,) log-probabilities of tokens at their places
    ranks: np.ndarray  # (M,) how many tokens are at least as probable there, from 1
    posteriors: np.ndarray  # (M,) how likely a segmentation is to use the arc
    best: np.ndarray  # the arcs of the likeliest segmentation
    best_score: float  # its log-probability
    log_likelihood: float  # that of all together


def read(
    p: MultiscaleParams, numbers: np.ndarray, config: Config, matcher: Matcher
) -> Reading:
    """A text (N,) in every way at once."""
    N = len(numbers)
    sizes = TextSizes(len(matcher.lengths), int(matcher.lengths.max()))
    window = Rows(numbers, 1, functools.partial(lattices, matcher)).window(0, N)
    h, _ = states(p, window, config, carry(p, 1, config, sizes))
    scores = np.asarray(arc_scores(p, h, window), np.float64)
    first = window.lattice.first[1:] - window.lattice.first[1]
    tokens = window.lattice.tokens[window.lattice.first[1] :]
    ends = np.repeat(np.arange(1, N + 1), np.diff(first))
    starts = ends - matcher.lengths[tokens]
    logits = np.asarray(h[-N:] @ p.words.T + p.bias)
    ranks = [
        int((logits[i] > logits[i, token]).sum()) + 1
        for i, token in zip(starts, tokens)
    ]
    forward, backward = np.full(N + 1, -np.inf), np.full(N + 1, -np.inf)
    best, via = np.full(N + 1, -np.inf), np.zeros(N + 1, np.int64)
    forward[0] = best[0] = backward[N] = 0
    for i in range(1, N + 1):
        mine = slice(first[i - 1], first[i])
        forward[i] = np.logaddexp.reduce(forward[starts[mine]] + scores[mine])
        paths = best[starts[mine]] + scores[mine]
        via[i] = mine.start + int(np.argmax(paths))
        best[i] = paths.max()
    for i in range(N, 0, -1):
        for n in range(first[i - 1], first[i]):
            through = backward[i] + scores[n]
            backward[starts[n]] = np.logaddexp(backward[starts[n]], through)
    posteriors = np.exp(forward[starts] + scores + backward[ends] - forward[N])
    path = [int(via[N])]
    while starts[path[-1]] > 0:
        path.append(int(via[starts[path[-1]]]))
    return Reading(
        starts,
        ends,
        tokens,
        scores,
        np.array(ranks),
        posteriors,
        np.array(path[::-1]),
        float(best[N]),
        float(forward[N]),
    )


def sample(
    p: MultiscaleParams,
    config: Config,
    matcher: Matcher,
    spell: Callable[[int], list[int]],
    choose: Callable[[np.ndarray], np.ndarray],
    length: int,
    before: np.ndarray,
) -> list[int]:
    """Tokens that are drawn one after another until a line ends (table 8.2).

    `spell` gives the symbols of a token, `choose` a token from log-probabilities
    (1, V). At most so many symbols are made. The text begins after `before`.
    """
    sizes = TextSizes(len(matcher.lengths), int(matcher.lengths.max()))
    past: Any = carry(p, 1, config, sizes)
    # The text as a row begins with the end of a line, at place 0.
    row = [EOS, *before.tolist()]
    read_to = 0
    made: list[int] = []
    while sum(len(spell(t)) for t in made) < length:
        window = _unread(row, read_to, matcher)
        _, past = score(p, window, config, past)
        read_to = len(row)
        logits = log_softmax(past.layers[-1].h[:, -1] @ p.words.T + p.bias)
        token = int(choose(np.asarray(logits))[0])
        made.append(token)
        row.extend(spell(token))
        if EOS in spell(token):
            break
    return made


def _unread(row: list[int], begin: int, matcher: Matcher) -> Window:
    """The window that reads the places from `begin` on; what it predicts is nothing."""
    tokens = np.array([*row, EOS], np.int64)[:, None]
    T = len(row) - begin
    lattice = lattices(matcher, tokens)(begin, T)
    fresh = np.full(1, float(begin == 0), np.float32)
    return Window(tokens[begin:], np.ones((T, 1), np.float32), fresh, lattice)
