"""An n-gram model as what search asks: `anadrome.decode.Scorer`."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from anadrome.ngram import query
from anadrome.ngram.lexicon import compiled
from anadrome.ngram.model import NgramModel
from anadrome.ngram.tables import Tables
from anadrome.text import BOS, PAD, Vocabulary

_BEFORE = -1  # the state before <s> and the prompt


def spread_rows(
    tables: Tables,
    begin: int,
    states: np.ndarray,
    tokens: np.ndarray,
    log_probs: np.ndarray,
    after: np.ndarray,
) -> None:
    """Write the states (N,) after tokens (N,), and what comes then (N, V), log10.

    `begin` is the state after the token before which there is none.
    """
    for i in range(len(states)):
        state = int(states[i])
        if state < 0:
            state = begin
        else:
            _, state = query.score(tables, state, int(tokens[i]))
        after[i] = state
        query.spread(tables, state, log_probs[i])


class NgramScorer:
    """A model that scores the next token of another vocabulary.

    Tokens that the model does not know are each as probable as `<unk>`, so what it says
    does not sum to one if there are several. Search is started with the number of
    sentences; all of them begin with the words of the prompt.
    """

    def __init__(
        self, model: NgramModel, vocabulary: Vocabulary, prompt: Sequence[str] = ()
    ) -> None:
        self.model = model
        self._begin = model.state(prompt, start=True)
        self.numbers = model.vocabulary.encode(vocabulary.tokens)  # (V,)
        self._rows = compiled(spread_rows) if model.native else spread_rows

    def start(self, source: int) -> np.ndarray:
        """The states (N,) before `<s>` and the prompt."""
        return np.full(source, _BEFORE, np.int64)

    def step(
        self, state: np.ndarray, last_tokens: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The next states, and the natural log-probabilities (N, V)."""
        size = len(self.model.vocabulary)
        spread = np.empty((len(state), size))
        after = np.empty(len(state), np.int64)
        tokens = self.numbers[last_tokens].astype(np.int64)
        self._rows(self.model.tables, self._begin, state, tokens, spread, after)
        log_probs = spread[:, self.numbers] * math.log(10)
        log_probs[:, [PAD, BOS]] = -np.inf
        return after, log_probs

    def reorder(self, state: np.ndarray, indices: np.ndarray) -> np.ndarray:
        """The states in another order."""
        return state[indices]
