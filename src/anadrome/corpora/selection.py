"""Sentences that are like those of a domain (Moore and Lewis, 2010; thesis, 4.4.1).

A sentence s of a general corpus is scored by H_in(s) - H_general(s), the difference of
its cross-entropies under a language model of the domain and one of the general corpus:
the lower, the more it is like the domain. For pairs the scores of both sides are added
(Axelrod, He and Gao, 2011).
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

Tokens = Sequence[str]

_START, _END, _UNKNOWN = "<s>", "</s>", "<unk>"


class NgramModel:
    """An interpolated n-gram model, smoothed as Witten and Bell (1991) do.

    p(w | h) = (c(h w) + t(h) p(w | h')) / (c(h) + t(h)), where t(h) is how many
    different words were seen after h, and h' is h without its first word; without any
    history all words of the vocabulary are alike. Other words count as one, unknown.
    """

    def __init__(
        self, sentences: Iterable[Tokens], vocabulary: Collection[str], order: int = 3
    ) -> None:
        if order < 1:
            raise ValueError("an n-gram has at least one word")
        self.order = order
        self.vocabulary = frozenset(vocabulary) | {_END, _UNKNOWN}
        self._counts: Counter[tuple[str, ...]] = Counter()  # c(h w)
        self._totals: Counter[tuple[str, ...]] = Counter()  # c(h)
        self._followers: Counter[tuple[str, ...]] = Counter()  # t(h)
        for sentence in sentences:
            words = self._words(sentence)
            for i in range(order - 1, len(words)):
                for n in range(order):
                    history = tuple(words[i - n : i])
                    gram = (*history, words[i])
                    self._followers[history] += not self._counts[gram]
                    self._counts[gram] += 1
                    self._totals[history] += 1

    def _words(self, sentence: Tokens) -> list[str]:
        known = self.vocabulary
        words = [word if word in known else _UNKNOWN for word in sentence]
        return [_START] * (self.order - 1) + words + [_END]

    def probability(self, word: str, history: Tokens = ()) -> float:
        """The probability of a word after a history."""
        word = word if word in self.vocabulary else _UNKNOWN
        p = 1.0 / len(self.vocabulary)
        context = tuple(history[-(self.order - 1) :]) if self.order > 1 else ()
        for n in range(len(context) + 1):
            given = context[len(context) - n :]
            followers = self._followers[given]
            if not followers:
                break
            seen = self._counts[(*given, word)] + followers * p
            p = seen / (self._totals[given] + followers)
        return p

    def cross_entropy(self, sentence: Tokens) -> float:
        """The mean number of bits of a word of the sentence, its end included."""
        words = self._words(sentence)
        first = self.order - 1
        bits = 0.0
        for i in range(first, len(words)):
            bits -= math.log2(self.probability(words[i], words[i - first : i]))
        return bits / (len(words) - first)


def cross_entropy_differences(
    general: Sequence[Tokens],
    domain: Sequence[Tokens],
    *,
    order: int = 3,
    min_count: int = 2,
    seed: int = 0,
) -> list[float]:
    """The score of each general sentence: low for one that is like the domain.

    As Moore and Lewis did, the words are those that the domain has more than once, and
    the general model sees a random sample as large as the domain.
    """
    if not domain or not general:
        raise ValueError("both corpora need sentences")
    counts = Counter(word for sentence in domain for word in sentence)
    words = [word for word, count in counts.items() if count >= min_count]
    inside = NgramModel(domain, words, order)
    outside = NgramModel(_sample(general, counts.total(), seed), words, order)
    return [inside.cross_entropy(s) - outside.cross_entropy(s) for s in general]


def select_lowest(scores: Sequence[float], count: int) -> list[int]:
    """The places of the lowest scores, in the order of the corpus."""
    order = sorted(range(len(scores)), key=lambda i: (scores[i], i))
    return sorted(order[: max(0, count)])


def _sample(sentences: Sequence[Tokens], tokens: int, seed: int) -> list[Tokens]:
    """Sentences at random, of so many tokens together, or all."""
    order = list(range(len(sentences)))
    random.Random(seed).shuffle(order)
    chosen: list[Tokens] = []
    for i in order:
        if tokens <= 0:
            break
        chosen.append(sentences[i])
        tokens -= len(sentences[i])
    return chosen
