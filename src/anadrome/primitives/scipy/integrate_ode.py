"""scipy.integrate: initial value problems.

Reverse mode solves the adjoint equation λ' = -λ ∂f/∂y backwards in time, together with
the integral of λ ∂f/∂θ; forward mode solves the variational equation
s' = ∂f/∂y s + ∂f/∂θ dθ (Hairer, Nørsett and Wanner, Solving Ordinary Differential
Equations I, section I.14). Between two output times the solution is computed anew and
kept, so that no equation is ever solved against its stable direction. The results are
as accurate as the solver's tolerances, which are sharpened for this.
"""

from __future__ import annotations

import numpy as np
from scipy import integrate

from anadrome.errors import NotDifferentiable
from anadrome.ir.types import ANY
from anadrome.primitives.registry import call, nondifferentiable, primitive
from anadrome.primitives.scipy.parameters import (
    flatten,
    pull_back,
    push_forward,
    unflatten,
)

NO_SECOND_ORDER = (
    "the derivative of a differential equation's solution cannot be differentiated "
    "again; write the integration steps as a loop"
)
SHARP_RTOL, SHARP_ATOL = 1e-8, 1e-10


class Problem:
    """An initial value problem y' = f(t, y, *args) with its solution at some times.

    `values` has a row for each time. Some users write f(y, t, *args) instead.
    """

    def __init__(
        self, f, args, start, y0, times, values, *, method, rtol, atol, time_first=True
    ):
        self.f, self.args, self.time_first = f, tuple(args), time_first
        self.start, self.y0 = float(start), np.atleast_1d(np.asarray(y0, float))
        self.times, self.values = np.asarray(times, float), np.asarray(values, float)
        self.options = {
            "method": method,
            "rtol": SHARP_RTOL if rtol is None else min(np.min(rtol), SHARP_RTOL),
            "atol": SHARP_ATOL if atol is None else np.minimum(atol, SHARP_ATOL),
        }

    def order(self, t, y):
        """Time and state in the order in which the user's function takes them."""
        return (t, y) if self.time_first else (y, t)

    def speed(self, t, y):
        """The right-hand side."""
        made = self.f(*self.order(float(t), y), *self.args)
        return np.ravel(np.asarray(made, dtype=float))

    def solve(self, f, begin, end, y, **options):
        """The solution of an equation between two times."""
        solved = integrate.solve_ivp(f, (begin, end), y, **self.options, **options)
        if not solved.success:
            raise NotDifferentiable(
                f"the derivative of a solution was not found: {solved.message}",
                help="ask for more output times, or use another method",
            )
        return solved

    def pull_back(self, dvalues):
        """The cotangents of the start, of y0, of the times and of the parameters."""
        n = self.y0.size
        state = np.zeros(n + flatten(self.args, self.args).size)  # λ and ∫ λ ∂f/∂θ
        dtimes = np.zeros(self.times.size)
        for k in reversed(range(self.times.size)):
            end = self.times[k]
            dtimes[k] = dvalues[k] @ self.speed(end, self.values[k])
            state[:n] += dvalues[k]
            begin = self.times[k - 1] if k else self.start
            if begin != end:
                before = self.values[k - 1] if k else self.y0
                state = self.pull_back_interval(begin, end, before, state)
        dstart = -state[:n] @ self.speed(self.start, self.y0)
        return dstart, state[:n], dtimes, unflatten(state[n:], self.args)

    def pull_back_interval(self, begin, end, y, state):
        """The adjoint state at the beginning of an interval from that at its end."""
        n = self.y0.size
        path = self.solve(self.speed, begin, end, y, dense_output=True).sol

        def adjoint(t, joint):
            value, pullback = pull_back(
                self.f, *self.order(float(t), path(t)), *self.args
            )
            first, second, *dargs = pullback(like(value, joint[:n]))
            dy = second if self.time_first else first
            return -np.concatenate(
                [np.ravel(dy) * np.ones(n), flatten(tuple(dargs), self.args)]
            )

        return self.solve(adjoint, end, begin, state).y[:, -1]

    def push_forward(self, dstart, dy0, dtimes, dargs):
        """The tangents of the values, one row for each time."""
        n = self.y0.size
        tangents = unflatten(flatten(dargs, self.args), self.args)

        def variational(t, joint):
            primals = (*self.order(float(t), joint[:n]), *self.args)
            along = (*self.order(0.0, joint[n:]), *tangents)
            y, s = push_forward(self.f, primals, along)
            return np.concatenate([np.ravel(y), np.ravel(s) * np.ones(n)])

        begin = self.start
        s = dy0 - self.speed(begin, self.y0) * dstart
        joint = np.concatenate([self.y0, s])
        rows = []
        for end, y, dt in zip(self.times, self.values, dtimes, strict=True):
            if begin != end:
                joint = self.solve(variational, begin, end, joint).y[:, -1]
                begin = end
            rows.append(joint[n:] + self.speed(end, y) * dt)
        return np.reshape(rows, np.shape(self.values))


def like(value, flat):
    """Numbers in the form of another value: a list, a number or an array of a dtype."""
    if isinstance(value, (list, tuple)):
        return type(value)(flat)
    dtype = np.asarray(value).dtype
    made = np.reshape(flat, np.shape(value))
    return made.astype(dtype if dtype.kind == "f" else float)[()]


# --------------------------------------------------------------------------- odeint


def oscillator(y, t, damping):
    return np.array([y[1], -y[0] - damping * y[1]])


@nondifferentiable
def require_plain_odeint(full_output):
    """Refuse odeint's account of its own work."""
    if full_output:
        raise NotDifferentiable(
            "odeint with full_output has no derivative here",
            help="leave full_output=0",
        )


@primitive(
    integrate.odeint,
    sequences=("args",),
    samples=lambda rng: [
        call(
            oscillator, rng.normal(size=2), np.array([0.0, 0.4, 1.0]), (0.3,),
            rtol=1e-11, atol=1e-12,
        ),
    ],
)  # fmt: skip
def odeint(
    func, y0, t, args=(), Dfun=None, col_deriv=0, full_output=0, ml=None, mu=None,
    rtol=None, atol=None, tcrit=None, h0=0.0, hmax=0.0, hmin=0.0, ixpr=0, mxstep=0,
    mxhnil=0, mxordn=12, mxords=5, printmessg=0, tfirst=False,
):  # fmt: skip
    """The solution of y' = func(y, t, *args) with y(t[0]) = y0, a row for each time."""


@odeint.vjp
def odeint_vjp(
    z, func, y0, t, args, Dfun, col_deriv, full_output, ml, mu, rtol, atol, tcrit, h0,
    hmax, hmin, ixpr, mxstep, mxhnil, mxordn, mxords, printmessg, tfirst, *, dz,
):  # fmt: skip
    require_plain_odeint(full_output)
    return odeint_pullback(z, func, y0, t, args, rtol, atol, tfirst, dz)


@odeint.jvp
def odeint_jvp(
    z, func, y0, t, args, Dfun, col_deriv, full_output, ml, mu, rtol, atol, tcrit, h0,
    hmax, hmin, ixpr, mxstep, mxhnil, mxordn, mxords, printmessg, tfirst, *,
    dy0, dt, dargs,
):  # fmt: skip
    require_plain_odeint(full_output)
    return odeint_pushforward(z, func, y0, t, args, rtol, atol, tfirst, dy0, dt, dargs)


def odeint_problem(z, func, y0, t, args, rtol, atol, tfirst):
    """The problem that a call of odeint solved."""
    args = args if isinstance(args, tuple) else (args,)
    options = {"method": "LSODA", "rtol": rtol, "atol": atol, "time_first": tfirst}
    return Problem(func, args, t[0], y0, t, z, **options)


@primitive(refusal=NO_SECOND_ORDER, raises=False)
def odeint_pullback(z, func, y0, t, args, rtol, atol, tfirst, dz):
    """The cotangents of y0, t and args."""
    problem = odeint_problem(z, func, y0, t, args, rtol, atol, tfirst)
    dstart, dy0, dtimes, dargs = problem.pull_back(np.asarray(dz, float))
    dtimes[0] += dstart
    dargs = dargs if isinstance(args, tuple) else dargs[0]
    return like(y0, dy0), like(t, dtimes), dargs


@primitive(refusal=NO_SECOND_ORDER, raises=False)
def odeint_pushforward(z, func, y0, t, args, rtol, atol, tfirst, dy0, dt, dargs):
    """The tangent of the solution."""
    problem = odeint_problem(z, func, y0, t, args, rtol, atol, tfirst)
    dargs = dargs if isinstance(args, tuple) else (dargs,)
    dtimes = flatten(dt, np.asarray(t, float))
    dstart = flatten(dy0, np.asarray(y0, float))
    return problem.push_forward(dtimes[0], dstart, dtimes, dargs)


# ------------------------------------------------------------------------ solve_ivp


def decay(t, y, rate):
    return -rate * y


@nondifferentiable
def require_plain_solve_ivp(dense_output, events):
    """Refuse results whose number or form depends on the solution."""
    if dense_output or events is not None:
        raise NotDifferentiable(
            "solve_ivp with dense_output or events has no derivative here",
            help="give the times of interest as t_eval",
        )


@primitive(
    integrate.solve_ivp,
    sequences=("args", "t_span"),
    infer=lambda *args, **options: ANY,
    samples=lambda rng: [
        call(decay, (0.0, 1.0), rng.normal(size=2), args=(0.7,)),
        call(decay, (0.0, 1.0), rng.normal(size=2), t_eval=np.array([0.5, 0.9]),
             args=(0.7,), rtol=1e-10, atol=1e-12),
    ],
)  # fmt: skip
def solve_ivp(
    fun, t_span, y0, method="RK45", t_eval=None, dense_output=False, events=None,
    vectorized=False, args=None, **options,
):  # fmt: skip
    """The solution of y' = fun(t, y, *args), whose `y` has a column for each time."""


@solve_ivp.vjp
def solve_ivp_vjp(
    z, fun, t_span, y0, method, t_eval, dense_output, events, vectorized, args,
    options, *, dz,
):  # fmt: skip
    require_plain_solve_ivp(dense_output, events)
    return solve_ivp_pullback(z, fun, t_span, y0, method, t_eval, args, options, dz)


@solve_ivp.jvp
def solve_ivp_jvp(
    z, fun, t_span, y0, method, t_eval, dense_output, events, vectorized, args,
    options, *, dt_span, dy0, dt_eval, dargs,
):  # fmt: skip
    require_plain_solve_ivp(dense_output, events)
    return solve_ivp_pushforward(
        z, fun, t_span, y0, method, t_eval, args, options, dt_span, dy0, dt_eval, dargs
    )


def solve_ivp_problem(z, fun, t_span, y0, method, args, options):
    """The problem that a call of solve_ivp solved."""
    tolerances = {"rtol": options.get("rtol"), "atol": options.get("atol")}
    values = np.transpose(z.y)
    return Problem(
        fun, args or (), t_span[0], y0, z.t, values, method=method, **tolerances
    )


@primitive(refusal=NO_SECOND_ORDER, raises=False)
def solve_ivp_pullback(z, fun, t_span, y0, method, t_eval, args, options, dz):
    """The cotangents of t_span, y0, t_eval and args."""
    problem = solve_ivp_problem(z, fun, t_span, y0, method, args, options)
    # The result is a dictionary with attributes, its cotangent may be either.
    parts = dz if isinstance(dz, dict) else vars(dz)
    dvalues = np.transpose(flatten(parts.get("y"), z.y).reshape(z.y.shape))
    dstart, dy0, dtimes, dargs = problem.pull_back(dvalues)
    if parts.get("t") is not None:
        dtimes = dtimes + flatten(parts["t"], z.t)
    if t_eval is None:
        # The first and the last of the solver's own times move with the span.
        dspan, deval = [dstart + dtimes[0], dtimes[-1]], 0.0
    else:
        dspan, deval = [dstart, 0.0], like(t_eval, dtimes)
    return (
        like(t_span, np.array(dspan)),
        like(y0, dy0),
        deval,
        0.0 if args is None else dargs,
    )


@primitive(refusal=NO_SECOND_ORDER, raises=False)
def solve_ivp_pushforward(
    z, fun, t_span, y0, method, t_eval, args, options, dt_span, dy0, dt_eval, dargs
):
    """The tangent of the solution: an object with `t` and `y` like it."""
    problem = solve_ivp_problem(z, fun, t_span, y0, method, args, options)
    dspan = flatten(dt_span, [float(t) for t in t_span])
    if t_eval is None:
        dtimes = np.zeros(z.t.size)
        dtimes[0], dtimes[-1] = dspan
    else:
        dtimes = flatten(dt_eval, np.asarray(t_eval, float))
    dstart = flatten(dy0, np.asarray(y0, float))
    rows = problem.push_forward(dspan[0], dstart, dtimes, dargs if args else ())
    return type(z)(t=dtimes, y=np.transpose(rows))


REFUSED = {
    integrate.ode: "scipy.integrate.ode keeps its state in an object; use solve_ivp",
    integrate.solve_bvp: "solve_bvp has no rule; solve the collocation equations with "
    "a loop of Newton steps",
}
for _target, _reason in REFUSED.items():
    primitive(_target, refusal=_reason)(_target)
