"""Gradients of plain Python and NumPy that you can read.

import anadrome as ad

ad.grad(f)(x)            # the gradient of a function of one number
print(ad.source(ad.grad(f), x))   # its source
"""

from anadrome.api.check_grads import check_grads
from anadrome.api.checkpoint import checkpoint, checkpointed, checkpointed_while
from anadrome.api.custom import custom_jvp, custom_vjp, stop_gradient
from anadrome.api.grad import (
    elementwise_grad,
    gauss_newton_product,
    grad,
    gradient_covariance_product,
    hessian,
    hvp,
    insert_grad_of,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    value_and_grad,
    vjp,
)
from anadrome.api.inspection import show, source
from anadrome.api.jit import jit
from anadrome.errors import (
    AnadromeError,
    ArgumentError,
    MutationError,
    NotCompiled,
    NotDifferentiable,
    ShapeMismatch,
    TypeMismatch,
    UnexpectedType,
    UnknownFunction,
    UnsupportedSyntax,
)
from anadrome.persistent import PersistentArray, append, setitem
from anadrome.primitives.registry import primitive
from anadrome.version import VERSION

__version__ = VERSION

__all__ = [
    "AnadromeError",
    "ArgumentError",
    "MutationError",
    "NotCompiled",
    "NotDifferentiable",
    "PersistentArray",
    "ShapeMismatch",
    "TypeMismatch",
    "UnexpectedType",
    "UnknownFunction",
    "UnsupportedSyntax",
    "append",
    "check_grads",
    "checkpoint",
    "checkpointed",
    "checkpointed_while",
    "custom_jvp",
    "custom_vjp",
    "elementwise_grad",
    "gauss_newton_product",
    "grad",
    "gradient_covariance_product",
    "hessian",
    "hvp",
    "insert_grad_of",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jit",
    "jvp",
    "primitive",
    "setitem",
    "show",
    "source",
    "stop_gradient",
    "value_and_grad",
    "vjp",
]
