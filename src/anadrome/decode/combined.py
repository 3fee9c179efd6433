"""Several scorers as one: ensembles, and a translator with a language model.

The members go from token to token together, each in its own state, and must have the
same vocabulary.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, final

import numpy as np

from anadrome.decode.scorer import Scorer, look

View = Callable[[Any], Any]
"""What a member is started with, from what the whole is started with."""


class _Combined(ABC):
    """Scorers side by side, whose log-probabilities become one array.

    Without `views` all members are started with the same source. Attention is the
    weighted mean of the members that attend, if they have equally many positions.
    """

    def __init__(
        self,
        members: Sequence[Scorer],
        weights: Sequence[float] | None,
        views: Sequence[View] | None,
    ) -> None:
        if not members:
            raise ValueError("there must be at least one scorer")
        self.members = tuple(members)
        self.weights = tuple([1.0] * len(members) if weights is None else weights)
        self.views = None if views is None else tuple(views)
        for what, given in (("weights", self.weights), ("views", self.views)):
            if given is not None and len(given) != len(members):
                raise ValueError(f"{len(given)} {what} for {len(members)} scorers")
        if min(self.weights) < 0 or sum(self.weights) <= 0:
            raise ValueError("the weights must not be negative, nor all zero")

    def start(self, source: Any) -> tuple[Any, ...]:
        """The states of all members."""
        if self.views is None:
            return tuple(member.start(source) for member in self.members)
        return tuple(
            member.start(view(source)) for member, view in zip(self.members, self.views)
        )

    def step(
        self, state: tuple[Any, ...], last_tokens: np.ndarray
    ) -> tuple[tuple[Any, ...], np.ndarray]:
        """The next states, and the log-probabilities that the members agree on."""
        made = [
            member.step(mine, last_tokens) for member, mine in zip(self.members, state)
        ]
        shapes = [log_probs.shape for _, log_probs in made]
        if len(set(shapes)) > 1:
            raise ValueError(
                "the scorers give log-probabilities of different shapes: "
                + ", ".join(map(str, shapes))
            )
        together = self.combine(np.stack([log_probs for _, log_probs in made]))
        return tuple(mine for mine, _ in made), together

    def reorder(self, state: tuple[Any, ...], indices: np.ndarray) -> tuple[Any, ...]:
        """The rows of all states in another order."""
        return tuple(
            member.reorder(mine, indices) for member, mine in zip(self.members, state)
        )

    def attention(self, state: tuple[Any, ...]) -> np.ndarray | None:
        """Where the members looked (N, S), on average."""
        looked = [
            (weight, weights)
            for member, mine, weight in zip(self.members, state, self.weights)
            if (weights := look(member, mine)) is not None and weight > 0
        ]
        if not looked or len({weights.shape for _, weights in looked}) > 1:
            return None
        shares = np.array([weight for weight, _ in looked])
        mean: np.ndarray = np.average(
            [weights for _, weights in looked], axis=0, weights=shares
        )
        return mean

    @abstractmethod
    def combine(self, log_probs: np.ndarray) -> np.ndarray:
        """The log-probabilities (N, V) from those of all members (M, N, V)."""

    def _weighted(self, log_probs: np.ndarray) -> np.ndarray:
        """Σₘ wₘ log pₘ; a member without weight cannot rule anything out."""
        total = np.zeros(log_probs.shape[1:], log_probs.dtype)
        for weight, given in zip(self.weights, log_probs):
            if weight > 0:
                total += log_probs.dtype.type(weight) * given
        return total


@final
class Mixture(_Combined):
    """The weighted mean of the members' probabilities, the usual ensemble.

    Sutskever et al. (2014), section 3.6.
    """

    def __init__(
        self,
        members: Sequence[Scorer],
        weights: Sequence[float] | None = None,
        views: Sequence[View] | None = None,
    ) -> None:
        super().__init__(members, weights, views)

    def combine(self, log_probs: np.ndarray) -> np.ndarray:
        """log Σₘ wₘ pₘ, the weights adding up to one."""
        with np.errstate(divide="ignore"):
            shares = np.log(np.array(self.weights) / sum(self.weights))
        return _log_sum_exp(
            log_probs + shares.astype(log_probs.dtype)[:, None, None], axis=0
        )


@final
class Product(_Combined):
    """The weighted geometric mean of the members' probabilities, normalised again.

    What one member rules out is out (Hinton 2002, products of experts).
    """

    def __init__(
        self,
        members: Sequence[Scorer],
        weights: Sequence[float] | None = None,
        views: Sequence[View] | None = None,
    ) -> None:
        super().__init__(members, weights, views)
        whole = sum(self.weights)
        self.weights = tuple(weight / whole for weight in self.weights)

    def combine(self, log_probs: np.ndarray) -> np.ndarray:
        """Σₘ wₘ log pₘ, less what makes it a distribution."""
        total = self._weighted(log_probs)
        level = _log_sum_exp(total, axis=1)[:, None]
        made: np.ndarray = total - np.where(np.isfinite(level), level, 0)
        return made


@final
class ShallowFusion(_Combined):
    """log p(translation) + weight x log p(language), token by token.

    Gülçehre et al. (2015), section 4.1; not normalised. `view` makes what the language
    model is started with from the translator's source, which it gets as it is
    otherwise: it must say of how many sentences there are to be rows.
    """

    def __init__(
        self,
        translator: Scorer,
        language: Scorer,
        weight: float = 0.2,
        view: View | None = None,
    ) -> None:
        views = None if view is None else (_same, view)
        super().__init__((translator, language), (1.0, weight), views)

    def combine(self, log_probs: np.ndarray) -> np.ndarray:
        """The weighted sum."""
        return self._weighted(log_probs)

    def attention(self, state: tuple[Any, ...]) -> np.ndarray | None:
        """Where the translator looked."""
        return look(self.members[0], state[0])


def _same(source: Any) -> Any:
    return source


def _log_sum_exp(values: np.ndarray, axis: int) -> np.ndarray:
    """log Σ exp along an axis; -inf if all are. NaN stays."""
    top = values.max(axis=axis, keepdims=True)
    top = np.where(np.isneginf(top), 0, top)
    with np.errstate(divide="ignore"):
        made: np.ndarray = np.log(np.exp(values - top).sum(axis=axis, keepdims=True))
    return np.squeeze(made + top, axis=axis)
