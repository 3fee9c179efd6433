"""Candidates: the translations that decoding gave, accumulated while weights change."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from anadrome.smt.bleu_counts import WIDTH
from anadrome.smt.sentences import Array


@dataclass(frozen=True)
class Candidates:
    """The candidates of all sentences, one sentence after the other."""

    values: Array  # (N, F) features
    statistics: Array  # (N, 9) of BLEU
    starts: Array  # (S + 1,) where the candidates of each sentence begin

    def __len__(self) -> int:
        return len(self.starts) - 1

    def best(self, weights: Array) -> Array:
        """The best candidate of every sentence."""
        scores = self.values @ weights
        best = np.empty(len(self), dtype=np.int64)
        for s in range(len(self)):
            first, end = self.starts[s], self.starts[s + 1]
            best[s] = first + int(np.argmax(scores[first:end]))
        return best


class CandidatePool:
    """Candidates of sentences, each kept once however often it comes."""

    def __init__(self, sentences: int, features: int) -> None:
        self._values: list[list[Array]] = [[] for _ in range(sentences)]
        self._statistics: list[list[Array]] = [[] for _ in range(sentences)]
        self._seen: list[set[bytes]] = [set() for _ in range(sentences)]
        self._features = features

    def add(self, sentence: int, values: Array, statistics: Array) -> int:
        """Add candidates of a sentence; how many are new."""
        rounded = np.round(np.column_stack([values, statistics]), 4) + 0.0
        seen = self._seen[sentence]
        new = []
        for k in range(len(values)):
            key = rounded[k].tobytes()
            if key not in seen:
                seen.add(key)
                new.append(k)
        if new:
            self._values[sentence].append(values[new])
            self._statistics[sentence].append(statistics[new])
        return len(new)

    def candidates(self) -> Candidates:
        """All candidates."""
        counts = [sum(map(len, parts)) for parts in self._values]
        values = [part for parts in self._values for part in parts]
        rows = [part for parts in self._statistics for part in parts]
        return Candidates(
            np.concatenate(values) if values else np.empty((0, self._features)),
            np.concatenate(rows) if rows else np.empty((0, WIDTH)),
            np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        )
