"""The features of the log-linear model, their names in Moses and their weights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from anadrome.smt.sentences import Array
from anadrome.text.errors import CorpusError

SINGLE = ("LM0", "Distortion0", "WordPenalty0", "UnknownWordPenalty0", "PhrasePenalty0")
TABLE, ORIENTATIONS = "TranslationModel0", "LexicalReordering0"
NEURAL = "CSLM0"

_DEFAULTS = {
    "LM0": 0.5,
    "Distortion0": 0.3,
    "WordPenalty0": -1.0,
    "UnknownWordPenalty0": 1.0,
    "PhrasePenalty0": 0.2,
    TABLE: 0.2,
    ORIENTATIONS: 0.3,
    NEURAL: 0.1,
}


@dataclass(frozen=True)
class Features:
    """Which features there are: five single ones, scores of a table, orientations.

    The last one may be a neural language model.
    """

    scores: int = 4
    oriented: bool = True
    neural: bool = False

    @property
    def groups(self) -> tuple[tuple[str, int], ...]:
        """Names with numbers of values, in the order of the weights."""
        groups = [(name, 1) for name in SINGLE]
        groups.append((TABLE, self.scores))
        if self.oriented:
            groups.append((ORIENTATIONS, 6))
        if self.neural:
            groups.append((NEURAL, 1))
        return tuple(groups)

    @property
    def size(self) -> int:
        """How many values there are."""
        return sum(count for _, count in self.groups)

    def default_weights(self) -> Array:
        """The weights that training starts from, as in Moses."""
        return np.array(
            [_DEFAULTS[name] for name, count in self.groups for _ in range(count)]
        )

    def weights(self, named: Mapping[str, Sequence[float]]) -> Array:
        """The weights of named features; those that are not named are 0, unknowns 1."""
        known = dict(self.groups)
        for name, values in named.items():
            if name not in known:
                raise CorpusError(
                    f"there is no feature {name!r}",
                    help=f"there are {', '.join(known)}",
                )
            if len(values) != known[name]:
                raise CorpusError(
                    f"{name} has {known[name]} value(s), but {len(values)} weight(s)"
                )
        found: list[float] = []
        for name, count in self.groups:
            missing = 1.0 if name == "UnknownWordPenalty0" else 0.0
            found.extend(named.get(name, [missing] * count))
        return np.array(found, dtype=float)

    def named(self, values: Array) -> dict[str, list[float]]:
        """Values by the names of their features."""
        found = {}
        at = 0
        for name, count in self.groups:
            found[name] = [float(v) for v in values[at : at + count]]
            at += count
        return found

    def format(self, values: Array) -> str:
        """Values as in an n-best list: `LM0= -12.3 Distortion0= -4 …`"""
        return " ".join(
            f"{name}= {' '.join(f'{v:.6g}' for v in found)}"
            for name, found in self.named(values).items()
        )
