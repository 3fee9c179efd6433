"""Tuning: decode, collect candidates, find weights for them, and again."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

import numpy as np

from anadrome.options import Count, NonNegative
from anadrome.smt import mert, mira
from anadrome.smt.bleu_counts import bleu_of
from anadrome.smt.candidates import CandidatePool
from anadrome.smt.decoder import Decoder
from anadrome.smt.options import UNKNOWNS
from anadrome.smt.sentences import Array


@dataclass(frozen=True)
class Tuning:
    """Options of tuning."""

    method: Literal["mert", "mira"] = "mira"  # how weights are found for candidates
    iterations: Count = 10  # how often the development set is decoded
    candidates: Count = 100  # translations of a sentence that are collected each time
    restarts: NonNegative = (
        20  # random weights that MERT starts from, besides known ones
    )
    patience: Count = 3  # stop after so many iterations without a better BLEU
    seed: NonNegative = 1  # of the random numbers


@dataclass(frozen=True)
class TuningStep:
    """An iteration of tuning."""

    iteration: int
    decoded: float  # BLEU of the translations with the weights
    weights: Array  # that the translations were made with
    new: int  # candidates that were not known
    expected: float  # BLEU of the next weights on all candidates


def tune(
    decoder: Decoder,
    sources: Sequence[Sequence[str]],
    references: Sequence[Sequence[str]],
    options: Tuning | None = None,
    *,
    threads: int = 1,
    tick: Callable[[int], None] | None = None,
) -> Iterator[TuningStep]:
    """Tune a decoder step by step; in the end it has the best weights found.

    `tick` is told how many sentences of an iteration are decoded.
    """
    options = options or Tuning()
    count = options.candidates

    def decode(
        mine: Decoder, pair: tuple[Sequence[str], Sequence[str]]
    ) -> tuple[Array, Array]:
        return mine.candidates(pair[0], count, pair[1])

    random = np.random.default_rng(options.seed)
    pool = CandidatePool(len(sources), decoder.features.size)
    # Unknown words cannot be avoided, so no candidates would tell what they cost.
    fixed = np.zeros(decoder.features.size, dtype=bool)
    fixed[UNKNOWNS] = True
    history: list[TuningStep] = []
    for iteration in range(1, options.iterations + 1):
        weights = decoder.weights
        new = 0
        rows = []
        pairs = zip(sources, references)
        for i, (values, statistics) in enumerate(decoder.share(decode, pairs, threads)):
            if len(values):
                rows.append(statistics[0])
                new += pool.add(i, values, statistics)
            if tick is not None:
                tick(i + 1)
        decoded = float(bleu_of(np.sum(rows, axis=0)))
        candidates = pool.candidates()
        starts = [weights]
        if history:
            starts.append(max(history, key=lambda s: s.decoded).weights)
        if options.method == "mira":
            found = [mira.optimise(candidates, weights, fixed, random)]
        else:
            for _ in range(options.restarts):
                starts.append(_random_weights(weights, fixed, random))
            # Random numbers of its own for each start: threads change nothing.
            with ThreadPoolExecutor(threads) as workers:
                found = list(
                    workers.map(
                        functools.partial(mert.optimise, candidates),
                        starts,
                        [fixed] * len(starts),
                        random.spawn(len(starts)),
                    )
                )
        chosen, expected = max(found, key=lambda pair: pair[1])
        step = TuningStep(iteration, decoded, weights, new, expected)
        history.append(step)
        yield step
        best = max(history, key=lambda s: s.decoded)
        if not new or iteration - best.iteration >= options.patience:
            break
        decoder.weights = _scaled(chosen, fixed)
    decoder.weights = max(history, key=lambda s: s.decoded).weights


def _random_weights(weights: Array, fixed: Array, random: np.random.Generator) -> Array:
    """Weights around given ones: each between its negative and three times it."""
    spread = np.maximum(np.abs(weights), 0.05)
    drawn = weights + random.uniform(-1.5, 1.5, len(weights)) * spread
    return np.where(fixed, weights, drawn)


def _scaled(weights: Array, fixed: Array) -> Array:
    """The same weights with absolute values that sum to 1 and unknown words alike."""
    total = np.abs(weights[~fixed]).sum()
    return np.where(fixed, weights, weights / max(total, 1e-9))
