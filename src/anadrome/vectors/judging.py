"""How good vectors are: analogies by section, and similarity as people judge it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import spearmanr

from anadrome.corpora.files import PathName, scan_lines
from anadrome.text.errors import EmptyCorpus, MalformedLine
from anadrome.vectors.words import WordVectors

_BATCH = 512  # questions that are answered together


@dataclass(frozen=True)
class AnalogySection:
    """Questions of one kind: what is to the third word as the second to the first?"""

    name: str
    questions: tuple[tuple[str, str, str, str], ...]

    @property
    def syntactic(self) -> bool:
        """Whether it is about forms of words, not about the world."""
        return self.name.startswith("gram")


@dataclass(frozen=True)
class AnalogyScore:
    """How many questions of a section are answered rightly."""

    name: str
    right: int
    asked: int  # questions of which all words have vectors
    total: int

    @property
    def accuracy(self) -> float:
        """The share of right answers among what could be asked."""
        return self.right / self.asked if self.asked else float("nan")


@dataclass(frozen=True)
class SimilarityScore:
    """Spearman's rank correlation with people's judgements."""

    name: str
    correlation: float
    asked: int
    total: int


def read_analogies(path: PathName) -> list[AnalogySection]:
    """The sections of a file like `questions-words.txt`, in small letters."""
    sections: list[tuple[str, list[tuple[str, str, str, str]]]] = []
    for number, line in scan_lines(path):
        words = line.lower().split()
        if line.startswith(":"):
            sections.append((line[1:].strip(), []))
        elif len(words) == 4:
            if not sections:
                sections.append(("", []))
            a, b, c, d = words
            sections[-1][1].append((a, b, c, d))
        elif words:
            raise MalformedLine(
                f"a question has four words, not {len(words)}", path=path, line=number
            )
    if not any(questions for _, questions in sections):
        raise EmptyCorpus("there are no questions here", path=path)
    return [AnalogySection(name, tuple(asked)) for name, asked in sections]


def score_analogies(
    vectors: WordVectors, sections: Sequence[AnalogySection]
) -> list[AnalogyScore]:
    """The score of each section; questions with unknown words are not asked."""
    ours = vectors.directions
    scores = []
    for section in sections:
        known = [q for q in section.questions if all(w in vectors for w in q)]
        numbers = np.array([[vectors.number(w) for w in q] for q in known], np.int64)
        right = 0
        for start in range(0, len(numbers), _BATCH):
            a, b, c, d = numbers[start : start + _BATCH].T
            cosines = (ours[b] - ours[a] + ours[c]) @ ours.T
            for words in (a, b, c):
                cosines[np.arange(len(a)), words] = -np.inf
            right += int(np.sum(cosines.argmax(axis=1) == d))
        scores.append(
            AnalogyScore(section.name, right, len(known), len(section.questions))
        )
    return scores


def read_similarities(path: PathName) -> list[tuple[str, str, float]]:
    """Pairs of words with a judgement each, in small letters."""
    pairs = []
    for number, line in scan_lines(path):
        if not line.strip():
            continue
        parts = line.lower().replace(",", " ").split()
        try:
            one, other, judged = parts
            pairs.append((one, other, float(judged)))
        except ValueError:
            raise MalformedLine(
                "there should be two words and a number", path=path, line=number
            ) from None
    if not pairs:
        raise EmptyCorpus("there are no pairs here", path=path)
    return pairs


def score_similarities(
    vectors: WordVectors, pairs: Sequence[tuple[str, str, float]], name: str = ""
) -> SimilarityScore:
    """The rank correlation of cosines and judgements; unknown words are left out."""
    known = [p for p in pairs if p[0] in vectors and p[1] in vectors]
    if len(known) < 2:
        return SimilarityScore(name, float("nan"), len(known), len(pairs))
    cosines = [vectors.similarity(one, other) for one, other, _ in known]
    found = spearmanr(cosines, [judged for *_, judged in known]).statistic
    return SimilarityScore(name, float(found), len(known), len(pairs))
