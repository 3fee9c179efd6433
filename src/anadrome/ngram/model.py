"""An n-gram language model: estimated, read, asked, sampled from and written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from os import PathLike, fspath
from typing import Any, NamedTuple

import numpy as np

from anadrome.ngram import query
from anadrome.ngram.arpa import read_arpa, write_arpa
from anadrome.ngram.binary import is_binary, open_binary, write_binary
from anadrome.ngram.counts import count_ngrams, padding
from anadrome.ngram.kneser_ney import Discounts, choose_discounts, smooth
from anadrome.ngram.levels import list_ngrams
from anadrome.ngram.lexicon import Lexicon, compiled
from anadrome.ngram.perplexity import Perplexity
from anadrome.ngram.pruning import drop_words, flag_pruned
from anadrome.ngram.tables import BOS, EOS, UNK, Tables, make_tables
from anadrome.ngram.text import OnSpecial, Text, encode_text
from anadrome.ngram.words import Words


class ScoredWord(NamedTuple):
    """What a model says of a word of a sentence."""

    word: str
    log10_prob: float
    order: int  # the length of the longest n-gram that was found
    unknown: bool


class NgramModel:
    """An n-gram model: its words, and `tables` for `anadrome.ngram.score`.

    With `native=False` everything is asked in Python, which needs no compiler and takes
    a hundred times as long.
    """

    def __init__(
        self,
        vocabulary: Words,
        tables: Tables,
        order: int,
        *,
        discounts: Sequence[Discounts] | None = None,
        native: bool = True,
    ) -> None:
        self.vocabulary = vocabulary
        self.tables = tables
        self.order = order
        self.discounts = None if discounts is None else tuple(discounts)
        self.native = native

    @classmethod
    def estimate(
        cls,
        text: Text,
        order: int = 5,
        *,
        prune: Sequence[int] = (0,),
        vocabulary: Iterable[str] | None = None,
        fallback: Discounts | None = None,
        interpolate_unigrams: bool = True,
        on_special: OnSpecial = "error",
        native: bool = True,
    ) -> NgramModel:
        """The model of a text by interpolated modified Kneser-Ney smoothing.

        `text` is the path of a file of sentences, or `Path`s of several, or sentences.
        `prune` has for each order the count up to which n-grams are left out, the last
        one for all further orders. With `vocabulary` n-grams with other words are left
        out. `fallback` are the discounts of orders that the text is too small for.
        """
        if order < 1:
            raise ValueError("an n-gram has at least one word")
        lexicon = Lexicon(native=native)
        pieces = encode_text(text, lexicon, padding(order), on_special, learn=True)
        numbers = np.concatenate(list(pieces))
        words = Words(*lexicon.words())
        counts = count_ngrams(numbers, order, len(words))
        del numbers
        discounts = choose_discounts(counts, fallback)
        pruned = flag_pruned(counts, prune, words, vocabulary)
        levels = smooth(
            counts, discounts, pruned, interpolate_unigrams=interpolate_unigrams
        )
        if pruned[0] is not None:
            levels, words = drop_words(levels, words, pruned[0])
        return cls(
            words,
            make_tables(levels),
            order,
            discounts=discounts,
            native=native,
        )

    @classmethod
    def read(cls, path: str | PathLike[str], *, native: bool = True) -> NgramModel:
        """The model in a file: ARPA, also compressed by gzip, or `write`'s binary.

        The binary is mapped into memory, so that it opens at once however large it is.
        """
        if is_binary(path):
            words, tables, order = open_binary(path)
            return cls(words, tables, order, native=native)
        words, levels = read_arpa(path, native=native)
        return cls(words, make_tables(levels), len(levels), native=native)

    def write(self, path: str | PathLike[str], *, binary: bool | None = None) -> None:
        """Write the model as ARPA, compressed if the name ends with `.gz`, or binary.

        It is binary if the name ends with `.bin` or `.ngram`, unless that is said.
        """
        if binary is None:
            binary = fspath(path).endswith((".bin", ".ngram"))
        if binary:
            write_binary(path, self.vocabulary, self.tables, self.order)
        else:
            grams = list_ngrams(self.tables, self.order)
            write_arpa(path, self.vocabulary, grams, native=self.native)

    def __repr__(self) -> str:
        return (
            f"<{self.order}-gram model of {len(self.vocabulary)} words, "
            f"{len(self.tables.words)} n-grams>"
        )

    def _run(self, function: Callable[..., Any], *args: Any) -> Any:
        return (compiled(function) if self.native else function)(self.tables, *args)

    # Probabilities

    @property
    def start(self) -> int:
        """The state after `<s>`."""
        return query.start_state(self.tables)

    def state(self, context: Sequence[str], *, start: bool = False) -> int:
        """The state after words, which `<s>` may come before."""
        first = self.start if start else 0
        _, state = self._run(query.score_words, first, self.vocabulary.encode(context))
        return int(state)

    def score(self, state: int, word: str) -> tuple[float, int]:
        """The log10-probability of a word in a state, and the state after it."""
        number = self.vocabulary.number(word)
        log_prob, state = self._run(query.score, state, number)
        return float(log_prob), int(state)

    def logprobs(
        self, context: Sequence[str] = (), *, start: bool = False
    ) -> np.ndarray:
        """The log10-probabilities (V,) of all words after others."""
        return self.spread(self.state(context, start=start))

    def spread(self, state: int) -> np.ndarray:
        """The log10-probabilities (V,) of all words in a state; `<s>` has none."""
        log_probs = np.empty(len(self.vocabulary))
        self._run(query.spread, state, log_probs)
        return log_probs

    def score_sentence(self, words: Sequence[str]) -> list[ScoredWord]:
        """What the model says of each word of a sentence, and of `</s>` after them."""
        numbers = self.vocabulary.encode(words)
        log_probs, orders = self.score_numbers(
            np.concatenate([[BOS], numbers, [EOS]]).astype(np.int32)
        )
        known = [number != UNK for number in numbers] + [True]
        return [
            ScoredWord(*row)
            for row in zip(
                [*words, "</s>"],
                log_probs[1:].tolist(),
                orders[1:].tolist(),
                [not yes for yes in known],
            )
        ]

    def score_numbers(self, numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The log10-probabilities (T,) and matched orders (T,) of the words of a text.

        Each sentence has `<s>` before it, with probability one, and `</s>` after it.
        """
        log_probs = np.empty(len(numbers))
        orders = np.zeros(len(numbers), np.int64)
        self._run(query.match_text, numbers, log_probs, orders)
        return log_probs, orders

    def scan_numbers(self, text: Text) -> Iterator[np.ndarray]:
        """The numbers of the words of a text, in pieces (T,); see `score_numbers`."""
        words = self.vocabulary
        lexicon = words.lexicon if self.native else words.plain_lexicon
        return encode_text(text, lexicon, 1, "count", learn=False)

    def perplexity(self, text: Text) -> Perplexity:
        """How well the model knows a text, with and without unknown words."""
        tokens = sentences = unknown = 0
        total = total_unknown = 0.0
        for numbers in self.scan_numbers(text):
            log_probs = np.empty(len(numbers))
            self._run(query.match_text, numbers, log_probs, np.zeros(0, np.int64))
            ends = int(np.count_nonzero(numbers == EOS))
            missing = numbers == UNK
            sentences += ends
            tokens += len(numbers) - ends
            unknown += int(np.count_nonzero(missing))
            total += float(log_probs.sum())
            total_unknown += float(log_probs[missing].sum())
        return Perplexity(tokens, sentences, unknown, total, total_unknown)

    def sample(self, rng: np.random.Generator, max_length: int = 1000) -> list[str]:
        """A sentence at random, without `<unk>`, cut off if it does not end."""
        words: list[str] = []
        state = self.start
        while len(words) < max_length:
            p = 10.0 ** self.spread(state)
            p[UNK] = 0.0
            word = int(rng.choice(len(p), p=p / p.sum()))
            if word == EOS:
                break
            words.append(self.vocabulary[word])
            _, state = self._run(query.score, state, word)
            state = int(state)
        return words
