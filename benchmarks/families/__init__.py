"""The families of benchmarks, by name."""

from __future__ import annotations

from benchmarks.families import (
    adbench,
    elman,
    linear_algebra,
    lstm,
    mlp,
    scalar_loops,
    stencils,
    systems,
    trees,
    unfused_cells,
    various,
)
from benchmarks.program import Case, Program

FAMILIES: dict[str, tuple[Program, ...]] = {
    "scalar": scalar_loops.PROGRAMS,
    "mlp": mlp.PROGRAMS,
    "elman": elman.PROGRAMS,
    "lstm": lstm.PROGRAMS,
    "cells": unfused_cells.PROGRAMS,
    "adbench": adbench.PROGRAMS,
    "kernels": (
        *stencils.PROGRAMS,
        *linear_algebra.PROGRAMS,
        *various.PROGRAMS,
    ),
    "trees": trees.PROGRAMS,
    "systems": systems.PROGRAMS,
}


def cases_of(family: str, quick: bool) -> list[Case]:
    """The cases of a family, those of the short run or all."""
    return [case for program in FAMILIES[family] for case in program.cases(quick)]


def all_programs() -> list[Program]:
    """Every program of the suite."""
    return [program for programs in FAMILIES.values() for program in programs]
