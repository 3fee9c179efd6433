"""scipy.integrate: integrals of functions between limits."""

from __future__ import annotations

import math

import numpy as np
from scipy import integrate

from anadrome.errors import NotDifferentiable
from anadrome.primitives.registry import call, nondifferentiable, primitive
from anadrome.primitives.scipy.parameters import (
    flatten,
    pull_back,
    push_forward,
    unflatten,
)

NO_SECOND_ORDER = (
    "the derivative of an integral in its parameters cannot be differentiated again; "
    "replace quad by a sum over the nodes of np.polynomial.legendre.leggauss"
)


@nondifferentiable
def require_plain_quad(full_output, weight, complex_func):
    """Refuse the forms of quad whose derivative is more than an integral."""
    if full_output or weight is not None or complex_func:
        raise NotDifferentiable(
            "quad with full_output, weight or complex_func has no derivative here",
            help="write the weight into the integrand, and leave the others out",
        )


def wave(x, frequency, decays):
    return math.cos(frequency * x) * math.exp(-decays[0] * x - decays[1] * x * x)


@primitive(
    integrate.quad,
    sequences=("args",),
    samples=lambda rng: [
        call(math.cos, 0.2, 1.5),
        call(math.exp, -math.inf, 0.3),
        call(wave, 0.2, 1.5, (2.0, np.array([0.3, 0.1]))),
    ],
)
def quad(
    func, a, b, args=(), full_output=0, epsabs=1.49e-8, epsrel=1.49e-8, limit=50,
    points=None, weight=None, wvar=None, wopts=None, maxp1=50, limlst=50,
    complex_func=False,
):  # fmt: skip
    """The integral of a function between limits, and an estimate of its error."""


def at_limit(func, x, args):
    """The integrand at a limit, and 0 at an infinite one."""
    return func(x, *args) if np.isfinite(x) else 0.0


@quad.vjp
def quad_vjp(
    z, func, a, b, args, full_output, epsabs, epsrel, limit, points, weight, wvar,
    wopts, maxp1, limlst, complex_func, *, dz,
):  # fmt: skip
    require_plain_quad(full_output, weight, complex_func)
    da = -dz[0] * at_limit(func, a, args)
    db = dz[0] * at_limit(func, b, args)
    dargs = quad_pullback(func, a, b, args, epsabs, epsrel, points, dz[0])
    return da, db, dargs


@quad.jvp
def quad_jvp(
    z, func, a, b, args, full_output, epsabs, epsrel, limit, points, weight, wvar,
    wopts, maxp1, limlst, complex_func, *, da, db, dargs,
):  # fmt: skip
    require_plain_quad(full_output, weight, complex_func)
    ends = at_limit(func, b, args) * db - at_limit(func, a, args) * da
    inner = quad_pushforward(func, a, b, args, epsabs, epsrel, points, dargs)
    return ends + inner, 0.0


@primitive(refusal=NO_SECOND_ORDER, raises=False)
def quad_pullback(func, a, b, args, epsabs, epsrel, points, dvalue):
    """The cotangents of the parameters: dvalue times the integrals of ∂f/∂θ."""
    if np.size(flatten(args, args)) == 0:
        return unflatten(np.zeros(0), args)

    def slope(x):
        value, pullback = pull_back(func, float(x), *args)
        return flatten(tuple(pullback(np.ones_like(value)[()])[1:]), tuple(args))

    total, _ = integrate.quad_vec(
        slope, a, b, epsabs=epsabs, epsrel=epsrel, points=points
    )
    return unflatten(dvalue * total, args)


@primitive(refusal=NO_SECOND_ORDER, raises=False)
def quad_pushforward(func, a, b, args, epsabs, epsrel, points, dargs):
    """The change of the integral along a change of the parameters."""
    if not np.any(flatten(dargs, args)):
        return 0.0
    tangents = unflatten(flatten(dargs, args), args)

    def slope(x):
        return push_forward(func, (float(x), *args), (0.0, *tangents))[1]

    value, _ = integrate.quad(slope, a, b, epsabs=epsabs, epsrel=epsrel, points=points)
    return value


REFUSED = {
    integrate.quad_vec: "quad_vec has no rule; use scipy.integrate.quad for each entry",
    integrate.fixed_quad: "fixed_quad has no rule; sum over the nodes of "
    "np.polynomial.legendre.leggauss",
    integrate.dblquad: "dblquad has no rule; sum over a grid of nodes of "
    "np.polynomial.legendre.leggauss",
    integrate.tplquad: "tplquad has no rule; sum over a grid of nodes of "
    "np.polynomial.legendre.leggauss",
    integrate.nquad: "nquad has no rule; sum over a grid of nodes of "
    "np.polynomial.legendre.leggauss",
}
for _target, _reason in REFUSED.items():
    primitive(_target, refusal=_reason)(_target)
