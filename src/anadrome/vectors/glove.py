"""GloVe: vectors whose products are the logarithms of how often words meet.

Pennington, Socher and Manning (2014), trained by AdaGrad on one count at a time. The
cost of a count is written down once; its derivative is made from it.

Axis letters: V words, D features, N counts.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np

import anadrome as ad
from anadrome.options import Count, Positive
from anadrome.vectors.cooccurrence import Cooccurrences


@dataclass(frozen=True)
class GloveConfig:
    """How vectors are trained; the defaults are those of the authors' demonstration."""

    size: Count = 100  # features of a word
    iterations: Count = 15  # passes over all counts
    rate: Positive = 0.05  # the learning rate of AdaGrad
    enough: Positive = 10.0  # a count that weighs as much as a larger one, x_max
    power: Positive = 0.75  # how the weights of smaller counts fall, alpha
    threads: Count = 1  # how many counts are trained on at a time
    seed: int = 0  # decides the first vectors and the order of the counts


@dataclass
class GloveState:
    """What is trained, and AdaGrad's sums of squared gradients beside it."""

    words: np.ndarray  # (V, D)
    contexts: np.ndarray  # (V, D)
    word_biases: np.ndarray  # (V,)
    context_biases: np.ndarray  # (V,)
    squares: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]
    done: int = 0  # iterations
    costs: list[float] = field(default_factory=list)  # mean cost of each iteration

    @classmethod
    def start(cls, words: int, config: GloveConfig) -> GloveState:
        """First vectors, uniform and small."""
        rng = np.random.default_rng(config.seed)
        shape = (words, config.size)
        first = [
            ((rng.random(s) - 0.5) / config.size).astype(np.float32)
            for s in (shape, shape, (words,), (words,))
        ]
        ones = tuple(np.ones_like(array) for array in first)
        return cls(first[0], first[1], first[2], first[3], ones)  # type: ignore[arg-type]

    @property
    def vectors(self) -> np.ndarray:
        """The sum of the vectors of a word and of its context (section 4.2)."""
        return self.words + self.contexts


def cost(
    word: np.ndarray,
    context: np.ndarray,
    bias: float,
    context_bias: float,
    logarithm: float,
    weight: float,
) -> float:
    """What one count costs (equation 8)."""
    difference = np.dot(word, context) + bias + context_bias - logarithm
    return 0.5 * weight * difference * difference


_cost_and_gradient = ad.value_and_grad(cost, (0, 1, 2, 3))


@ad.jit
def _train(
    chosen: np.ndarray,
    rows: np.ndarray,
    columns: np.ndarray,
    logarithms: np.ndarray,
    weights: np.ndarray,
    W: np.ndarray,
    C: np.ndarray,
    b: np.ndarray,
    c: np.ndarray,
    SW: np.ndarray,
    SC: np.ndarray,
    Sb: np.ndarray,
    Sc: np.ndarray,
    rate: np.float32,
) -> float:
    """Train on the chosen counts one after another; their cost before each."""
    total = 0.0
    for n in chosen:
        i = rows[n]
        j = columns[n]
        value, (dw, dc, di, dj) = _cost_and_gradient(
            W[i], C[j], b[i], c[j], logarithms[n], weights[n]
        )
        total += value
        # The authors' program squares the gradient times the rate, so that steps
        # stay larger for longer than AdaGrad's.
        dw, dc = rate * dw, rate * dc
        di, dj = rate * di, rate * dj
        W[i] -= dw / np.sqrt(SW[i])
        C[j] -= dc / np.sqrt(SC[j])
        b[i] -= di / np.sqrt(Sb[i])
        c[j] -= dj / np.sqrt(Sc[j])
        SW[i] += dw * dw
        SC[j] += dc * dc
        Sb[i] += di * di
        Sc[j] += dj * dj
    return total


def train_glove(
    counts: Cooccurrences,
    words: int,
    config: GloveConfig,
    *,
    state: GloveState | None = None,
    watch: Callable[[GloveState], None] | None = None,
) -> GloveState:
    """Vectors of the counts. Goes on from a state, which it changes.

    `watch` is called after each iteration. With threads the counts are cut into
    blocks of words by contexts, and only blocks that share neither are trained on at
    the same time: results do not depend on who is faster.
    """
    if state is None:
        state = GloveState.start(words, config)
    logarithms = np.log(counts.values).astype(np.float32)
    weights = np.minimum(1.0, counts.values / config.enough) ** config.power
    given = (counts.rows, counts.columns, logarithms, weights.astype(np.float32))
    trained = (state.words, state.contexts, state.word_biases, state.context_biases)
    rate = np.float32(config.rate)
    threads = config.threads
    with ThreadPoolExecutor(threads) as pool:
        while state.done < config.iterations:
            order = np.random.default_rng((config.seed, state.done)).permutation(
                len(counts)
            )
            blocks = _blocks(order, counts, threads)
            total = 0.0
            for turn in range(threads):
                running = [
                    pool.submit(
                        _train,
                        blocks[k][(k + turn) % threads],
                        *given,
                        *trained,
                        *state.squares,
                        rate,
                    )
                    for k in range(threads)
                ]
                total += sum(float(job.result()) for job in running)
            state.done += 1
            state.costs.append(total / len(counts))
            if not np.isfinite(total):
                raise FloatingPointError(
                    f"the cost is {total} in iteration {state.done}: use a lower rate"
                )
            if watch is not None:
                watch(state)
    return state


def _blocks(
    order: np.ndarray, counts: Cooccurrences, threads: int
) -> list[list[np.ndarray]]:
    """The counts, in this order, by the remainders of word and context."""
    if threads == 1:
        return [[order]]
    # Remainders share out frequent words, which come first, evenly.
    words, contexts = counts.rows[order] % threads, counts.columns[order] % threads
    return [
        [order[(words == i) & (contexts == j)] for j in range(threads)]
        for i in range(threads)
    ]
