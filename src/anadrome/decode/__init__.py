"""Search for outputs: greedy, sampled, by beam, and exhaustive.

In: anything that scores the next token given a state (`interface`).
Out: hypotheses, the best first.
"""

from anadrome.decode.beam import beam_search
from anadrome.decode.exhaustive import exhaustive_search
from anadrome.decode.greedy import greedy_search
from anadrome.decode.interface import AttendingModel, Hypothesis, Limits, Model
from anadrome.decode.penalties import (
    LengthPenalty,
    NoPenalty,
    OffsetPenalty,
    PowerPenalty,
    WordReward,
)
from anadrome.decode.sampling import Sharpening, sample
from anadrome.decode.stopping import AtFirst, StoppingRule, WhenCertain, WhenFull

__all__ = [
    "AtFirst",
    "AttendingModel",
    "Hypothesis",
    "LengthPenalty",
    "Limits",
    "Model",
    "NoPenalty",
    "OffsetPenalty",
    "PowerPenalty",
    "Sharpening",
    "StoppingRule",
    "WhenCertain",
    "WhenFull",
    "WordReward",
    "beam_search",
    "exhaustive_search",
    "greedy_search",
    "sample",
]
