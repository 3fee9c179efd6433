"""n-gram language models: counted, smoothed by Kneser and Ney, stored and asked.

In: sentences, or a model that this or another program wrote.
Out: probabilities, states for search, samples, and files.
"""

from anadrome.ngram.errors import InvalidDiscounts, InvalidModel, InvalidText
from anadrome.ngram.mixture import NgramMixture, fit_weights
from anadrome.ngram.model import NgramModel, ScoredWord
from anadrome.ngram.perplexity import Perplexity
from anadrome.ngram.query import match, score, score_words, start_state
from anadrome.ngram.scorer import NgramScorer
from anadrome.ngram.tables import Tables

__all__ = [
    "InvalidDiscounts",
    "InvalidModel",
    "InvalidText",
    "NgramMixture",
    "NgramModel",
    "NgramScorer",
    "Perplexity",
    "ScoredWord",
    "Tables",
    "fit_weights",
    "match",
    "score",
    "score_words",
    "start_state",
]
