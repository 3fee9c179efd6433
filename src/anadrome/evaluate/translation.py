"""BLEU, chrF and TER of translations, as sacreBLEU computes them, with its signature.

Texts are whole, detokenised sentences. A signature says how a score was computed;
scores with different signatures cannot be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from anadrome.evaluate.errors import MissingExtra

References = Sequence[str] | Sequence[Sequence[str]]
"""A reference for each sentence, or several sets of references."""


@dataclass(frozen=True)
class Score:
    """A score, for most metrics between 0 and 100, and how it was computed."""

    name: str
    score: float
    signature: str
    detail: str

    def __str__(self) -> str:
        return f"{self.name} = {self.score:.2f} ({self.signature})"


def bleu(
    hypotheses: Sequence[str],
    references: References,
    *,
    lowercase: bool = False,
    tokenize: str = "13a",
) -> Score:
    """The BLEU of a corpus (Papineni et al. 2002)."""
    metric = _sacrebleu("BLEU").BLEU(lowercase=lowercase, tokenize=tokenize)
    return _score(metric, hypotheses, references)


def sentence_bleu(
    hypothesis: str, references: Sequence[str], *, lowercase: bool = False
) -> Score:
    """The BLEU of one sentence, smoothed; no substitute for that of a corpus."""
    metrics = _sacrebleu("BLEU")
    metric = metrics.BLEU(lowercase=lowercase, effective_order=True)
    return _score(metric, [hypothesis], [[reference] for reference in references])


def chrf(
    hypotheses: Sequence[str],
    references: References,
    *,
    lowercase: bool = False,
    word_order: int = 0,
) -> Score:
    """The chrF of a corpus (Popović 2015); chrF++ with `word_order` 2."""
    metric = _sacrebleu("chrF").CHRF(lowercase=lowercase, word_order=word_order)
    return _score(metric, hypotheses, references)


def ter(
    hypotheses: Sequence[str],
    references: References,
    *,
    lowercase: bool = True,
    normalised: bool = False,
) -> Score:
    """The translation edit rate of a corpus (Snover et al. 2006); low is good.

    The edits per hundred words of the reference, so it may exceed 100.
    """
    metric = _sacrebleu("TER").TER(case_sensitive=not lowercase, normalized=normalised)
    return _score(metric, hypotheses, references)


@dataclass(frozen=True)
class Bucket:
    """The score of the sentences whose key lies from `low` to `high`, included.

    `high` is None if the bucket has no upper end, `score` None if it is empty.
    """

    low: int
    high: int | None
    count: int
    score: Score | None

    @property
    def label(self) -> str:
        """The range in words: 11–20, or 51+."""
        if self.high is None:
            return f"{self.low}+"
        return str(self.low) if self.low == self.high else f"{self.low}–{self.high}"


def bleu_by_key(
    hypotheses: Sequence[str],
    references: Sequence[str],
    keys: Sequence[int],
    edges: Sequence[int],
    *,
    lowercase: bool = False,
    tokenize: str = "13a",
) -> list[Bucket]:
    """BLEU of the sentences in each range of a number, such as their unknown words.

    The edges are the highest keys of all buckets but the last, which is open.
    """
    if len(keys) != len(hypotheses):
        raise ValueError(f"{len(keys)} keys for {len(hypotheses)} sentences")
    if len(references) != len(hypotheses):
        raise ValueError(
            f"{len(references)} references for {len(hypotheses)} sentences"
        )
    if sorted(set(edges)) != list(edges):
        raise ValueError("the edges of the buckets must rise")
    if any(key < 0 for key in keys):
        raise ValueError("keys are counted from 0")
    lows = [0, *(edge + 1 for edge in edges)]
    highs: list[int | None] = [*edges, None]
    buckets = []
    for low, high in zip(lows, highs):
        chosen = [
            i
            for i, key in enumerate(keys)
            if key >= low and (high is None or key <= high)
        ]
        score = None
        if chosen:
            score = bleu(
                [hypotheses[i] for i in chosen],
                [references[i] for i in chosen],
                lowercase=lowercase,
                tokenize=tokenize,
            )
        buckets.append(Bucket(low, high, len(chosen), score))
    return buckets


def bleu_by_length(
    hypotheses: Sequence[str],
    references: Sequence[str],
    sources: Sequence[str] | None = None,
    *,
    edges: Sequence[int] = (10, 20, 30, 40, 50),
    lowercase: bool = False,
    tokenize: str = "13a",
) -> list[Bucket]:
    """BLEU against the number of words of the source, or else of the reference."""
    measured = references if sources is None else sources
    lengths = [len(sentence.split()) for sentence in measured]
    return bleu_by_key(
        hypotheses, references, lengths, edges, lowercase=lowercase, tokenize=tokenize
    )


def _sacrebleu(purpose: str) -> Any:
    try:
        from sacrebleu import metrics
    except ImportError:
        raise MissingExtra("sacrebleu", purpose) from None
    return metrics


def reference_sets(references: References) -> list[Sequence[str]]:
    """The sets of references, of which each has one for every sentence."""
    if references and isinstance(references[0], str):
        return [references]  # type: ignore[list-item]
    return list(references)


def _score(metric: Any, hypotheses: Sequence[str], references: References) -> Score:
    if not hypotheses:
        raise ValueError("there are no sentences to score")
    if isinstance(hypotheses, str) or isinstance(references, str):
        raise TypeError("give a list of sentences, not one string")
    sets = reference_sets(references)
    if not sets:
        raise ValueError(f"no references for {len(hypotheses)} translations")
    for given in sets:
        if len(given) != len(hypotheses):
            raise ValueError(
                f"{len(given)} references for {len(hypotheses)} translations"
            )
    result = metric.corpus_score(list(hypotheses), [list(given) for given in sets])
    return Score(
        name=result.name,
        score=float(result.score),
        signature=str(metric.get_signature()),
        detail=str(result),
    )
