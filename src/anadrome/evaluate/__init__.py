"""How good outputs are: scores of translations, tags and labels; tests; analyses.

In: outputs and references.
Out: scores with the signatures that they are reported under, and tables.
"""

from anadrome.evaluate.accuracy import (
    bits_per_character,
    perplexity,
    sentence_accuracy,
    token_accuracy,
)
from anadrome.evaluate.agreement import Agreement
from anadrome.evaluate.analysis import (
    Sample,
    SampleTable,
    ScoreCurve,
    TestSet,
    TopTranslations,
    TranslationAnalysis,
    UnknownTable,
    analyse_translations,
    pick_samples,
    score_by_length,
    score_by_unknown,
    score_without_unknown,
    top_translations,
)
from anadrome.evaluate.errors import MissingExtra
from anadrome.evaluate.gradient_flow import (
    GradientFlow,
    compare_gradient_flow,
    gradient_flow,
)
from anadrome.evaluate.labels import Confusion, confusion_of
from anadrome.evaluate.significance import (
    ComparedScore,
    Method,
    PairedTest,
    TranslationComparison,
    accuracy_statistics,
    compare_translations,
    paired_test,
    ratio_of_sums,
)
from anadrome.evaluate.spans import (
    InvalidTag,
    Span,
    SpanScores,
    SurfaceScores,
    f1_of_sums,
    span_f1,
    span_statistics,
    spans_of,
    surface_f1,
)
from anadrome.evaluate.translation import (
    Bucket,
    Score,
    bleu,
    bleu_by_key,
    bleu_by_length,
    chrf,
    sentence_bleu,
    ter,
)

__all__ = [
    "Agreement",
    "Bucket",
    "ComparedScore",
    "Confusion",
    "GradientFlow",
    "InvalidTag",
    "Method",
    "MissingExtra",
    "PairedTest",
    "Sample",
    "SampleTable",
    "Score",
    "ScoreCurve",
    "Span",
    "SpanScores",
    "SurfaceScores",
    "TestSet",
    "TopTranslations",
    "TranslationAnalysis",
    "TranslationComparison",
    "UnknownTable",
    "accuracy_statistics",
    "analyse_translations",
    "bits_per_character",
    "bleu",
    "bleu_by_key",
    "bleu_by_length",
    "chrf",
    "compare_gradient_flow",
    "compare_translations",
    "confusion_of",
    "f1_of_sums",
    "gradient_flow",
    "paired_test",
    "perplexity",
    "pick_samples",
    "ratio_of_sums",
    "score_by_length",
    "score_by_unknown",
    "score_without_unknown",
    "sentence_accuracy",
    "sentence_bleu",
    "span_f1",
    "span_statistics",
    "spans_of",
    "surface_f1",
    "ter",
    "token_accuracy",
    "top_translations",
]
