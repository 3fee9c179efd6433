"""Random numbers, which are new arrays that depend on nothing."""

from __future__ import annotations

import numpy as np

from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant
from anadrome.ir.types import Num, Other, deref
from anadrome.transform.dependence.activity import Activity

_GENERATORS = (np.random.Generator, np.random.RandomState)


def is_draw(node: Apply, activity: Activity) -> bool:
    """Whether a statement draws numbers whose distribution does not vary.

    An array of them may be changed in place afterwards, as one of zeros may.
    """
    if not isinstance(deref(node.type), Num):
        return False
    if any(n in activity for n in node.inputs):
        return False
    first = node.args[0]
    if node.op is ops.METHOD:
        owner = deref(first.type)
        if isinstance(owner, Other):
            return issubclass(owner.cls, _GENERATORS)
        return isinstance(first, Constant) and isinstance(first.value, _GENERATORS)
    if node.op is ops.PYCALL and isinstance(first, Constant):
        return isinstance(getattr(first.value, "__self__", None), _GENERATORS)
    return False
