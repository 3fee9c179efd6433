"""Methods of second order, which ask for derivatives of a loss themselves.

A minimiser is a record of its constants, with two methods: `start(params)` is the state
before the first step, `step(loss, params, state, *args)` the parameters and the state
after it, and the loss before it. Hessians are made, or multiplied by without being
made, by the compiler: a loss given as `ad.jit(loss)` has them in native code.

In: a loss of parameters and further arguments.
Out: parameters where it is lower.
"""

from anadrome.nn.minimizers.conjugate_gradients import conjugate_gradients
from anadrome.nn.minimizers.gauss_newton import GaussNewton
from anadrome.nn.minimizers.lbfgs import LBFGS
from anadrome.nn.minimizers.minimizer import Minimizer, Minimum, minimize
from anadrome.nn.minimizers.natural_gradient import NaturalGradient
from anadrome.nn.minimizers.newton import Newton, SaddleFreeNewton
from anadrome.nn.minimizers.newton_cg import NewtonCG

__all__ = [
    "LBFGS",
    "GaussNewton",
    "Minimizer",
    "Minimum",
    "NaturalGradient",
    "Newton",
    "NewtonCG",
    "SaddleFreeNewton",
    "conjugate_gradients",
    "minimize",
]
