"""A language model of the task `lm` as what search asks: a `Scorer`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import anadrome as ad
from anadrome.models import Model
from anadrome.nn import map_arrays
from anadrome.text import BOS, EOS


@dataclass(frozen=True)
class LanguageScorer:
    """A model that scores the next token after a prompt and what was chosen.

    Text begins as after the end of a line. Search is started with the number of texts.
    """

    model: Model
    params: Any
    config: Any
    sizes: Any
    prompt: tuple[int, ...] = ()
    native: bool = False

    def start(self, source: int) -> Any:
        """What the model carries, after all of the prompt but its last token."""
        carried = self.model.carry(self.params, source, self.config, self.sizes)
        before = (EOS, *self.prompt)[:-1]
        if not before:
            return carried
        tokens = np.repeat(np.array(before, np.int64)[:, None], source, axis=1)
        return self.run(tokens, carried)[1]

    def step(self, state: Any, last_tokens: np.ndarray) -> tuple[Any, np.ndarray]:
        """The next state and the log-probabilities (N, V)."""
        last = (EOS, *self.prompt)[-1]
        tokens = np.where(last_tokens == BOS, last, last_tokens)[None]
        found, state = self.run(tokens, state)
        return state, np.array(found[0])

    def reorder(self, state: Any, indices: np.ndarray) -> Any:
        """The state with its rows in another order; rows are the first axis."""
        return map_arrays(lambda a: a[indices], state)

    def run(self, tokens: np.ndarray, carried: Any) -> tuple[np.ndarray, Any]:
        """The log-probabilities (T, N, V) after each of the tokens (T, N)."""
        run = self.model.distributions
        if self.native:
            run = _compiled(run)
        return run(self.params, tokens, self.config, carried)


@functools.cache
def _compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    return ad.jit(function)
