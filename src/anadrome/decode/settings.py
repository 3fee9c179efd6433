"""How outputs are looked for: everything that a search can be told about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anadrome.decode.beam import Diversity, beam_search
from anadrome.decode.constraints import Constraint, NoRepeat, Required
from anadrome.decode.greedy import greedy_search
from anadrome.decode.interface import Hypothesis, Limits
from anadrome.decode.penalties import CoveragePenalty, LengthPenalty, PowerPenalty
from anadrome.decode.sampling import Sharpening, sample
from anadrome.decode.scorer import Scorer
from anadrome.decode.trace import SearchTrace

DEFAULT_PENALTY = PowerPenalty(1.0)


@dataclass(frozen=True)
class Search:
    """A beam search, a greedy one if the beam is 1, or draws if there is a sharpening.

    `coverage` is the weight of the penalty of Wu et al. (2016); a run of `no_repeat`
    tokens does not occur twice, if that is not 0.
    """

    beam: int = 5
    n_best: int = 1
    penalty: LengthPenalty = DEFAULT_PENALTY
    coverage: float = 0.0
    diversity: Diversity | None = None
    no_repeat: int = 0
    sharpening: Sharpening | None = None
    seed: int = 0

    def run(
        self,
        scorer: Scorer,
        source: Any,
        lengths: Sequence[int],
        limits: Limits,
        *,
        constraints: Sequence[Constraint] = (),
        number: int = 0,
        trace: SearchTrace | None = None,
    ) -> list[list[Hypothesis]]:
        """The outputs for sentences with so many source positions, best first.

        Draws depend on the seed and `number`, that of the first sentence.
        """
        size = len(lengths)
        if self.no_repeat:
            constraints = (*constraints, NoRepeat(self.no_repeat))
        if self.sharpening is not None:
            return sample(
                scorer,
                source,
                size,
                np.random.default_rng((self.seed, number)),
                samples=self.n_best,
                sharpening=self.sharpening,
                limits=limits,
                constraints=constraints,
            )
        required = any(isinstance(c, Required) for c in constraints)
        if self.beam == 1 and trace is None and not required:
            found = greedy_search(
                scorer, source, size, limits=limits, constraints=constraints
            )
            return [[hypothesis] for hypothesis in found]
        coverage = CoveragePenalty(self.coverage, lengths) if self.coverage else None
        return beam_search(
            scorer,
            source,
            size,
            beam=self.beam,
            n_best=self.n_best,
            penalty=self.penalty,
            coverage=coverage,
            limits=limits,
            constraints=constraints,
            diversity=self.diversity,
            trace=trace,
        )
