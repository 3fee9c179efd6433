"""Mixtures of models: weighted means of probabilities, with weights from a text.

p(w | h) = Σₘ λₘ pₘ(w | h). A word that some models know has no probability under the
others; one that none knows is `<unk>` to all of them. So the words that any model knows
and `<unk>` share a probability of one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import PathLike

import numpy as np

from anadrome.ngram.model import NgramModel
from anadrome.ngram.perplexity import Perplexity
from anadrome.ngram.tables import BOS, EOS, UNK
from anadrome.ngram.text import Text
from anadrome.text.errors import EmptyCorpus


class NgramMixture:
    """Models and their weights, which are made to add up to one."""

    def __init__(
        self, models: Sequence[NgramModel], weights: Sequence[float] | None = None
    ) -> None:
        if not models:
            raise ValueError("there must be at least one model")
        given = np.array([1.0] * len(models) if weights is None else weights, float)
        if given.shape != (len(models),):
            raise ValueError(f"{len(given)} weights for {len(models)} models")
        if not (np.isfinite(given).all() and given.min() >= 0 and given.sum() > 0):
            raise ValueError("the weights must not be negative, nor all zero")
        self.models = tuple(models)
        self.weights = given / given.sum()

    @classmethod
    def fit(cls, models: Sequence[NgramModel], text: Text) -> NgramMixture:
        """The mixture that a held-out text is most probable under."""
        probs = [p for p, _, _ in _scan_probs(models, text)]
        if not probs:
            raise EmptyCorpus("there is no sentence to fit weights to")
        return cls(models, fit_weights(np.concatenate(probs)).tolist())

    def perplexity(self, text: Text) -> Perplexity:
        """How well the mixture knows a text, with and without unknown words."""
        tokens = sentences = unknown = 0
        total = total_unknown = 0.0
        for probs, missing, ends in _scan_probs(self.models, text):
            with np.errstate(divide="ignore"):
                logs = np.log10(probs @ self.weights)
            tokens += len(logs)
            sentences += ends
            unknown += int(np.count_nonzero(missing))
            total += float(logs.sum())
            total_unknown += float(logs[missing].sum())
        return Perplexity(tokens, sentences, unknown, total, total_unknown)


def fit_weights(probs: np.ndarray, tolerance: float = 1e-7) -> np.ndarray:
    """The weights (M,) under which tokens with probabilities (T, M) are most probable.

    Expectation maximisation: a weight becomes the mean share that its model has in the
    probability of a token. The likelihood is concave, so there is one maximum.
    """
    probs = np.asarray(probs, float)
    if probs.ndim != 2 or not probs.shape[1]:
        raise ValueError(f"probabilities of shape {probs.shape}, not (T, M)")
    if not (np.isfinite(probs).all() and (probs >= 0).all()):
        raise ValueError("there is a probability that is negative or not a number")
    # Tokens that no model gives a probability say nothing about the weights.
    probs = probs[probs.sum(axis=1) > 0]
    weights = np.full(probs.shape[1], 1.0 / probs.shape[1])
    if not len(probs):
        return weights
    for _ in range(10_000):
        shares = probs * weights
        shares /= shares.sum(axis=1, keepdims=True)
        new = shares.mean(axis=0)
        done = abs(new - weights).max() < tolerance
        weights = new
        if done:
            break
    return weights


def _scan_probs(
    models: Sequence[NgramModel], text: Text
) -> Iterator[tuple[np.ndarray, np.ndarray, int]]:
    """The probabilities (T, M) of all words, which are unknown, and how many `</s>`."""
    if not isinstance(text, (str, PathLike, Sequence)):
        text = list(text)  # every model reads it
    for parts in zip(*(model.scan_numbers(text) for model in models), strict=True):
        numbers = np.stack(parts, axis=1)
        logs = np.stack(
            [model.score_numbers(part)[0] for model, part in zip(models, parts)], axis=1
        )
        words = numbers[:, 0] != BOS
        numbers, logs = numbers[words], logs[words]
        unknown = numbers == UNK
        nowhere = unknown.all(axis=1)
        probs = 10.0**logs
        probs[unknown & ~nowhere[:, None]] = 0.0
        yield probs, nowhere, int(np.count_nonzero(numbers[:, 0] == EOS))
