"""What the commands of language models do: lines scored and cut, text generated."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anadrome.decode.interface import Limits
from anadrome.decode.language import LanguageScorer
from anadrome.decode.sampling import Sharpening, draw_tokens, sample
from anadrome.models.multiscale_reading import Reading, read
from anadrome.models.multiscale_reading import sample as sample_tokens
from anadrome.ngram import NgramModel, NgramScorer
from anadrome.options import OptionError
from anadrome.text import BOS, EOS, PAD, SPECIALS, UNK, Vocabulary, Window
from anadrome.text.language import LanguageCodec
from anadrome.text.lattice import lattices
from anadrome.train.task import Trained

TOGETHER = 8
"""How many lines are scored at once: the distributions of all their tokens are kept."""

LanguageModel = Trained | NgramModel


@dataclass(frozen=True)
class ScoredToken:
    """What a model says of a token: how probable, and how many are more so."""

    text: str
    nats: float  # the logarithm of its probability
    rank: int  # from 1
    unknown: bool


def score_lines(
    model: LanguageModel, lines: Sequence[str]
) -> Iterator[list[ScoredToken]]:
    """The tokens of each line, for itself, and the end of the line after them."""
    if isinstance(model, NgramModel):
        for line in lines:
            yield _score_ngrams(model, line.split())
    elif model.codecs.dictionary is not None:
        for line in lines:
            yield _score_tokens(model, line)
    else:
        for begin in range(0, len(lines), TOGETHER):
            yield from _score_batch(model, lines[begin : begin + TOGETHER])


def _score_batch(trained: Trained, lines: Sequence[str]) -> Iterator[list[ScoredToken]]:
    codecs: LanguageCodec = trained.codecs
    numbers = [codecs.encode([line]) for line in lines]
    tokens = np.full((max(map(len, numbers)) + 1, len(lines)), EOS, np.int64)
    for b, row in enumerate(numbers):
        tokens[1 : len(row) + 1, b] = row
    scorer = _scorer(trained)
    found, _ = scorer.run(tokens[:-1], _start(trained, len(lines)))
    for b, (line, row) in enumerate(zip(lines, numbers)):
        units = [*codecs.split(line), SPECIALS[EOS]]
        yield [
            _token(unit, found[t, b], int(number), int(number) == UNK)
            for t, (unit, number) in enumerate(zip(units, row))
        ]


def _token(text: str, log_probs: np.ndarray, number: int, unknown: bool) -> ScoredToken:
    mine = float(log_probs[number])
    return ScoredToken(text, mine, int((log_probs > mine).sum()) + 1, unknown)


def _score_tokens(trained: Trained, line: str) -> list[ScoredToken]:
    """The tokens of the likeliest way to cut a line."""
    found = read_line(trained, line)
    codecs: LanguageCodec = trained.codecs
    return [
        ScoredToken(
            codecs.spelling(int(found.tokens[n])),
            float(found.scores[n]),
            int(found.ranks[n]),
            int(found.tokens[n]) == UNK,
        )
        for n in found.best
    ]


def _score_ngrams(model: NgramModel, words: Sequence[str]) -> list[ScoredToken]:
    scored = []
    for place, found in enumerate(model.score_sentence(words)):
        spread = model.logprobs(words[:place], start=True)
        rank = int((spread > found.log10_prob + 1e-9).sum()) + 1
        nats = found.log10_prob * math.log(10)
        scored.append(ScoredToken(found.word, nats, rank, found.unknown))
    return scored


@dataclass(frozen=True)
class Total:
    """The log-probability of units, in nats, and of those among them not known.

    Unknown units are all the one token `<unk>`.
    """

    nats: float = 0.0
    units: int = 0
    unknown_nats: float = 0.0
    unknown: int = 0

    def __add__(self, other: Total) -> Total:
        return Total(
            self.nats + other.nats,
            self.units + other.units,
            self.unknown_nats + other.unknown_nats,
            self.unknown + other.unknown,
        )

    def __str__(self) -> str:
        text = f"{self.units:,} tokens: {_spread(self.nats, self.units)}"
        known = self.units - self.unknown
        if not self.unknown or not known:
            return text
        return (
            f"{text}; without the {self.unknown:,} unknown: "
            f"{_spread(self.nats - self.unknown_nats, known)}"
        )


def _spread(nats: float, units: int) -> str:
    mean = -nats / units
    return (
        f"perplexity {math.exp(min(700.0, mean)):.4g}, "
        f"{mean / math.log(2):.4f} bits per token"
    )


def total_of(scored: Sequence[ScoredToken]) -> Total:
    """The sum over tokens."""
    strange = [token.nats for token in scored if token.unknown]
    return Total(
        sum(token.nats for token in scored), len(scored), sum(strange), len(strange)
    )


def unknown_units(
    model: LanguageModel, lines: Sequence[str]
) -> Iterator[tuple[int, str]]:
    """The words or characters that a model has never seen, with their lines from 1."""
    if not isinstance(model, NgramModel):
        yield from model.codecs.unknown(lines)
        return
    for number, line in enumerate(lines, start=1):
        for word in line.split():
            if word not in model.vocabulary and word != SPECIALS[UNK]:
                yield number, word


def line_totals(model: LanguageModel, lines: Sequence[str]) -> Iterator[Total]:
    """The log-probability of each line.

    That of a multiscale model is the sum over all ways to cut the line; every cut has
    an unknown character as a token of its own, so that it has a probability by itself.
    """
    if isinstance(model, NgramModel):
        for line in lines:
            yield total_of(
                [
                    ScoredToken(w.word, w.log10_prob * math.log(10), 0, w.unknown)
                    for w in model.score_sentence(line.split())
                ]
            )
        return
    codecs: LanguageCodec = model.codecs
    for begin in range(0, len(lines), 4 * TOGETHER):
        some = [codecs.encode([line]) for line in lines[begin : begin + 4 * TOGETHER]]
        T, B = max(map(len, some)), len(some)
        tokens = np.full((T + 1, B), EOS, np.int64)
        mask = np.zeros((T, B), np.float32)
        for b, row in enumerate(some):
            tokens[1 : len(row) + 1, b] = row
            mask[: len(row), b] = 1
        lattice = None
        if codecs.dictionary is not None:
            lattice = lattices(codecs.matcher, tokens)(0, T)
        window = Window(tokens, mask, np.ones(B, np.float32), lattice)
        found, _ = model.model.score(
            model.params, window, model.config, _start(model, B)
        )
        scores = np.asarray(found, np.float64) * mask
        strange = (tokens[1:] == UNK) & (mask > 0)
        for b, row in enumerate(some):
            lost = scores[strange[:, b], b]
            yield Total(scores[:, b].sum(), len(row), lost.sum(), len(lost))


def read_line(trained: Trained, line: str) -> Reading:
    """How a multiscale model reads a line, its end included."""
    if trained.codecs.dictionary is None:
        raise OptionError(
            f"the {trained.model.name} model reads a text in one way only\n"
            "help: train one with --model multiscale"
        )
    numbers = trained.codecs.encode([line])
    return read(trained.params, numbers, trained.config, trained.codecs.matcher)


def generate(
    model: LanguageModel,
    count: int,
    rng: np.random.Generator,
    *,
    sharpening: Sharpening,
    max_length: int,
    prompt: str = "",
) -> list[list[str]]:
    """Random lines, each as its units or tokens; the prompt is not among them."""
    limits = Limits(max_length=max_length, forbidden=(PAD, BOS, UNK))
    if isinstance(model, NgramModel):
        vocabulary = Vocabulary(
            word for word in model.vocabulary if word not in SPECIALS
        )
        scorer: Any = NgramScorer(model, vocabulary, prompt.split())
        spell = vocabulary.tokens.__getitem__
    elif model.codecs.dictionary is not None:
        return [
            _generate_tokens(model, rng, sharpening, max_length, prompt)
            for _ in range(count)
        ]
    else:
        before = model.codecs.encode([prompt])[:-1] if prompt else ()
        scorer = _scorer(model, tuple(int(n) for n in before))
        spell = model.codecs.vocabulary.tokens.__getitem__
    made = sample(scorer, count, count, rng, sharpening=sharpening, limits=limits)
    return [[spell(t) for t in line[0].tokens if t != EOS] for line in made]


def _generate_tokens(
    trained: Trained,
    rng: np.random.Generator,
    sharpening: Sharpening,
    max_length: int,
    prompt: str,
) -> list[str]:
    codecs: LanguageCodec = trained.codecs

    def spell(token: int) -> list[int]:
        text = codecs.spelling(token) if token >= len(codecs.vocabulary) else ""
        number = codecs.vocabulary
        return [EOS if c == "\n" else number[c] for c in text] or [token]

    def choose(log_probs: np.ndarray) -> np.ndarray:
        log_probs = log_probs.astype(np.float64)
        log_probs[:, [PAD, BOS, UNK]] = -np.inf
        return draw_tokens(sharpening.probabilities(log_probs), rng)

    before = codecs.encode([prompt])[:-1] if prompt else np.zeros(0, np.int64)
    made = sample_tokens(
        trained.params,
        trained.config,
        codecs.matcher,
        spell,
        choose,
        max_length,
        before,
    )
    texts = [codecs.spelling(token) for token in made]
    return [text for text in texts if text != "\n"]


def _scorer(trained: Trained, prompt: tuple[int, ...] = ()) -> LanguageScorer:
    return LanguageScorer(
        trained.model,
        trained.params,
        trained.config,
        trained.codecs.sizes,
        prompt,
        trained.native,
    )


def _start(trained: Trained, rows: int) -> Any:
    return trained.model.carry(
        trained.params, rows, trained.config, trained.codecs.sizes
    )
