"""Cells that a decoder with one state can have, by name or from the user's file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anadrome.nn import find_cell, make_gru, make_reset_after_gru
from anadrome.options import OptionError
from anadrome.random import Key


def choose_cell(name: str) -> Callable[..., Any]:
    """`make(key, E, H, weights)` of a cell whose state is one array.

    Only the gated units of the papers have weights that begin as the papers say.
    """
    make = find_cell(name)
    if make in (make_gru, make_reset_after_gru):
        return make

    def make_cell(key: Key, E: int, H: int, weights: Any) -> Any:
        cell = make(key, E, H)
        count = len(cell.start(1))
        if count != 1:
            raise OptionError(
                f"the cell {name} has a state of {count} arrays; this decoder takes "
                "cells with one, such as gru, elman or mut3"
            )
        return cell

    return make_cell


def count_blocks(cell: Any, E: int, H: int) -> int:
    """How many blocks of H a cell's inputs drive: three for a gated unit."""
    driven = cell.drive(np.zeros((1, 1, E), np.float32))
    return int(driven.shape[2]) // H
