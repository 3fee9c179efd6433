"""A text as rows of a batch that are read in windows, one window after the other.

Truncated back-propagation through time: the text is cut into as many pieces of equal
length as the batch has rows, and a window holds the next tokens of every piece. What a
model knows at the end of a window it is given at the beginning of the next.

Axis letters: T tokens of a window, B rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from anadrome.options import OptionError
from anadrome.text.errors import EmptyCorpus
from anadrome.text.vocabulary import EOS


@dataclass(frozen=True)
class TextSizes:
    """How many tokens are known, and of how many symbols the longest consists.

    That is 0 where there is no dictionary of tokens that span symbols.
    """

    tokens: int
    longest: int = 0

    @property
    def units(self) -> int:
        """The number of tokens, for models that read them one after another."""
        if self.longest:
            raise OptionError(
                "data: this model does not read in tokens of a dictionary\n"
                "help: leave out --dictionary, or use --model multiscale"
            )
        return self.tokens


@dataclass(frozen=True)
class Window:
    """The next tokens of every row.

    `tokens[t + 1]` is what is to be predicted after `tokens[t]`; so the last token of
    a window is the first one of the next. The mask is float32: 0 behind the end of the
    text. `lattice` are the ways to read the window in pieces, where a model wants them.
    """

    tokens: np.ndarray  # (T + 1, B)
    mask: np.ndarray  # (T, B) of the predicted tokens
    fresh: np.ndarray  # (B,) float32: 1 where nothing was read before
    lattice: Any = None

    @property
    def size(self) -> int:
        """How many tokens are predicted."""
        return int(self.mask.sum())


MakeLattices = Callable[[np.ndarray], Callable[[int, int], Any]]


class Rows:
    """A text in B rows; row b is read after the last token of row b - 1.

    `lattice` makes of the tokens (L + 1, B) of all rows what gives the lattice of the
    window that begins at a place and has a length.
    """

    def __init__(
        self, numbers: np.ndarray, rows: int, lattice: MakeLattices | None = None
    ) -> None:
        if not len(numbers):
            raise EmptyCorpus("there is no text to read")
        self.count = len(numbers)
        self.rows = min(rows, self.count)
        self.length = -(-self.count // self.rows)
        padded = np.full(self.rows * self.length + 1, EOS, np.int64)
        padded[1 : self.count + 1] = numbers  # the text begins as if a line had ended
        begins = np.arange(self.rows) * self.length
        self.tokens = padded[begins + np.arange(self.length + 1)[:, None]]
        places = begins + np.arange(self.length)[:, None]
        self.mask = (places < self.count).astype(np.float32)
        self._lattice = None if lattice is None else lattice(self.tokens)

    def window(self, begin: int, length: int) -> Window:
        """The window that predicts the tokens begin, …, begin + length - 1 of rows."""
        end = min(begin + length, self.length)
        first = np.full(self.rows, float(begin == 0), np.float32)
        lattice = self._lattice
        return Window(
            self.tokens[begin : end + 1],
            self.mask[begin:end],
            first,
            None if lattice is None else lattice(begin, end - begin),
        )

    def windows(self, length: int) -> Iterator[Window]:
        """All windows, in order."""
        for begin in range(0, self.length, length):
            yield self.window(begin, length)


class WindowStream:
    """Windows without end, epoch after epoch, that can be left and taken up again.

    The position is two numbers, as that of a `BatchStream`.
    """

    def __init__(
        self,
        numbers: np.ndarray,
        rows: int,
        length: int,
        lattice: MakeLattices | None = None,
    ) -> None:
        self._text = Rows(numbers, rows, lattice)
        self._length = length
        self.rows = self._text.rows
        self.epoch = 0
        self.batch = 0

    def __len__(self) -> int:
        """How many windows an epoch has."""
        return -(-self._text.length // self._length)

    def __iter__(self) -> WindowStream:
        return self

    def __next__(self) -> Window:
        if self.batch >= len(self):
            self.epoch += 1
            self.batch = 0
        made = self._text.window(self.batch * self._length, self._length)
        self.batch += 1
        return made

    def state(self) -> dict[str, int]:
        """The position: what `restore` needs to go on with the very next window."""
        return {"epoch": self.epoch, "batch": self.batch}

    def restore(self, state: dict[str, int]) -> None:
        """Go to a position that `state` gave."""
        batch = int(state["batch"])
        if not 0 <= batch <= len(self):
            raise ValueError(
                f"window {batch} is outside the epoch, which has {len(self)}; "
                "was the text or the budget changed?"
            )
        self.epoch, self.batch = int(state["epoch"]), batch
