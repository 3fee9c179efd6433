"""What a task tells of itself, so that one training loop and one command serve all."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np

from anadrome.models import Model
from anadrome.options import NoOptions, OptionError


class Codecs(Protocol):
    """How the examples of a task become numbers, learnt from the training examples."""

    @property
    def sizes(self) -> Any:
        """What a model must know to make its first weights."""

    def save(self, folder: Path) -> None:
        """Write the codecs into a folder."""

    @classmethod
    def load(cls, folder: Path) -> Any:
        """The codecs that `save` wrote."""


def _no_collation(indices: np.ndarray) -> Any:
    raise TypeError("these batches come from a stream")


@dataclass(frozen=True)
class Encoded:
    """Examples as numbers: their lengths (N,) on every side, and how to batch them.

    Where batches follow one another, as the windows of a text do, `stream` makes them
    from a budget of tokens and a seed instead. It has `rows`, so many as a batch has.
    """

    lengths: Sequence[np.ndarray] = ()
    collate: Callable[[np.ndarray], Any] = _no_collation
    notes: tuple[str, ...] = ()  # what the user should know, such as examples left out
    stream: Callable[[int, int], Any] | None = None


@dataclass(frozen=True)
class Validation:
    """What a validation found: a score (higher is better) and how to write it."""

    score: float
    text: str


@dataclass(frozen=True)
class Judged:
    """What a model got right, example by example, for tests of significance.

    `score` gives the score of many examples, in per cent, from the sums (k,) of their
    statistics (N, k).
    """

    name: str
    statistics: np.ndarray
    score: Callable[[np.ndarray], float]


@dataclass(frozen=True)
class Trained:
    """A model with its weights and codecs: all that is needed to use it."""

    model: Model
    config: Any
    params: Any
    codecs: Any
    data: Any
    native: bool = False
    partners: tuple[Trained, ...] = ()  # what predicts together with it


@dataclass(frozen=True)
class FileName:
    """A file that a command asks for."""

    name: str
    help: str
    optional: bool = False  # whether the files before it may hold everything


class Task(ABC):
    """What an example is, how examples become a batch, and how a model is judged."""

    name: ClassVar[
        str
    ]  # the word in `anadrome train translate` and `anadrome translate`
    verb: ClassVar[str] = ""  # what using it does to standard input, if not its name
    own_commands: ClassVar[bool] = False  # whether `anadrome TASK` has commands below
    noun: ClassVar[str]  # what training makes: a translator
    files: ClassVar[tuple[FileName, ...]]  # the training files, in their order
    default_model: ClassVar[str]
    data: ClassVar[type]  # options: how examples are read and become numbers
    predicting: ClassVar[type]  # options of using the model
    filling: ClassVar[type] = NoOptions  # options that name files to be filled in
    scoring: ClassVar[type] = NoOptions  # options of scoring examples
    codecs: ClassVar[type]
    training: ClassVar[Mapping[str, Any]] = {}  # defaults of training that differ here

    @abstractmethod
    def read(
        self, files: Sequence[Path], data: Any, held_out: Sequence[Path] = ()
    ) -> Any:
        """The examples in files, a sequence; errors name file and line.

        `held_out` are the files of validation, which they should not overlap.
        """

    @abstractmethod
    def prepare(self, examples: Any, data: Any) -> Any:
        """The codecs, learnt from training examples."""

    @abstractmethod
    def encode(self, examples: Any, codecs: Any, data: Any) -> Encoded:
        """The examples as numbers."""

    @abstractmethod
    def validate(self, trained: Trained, examples: Any) -> Validation:
        """How good the model is on examples, in the time that training can spare."""

    @abstractmethod
    def predict(
        self, trained: Trained, lines: Sequence[str], first: int, options: Any
    ) -> Iterable[str]:
        """The output lines for input lines, the first of which has the number `first`.

        There is at least one for each input line, in their order.
        """

    @abstractmethod
    def evaluate(self, trained: Trained, examples: Any, options: Any) -> Iterable[str]:
        """How good the model is, in lines to print."""

    def other_kind(self, model: str) -> str | None:
        """Why a model of the task's is none that is trained step by step, if so."""
        return None

    def check_options(self, trained: Trained, options: Any) -> str | None:
        """Why a model cannot be used with these options, or None if it can."""
        return None

    def warnings(
        self, trained: Trained, lines: Sequence[str], first: int, options: Any
    ) -> Iterable[str]:
        """What the user should know about input lines."""
        return ()

    def combine(self, members: Sequence[Trained]) -> Trained:
        """Several models that predict together."""
        raise OptionError(f"several {self.noun}s cannot work together: give one folder")

    def fill(self, trained: Trained, files: Any, options: Any) -> Iterable[str] | None:
        """Fill the files that the options name; what was done, in lines to print.

        None if they name no file, and the lines of standard input are meant.
        """
        return None

    def score(self, trained: Trained, examples: Any, options: Any) -> Iterable[str]:
        """How likely examples are, in lines to print."""
        raise OptionError(f"a {self.noun} cannot score examples")

    def judge(self, trained: Trained, examples: Any) -> Judged:
        """What the model gets right of each example."""
        raise OptionError(f"{self.noun}s cannot be compared")

    def exhibits(self, trained: Trained, examples: Any) -> Iterable[Any]:
        """What a report shows of a model: records of `evaluate.exhibits`."""
        return ()

    def fingerprint(self, examples: Any) -> str:
        """A number that other examples, or another order of them, would not have."""
        digest = hashlib.sha256()
        for example in examples:
            digest.update(repr(example).encode("utf-8", "surrogatepass") + b"\n")
        return digest.hexdigest()[:16]
