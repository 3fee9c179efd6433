"""How well a model knows a text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Perplexity:
    """The log10-probability of a text, and of what the model does not know in it.

    `tokens` counts words and, for each sentence, `</s>`.
    """

    tokens: int
    sentences: int
    unknown: int
    log10_prob: float
    log10_prob_unknown: float

    @property
    def value(self) -> float:
        """The perplexity with unknown words, each as probable as `<unk>`."""
        return _perplexity(self.log10_prob, self.tokens)

    @property
    def without_unknown(self) -> float:
        """The perplexity of the words that the model knows."""
        return _perplexity(
            self.log10_prob - self.log10_prob_unknown, self.tokens - self.unknown
        )

    def __str__(self) -> str:
        return (
            f"perplexity {self.value:.4f}, without unknown words "
            f"{self.without_unknown:.4f} ({self.tokens:,} tokens with </s>, "
            f"{self.unknown:,} unknown)"
        )


def _perplexity(log10_prob: float, tokens: int) -> float:
    if not tokens:
        return float("nan")
    try:
        return float(10.0 ** (-log10_prob / tokens))
    except OverflowError:
        return float("inf")
