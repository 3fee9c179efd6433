"""Networks as records of weights and pure functions.

Axis letters, here and in `models`: B rows of a batch, T time, S source positions,
E features of an input or embedding, H hidden units, A attention units, M features of a
memory, V vocabulary. Sequences are time-major (T, B, …), weights (in, out), so that a
layer is `x @ W + b`. No derivative is written by hand.

In: weights, inputs, states, keys of random numbers.
Out: new values; nothing is changed in place, nothing is hidden.
"""

from anadrome.nn.activations import (
    log_softmax,
    log_sum_exp,
    maxout,
    sigmoid,
    softmax,
)
from anadrome.nn.attention import (
    AdditiveAttention,
    attend,
    dot_energies,
    make_additive_attention,
    scaled_dot_energies,
)
from anadrome.nn.cells import (
    GRU,
    LSTM,
    MUT1,
    MUT2,
    MUT3,
    Cell,
    Elman,
    GatedCell,
    NormalizedGRU,
    NormalizedLSTM,
    PeepholeLSTM,
    ProjectedLSTM,
    RectifiedElman,
    ResetAfterGRU,
    State,
    make_elman,
    make_gru,
    make_lstm,
    make_mut1,
    make_mut2,
    make_mut3,
    make_normalized_gru,
    make_normalized_lstm,
    make_peephole_lstm,
    make_projected_lstm,
    make_rectified_elman,
    make_reset_after_gru,
)
from anadrome.nn.clipping import clip_by_global_norm, global_norm
from anadrome.nn.dropout import dropout, steady_dropout
from anadrome.nn.embedding import embed
from anadrome.nn.initializers import gaussian, glorot, orthogonal
from anadrome.nn.layers import (
    Bidirectional,
    Layer,
    Residual,
    run,
    run_backwards,
    run_both_ways,
    run_stack,
)
from anadrome.nn.losses import cross_entropy, word_cross_entropy
from anadrome.nn.normalization import LayerNorm, layer_norm, make_layer_norm
from anadrome.nn.optimizers import SGD, Adadelta, Adam, Optimizer
from anadrome.nn.records import arrays_of, count_parameters, map_arrays

__all__ = [
    "GRU",
    "LSTM",
    "MUT1",
    "MUT2",
    "MUT3",
    "SGD",
    "Adadelta",
    "Adam",
    "AdditiveAttention",
    "Bidirectional",
    "Cell",
    "Elman",
    "GatedCell",
    "Layer",
    "LayerNorm",
    "NormalizedGRU",
    "NormalizedLSTM",
    "Optimizer",
    "PeepholeLSTM",
    "ProjectedLSTM",
    "RectifiedElman",
    "ResetAfterGRU",
    "Residual",
    "State",
    "arrays_of",
    "attend",
    "clip_by_global_norm",
    "count_parameters",
    "cross_entropy",
    "dot_energies",
    "dropout",
    "embed",
    "gaussian",
    "global_norm",
    "glorot",
    "layer_norm",
    "log_softmax",
    "log_sum_exp",
    "make_additive_attention",
    "make_elman",
    "make_gru",
    "make_layer_norm",
    "make_lstm",
    "make_mut1",
    "make_mut2",
    "make_mut3",
    "make_normalized_gru",
    "make_normalized_lstm",
    "make_peephole_lstm",
    "make_projected_lstm",
    "make_rectified_elman",
    "make_reset_after_gru",
    "map_arrays",
    "maxout",
    "orthogonal",
    "run",
    "run_backwards",
    "run_both_ways",
    "run_stack",
    "scaled_dot_energies",
    "sigmoid",
    "softmax",
    "steady_dropout",
    "word_cross_entropy",
]
