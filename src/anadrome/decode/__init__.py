"""Search for outputs: greedy, sampled, by beam, and exhaustive; scores of given ones.

In: a `Scorer`, anything that scores the next token given a state.
Out: hypotheses, the best first.
"""

from anadrome.decode.beam import Diversity, beam_search
from anadrome.decode.combined import Mixture, Product, ShallowFusion
from anadrome.decode.constraints import (
    Constraint,
    Forbidden,
    NoRepeat,
    Prefix,
    Required,
)
from anadrome.decode.exhaustive import exhaustive_search
from anadrome.decode.forced import ScoredOutput, score_outputs
from anadrome.decode.greedy import greedy_search
from anadrome.decode.interface import Hypothesis, Limits, NoOutput
from anadrome.decode.penalties import (
    CoveragePenalty,
    LengthPenalty,
    NoPenalty,
    OffsetPenalty,
    PowerPenalty,
    WordReward,
)
from anadrome.decode.sampling import Sharpening, sample
from anadrome.decode.scorer import AttendingScorer, Scorer, SelectiveScorer
from anadrome.decode.settings import Search
from anadrome.decode.stopping import AtFirst, StoppingRule, WhenCertain, WhenFull
from anadrome.decode.trace import Fate, Node, SearchTrace, SearchTree
from anadrome.decode.unknown import align_words, learn_dictionary, replace_unknown

__all__ = [
    "AtFirst",
    "AttendingScorer",
    "Constraint",
    "CoveragePenalty",
    "Diversity",
    "Fate",
    "Forbidden",
    "Hypothesis",
    "LengthPenalty",
    "Limits",
    "Mixture",
    "NoOutput",
    "NoPenalty",
    "NoRepeat",
    "Node",
    "OffsetPenalty",
    "PowerPenalty",
    "Prefix",
    "Product",
    "Required",
    "ScoredOutput",
    "Scorer",
    "Search",
    "SearchTrace",
    "SearchTree",
    "SelectiveScorer",
    "ShallowFusion",
    "Sharpening",
    "StoppingRule",
    "WhenCertain",
    "WhenFull",
    "WordReward",
    "align_words",
    "beam_search",
    "exhaustive_search",
    "greedy_search",
    "learn_dictionary",
    "replace_unknown",
    "sample",
    "score_outputs",
]
