"""Vectors of words: trained, read, written, and asked about.

In: running text, or a file of vectors.
Out: a vector for every word, neighbours, analogies, and how good they are.
"""

from anadrome.vectors.cooccurrence import Cooccurrences, count_cooccurrences
from anadrome.vectors.files import read_vectors, write_vectors
from anadrome.vectors.glove import GloveConfig, GloveState, train_glove
from anadrome.vectors.judging import (
    AnalogyScore,
    SimilarityScore,
    read_analogies,
    read_similarities,
    score_analogies,
    score_similarities,
)
from anadrome.vectors.words import UnknownWord, WordVectors

__all__ = [
    "AnalogyScore",
    "Cooccurrences",
    "GloveConfig",
    "GloveState",
    "SimilarityScore",
    "UnknownWord",
    "WordVectors",
    "count_cooccurrences",
    "read_analogies",
    "read_similarities",
    "read_vectors",
    "score_analogies",
    "score_similarities",
    "train_glove",
    "write_vectors",
]
