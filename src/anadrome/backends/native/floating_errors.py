"""Floating-point errors that a program wants raised, which native code does not see."""

from __future__ import annotations

import numpy as np

from anadrome.errors import UnsupportedSyntax
from anadrome.ir import operations as ops
from anadrome.ir.graph import Constant, Graph, called_graphs, walk

_QUIET = ("ignore", "warn", None)


def refuse_floating_errors(graph: Graph) -> None:
    """Refuse `np.errstate` and `np.seterr` that ask for more than silence."""
    for g in called_graphs(graph):
        for node in walk(g):
            if node.op is not ops.PYCALL or not isinstance(node.args[0], Constant):
                continue
            function = node.args[0].value
            if function is not np.errstate and function is not np.seterr:
                continue
            options = (*node.args[1:], *node.keywords.values())
            if all(isinstance(o, Constant) and o.value in _QUIET for o in options):
                continue
            raise UnsupportedSyntax(
                f"np.{function.__name__} has native code raise floating-point errors",
                node.span,
                "test the numbers with np.isfinite, or leave out ad.jit",
            )
