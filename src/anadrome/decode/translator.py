"""A trained translator: text in, text out."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import anadrome as ad
from anadrome.decode.beam import beam_search
from anadrome.decode.candidates import Candidates, best_tokens
from anadrome.decode.greedy import greedy_search
from anadrome.decode.interface import Hypothesis, Limits
from anadrome.decode.penalties import LengthPenalty, PowerPenalty
from anadrome.models import Model
from anadrome.nn import log_softmax, log_sum_exp, map_arrays
from anadrome.text import EOS, TextCodec, mask_lengths, pad_sentences

DEFAULT_PENALTY = PowerPenalty(1.0)


@functools.cache
def _compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function in native code, compiled once for all translators."""
    return ad.jit(function)


@functools.cache
def _all_rows(step: Callable[..., Any]) -> Callable[..., Any]:
    """The function (params, state, words) of a step for greedy search."""

    def all_rows(params: Any, state: Any, words: np.ndarray) -> Any:
        state, scores = step(params, state, words)
        return state, log_softmax(scores)

    return all_rows


@functools.cache
def _some_rows(step: Callable[..., Any]) -> Callable[..., Any]:
    """The function (params, state, words, rows, barred, count) for beam search."""

    def some_rows(
        params: Any,
        state: Any,
        words: np.ndarray,
        rows: np.ndarray,
        barred: np.ndarray,
        count: int,
    ) -> Any:
        state, scores = step(params, state, words, rows)
        # Few are chosen, so only those are normalised.
        level = log_sum_exp(scores)  # (R, 1)
        scores[:, barred[barred < scores.shape[1]]] = -np.inf
        tokens, best = best_tokens(scores, count)
        return state, tokens, best - level

    return some_rows


class Searchable:
    """A model with its weights, as `anadrome.decode` wants it."""

    def __init__(self, model: Model, params: Any, native: bool = False) -> None:
        self.model, self.params = model, params
        self._start, self._all, self._some = (
            _compiled(function) if native else function
            for function in (
                model.start,
                _all_rows(model.step),
                _some_rows(model.step),
            )
        )

    def start(self, source: tuple[np.ndarray, np.ndarray]) -> Any:
        """The first state for source sentences (S, B) with masks (S, B)."""
        return self._start(self.params, *source)

    def step(self, state: Any, last_tokens: np.ndarray) -> tuple[Any, np.ndarray]:
        """The next state and the log-probabilities of the next token."""
        made: tuple[Any, np.ndarray] = self._all(self.params, state, last_tokens)
        return made

    def step_some(
        self,
        state: Any,
        last_tokens: np.ndarray,
        rows: np.ndarray,
        barred: np.ndarray,
        count: int,
    ) -> tuple[Any, Candidates]:
        """The next state, and the likeliest next tokens of some rows."""
        state, tokens, log_probs = self._some(
            self.params, state, last_tokens, rows, barred, count
        )
        return state, Candidates(tokens, log_probs)

    def reorder(self, state: Any, indices: np.ndarray) -> Any:
        """The rows of a state in another order."""
        reorder = self.model.find("reorder")
        if reorder is not None:
            return reorder(state, indices)
        return map_arrays(lambda array: array[indices], state)


class Attending(Searchable):
    """A model that can say where it looked."""

    def attention(self, state: Any) -> np.ndarray:
        """The weights (N, S) of the last step."""
        looked: np.ndarray = self.model.attention_weights(state)
        return looked


def _longest_output(length: int) -> int:
    """How long the translation of a sentence of so many tokens may be."""
    return 50 * (1 + (2 * length + 10) // 50)


def _batches(lengths: Sequence[int], size: int) -> Iterator[list[int]]:
    """The numbers of sentences of like length that may become equally long."""
    batch: list[int] = []
    for i in sorted(range(len(lengths)), key=lambda i: lengths[i]):
        limit = _longest_output(lengths[i])
        if batch and (
            len(batch) == size or _longest_output(lengths[batch[0]]) != limit
        ):
            yield batch
            batch = []
        batch.append(i)
    if batch:
        yield batch


@dataclass(frozen=True)
class Translation:
    """One translation of a sentence."""

    text: str
    score: float
    source_tokens: tuple[str, ...]
    target_tokens: tuple[str, ...]
    attention: np.ndarray | None  # (T, S): rows for target tokens, with </s>


@dataclass(frozen=True)
class Translator:
    """A model, its weights and the two languages.

    With `native` the model is compiled before the first sentence: that takes seconds
    and pays for thousands of sentences.
    """

    model: Model
    params: Any
    source: TextCodec
    target: TextCodec
    native: bool = False

    def translate(
        self,
        sentences: Sequence[str],
        *,
        beam: int = 5,
        n_best: int = 1,
        penalty: LengthPenalty = DEFAULT_PENALTY,
        batch_size: int = 64,
        max_tokens: int | None = None,
    ) -> list[list[Translation]]:
        """The best translations of each sentence, best first.

        A beam of 1 is greedy search. Sentences of like length are translated together;
        the result does not depend on how they are put together, but for rounding. Of
        a sentence with more than `max_tokens` tokens the rest is not read.
        """
        pieces = [self.source.split(s)[:max_tokens] for s in sentences]
        encoded = [self.source.vocabulary.encode(tokens) for tokens in pieces]
        found: list[list[Translation]] = [[] for _ in encoded]
        for chosen in _batches([len(ids) for ids in encoded], batch_size):
            hypotheses = self._search(
                [encoded[i] for i in chosen], beam, n_best, penalty
            )
            for i, mine in zip(chosen, hypotheses):
                tokens = (*pieces[i], "</s>")
                found[i] = [self._read(h, tokens) for h in mine]
        return found

    def translate_best(self, sentences: Sequence[str], *, beam: int = 5) -> list[str]:
        """The best translation of each sentence."""
        return [found[0].text for found in self.translate(sentences, beam=beam)]

    def _search(
        self, encoded: list[np.ndarray], beam: int, n_best: int, penalty: LengthPenalty
    ) -> list[list[Hypothesis]]:
        ended = [np.append(ids, EOS) for ids in encoded]
        ids, lengths = pad_sentences(ended)
        mask = mask_lengths(lengths, ids.shape[1])
        source = (np.ascontiguousarray(ids.T), np.ascontiguousarray(mask.T))
        attends = self.model.find("attention_weights") is not None
        make = Attending if attends else Searchable
        scorer = make(self.model, self.params, self.native)
        limits = Limits(max_length=_longest_output(len(encoded[0])))
        if beam == 1:
            found = greedy_search(scorer, source, len(encoded), limits=limits)
            return [[hypothesis] for hypothesis in found]
        return beam_search(
            scorer,
            source,
            len(encoded),
            beam=beam,
            n_best=n_best,
            penalty=penalty,
            limits=limits,
        )

    def _read(self, h: Hypothesis, source_tokens: tuple[str, ...]) -> Translation:
        tokens = tuple(self.target.vocabulary.decode(h.tokens, keep_specials=True))
        weights = h.attention
        if weights is not None:
            weights = weights[:, : len(source_tokens)]  # the rest is padding
        return Translation(
            self.target.decode(h.tokens), h.score, source_tokens, tokens, weights
        )
