"""Whether one system is better than another, or only luckier.

Both are judged on the same items. The paired bootstrap draws as many items again and
again, with repetition (Koehn 2004); approximate randomisation swaps the two systems'
outputs at random (Riezler and Maxwell 2005). A p-value says how often a difference as
large as the one that was seen arises if there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from anadrome.evaluate.errors import MissingExtra
from anadrome.evaluate.tables import format_table
from anadrome.evaluate.translation import References, reference_sets


class Method(Enum):
    """How a difference is tested."""

    BOOTSTRAP = "bootstrap"
    RANDOMISATION = "randomisation"


@dataclass(frozen=True)
class PairedTest:
    """The scores of two systems and the p-value of their difference.

    `interval` holds 95 per cent of the differences of the bootstrap, None otherwise.
    """

    first: float
    second: float
    p_value: float
    interval: tuple[float, float] | None
    method: Method
    samples: int

    @property
    def difference(self) -> float:
        """How much the second is above the first."""
        return self.second - self.first

    def __str__(self) -> str:
        return (
            f"{self.first:.4f} → {self.second:.4f} ({self.difference:+.4f}, "
            f"p = {self.p_value:.4f}, {self.method.value}, {self.samples} samples)"
        )


def paired_test(
    first: np.ndarray,
    second: np.ndarray,
    score: Callable[[np.ndarray], float],
    *,
    method: Method = Method.BOOTSTRAP,
    samples: int = 1000,
    seed: int = 12345,
) -> PairedTest:
    """The test of two systems from the statistics (N, k) of each of N items.

    `score` gives the score of a corpus from the sums (k,) of its items: for accuracy
    the statistics are whether an item is right and 1, and the score their ratio.
    Two-sided; the bootstrap's differences are moved to have the middle 0.
    """
    one, two = np.asarray(first, np.float64), np.asarray(second, np.float64)
    if one.shape != two.shape or one.ndim != 2:
        raise ValueError(
            f"statistics of shapes {one.shape} and {two.shape}, not both (N, k)"
        )
    if not len(one) or samples < 1:
        raise ValueError("there is nothing to draw from")
    rng = np.random.default_rng(seed)
    scores = score(one.sum(axis=0)), score(two.sum(axis=0))
    seen = scores[1] - scores[0]
    drawn = np.zeros(samples)
    for i in range(samples):
        if method is Method.BOOTSTRAP:
            times = np.bincount(
                rng.integers(len(one), size=len(one)), minlength=len(one)
            )
            sums = times @ one, times @ two
        else:
            swapped = rng.integers(2, size=(len(one), 1), dtype=bool)
            sums = (
                np.where(swapped, two, one).sum(axis=0),
                np.where(swapped, one, two).sum(axis=0),
            )
        drawn[i] = score(sums[1]) - score(sums[0])
    interval = None
    if method is Method.BOOTSTRAP:
        low, high = np.quantile(drawn, (0.025, 0.975))
        interval = float(low), float(high)
        drawn -= seen
    # Sums in another order differ in their last digits.
    extreme = int((np.abs(drawn) >= abs(seen) - 1e-12).sum())
    p_value = (extreme + 1) / (samples + 1)
    return PairedTest(*scores, p_value, interval, method, samples)


def accuracy_statistics(
    predicted: Sequence[Sequence[object]], gold: Sequence[Sequence[object]]
) -> np.ndarray:
    """How many tokens are right, and how many there are (N, 2), in each sentence."""
    if len(predicted) != len(gold):
        raise ValueError(f"{len(predicted)} predictions for {len(gold)} sentences")
    counts = [
        (sum(a == b for a, b in zip(one, two)), len(two))
        for one, two in zip(predicted, gold)
    ]
    return np.array(counts, dtype=np.float64).reshape(-1, 2)


def ratio_of_sums(sums: np.ndarray) -> float:
    """The first sum by the second: accuracy, from the statistics of sentences."""
    return float(sums[0] / sums[1]) if sums[1] else 0.0


@dataclass(frozen=True)
class ComparedScore:
    """A system's score, and the test of its difference from the baseline.

    The baseline has no p-value. The bootstrap gives the mean of the draws, and half the
    width of what holds 95 per cent of them.
    """

    system: str
    metric: str
    score: float
    p_value: float | None
    mean: float | None
    half_width: float | None


@dataclass(frozen=True)
class TranslationComparison:
    """Systems by metrics, with the signatures of the metrics."""

    scores: tuple[ComparedScore, ...]
    signatures: dict[str, str]

    def of(self, system: str, metric: str) -> ComparedScore:
        """The score of a system by a metric."""
        for each in self.scores:
            if (each.system, each.metric) == (system, metric):
                return each
        raise KeyError(f"no score of {system!r} by {metric!r}")

    def table(self) -> str:
        """A line for each system, under it the signatures."""
        metrics = list(self.signatures)
        systems = list(dict.fromkeys(each.system for each in self.scores))
        rows = [
            [system, *(_cell(self.of(system, metric)) for metric in metrics)]
            for system in systems
        ]
        rows[0][0] += " (baseline)"
        lines = [f"{name}: {signature}" for name, signature in self.signatures.items()]
        return "\n".join([format_table(["system", *metrics], rows), "", *lines])


def _cell(score: ComparedScore) -> str:
    spread = "" if score.half_width is None else f" ± {score.half_width:.2f}"
    chance = "" if score.p_value is None else f" (p = {score.p_value:.4f})"
    return f"{score.score:.2f}{spread}{chance}"


def compare_translations(
    systems: Mapping[str, Sequence[str]],
    references: References,
    *,
    metrics: Sequence[str] = ("BLEU", "chrF"),
    method: Method = Method.BOOTSTRAP,
    samples: int | None = None,
    lowercase: bool = False,
) -> TranslationComparison:
    """The systems by each metric, and tests against the first, as sacreBLEU has them.

    Metrics are BLEU, chrF and TER. Without a number of samples there are 1000 draws of
    the bootstrap, or 10000 of randomisation.
    """
    known, significance = _sacrebleu()
    if len(systems) < 2:
        raise ValueError("there must be two systems to compare")
    makers = {
        "BLEU": lambda: known.BLEU(lowercase=lowercase),
        "chrF": lambda: known.CHRF(lowercase=lowercase),
        "TER": known.TER,  # which never sees case unless it is told
    }
    for name in metrics:
        if name not in makers:
            raise ValueError(f"{name!r} is none of {', '.join(makers)}")
    sets = [list(given) for given in reference_sets(references)]
    for system, hypotheses in systems.items():
        for given in sets:
            if len(given) != len(hypotheses):
                raise ValueError(
                    f"{len(given)} references for {len(hypotheses)} translations of "
                    f"{system}"
                )
    test = significance.PairedTest(
        [(system, list(hypotheses)) for system, hypotheses in systems.items()],
        {name: makers[name]() for name in metrics},
        sets,
        test_type="bs" if method is Method.BOOTSTRAP else "ar",
        n_samples=samples or 0,
    )
    signatures, found = test()
    scores = [
        ComparedScore(system, metric, float(r.score), r.p_value, r.mean, r.ci)
        for metric in signatures
        for system, r in zip(found["System"], found[metric])
    ]
    return TranslationComparison(
        tuple(scores), {metric: str(given) for metric, given in signatures.items()}
    )


def _sacrebleu() -> tuple[Any, Any]:
    """The modules of metrics and of tests."""
    try:
        from sacrebleu import metrics, significance
    except ImportError:
        raise MissingExtra("sacrebleu", "comparing translations") from None
    return metrics, significance
