"""A continuous-space language model as a feature of the decoder (thesis, 4.4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from anadrome.smt.phrase_table import PhraseTable
from anadrome.smt.sentences import Array
from anadrome.text.errors import CorpusError
from anadrome.text.vocabulary import UNK, Vocabulary
from anadrome.train.task import Trained

_TOGETHER = 1024  # contexts whose distributions are in memory at once
_MOST = 4_000_000  # n-grams that are remembered

UNKNOWN_COUNT = "unknown words"
"""The column of a table that counts words which networks do not know (WP)."""


class NeuralLm:
    """A trained feed-forward language model that scores n-grams, each once."""

    def __init__(self, trained: Trained) -> None:
        score = trained.model.find("score_after")
        if score is None or trained.codecs.unit != "words":
            raise CorpusError(
                f"the {trained.model.name} model cannot score n-grams of words",
                help="train one with: anadrome train lm --model cslm",
            )
        self._score, self._trained = score, trained
        self.order: int = max(2, trained.config.order)
        self._known: dict[bytes, float] = {}

    @property
    def vocabulary(self) -> Vocabulary:
        """The words that it knows."""
        found: Vocabulary = self._trained.codecs.vocabulary
        return found

    def numbers(self, words: Sequence[str]) -> Array:
        """The number of each word, that of `<unk>` for those outside its shortlist."""
        return np.asarray(self.vocabulary.encode(list(words)), np.int64)

    def score(self, ngrams: Array) -> Array:
        """The log-probabilities (N,) of the last words of n-grams (N, n)."""
        rows = np.ascontiguousarray(ngrams, dtype=np.int32)
        keys = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1])))
        unique, back = np.unique(keys[:, 0], return_inverse=True)
        known = self._known
        names = [key.tobytes() for key in unique]
        new = [k for k, name in enumerate(names) if name not in known]
        if new:
            if len(known) > _MOST:
                known.clear()
                new = list(range(len(names)))
            asked = unique[new].view(np.int32).reshape(len(new), -1)
            for k, value in zip(new, self._ask(asked).tolist()):
                known[names[k]] = value
        return np.array([known[name] for name in names])[back]

    def _ask(self, ngrams: Array) -> Array:
        contexts, which = np.unique(ngrams[:, :-1], axis=0, return_inverse=True)
        which = which.reshape(-1)
        order = np.argsort(which, kind="stable")
        found = np.empty(len(ngrams))
        for first in range(0, len(contexts), _TOGETHER):
            begin, end = np.searchsorted(which[order], (first, first + _TOGETHER))
            mine = order[begin:end]
            params: Any = self._trained.params
            found[mine] = self._score(
                params,
                contexts[first : first + _TOGETHER].astype(np.int64),
                which[mine] - first,
                ngrams[mine, -1].astype(np.int64),
                self._trained.config,
            )
        return found


def add_unknown_counts(table: PhraseTable, vocabulary: Vocabulary) -> PhraseTable:
    """The table with minus the words of each target that a network does not know.

    It is the penalty WP of table 4.1: networks overrate words that are all `<unk>`.
    """
    numbers = np.asarray(vocabulary.encode(table.target.words))
    unknown = (numbers == UNK)[table.target_words]
    counts = np.add.reduceat(
        np.append(unknown, False).astype(float), table.target_starts[:-1]
    )
    kept = [k for k, name in enumerate(table.names) if name != UNKNOWN_COUNT]
    return table.with_scores(
        np.column_stack([table.scores[:, kept], -counts]),
        [*(table.names[k] for k in kept), UNKNOWN_COUNT],
    )
