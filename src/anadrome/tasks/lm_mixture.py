"""Mixtures of language models of one unit: weighted means of their probabilities.

p(w | h) = Σₘ λₘ pₘ(w | h), with the weights that make a held-out text most probable.
A word that some models know has no probability under the others; one that none knows
is `<unk>` to all of them. So the words that any model knows and `<unk>` share a
probability of one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anadrome.ngram import NgramModel, fit_weights
from anadrome.ngram.tables import BOS
from anadrome.ngram.tables import UNK as NGRAM_UNK
from anadrome.options import OptionError
from anadrome.tasks.lm import log_probabilities
from anadrome.tasks.lm_lines import LanguageModel, Total
from anadrome.text import UNK


@dataclass(frozen=True)
class Mixed:
    """What a text is to several models: a row for each unit, a column for each model.

    Where a model does not know a unit, its probability is that of `<unk>`.
    """

    probs: np.ndarray  # (N, M)
    unknown: np.ndarray  # (N, M) whether a model does not know the unit

    @classmethod
    def of(cls, models: Sequence[LanguageModel], lines: Sequence[str]) -> Mixed:
        """The units of a running text, and its line ends."""
        if len({unit_of(model) for model in models}) != 1:
            raise OptionError("models of words and of characters are not mixed")
        scores, missing = zip(*(_scan(model, lines) for model in models))
        return cls(np.exp(np.stack(scores, axis=1)), np.stack(missing, axis=1))

    @cached_property
    def shares(self) -> np.ndarray:
        """The probabilities (N, M) that are mixed: none for what only others know."""
        nowhere = self.unknown.all(axis=1, keepdims=True)
        return np.where(self.unknown & ~nowhere, 0.0, self.probs)

    def fit(self) -> np.ndarray:
        """The weights (M,) under which the text is most probable."""
        return fit_weights(self.shares)

    def total(self, weights: np.ndarray) -> Total:
        """The log-probability of the text under a mixture."""
        with np.errstate(divide="ignore"):
            nats = np.log(self.shares @ weights)
        nowhere = np.all(self.unknown, axis=1)
        return _total(nats, nowhere)

    def alone(self, model: int) -> Total:
        """The log-probability of the text under one of the models."""
        return _total(np.log(self.probs[:, model]), self.unknown[:, model])


def _total(nats: np.ndarray, unknown: np.ndarray) -> Total:
    lost = nats[unknown]
    return Total(float(nats.sum()), len(nats), float(lost.sum()), len(lost))


def unit_of(model: LanguageModel) -> str:
    """What a model reads: words or characters."""
    return "words" if isinstance(model, NgramModel) else str(model.codecs.unit)


def _scan(model: LanguageModel, lines: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """The log-probabilities (N,) of units, in nats, and which are unknown (N,)."""
    if isinstance(model, NgramModel):
        numbers = np.concatenate(list(model.scan_numbers(list(lines))))
        words = numbers != BOS
        logs, _ = model.score_numbers(numbers)
        return logs[words] * math.log(10), numbers[words] == NGRAM_UNK
    if model.codecs.dictionary is not None:
        raise OptionError(
            "a multiscale model is not mixed: a character has no probability of its "
            "own in it"
        )
    found = model.codecs.encode(lines)
    return log_probabilities(model, found), found == UNK
