"""What makes a translator fail: length and unknown words.

The analyses of Cho, van Merriënboer, Bahdanau and Bengio, "On the properties of neural
machine translation" (2014), chapter 6 of van Merriënboer's thesis, for any translators:
BLEU against the length of sentences and the number of unknown words (figures 6.4 and
6.5), with and without sentences that have any (table 6.1), translations side by side
(table 6.2), and the best translations of one sentence (figure 6.6 b).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from anadrome.evaluate.tables import format_score, format_table, format_texts
from anadrome.evaluate.translation import Bucket, Score, bleu, bleu_by_key

Side = Literal["source", "reference", "both"]
"""Which sentence is measured; of both, the one with more."""

Systems = Mapping[str, Sequence[str]]
"""The translations of each system, by its name."""


@dataclass(frozen=True)
class TestSet:
    """Sentences, their references, and which words a model knows.

    Without a test of words all are known. `split` divides a sentence into words.
    """

    __test__ = False  # pytest takes it for one of its own

    sources: Sequence[str]
    references: Sequence[str]
    known_source: Callable[[str], bool] | None = None
    known_reference: Callable[[str], bool] | None = None
    split: Callable[[str], Sequence[str]] = str.split

    def __post_init__(self) -> None:
        if len(self.sources) != len(self.references):
            raise ValueError(
                f"{len(self.sources)} sources for {len(self.references)} references"
            )
        if not self.sources:
            raise ValueError("there are no sentences to analyse")

    def __len__(self) -> int:
        return len(self.sources)

    def lengths(self, side: Side) -> list[int]:
        """The number of words of each sentence."""
        return self._measure(
            side,
            [len(self.split(sentence)) for sentence in self.sources],
            [len(self.split(sentence)) for sentence in self.references],
        )

    def unknown(self, side: Side) -> list[int]:
        """The number of unknown words of each sentence."""
        return self._measure(
            side,
            [self._count(s, self.known_source) for s in self.sources],
            [self._count(s, self.known_reference) for s in self.references],
        )

    def _count(self, sentence: str, known: Callable[[str], bool] | None) -> int:
        if known is None:
            return 0
        return sum(not known(word) for word in self.split(sentence))

    @staticmethod
    def _measure(side: Side, source: list[int], reference: list[int]) -> list[int]:
        if side == "source":
            return source
        if side == "reference":
            return reference
        return [max(one, two) for one, two in zip(source, reference)]


@dataclass(frozen=True)
class ScoreCurve:
    """BLEU of systems against a number, in the same ranges for all."""

    title: str
    systems: dict[str, tuple[Bucket, ...]]

    def points(self, system: str) -> tuple[list[float], list[float]]:
        """The middles of the ranges and the scores there, for a plot.

        Ranges without sentences are left out; an open one is as wide as that before.
        """
        xs, ys, width = [], [], 0.0
        for bucket in self.systems[system]:
            if bucket.high is not None:
                width = float(bucket.high - bucket.low)
            if bucket.score is not None:
                xs.append(bucket.low + width / 2)
                ys.append(bucket.score.score)
        return xs, ys

    def table(self) -> str:
        """A line for each range, a column for each system."""
        buckets = next(iter(self.systems.values()))
        rows = [
            [bucket.label, str(bucket.count)]
            + [_cell(mine[i].score) for mine in self.systems.values()]
            for i, bucket in enumerate(buckets)
        ]
        header = [self.title, "sentences", *self.systems]
        return format_table(header, rows)


def score_by_length(
    test: TestSet,
    systems: Systems,
    *,
    side: Side = "source",
    edges: Sequence[int] = (10, 20, 30, 40, 50),
    lowercase: bool = False,
    tokenize: str = "13a",
) -> ScoreCurve:
    """BLEU against the number of words (figures 6.4 a, 6.4 b and 6.5).

    The edges are the greatest lengths of all ranges but the last, which is open.
    """
    keys = test.lengths(side)
    title = f"words ({side})"
    return _curve(title, test, systems, keys, edges, lowercase, tokenize)


def score_by_unknown(
    test: TestSet,
    systems: Systems,
    *,
    side: Side = "source",
    edges: Sequence[int] = (0, 1, 2, 4),
    lowercase: bool = False,
    tokenize: str = "13a",
) -> ScoreCurve:
    """BLEU against the number of unknown words (figure 6.4 c)."""
    keys = test.unknown(side)
    title = f"unknown words ({side})"
    return _curve(title, test, systems, keys, edges, lowercase, tokenize)


def _curve(
    title: str,
    test: TestSet,
    systems: Systems,
    keys: Sequence[int],
    edges: Sequence[int],
    lowercase: bool,
    tokenize: str,
) -> ScoreCurve:
    _check(test, systems)
    return ScoreCurve(
        title,
        {
            name: tuple(
                bleu_by_key(
                    outputs,
                    test.references,
                    keys,
                    edges,
                    lowercase=lowercase,
                    tokenize=tokenize,
                )
            )
            for name, outputs in systems.items()
        },
    )


@dataclass(frozen=True)
class UnknownTable:
    """BLEU of systems on all sentences, and on those without unknown words.

    A score is None where there are no sentences.
    """

    title: str
    every: dict[str, Score | None]
    known: dict[str, Score | None]
    counts: tuple[int, int]  # of all sentences, and of those

    def table(self) -> str:
        """A line for each system; above, how many sentences there are."""
        rows = [
            [name, _cell(score), _cell(self.known[name])]
            for name, score in self.every.items()
        ]
        rows.append(["(sentences)", *map(str, self.counts)])
        return f"{self.title}\n{format_table(['system', 'all', 'no UNK'], rows)}"


def score_without_unknown(
    test: TestSet,
    systems: Systems,
    *,
    lengths: tuple[int, int] | None = None,
    side: Side = "source",
    lowercase: bool = False,
    tokenize: str = "13a",
) -> UnknownTable:
    """BLEU with and without sentences that have unknown words (table 6.1).

    A sentence has none if neither the source nor the reference has one. With `lengths`
    only sentences with so many words count, as in table 6.1 b with (10, 20); of both
    sides, both must have them.
    """
    _check(test, systems)
    chosen = list(range(len(test)))
    title = "all lengths"
    if lengths is not None:
        low, high = lengths
        title = f"{low}–{high} words ({side})"
        sides: tuple[Side, ...] = ("source", "reference") if side == "both" else (side,)
        measured = [test.lengths(each) for each in sides]
        chosen = [i for i in chosen if all(low <= m[i] <= high for m in measured)]
    unknown = test.unknown("both")
    known = [i for i in chosen if not unknown[i]]

    def score(outputs: Sequence[str], among: list[int]) -> Score | None:
        if not among:
            return None
        return bleu(
            [outputs[i] for i in among],
            [test.references[i] for i in among],
            lowercase=lowercase,
            tokenize=tokenize,
        )

    return UnknownTable(
        title,
        {name: score(outputs, chosen) for name, outputs in systems.items()},
        {name: score(outputs, known) for name, outputs in systems.items()},
        (len(chosen), len(known)),
    )


@dataclass(frozen=True)
class Sample:
    """A sentence, its reference, and what the systems make of it."""

    number: int
    source: str
    reference: str
    outputs: dict[str, str]


@dataclass(frozen=True)
class SampleTable:
    """Sentences side by side."""

    title: str
    samples: tuple[Sample, ...]

    def table(self, width: int = 88) -> str:
        """The sentences one under the other, wrapped."""
        parts = [
            format_texts(
                [
                    ("Source", sample.source),
                    ("Reference", sample.reference),
                    *sample.outputs.items(),
                ],
                width=width,
            )
            for sample in self.samples
        ]
        return "\n\n".join([self.title, *parts])


def pick_samples(
    test: TestSet,
    systems: Systems,
    *,
    least: int = 0,
    most: int | None = None,
    count: int = 4,
) -> SampleTable:
    """Sentences with `least` to `most` words, spread over the test set (table 6.2)."""
    _check(test, systems)
    lengths = test.lengths("source")
    fitting = [
        i
        for i, length in enumerate(lengths)
        if length >= least and (most is None or length <= most)
    ]
    count = min(count, len(fitting))
    chosen = [fitting[i * len(fitting) // count] for i in range(count)]
    title = f"{least} words and more" if most is None else f"{least}–{most} words"
    return SampleTable(
        title,
        tuple(
            Sample(
                i,
                test.sources[i],
                test.references[i],
                {name: outputs[i] for name, outputs in systems.items()},
            )
            for i in chosen
        ),
    )


@dataclass(frozen=True)
class TopTranslations:
    """The best translations of a sentence with their negative log-likelihoods."""

    source: str
    translations: tuple[tuple[str, float], ...]

    def table(self) -> str:
        """A line for each translation, the likeliest first."""
        rows = [[text, f"{nll:.2f}"] for text, nll in self.translations]
        return f"{self.source}\n{format_table(['Translations', 'NLL'], rows)}"


def top_translations(
    source: str, texts: Sequence[str], log_probs: Sequence[float], *, count: int = 10
) -> TopTranslations:
    """The likeliest translations of a sentence (figure 6.6 b).

    `texts` and their log-probabilities are what a beam search found; of equal texts the
    likeliest counts.
    """
    if len(texts) != len(log_probs):
        raise ValueError(f"{len(log_probs)} log-probabilities for {len(texts)} texts")
    best: dict[str, float] = {}
    for text, log_prob in zip(texts, log_probs):
        best[text] = min(-float(log_prob), best.get(text, float("inf")))
    ranked = sorted(best.items(), key=lambda item: item[1])
    return TopTranslations(source, tuple(ranked[:count]))


@dataclass(frozen=True)
class TranslationAnalysis:
    """All analyses of some systems on a test set."""

    curves: tuple[ScoreCurve, ...]
    unknown: tuple[UnknownTable, ...]
    samples: tuple[SampleTable, ...]
    signature: str

    def table(self) -> str:
        """All tables, one under the other."""
        parts = [each.table() for each in self.curves]
        parts += [each.table() for each in self.unknown]
        parts += [each.table() for each in self.samples]
        return "\n\n".join([*parts, f"BLEU: {self.signature}"])


def analyse_translations(
    test: TestSet,
    systems: Systems,
    *,
    short: tuple[int, int] = (10, 20),
    long: int = 30,
    samples: int = 4,
    lowercase: bool = False,
    tokenize: str = "13a",
) -> TranslationAnalysis:
    """The analyses of chapter 6 for some systems.

    Sentences with `short` words are those of table 6.1 b; samples are of up to that
    many words and of `long` words and more. Without a test of words nothing is said
    about unknown ones.
    """
    _check(test, systems)
    sides: tuple[Side, ...] = ("source", "reference", "both")
    curves = [
        score_by_length(
            test, systems, side=side, lowercase=lowercase, tokenize=tokenize
        )
        for side in sides
    ]
    if any(known is not None for known in (test.known_source, test.known_reference)):
        curves += [
            score_by_unknown(
                test, systems, side=side, lowercase=lowercase, tokenize=tokenize
            )
            for side in sides
        ]
    unknown = [
        score_without_unknown(
            test, systems, lengths=lengths, lowercase=lowercase, tokenize=tokenize
        )
        for lengths in (None, short)
    ]
    picked = [
        pick_samples(test, systems, least=long, count=samples),
        pick_samples(test, systems, least=1, most=short[1], count=samples),
    ]
    name = next(iter(systems))
    whole = unknown[0].every[name]
    assert whole is not None  # a test set has sentences
    return TranslationAnalysis(
        tuple(curves),
        tuple(unknown),
        tuple(table for table in picked if table.samples),
        whole.signature,
    )


def _check(test: TestSet, systems: Systems) -> None:
    """Fail unless every system has an output for each sentence."""
    if not systems:
        raise ValueError("there are no systems to analyse")
    for name, outputs in systems.items():
        if len(outputs) != len(test):
            raise ValueError(
                f"{name} has {len(outputs)} translations for {len(test)} sentences"
            )


def _cell(score: Score | None) -> str:
    return format_score(None if score is None else score.score)
