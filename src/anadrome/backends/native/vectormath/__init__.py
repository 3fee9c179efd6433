"""Elementary functions in LLVM IR, written so that loops over them vectorise.

`math_function(module, "exp", type, target)` gives a function to call.  Most are
branch-free and inlined into the caller, where LLVM's loop vectoriser widens them
with everything around; `type` may also be a vector, for code that is explicitly
vectorised.  Those that need a branch for rare arguments (`OUT_OF_LINE`) are
libraries, compiled once and cached, in scalar and vector versions: `math_symbols` has
their addresses, and their declarations tell the vectoriser which to call.

In: a type, scalar or vector.
Out: a function to call, inlined or from a library.
"""

from .functions import OUT_OF_LINE, TABLE, MathFunction, math_function
from .library import math_symbols
from .loops import elementwise

__all__ = [
    "OUT_OF_LINE",
    "TABLE",
    "MathFunction",
    "elementwise",
    "math_function",
    "math_symbols",
]
