"""What a report shows of a model: plain records, without a word on how they look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anadrome.decode import SearchTree
from anadrome.evaluate.analysis import ScoreCurve
from anadrome.evaluate.labels import Confusion
from anadrome.evaluate.translation import Score


@dataclass(frozen=True)
class Scores:
    """How good the model is on examples that it was not trained on."""

    examples: str  # how many of what: "500 sentences"
    scores: tuple[Score, ...]


@dataclass(frozen=True)
class TranslatedSentence:
    """A sentence, its reference, what the model makes of it, and how good that is."""

    source: str
    reference: str
    output: str
    score: float  # BLEU of the sentence, 0 to 100


@dataclass(frozen=True)
class TranslatedSentences:
    """Translations beside their references."""

    title: str
    sentences: tuple[TranslatedSentence, ...]


@dataclass(frozen=True)
class AlignedSentence:
    """Where a model looked: weights (T, S) of target over source tokens."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    weights: np.ndarray


@dataclass(frozen=True)
class AlignedSentences:
    """Sentences with the alignments that the model found."""

    sentences: tuple[AlignedSentence, ...]


@dataclass(frozen=True)
class SearchedSentence:
    """What a beam search tried for a sentence; `words[token]` are its tokens."""

    source: str
    tree: SearchTree
    words: Sequence[str]


@dataclass(frozen=True)
class ParsedSentence:
    """The gates (N, 3) of every level of a grConv above a sentence."""

    words: tuple[str, ...]
    gates: tuple[np.ndarray, ...]


@dataclass(frozen=True)
class WordVectors:
    """Words, the most frequent first, and their vectors (N, E)."""

    title: str
    words: tuple[str, ...]
    vectors: np.ndarray


@dataclass(frozen=True)
class TaggedWords:
    """A sentence with the tags that were found, and those that are right."""

    words: tuple[str, ...]
    found: tuple[str, ...]
    right: tuple[str, ...]


@dataclass(frozen=True)
class TaggedSentences:
    """Sentences with tags."""

    title: str
    sentences: tuple[TaggedWords, ...]


@dataclass(frozen=True)
class ClassifiedText:
    """A text, the label that was found with its probability, and the right one."""

    text: str
    found: str
    right: str
    probability: float


@dataclass(frozen=True)
class ClassifiedTexts:
    """Texts with labels."""

    title: str
    texts: tuple[ClassifiedText, ...]


Exhibit = (
    Scores
    | ScoreCurve
    | TranslatedSentences
    | AlignedSentences
    | SearchedSentence
    | ParsedSentence
    | WordVectors
    | TaggedSentences
    | ClassifiedTexts
    | Confusion
)
