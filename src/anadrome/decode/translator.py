"""A trained translator: text in, text out."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import anadrome as ad
from anadrome.decode.candidates import Candidates, best_tokens
from anadrome.decode.combined import Mixture
from anadrome.decode.constraints import Constraint, Prefix, Required
from anadrome.decode.forced import score_outputs
from anadrome.decode.interface import Hypothesis, Limits, NoOutput
from anadrome.decode.penalties import LengthPenalty, PowerPenalty
from anadrome.decode.scorer import Scorer
from anadrome.decode.settings import Search
from anadrome.decode.trace import SearchTrace, SearchTree
from anadrome.decode.unknown import replace_unknown
from anadrome.models import Model
from anadrome.nn import log_softmax, log_sum_exp, map_arrays
from anadrome.options import OptionError
from anadrome.text import EOS, TextCodec, mask_lengths, pad_sentences
from anadrome.text.vocabulary import SPECIALS, UNK

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
    """One translation of a sentence.

    `score` is what translations are ranked by, `log_prob` the log-probability.
    """

    text: str
    score: float
    source_tokens: tuple[str, ...]
    target_tokens: tuple[str, ...]
    attention: np.ndarray | None  # (T, S): rows for target tokens, with </s>
    log_prob: float


@dataclass(frozen=True)
class ScoredPair:
    """How likely a translation is, as a whole and token by token, with `</s>`."""

    source_tokens: tuple[str, ...]
    target_tokens: tuple[str, ...]
    token_log_probs: np.ndarray  # (T,)
    log_prob: float
    attention: np.ndarray | None  # (T, S)


@dataclass(frozen=True)
class Translator:
    """A model, its weights and the two languages.

    With `native` the model is compiled before the first sentence: that takes seconds
    and pays for thousands of sentences. `partners` are models with their weights that
    translate together with the first: the mean of their probabilities decides.
    """

    model: Model
    params: Any
    source: TextCodec
    target: TextCodec
    native: bool = False
    partners: tuple[tuple[Model, Any], ...] = ()

    def translate(
        self,
        sentences: Sequence[str],
        *,
        beam: int = 5,
        n_best: int = 1,
        penalty: LengthPenalty = DEFAULT_PENALTY,
        search: Search | None = None,
        batch_size: int = 64,
        max_tokens: int | None = None,
        prefixes: Sequence[str] | None = None,
        phrases: Sequence[Sequence[str]] | None = None,
        dictionary: Mapping[str, str] | None = None,
        first: int = 0,
        traces: list[SearchTree] | None = None,
    ) -> list[list[Translation]]:
        """The best translations of each sentence, best first.

        A beam of 1 is greedy search; `search` can say more, and takes the place of
        `beam`, `n_best` and `penalty`. Sentences of like length are translated
        together; the result does not depend on how they are put together, but for
        rounding. Of a sentence with more than `max_tokens` tokens the rest is not read.

        Translation i begins with the words `prefixes[i]` and holds each of
        `phrases[i]`. With a dictionary, which may be empty, unknown words are replaced.
        `first` is the number of the first sentence, which random draws depend on. What
        a beam search tried is added to `traces`, a tree for each sentence.
        """
        how = search or Search(beam, n_best, penalty)
        if how.sharpening is not None:
            batch_size = 1  # what is drawn must not depend on the company
        # A wide beam has few sentences at a time, so that it fits into the memory.
        batch_size = max(1, min(batch_size, 4096 // how.beam))
        pieces = [self.source.split(s)[:max_tokens] for s in sentences]
        encoded = [self.source.vocabulary.encode(tokens) for tokens in pieces]
        found: list[list[Translation]] = [[] for _ in encoded]
        trees: dict[int, SearchTree] = {}
        for chosen in _batches([len(ids) for ids in encoded], batch_size):
            constraints, more = self._constraints(chosen, prefixes, phrases)
            trace = None if traces is None else SearchTrace()
            lengths = [len(encoded[i]) + 1 for i in chosen]
            limit = _longest_output(lengths[0] - 1) + more
            hypotheses = how.run(
                self._scorer(),
                _pad([encoded[i] for i in chosen]),
                lengths,
                Limits(max_length=limit),
                constraints=constraints,
                number=first + chosen[0],
                trace=trace,
            )
            for i, mine in zip(chosen, hypotheses):
                if not mine:
                    raise NoOutput(
                        f"there is no translation of {sentences[i][:60]!r} that every "
                        "constraint allows"
                    )
                found[i] = [
                    self._read(h, sentences[i], pieces[i], dictionary) for h in mine
                ]
            if trace is not None:
                trees.update(zip(chosen, trace.trees))
        if traces is not None:
            traces += [trees[i] for i in range(len(encoded))]
        return found

    def translate_best(self, sentences: Sequence[str], *, beam: int = 5) -> list[str]:
        """The best translation of each sentence."""
        return [found[0].text for found in self.translate(sentences, beam=beam)]

    def score(
        self,
        sentences: Sequence[str],
        translations: Sequence[str],
        *,
        batch_size: int = 64,
    ) -> list[ScoredPair]:
        """How likely each translation of a sentence is (forced decoding)."""
        if len(sentences) != len(translations):
            raise ValueError(
                f"{len(translations)} translations for {len(sentences)} sentences"
            )
        pieces = [self.source.split(s) for s in sentences]
        encoded = [self.source.vocabulary.encode(tokens) for tokens in pieces]
        outputs = [np.append(self.target.encode(t), EOS) for t in translations]
        found: dict[int, ScoredPair] = {}
        for chosen in _batches([len(ids) for ids in encoded], batch_size):
            scored = score_outputs(
                self._scorer(),
                _pad([encoded[i] for i in chosen]),
                [outputs[i].tolist() for i in chosen],
            )
            for i, mine in zip(chosen, scored):
                tokens = (*pieces[i], SPECIALS[EOS])
                found[i] = ScoredPair(
                    tokens,
                    self._tokens(mine.tokens),
                    mine.token_log_probs,
                    mine.log_prob,
                    _within(mine.attention, len(tokens)),
                )
        return [found[i] for i in range(len(encoded))]

    def _scorer(self) -> Scorer:
        members: list[Scorer] = [
            (Searchable if model.find("attention_weights") is None else Attending)(
                model, params, self.native
            )
            for model, params in ((self.model, self.params), *self.partners)
        ]
        return members[0] if len(members) == 1 else Mixture(members)

    def _constraints(
        self,
        chosen: Sequence[int],
        prefixes: Sequence[str] | None,
        phrases: Sequence[Sequence[str]] | None,
    ) -> tuple[list[Constraint], int]:
        """The constraints of some sentences, and how many tokens they take at most."""
        made: list[Constraint] = []
        more = 0
        if prefixes is not None:
            begun = [self._known(prefixes[i]) for i in chosen]
            made.append(Prefix(begun))
            more = max(map(len, begun))
        if phrases is not None:
            wanted = [[self._known(text) for text in phrases[i]] for i in chosen]
            if any(wanted):
                made.append(Required(wanted))
                more += max(sum(map(len, several)) for several in wanted)
        return made, more

    def _known(self, text: str) -> list[int]:
        """The numbers of a text all of whose tokens the model can say."""
        tokens = self.target.split(text)
        numbers: list[int] = self.target.vocabulary.encode(tokens).tolist()
        for token, number in zip(tokens, numbers):
            if number == UNK:
                raise OptionError(f"the translator cannot say {token!r} of {text!r}")
        return numbers

    def _tokens(self, numbers: Sequence[int]) -> tuple[str, ...]:
        return tuple(self.target.vocabulary.decode(numbers, keep_specials=True))

    def _read(
        self,
        h: Hypothesis,
        sentence: str,
        pieces: list[str],
        dictionary: Mapping[str, str] | None,
    ) -> Translation:
        tokens = self._tokens(h.tokens)
        weights = _within(h.attention, len(pieces) + 1)
        text = self.target.decode(h.tokens)
        # Pieces spell every word, so only whole words can be unknown.
        if (
            dictionary is not None
            and weights is not None
            and isinstance(self.target, TextCodec)
            and self.target.pieces is None
        ):
            words = pieces
            if isinstance(self.source, TextCodec):
                words = self.source.words_of_tokens(sentence)[: len(pieces)]
            ends = (*words, SPECIALS[EOS])
            said = replace_unknown(tokens, ends, weights, dictionary)
            text = self.target.join(said[:-1] if h.finished else said)
        source_tokens = (*pieces, SPECIALS[EOS])
        return Translation(text, h.score, source_tokens, tokens, weights, h.log_prob)


def _pad(encoded: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Sentences (S, B) that end with `</s>`, and their masks (S, B)."""
    ids, lengths = pad_sentences([np.append(each, EOS) for each in encoded])
    mask = mask_lengths(lengths, ids.shape[1])
    return np.ascontiguousarray(ids.T), np.ascontiguousarray(mask.T)


def _within(weights: np.ndarray | None, length: int) -> np.ndarray | None:
    """The weights without what is padding."""
    return None if weights is None else weights[:, :length]
