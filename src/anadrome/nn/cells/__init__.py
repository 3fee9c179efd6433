"""Recurrent cells: records of weights with the equations of one step.

A cell has three methods. `drive(x)` is the part of a step that needs only the input,
so it is computed for all times at once; `start(B)` is the state before the first
step; `step(state, a)` is the next state. A state is a tuple of arrays (B, H), of
which the first is the output. Any record with these methods is a cell.

In: inputs (T, B, E), states, what the inputs drive.
Out: new states.
"""

from anadrome.nn.cells.cell import Cell, GatedCell, State
from anadrome.nn.cells.elman import (
    Elman,
    RectifiedElman,
    make_elman,
    make_rectified_elman,
)
from anadrome.nn.cells.gru import GRU, ResetAfterGRU, make_gru, make_reset_after_gru
from anadrome.nn.cells.lstm import (
    LSTM,
    PeepholeLSTM,
    ProjectedLSTM,
    make_lstm,
    make_lstm_stack,
    make_peephole_lstm,
    make_projected_lstm,
)
from anadrome.nn.cells.mut import MUT1, MUT2, MUT3, make_mut1, make_mut2, make_mut3
from anadrome.nn.cells.names import CELLS, MakeCell, find_cell
from anadrome.nn.cells.normalized import (
    NormalizedGRU,
    NormalizedLSTM,
    make_normalized_gru,
    make_normalized_lstm,
)

__all__ = [
    "CELLS",
    "GRU",
    "LSTM",
    "MUT1",
    "MUT2",
    "MUT3",
    "Cell",
    "Elman",
    "GatedCell",
    "MakeCell",
    "NormalizedGRU",
    "NormalizedLSTM",
    "PeepholeLSTM",
    "ProjectedLSTM",
    "RectifiedElman",
    "ResetAfterGRU",
    "State",
    "find_cell",
    "make_elman",
    "make_gru",
    "make_lstm",
    "make_lstm_stack",
    "make_mut1",
    "make_mut2",
    "make_mut3",
    "make_normalized_gru",
    "make_normalized_lstm",
    "make_peephole_lstm",
    "make_projected_lstm",
    "make_rectified_elman",
    "make_reset_after_gru",
]
