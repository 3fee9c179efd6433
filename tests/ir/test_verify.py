"""The verifier finds graphs that no pass may make."""

from __future__ import annotations

import numpy as np
import pytest

from anadrome.frontend.program import read
from anadrome.ir import operations as ops
from anadrome.ir.verify import Malformed, verify


def looping(x):
    s = 0.0
    for v in x:
        s = s + v * v
    return s


@pytest.fixture
def graph():
    return read(looping, (np.ones(3),), {}).graph


def loop_of(graph):
    return next(n for n in graph.body if n.op is ops.FOR)


def test_accepts_what_the_front_end_writes(graph):
    assert verify(graph) is graph


def test_a_value_must_be_defined_before_it_is_used(graph):
    graph.body.reverse()
    with pytest.raises(Malformed, match="before it is defined"):
        verify(graph)


def test_a_value_of_a_region_is_unknown_outside(graph):
    graph.results = [loop_of(graph).regions[0].body[0]]
    with pytest.raises(Malformed, match="before it is defined"):
        verify(graph)


def test_results_must_fit_the_shape_of_a_loop(graph):
    loop_of(graph).regions[0].results.append(graph.params[0])
    with pytest.raises(Malformed, match="results do not fit"):
        verify(graph)


def test_arguments_must_fit_the_shape_of_a_loop(graph):
    loop = loop_of(graph)
    loop.args = loop.args[:-1]
    with pytest.raises(Malformed, match="arguments do not fit"):
        verify(graph)


def test_every_value_has_a_type(graph):
    graph.params[0].type = None
    with pytest.raises(Malformed, match="has no type"):
        verify(graph)


def test_outputs_know_their_place(graph):
    loop_of(graph).outputs[0].index = 7
    with pytest.raises(Malformed, match="misplaced"):
        verify(graph)
