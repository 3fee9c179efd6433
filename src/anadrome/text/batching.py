"""Batches of sentence pairs, grouped by length within a budget of tokens.

Axis letters: B sentences in the batch, S source positions, T target positions.
Arrays are batch-major (B, T), or time-major (T, B) when asked for, which is what a
loop over time wants.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from anadrome.text.vocabulary import BOS, EOS, pad_sentences


@dataclass(frozen=True)
class Batch:
    """Padded sentences. Masks are float32: 1 on tokens and 0 on padding."""

    indices: np.ndarray  # (B,) places of the pairs in the corpus
    source: np.ndarray  # (B, S) tokens, then </s>
    source_lengths: np.ndarray  # (B,) counting </s>
    source_mask: np.ndarray  # (B, S)
    target_in: np.ndarray  # (B, T) <s>, then the tokens
    target_out: np.ndarray  # (B, T) the tokens, then </s>
    target_lengths: np.ndarray  # (B,) counting </s>
    target_mask: np.ndarray  # (B, T)

    @property
    def tokens(self) -> int:
        """How many target tokens there are, with `</s>` and without padding."""
        return int(self.target_lengths.sum())


def mask_lengths(lengths: np.ndarray, width: int) -> np.ndarray:
    """1 where a position lies within the sentence, else 0: float32 (B, width)."""
    return (np.arange(width) < lengths[:, None]).astype(np.float32)


def make_batch(
    source: Sequence[np.ndarray],
    target: Sequence[np.ndarray],
    indices: np.ndarray,
    *,
    time_major: bool = False,
) -> Batch:
    """The batch of the pairs with these indices; sentences bear no special tokens."""
    start, end = np.array([BOS]), np.array([EOS])
    padded, lengths = pad_sentences([np.concatenate([source[i], end]) for i in indices])
    inputs, target_lengths = pad_sentences(
        [np.concatenate([start, target[i]]) for i in indices]
    )
    outputs, _ = pad_sentences([np.concatenate([target[i], end]) for i in indices])

    def transposed(array: np.ndarray) -> np.ndarray:
        return np.ascontiguousarray(array.T) if time_major else array

    return Batch(
        indices=np.asarray(indices),
        source=transposed(padded),
        source_lengths=lengths,
        source_mask=transposed(mask_lengths(lengths, padded.shape[1])),
        target_in=transposed(inputs),
        target_out=transposed(outputs),
        target_lengths=target_lengths,
        target_mask=transposed(mask_lengths(target_lengths, inputs.shape[1])),
    )


def plan_batches(
    source_lengths: np.ndarray,
    target_lengths: np.ndarray,
    *,
    budget: int,
    max_sentences: int | None = None,
    seed: int = 0,
    epoch: int = 0,
) -> list[np.ndarray]:
    """The batches of an epoch, as arrays of indices: a function of (seed, epoch).

    Every pair is in exactly one batch. Pairs of like length are put together, and a
    batch holds as many as keep its padded area, max(S, T) x B, within the budget of
    tokens. A pair longer than the budget is a batch by itself.
    """
    if budget < 1 or (max_sentences is not None and max_sentences < 1):
        raise ValueError("a batch must have room for at least one sentence")
    source_lengths = np.asarray(source_lengths)
    target_lengths = np.asarray(target_lengths)
    count = len(source_lengths)
    rng = np.random.default_rng([seed, epoch])
    # Sorting a shuffled order: equal lengths meet other neighbours in every epoch.
    shuffled = rng.permutation(count)
    keys = (source_lengths[shuffled], target_lengths[shuffled])
    order = shuffled[np.lexsort(keys)]
    widths = np.maximum(source_lengths, target_lengths)[order] + 1
    limit = count if max_sentences is None else max_sentences
    batches = []
    begin, widest = 0, 0
    for i, width in enumerate(widths.tolist()):
        widest = max(widest, width)
        if i > begin and (widest * (i - begin + 1) > budget or i - begin >= limit):
            batches.append(order[begin:i])
            begin, widest = i, width
    if count:
        batches.append(order[begin:])
    return [batches[i] for i in rng.permutation(len(batches))]


class BatchStream:
    """Batches without end, epoch after epoch, that can be left and taken up again.

    The position is two numbers, the epoch and the batch in it; `state` and `restore`
    are what a checkpoint keeps. Sentences are arrays of token numbers without special
    tokens.
    """

    def __init__(
        self,
        source: Sequence[np.ndarray],
        target: Sequence[np.ndarray],
        *,
        budget: int,
        max_sentences: int | None = None,
        seed: int = 0,
        time_major: bool = False,
    ) -> None:
        if len(source) != len(target):
            raise ValueError(
                f"{len(source)} source sentences, but {len(target)} target sentences"
            )
        if not len(source):
            raise ValueError("there is nothing to make batches of")
        self._source, self._target = source, target
        self._source_lengths = np.array([len(s) for s in source])
        self._target_lengths = np.array([len(t) for t in target])
        self._budget, self._max_sentences = budget, max_sentences
        self._time_major = time_major
        self.seed = seed
        self.epoch = 0
        self.batch = 0
        self._plan = self._plan_epoch(0)

    def plan(self, epoch: int) -> list[np.ndarray]:
        """The indices of every batch of an epoch."""
        return list(self._plan if epoch == self.epoch else self._plan_epoch(epoch))

    def batches(self, epoch: int, start: int = 0) -> Iterator[Batch]:
        """The batches of one epoch from batch `start`; the position does not move."""
        for indices in self.plan(epoch)[start:]:
            yield self._make(indices)

    def __iter__(self) -> BatchStream:
        return self

    def __next__(self) -> Batch:
        if self.batch >= len(self._plan):
            self.epoch += 1
            self.batch = 0
            self._plan = self._plan_epoch(self.epoch)
        made = self._make(self._plan[self.batch])
        self.batch += 1
        return made

    def state(self) -> dict[str, int]:
        """The position: what `restore` needs to go on with the very next batch."""
        return {"seed": self.seed, "epoch": self.epoch, "batch": self.batch}

    def restore(self, state: dict[str, int]) -> None:
        """Go to a position that `state` gave."""
        self.seed = int(state["seed"])
        self.epoch = int(state["epoch"])
        self._plan = self._plan_epoch(self.epoch)
        batch = int(state["batch"])
        if not 0 <= batch <= len(self._plan):
            raise ValueError(
                f"batch {batch} is outside the epoch, which has {len(self._plan)}; "
                "was the corpus or the budget changed?"
            )
        self.batch = batch

    def _plan_epoch(self, epoch: int) -> list[np.ndarray]:
        return plan_batches(
            self._source_lengths,
            self._target_lengths,
            budget=self._budget,
            max_sentences=self._max_sentences,
            seed=self.seed,
            epoch=epoch,
        )

    def _make(self, indices: np.ndarray) -> Batch:
        return make_batch(
            self._source, self._target, indices, time_major=self._time_major
        )
