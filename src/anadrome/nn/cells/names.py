"""Cells by name, so that a model can be trained with any of them."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from anadrome.nn.cells.elman import make_elman, make_rectified_elman
from anadrome.nn.cells.gru import make_gru, make_reset_after_gru
from anadrome.nn.cells.lstm import make_lstm, make_peephole_lstm
from anadrome.nn.cells.mut import make_mut1, make_mut2, make_mut3
from anadrome.nn.cells.normalized import make_normalized_gru, make_normalized_lstm
from anadrome.options import OptionError
from anadrome.user_files import load_module

MakeCell = Callable[..., Any]
"""`make(key, E, H)`: a cell that reads E features and has a state of H."""

CELLS: dict[str, MakeCell] = {
    "elman": make_elman,
    "rectified-elman": make_rectified_elman,
    "lstm": make_lstm,
    "peephole-lstm": make_peephole_lstm,
    "normalized-lstm": make_normalized_lstm,
    "gru": make_gru,
    "reset-after-gru": make_reset_after_gru,
    "normalized-gru": make_normalized_gru,
    "mut1": make_mut1,
    "mut2": make_mut2,
    "mut3": make_mut3,
}


def find_cell(name: str) -> MakeCell:
    """What makes cells of this name, or `make_cell` of the user's file: `mine.py`."""
    if name in CELLS:
        return CELLS[name]
    if not name.endswith(".py"):
        near = difflib.get_close_matches(name, CELLS, 1)
        raise OptionError(
            f"there is no cell {name!r}\nhelp: "
            + (f"did you mean {near[0]!r}? " if near else "")
            + f"there are {', '.join(CELLS)}; or give a file.py with make_cell"
        )
    path = Path(name)
    if not path.is_file():
        raise OptionError(f"{name}: there is no such file")
    made = getattr(load_module(path), "make_cell", None)
    if not callable(made):
        raise OptionError(
            f"{name}: there is no function make_cell(key, E, H) in the file"
        )
    return made
