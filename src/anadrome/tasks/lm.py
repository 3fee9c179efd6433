"""Language modelling: the next token of a text, judged by perplexity or bits."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np

import anadrome as ad
from anadrome.corpora.files import scan_lines
from anadrome.options import Count, NonNegative, OptionError
from anadrome.tasks.overlap import OverlapCheck, read_apart
from anadrome.text import UNK, Rows, WindowStream
from anadrome.text.dictionary import learn_dictionary
from anadrome.text.errors import EmptyCorpus
from anadrome.text.language import LanguageCodec
from anadrome.text.lattice import lattices
from anadrome.text.streams import MakeLattices
from anadrome.train.task import Encoded, FileName, Task, Trained, Validation

SCORED = 128
"""How many tokens of each row are scored together."""


@dataclass(frozen=True)
class Data(OverlapCheck):
    """What a token is, and how the text is read."""

    unit: Literal["words", "characters"] = "words"  # what the text is a sequence of
    max_words: Count | None = None  # the most frequent units that are known
    min_count: Count = 1  # units that occur less often are unknown
    window: Count = 35  # tokens through which gradients go back
    # tokens of a dictionary of character sequences, for models that read in several
    # ways at once; 0 for none
    dictionary: NonNegative = 0
    # what learns it: byte-pair encoding that un-merges, or not, or Ziv and Lempel's
    coder: Literal["adapted", "bpe", "lz78"] = "adapted"
    within_words: bool = False  # no token of it goes on behind white space
    rows: Count = 32  # places at which a text is read at once when it is judged


@dataclass(frozen=True)
class Predicting:
    """How to score."""

    # what runs the model: Python at once, or native code after some seconds
    backend: Literal["native", "python"] = "python"


class LanguageModelling(Task):
    """A text, token by token."""

    name = "lm"
    noun = "language model"
    own_commands = True  # score, generate, segment
    files = (FileName("file", "Running text, a sentence on each line or not."),)
    default_model = "rnn"
    data = Data
    predicting = Predicting
    codecs = LanguageCodec
    training: ClassVar = {"steps": 20000, "batch_tokens": 35 * 20, "clip": 5.0}

    def read(
        self, files: Sequence[Path], data: Data, held_out: Sequence[Path] = ()
    ) -> list[str]:
        """The lines of a file."""
        (path,) = files
        return read_apart(_scan, path, held_out, data.overlap)

    def prepare(self, examples: Sequence[str], data: Data) -> LanguageCodec:
        """The words or characters of training."""
        codec = LanguageCodec.learn(
            examples, data.unit, max_size=data.max_words, min_count=data.min_count
        )
        if not data.dictionary:
            return codec
        if data.unit != "characters":
            raise OptionError("data: a dictionary needs the unit characters")
        text = "".join(line + "\n" for line in examples)
        found = learn_dictionary(
            text, data.dictionary, data.coder, within_words=data.within_words
        )
        return replace(codec, dictionary=found)

    def encode(
        self, examples: Sequence[str], codecs: LanguageCodec, data: Data
    ) -> Encoded:
        """The text as windows that follow one another."""
        numbers = codecs.encode(examples)

        def stream(budget: int, seed: int) -> WindowStream:
            rows = max(1, budget // data.window)
            return WindowStream(numbers, rows, data.window, _lattices(codecs))

        return Encoded(stream=stream)

    def validate(self, trained: Trained, examples: Sequence[str]) -> Validation:
        """The mean logarithm of the probability of a token, over the whole text."""
        found = judge(trained, trained.codecs.encode(examples))
        return Validation(-found.nats, found.text(trained.codecs.unit))

    def other_kind(self, model: str) -> str | None:
        """n-gram models are estimated."""
        if model != "ngram":
            return None
        return (
            "an n-gram model is estimated in one step, and this is for models that "
            "are trained\nhelp: anadrome evaluate, lm score, lm mix and lm generate "
            "take it"
        )

    def predict(
        self, trained: Trained, lines: Sequence[str], first: int, options: Predicting
    ) -> Iterator[str]:
        """The log-probability (base 10) of each line, for itself."""
        for line in lines:
            numbers = trained.codecs.encode([line])
            found = log_probabilities(trained, numbers, rows=1)
            yield f"{float(found.sum()) / math.log(10):.4f}\t{line}"

    def evaluate(
        self, trained: Trained, examples: Sequence[str], options: Predicting
    ) -> Iterator[str]:
        """Perplexity or bits, and what was unknown."""
        numbers = trained.codecs.encode(examples)
        unit = trained.codecs.unit
        found = log_probabilities(trained, numbers)
        yield Judgement.of(found).text(unit)
        unknown = numbers == UNK
        yield f"{len(numbers):,} tokens, {unknown.sum():,} of them unknown"
        if unknown.any() and not unknown.all():
            yield f"without them: {Judgement.of(found[~unknown]).text(unit)}"


TASK = LanguageModelling()


def _scan(path: Path) -> Iterator[tuple[int, str, str]]:
    return ((number, line, line) for number, line in scan_lines(path))


@dataclass(frozen=True)
class Judgement:
    """The mean negative log-likelihood of so many tokens, in nats."""

    nats: float
    tokens: int

    @classmethod
    def of(cls, found: np.ndarray) -> Judgement:
        """Of log-probabilities (N,)."""
        return cls(-float(found.mean()), len(found))

    @property
    def perplexity(self) -> float:
        """exp(nats)."""
        return math.exp(min(self.nats, 700.0))

    @property
    def bits(self) -> float:
        """The same in bits."""
        return self.nats / math.log(2)

    def text(self, unit: str) -> str:
        """The number that people give for words or for characters."""
        if unit == "words":
            return f"perplexity {self.perplexity:.2f} on {self.tokens:,} tokens"
        return f"{self.bits:.4f} bits per character on {self.tokens:,} characters"


def judge(trained: Trained, numbers: np.ndarray) -> Judgement:
    """How well a model foresees a text."""
    return Judgement.of(log_probabilities(trained, numbers))


def log_probabilities(
    trained: Trained, numbers: np.ndarray, rows: int | None = None
) -> np.ndarray:
    """The log-probability (N,) of each token of a text after those before it, float64.

    The text is read at several places at once, in `rows`; a model has then seen
    nothing of what is before them.
    """
    if not len(numbers):
        raise EmptyCorpus("there is no text to score")
    wanted = trained.data.rows if rows is None else rows
    rows = max(1, min(wanted, len(numbers) // SCORED))
    text = Rows(numbers, rows, _lattices(trained.codecs))
    score = _compiled(trained.model.score) if trained.native else trained.model.score
    carried = trained.model.carry(
        trained.params, text.rows, trained.config, trained.codecs.sizes
    )
    parts = []
    for window in text.windows(SCORED):
        found, carried = score(trained.params, window, trained.config, carried)
        parts.append(np.asarray(found, np.float64))
    whole = np.concatenate(parts)  # (L, B)
    return whole.T.reshape(-1)[: text.count]


def _lattices(codecs: LanguageCodec) -> MakeLattices | None:
    if codecs.dictionary is None:
        return None
    return functools.partial(lattices, codecs.matcher)


@functools.cache
def _compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    return ad.jit(function)
