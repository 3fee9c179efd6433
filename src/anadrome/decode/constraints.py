"""What outputs must or must not hold.

A constraint sees the tokens that were said and rules out some of those that may come
next, so every search obeys it, also the exhaustive one. Nothing is renormalised: the
log-probability of an output is the scorer's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np

from anadrome.text.vocabulary import EOS


class Constraint(Protocol):
    """A rule about the tokens of outputs."""

    def forbid(
        self, said: np.ndarray, owners: np.ndarray, log_probs: np.ndarray
    ) -> None:
        """Set to -inf the log-probabilities (R, V) of what may not come next.

        `said` (R, t) are the tokens of each row so far, without `<s>`, and `owners`
        (R,) the numbers of the sentences that they are outputs for.
        """


Sequences = Sequence[Sequence[int]]


def _checked(sequences: Iterable[Sequence[int]], what: str) -> list[tuple[int, ...]]:
    """The sequences as tuples; none may be empty."""
    made = [tuple(int(token) for token in sequence) for sequence in sequences]
    if () in made:
        raise ValueError(f"a sequence of no tokens cannot be {what}")
    return made


def _bar(log_probs: np.ndarray, rows: np.ndarray, token: int) -> None:
    """Rule out a token in some rows, if the vocabulary has it."""
    if token < log_probs.shape[1]:
        log_probs[rows, token] = -np.inf


def _ends_with(said: np.ndarray, sequence: Sequence[int]) -> np.ndarray:
    """Which rows (R,) of what was said end with a sequence."""
    length = len(sequence)
    if length > said.shape[1]:
        return np.zeros(len(said), bool)
    tail = said[:, said.shape[1] - length :]
    same: np.ndarray = np.all(tail == np.asarray(sequence, said.dtype), axis=1)
    return same


class Forbidden:
    """No output holds any of these sequences of tokens; one token is a sequence too."""

    def __init__(self, sequences: Sequences) -> None:
        self.sequences = _checked(sequences, "forbidden")

    def forbid(
        self, said: np.ndarray, owners: np.ndarray, log_probs: np.ndarray
    ) -> None:
        """Rule out what would complete a forbidden sequence."""
        for *begun, last in self.sequences:
            _bar(log_probs, np.flatnonzero(_ends_with(said, begun)), last)


class NoRepeat:
    """No run of `length` tokens occurs twice in an output (Paulus et al. 2018)."""

    def __init__(self, length: int = 3) -> None:
        if length < 1:
            raise ValueError(f"runs of {length} tokens cannot repeat")
        self.length = length

    def forbid(
        self, said: np.ndarray, owners: np.ndarray, log_probs: np.ndarray
    ) -> None:
        """Rule out what would complete a run a second time."""
        n, t = self.length, said.shape[1]
        if t < n:
            return
        runs = np.lib.stride_tricks.sliding_window_view(said, n, axis=1)
        begun = said[:, None, t - n + 1 :]  # (R, 1, n-1)
        rows, places = np.nonzero(np.all(runs[:, :, :-1] == begun, axis=2))
        log_probs[rows, runs[rows, places, -1]] = -np.inf


class Prefix:
    """The output for sentence i begins with the tokens `prefixes[i]`."""

    def __init__(self, prefixes: Sequences) -> None:
        self.prefixes = [np.asarray(prefix, np.int64) for prefix in prefixes]

    def forbid(
        self, said: np.ndarray, owners: np.ndarray, log_probs: np.ndarray
    ) -> None:
        """Rule out everything but the next token of the prefix."""
        t = said.shape[1]
        for owner in np.unique(owners):
            prefix = self.prefixes[owner]
            if t >= len(prefix):
                continue
            if prefix[t] >= log_probs.shape[1]:
                raise ValueError(
                    f"the prefix of sentence {owner} holds the token {prefix[t]}, but "
                    f"the vocabulary has {log_probs.shape[1]}"
                )
            rows = np.flatnonzero(owners == owner)
            given = log_probs[rows, prefix[t]]
            log_probs[rows] = -np.inf
            log_probs[rows, prefix[t]] = given


class Required:
    """The output for sentence i holds each of the token sequences `phrases[i]`.

    A sequence that is named twice occurs twice at least; different sequences may
    overlap. No output ends before it holds them all. Beam search divides its places
    among hypotheses by how many of the tokens they have (dynamic beam allocation, Post
    and Vilar 2018), so that there are some that will end.
    """

    def __init__(self, phrases: Sequence[Sequences], eos: int = EOS) -> None:
        self.eos = eos
        self.phrases = [Counter(_checked(given, "required")) for given in phrases]
        for i, wanted in enumerate(self.phrases):
            if any(eos in phrase for phrase in wanted):
                raise ValueError(f"sentence {i}: no output goes on after its end")

    def forbid(
        self, said: np.ndarray, owners: np.ndarray, log_probs: np.ndarray
    ) -> None:
        """Rule out the end of what lacks some of the phrases."""
        lacking = self.progress(said, owners) < self.needed(owners)
        log_probs[lacking, self.eos] = -np.inf

    def needed(self, owners: np.ndarray) -> np.ndarray:
        """How many tokens (R,) the phrases of each row have together."""
        sizes = [
            sum(len(phrase) * times for phrase, times in wanted.items())
            for wanted in self.phrases
        ]
        return np.asarray(sizes, np.int64)[owners]

    def lacking(self, owner: int, said: Sequence[int]) -> int:
        """How many tokens of the phrases of a sentence an output does not have."""
        owners = np.array([owner])
        made = self.progress(np.array([said], np.int64), owners)
        return int((self.needed(owners) - made)[0])

    def progress(self, said: np.ndarray, owners: np.ndarray) -> np.ndarray:
        """How many tokens (R,) of the phrases each row has.

        Those of a phrase that is begun count only while it may be completed.
        """
        made = np.zeros(len(said), np.int64)
        for owner in np.unique(owners):
            rows = np.flatnonzero(owners == owner)
            mine = said[rows]
            for phrase, times in self.phrases[owner].items():
                found = np.minimum(_count(mine, phrase), times)
                begun = np.where(found < times, _begun(mine, phrase), 0)
                made[rows] += found * len(phrase) + begun
        return made

    def next_tokens(self, said: np.ndarray, owners: np.ndarray) -> np.ndarray:
        """Tokens (R, E) that add to the progress of each row; -1 for none.

        No token occurs twice in a row.
        """
        most = max((len(wanted) for wanted in self.phrases), default=0)
        tokens = np.full((len(said), most), -1, np.int64)
        for owner in np.unique(owners):
            rows = np.flatnonzero(owners == owner)
            mine = said[rows]
            for e, (phrase, times) in enumerate(self.phrases[owner].items()):
                following = np.asarray(phrase, np.int64)[_begun(mine, phrase)]
                wanted = _count(mine, phrase) < times
                fresh = ~np.any(tokens[rows, :e] == following[:, None], axis=1)
                tokens[rows, e] = np.where(wanted & fresh, following, -1)
        return tokens


def _count(said: np.ndarray, phrase: Sequence[int]) -> np.ndarray:
    """How often (R,) a phrase occurs in each row."""
    if said.shape[1] < len(phrase):
        return np.zeros(len(said), np.int64)
    runs = np.lib.stride_tricks.sliding_window_view(said, len(phrase), axis=1)
    same = np.all(runs == np.asarray(phrase, said.dtype), axis=2)
    counted: np.ndarray = same.sum(axis=1)
    return counted


def _begun(said: np.ndarray, phrase: Sequence[int]) -> np.ndarray:
    """How many tokens (R,) of a phrase, but not all, each row ends with."""
    begun = np.zeros(len(said), np.int64)
    for length in range(1, len(phrase)):
        begun[_ends_with(said, phrase[:length])] = length
    return begun


def forbid_all(
    constraints: Sequence[Constraint],
    said: np.ndarray,
    owners: np.ndarray,
    log_probs: np.ndarray,
) -> None:
    """Let every constraint rule out what may not come next."""
    for constraint in constraints:
        constraint.forbid(said, owners, log_probs)
