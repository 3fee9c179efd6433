"""The operations that are part of the language itself rather than functions.

Control flow has regions; the others build, read and change Python values. Each is a
single object, compared by identity.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class Op:
    """An operation of the language.

    `pure` operations may be moved, shared and dropped. `total` ones cannot raise.
    `alias` says which input the result may be the same object as.
    """

    name: str
    pure: bool = True
    total: bool = False
    writes: bool = False

    def __repr__(self) -> str:
        return self.name


# Control flow ------------------------------------------------------------------------
IF = Op("if", pure=False)
"""args: condition; regions: then, else; one output for each result of the regions."""

FOR = Op("for", pure=False)
"""A counted loop.

args: start, stop, step, then the stacks it reads, then the initial carried values.
The region's parameters: index, one item for each stack, the carried values. Its
results: the next carried values, then the residuals, then (if `breaks`) a flag that
ends the loop. Outputs: final carried values, stacks of residuals, and the number of
iterations.
"""

WHILE = Op("while", pure=False)
"""Like FOR without a range: regions are the condition and the body."""

TRY = Op("try", pure=False)
"""args: the exceptions caught; regions: body and handler, which is given the error."""

INSERT = Op("insert_grad_of", total=True)
"""args: a value, which is also the result; the region maps its cotangent."""

CALL = Op("call", pure=False)
"""args: a graph or a function value, then its arguments."""

PYCALL = Op("pycall", pure=False)
"""A call of a Python callable that is not looked into and takes nothing active."""

OBSERVE = Op("observe", pure=False)
"""A call that only looks at its arguments, such as `print`: nothing flows back."""

METHOD = Op("method", pure=False)
"""args: an object, the name of a method, its arguments: like PYCALL."""

RAISE = Op("raise", pure=False)
ASSERT = Op("assert", pure=False)
"""args: a test, a message, and the exception if it is another than AssertionError."""


def raised_by(check: Any) -> type[Exception]:
    """What an ASSERT raises if its test fails."""
    kind: type[Exception] = AssertionError
    return check.args[2].value if len(check.args) > 2 else kind


# Building and taking apart ------------------------------------------------------------
TUPLE = Op("tuple", total=True)
NAMEDTUPLE = Op("namedtuple", total=True)
LIST = Op("list", total=True)
DICT = Op("dict", total=True)
SET = Op("set")
SLICE = Op("slice", total=True)
FORMAT = Op("format", pure=False)
GETITEM = Op("getitem")
GETATTR = Op("getattr")
NEW = Op("new", pure=False)
"""A fresh object of a class, without its attributes."""
RECORD = Op("record")
"""args: one value for each name in the constant first argument's field list."""
LENGTH = Op("len", total=True)
CONVERT = Op("convert")
"""A call of int, float, list, tuple … as a function: args: the type, the value."""
IS = Op("is", total=True)
NOT = Op("not")
CONTAINS = Op("in")
CAST = Op("cast", total=True)
"""The same value, of which more is known: a value that is not None."""

# Changing what exists ---------------------------------------------------------------
SETITEM = Op("setitem", pure=False, writes=True)
SETATTR = Op("setattr", pure=False, writes=True)
DELITEM = Op("delitem", pure=False, writes=True)
"""Also the popping of an item: the item is read before."""
APPEND = Op("append", pure=False, writes=True)
POP = Op("pop", pure=False, writes=True)
"""The last item of a list, taken off it."""

# Derivatives ------------------------------------------------------------------------
INDEX_ADD = Op("index_add", total=True)
"""x with d added at an index; `x` is not used again, so it is done in place."""
ADD_PRODUCT = Op("add_product", pure=False, writes=True)
"""args: a matrix that is changed in place, and two vectors or matrices: their product
is added to it."""
COPY = Op("copy", total=True)
"""A snapshot of a buffer, taken because something later writes into it."""


@dataclass(frozen=True, eq=False)
class LoopShape:
    """How the arguments, parameters and results of a loop are laid out.

    stacks: how many stacks it reads. carried: how many values it carries. kept: how
    many residuals it makes a stack of. breaks: whether its last result ends it early;
    the final flag is an output. counts: whether the number of iterations is the last
    output. reverse: whether the iterations run from the last to the first. mirrors: the
    loop whose iterations it goes over again. frees: whether the residuals of an
    iteration are let go as soon as the backward loop has passed it.
    """

    stacks: int = 0
    carried: int = 0
    kept: int = 0
    breaks: bool = False
    counts: bool = False
    reverse: bool = False
    mirrors: Any = None
    frees: bool = False
