"""How good outputs are: BLEU, chrF, accuracy, perplexity.

In: outputs and references.
Out: scores with the signatures that they are reported under.
"""

from anadrome.evaluate.accuracy import (
    bits_per_character,
    perplexity,
    sentence_accuracy,
    token_accuracy,
)
from anadrome.evaluate.errors import MissingExtra
from anadrome.evaluate.translation import (
    Bucket,
    Score,
    bleu,
    bleu_by_key,
    bleu_by_length,
    chrf,
    sentence_bleu,
)

__all__ = [
    "Bucket",
    "MissingExtra",
    "Score",
    "bits_per_character",
    "bleu",
    "bleu_by_key",
    "bleu_by_length",
    "chrf",
    "perplexity",
    "sentence_accuracy",
    "sentence_bleu",
    "token_accuracy",
]
