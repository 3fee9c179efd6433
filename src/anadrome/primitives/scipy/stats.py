"""scipy.stats: densities, distribution functions and quantiles.

A continuous distribution is declared by its score ψ(y) = d log f(y)/dy and the
derivatives of log f in its shape parameters, all at y = (x - loc)/scale. The rules of
its eight methods follow, since the derivative of the distribution function is the
density.
"""

from __future__ import annotations

import inspect

import numpy as np
from scipy import special, stats

import anadrome.primitives.scipy.special
import anadrome.primitives.scipy.stats_discrete
import anadrome.primitives.scipy.stats_multivariate  # noqa: F401  (registers rules)
from anadrome.primitives.registry import call, elementwise, primitive
from anadrome.primitives.scipy.special_gamma import shape_derivative

# ------------------------------------------------------------------- the eight methods


def inside(z, slope):
    """`slope` where the logarithm `z` is finite, and 0 outside of the support."""
    return np.where(z == -np.inf, 0, slope)


def everywhere(z, slope):
    """`slope`, for a distribution whose support is the whole line."""
    return slope


def with_shapes(count, rule):
    """The rule as a function of separate shape parameters."""
    if count == 0:
        return lambda z, x, loc, scale: rule(z, x, (), loc, scale)
    if count == 1:
        return lambda z, x, a, loc, scale: rule(z, x, (a,), loc, scale)
    return lambda z, x, a, b, loc, scale: rule(z, x, (a, b), loc, scale)


def real_shapes(shapes):
    """Shape parameters that are differentiated."""
    return lambda rng: [rng.uniform(*interval) for interval in shapes]


def integer_shapes(shapes):
    """Shape parameters that are not."""
    return lambda rng: [int(np.ceil(interval[0])) for interval in shapes]


def argument_samples(interval, make_shapes):
    """Samples of a density or a distribution function."""

    def make(rng):
        y = rng.uniform(*interval, (2, 3))
        loc, scale = rng.normal(size=3), rng.uniform(0.5, 2, (2, 1))
        given = make_shapes(rng)
        return [
            call(loc + scale * y, *given, loc, scale),
            call(float(y[0, 0]), *given),
            call(2 * y[0], *given, scale=2.0),
            call(y + 1.0, *given, loc=1.0),
        ]

    return make


def level_samples(make_shapes):
    """Samples of a quantile function."""

    def make(rng):
        q = rng.uniform(0.1, 0.9, (2, 3))
        loc, scale = rng.normal(size=3), rng.uniform(0.5, 2, (2, 1))
        given = make_shapes(rng)
        return [call(q, *given, loc, scale), call(float(q[0, 0]), *given)]

    return make


def declare(
    dist,
    score,
    *,
    slopes=(),
    cdf_slopes=None,
    support=(-np.inf, np.inf),
    sampled=(-2.0, 2.0),
    shapes=(),
):
    """Declare the methods of a continuous distribution.

    `slopes` are the derivatives of the log density in the shape parameters;
    `cdf_slopes` those of the distribution function, where they have a closed form.
    """
    count = len(slopes)
    names = dist.shapes.split(", ") if dist.shapes else []
    kept = everywhere if support == (-np.inf, np.inf) else inside
    pdf, logpdf = dist.pdf, dist.logpdf
    closed = cdf_slopes or (shape_derivative,) * count
    densities = argument_samples(sampled, real_shapes(shapes))
    some_shapes = real_shapes(shapes) if cdf_slopes else integer_shapes(shapes)
    probabilities = argument_samples(sampled, some_shapes)
    levels = level_samples(some_shapes)

    def method(target, variable, samples, in_x, in_loc, in_scale, in_shapes):
        """Declare one method from the four kinds of partial derivatives."""

        def declaration():
            pass

        keyword = inspect.Parameter.POSITIONAL_OR_KEYWORD
        declaration.__name__ = f"{dist.name}_{target.__name__}"
        declaration.__doc__ = f"scipy.stats.{dist.name}.{target.__name__}."
        declaration.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [
                *(inspect.Parameter(n, keyword) for n in (variable, *names)),
                inspect.Parameter("loc", keyword, default=0),
                inspect.Parameter("scale", keyword, default=1),
            ]
        )
        rules = (in_x, *in_shapes, in_loc, in_scale)
        partials = tuple(with_shapes(count, rule) for rule in rules)
        return elementwise(target, partials=partials, samples=samples)(declaration)

    def each(build, functions):
        """One rule for each shape parameter."""
        return tuple(build(f) for f in functions)

    method(
        dist.logpdf,
        "x",
        densities,
        lambda z, x, s, loc, scale: kept(z, score((x - loc) / scale, *s) / scale),
        lambda z, x, s, loc, scale: kept(z, -score((x - loc) / scale, *s) / scale),
        lambda z, x, s, loc, scale: kept(
            z, -(1 + (x - loc) / scale * score((x - loc) / scale, *s)) / scale
        ),
        each(
            lambda f: lambda z, x, s, loc, scale: kept(z, f((x - loc) / scale, *s)),
            slopes,
        ),
    )
    method(
        dist.pdf,
        "x",
        densities,
        lambda z, x, s, loc, scale: z * score((x - loc) / scale, *s) / scale,
        lambda z, x, s, loc, scale: -z * score((x - loc) / scale, *s) / scale,
        lambda z, x, s, loc, scale: (
            -z * (1 + (x - loc) / scale * score((x - loc) / scale, *s)) / scale
        ),
        each(
            lambda f: lambda z, x, s, loc, scale: z * f((x - loc) / scale, *s), slopes
        ),
    )
    method(
        dist.cdf,
        "x",
        probabilities,
        lambda z, x, s, loc, scale: pdf(x, *s, loc, scale),
        lambda z, x, s, loc, scale: -pdf(x, *s, loc, scale),
        lambda z, x, s, loc, scale: -(x - loc) / scale * pdf(x, *s, loc, scale),
        each(lambda f: lambda z, x, s, loc, scale: f((x - loc) / scale, *s), closed),
    )
    method(
        dist.sf,
        "x",
        probabilities,
        lambda z, x, s, loc, scale: -pdf(x, *s, loc, scale),
        lambda z, x, s, loc, scale: pdf(x, *s, loc, scale),
        lambda z, x, s, loc, scale: (x - loc) / scale * pdf(x, *s, loc, scale),
        each(lambda f: lambda z, x, s, loc, scale: -f((x - loc) / scale, *s), closed),
    )

    def hazard(z, x, s, loc, scale):
        """The density over the probability whose logarithm is z."""
        return kept(z, np.exp(logpdf(x, *s, loc, scale) - finite(z)))

    method(
        dist.logcdf,
        "x",
        probabilities,
        lambda z, x, s, loc, scale: hazard(z, x, s, loc, scale),
        lambda z, x, s, loc, scale: -hazard(z, x, s, loc, scale),
        lambda z, x, s, loc, scale: -(x - loc) / scale * hazard(z, x, s, loc, scale),
        each(
            lambda f: (
                lambda z, x, s, loc, scale: kept(
                    z, np.exp(-finite(z)) * f((x - loc) / scale, *s)
                )
            ),
            closed,
        ),
    )
    method(
        dist.logsf,
        "x",
        probabilities,
        lambda z, x, s, loc, scale: -hazard(z, x, s, loc, scale),
        lambda z, x, s, loc, scale: hazard(z, x, s, loc, scale),
        lambda z, x, s, loc, scale: (x - loc) / scale * hazard(z, x, s, loc, scale),
        each(
            lambda f: (
                lambda z, x, s, loc, scale: kept(
                    z, -np.exp(-finite(z)) * f((x - loc) / scale, *s)
                )
            ),
            closed,
        ),
    )
    quantile_shapes = each(
        lambda f: (
            lambda z, q, s, loc, scale: (
                -f((z - loc) / scale, *s) / pdf(z, *s, loc, scale)
            )
        ),
        closed,
    )
    method(
        dist.ppf,
        "q",
        levels,
        lambda z, q, s, loc, scale: 1 / pdf(z, *s, loc, scale),
        lambda z, q, s, loc, scale: np.ones_like(z),
        lambda z, q, s, loc, scale: (z - loc) / scale,
        quantile_shapes,
    )
    method(
        dist.isf,
        "q",
        levels,
        lambda z, q, s, loc, scale: -1 / pdf(z, *s, loc, scale),
        lambda z, q, s, loc, scale: np.ones_like(z),
        lambda z, q, s, loc, scale: (z - loc) / scale,
        quantile_shapes,
    )
    primitive(dist, refusal=no_frozen(dist.name))(frozen)


def finite(z):
    """A logarithm with 0 in place of -inf."""
    return np.where(z == -np.inf, 0, z)


def frozen(*args, **kwds):
    """A distribution with its parameters fixed."""


def no_frozen(name):
    """Why a distribution with fixed parameters is refused."""
    return (
        f"a frozen distribution hides its parameters; write "
        f"stats.{name}.logpdf(x, …, loc, scale) with the parameters in the call"
    )


# ------------------------------------------------------------------- the distributions


def above(y, bound):
    """`y` inside of a half-open support, and a harmless number outside."""
    return np.where(y > bound, y, bound + 1)


def unit(y):
    """`y` inside of the unit interval, and a harmless number outside."""
    return np.where((y > 0) & (y < 1), y, 0.5)


HALF = (0.0, np.inf)

declare(stats.norm, lambda y: -y)
declare(stats.cauchy, lambda y: -2 * y / (1 + y * y))
declare(stats.logistic, lambda y: -np.tanh(0.5 * y))
declare(stats.laplace, lambda y: -np.sign(y), sampled=(0.2, 2.0))
declare(stats.gumbel_r, lambda y: np.exp(-y) - 1)
declare(stats.gumbel_l, lambda y: 1 - np.exp(y))
declare(
    stats.t,
    lambda y, df: -(df + 1) * y / (df + y * y),
    slopes=(
        lambda y, df: 0.5 * (
            special.digamma(0.5 * (df + 1))
            - special.digamma(0.5 * df)
            - np.log1p(y * y / df)
            + (y * y - 1) / (df + y * y)
        ),
    ),
    shapes=((2.0, 5.0),),
)  # fmt: skip

# On the half line.
declare(stats.expon, lambda y: -np.ones_like(y), support=HALF, sampled=(0.2, 3.0))
declare(stats.halfnorm, lambda y: -y, support=HALF, sampled=(0.2, 3.0))
declare(
    stats.halfcauchy, lambda y: -2 * y / (1 + y * y), support=HALF, sampled=(0.2, 3.0)
)
declare(stats.rayleigh, lambda y: 1 / above(y, 0) - y, support=HALF, sampled=(0.2, 3.0))
declare(
    stats.gamma,
    lambda y, a: (a - 1) / above(y, 0) - 1,
    slopes=(lambda y, a: np.log(above(y, 0)) - special.digamma(a),),
    support=HALF,
    sampled=(0.2, 3.0),
    shapes=((1.5, 3.0),),
)
declare(
    stats.invgamma,
    lambda y, a: (1 / above(y, 0) - a - 1) / above(y, 0),
    slopes=(lambda y, a: -np.log(above(y, 0)) - special.digamma(a),),
    support=HALF,
    sampled=(0.2, 3.0),
    shapes=((1.5, 3.0),),
)
declare(
    stats.chi2,
    lambda y, df: (0.5 * df - 1) / above(y, 0) - 0.5,
    slopes=(
        lambda y, df: 0.5 * (np.log(0.5 * above(y, 0)) - special.digamma(0.5 * df)),
    ),
    support=HALF,
    sampled=(0.2, 3.0),
    shapes=((2.5, 5.0),),
)
declare(
    stats.lognorm,
    lambda y, s: -(1 + np.log(above(y, 0)) / (s * s)) / above(y, 0),
    slopes=(lambda y, s: (np.log(above(y, 0)) ** 2 / (s * s) - 1) / s,),
    cdf_slopes=(lambda y, s: -stats.lognorm.pdf(y, s) * y * np.log(above(y, 0)) / s,),
    support=HALF,
    sampled=(0.2, 3.0),
    shapes=((0.5, 1.5),),
)
declare(
    stats.weibull_min,
    lambda y, c: (c - 1 - c * above(y, 0) ** c) / above(y, 0),
    slopes=(lambda y, c: 1 / c + np.log(above(y, 0)) * (1 - above(y, 0) ** c),),
    cdf_slopes=(
        lambda y, c: stats.weibull_min.pdf(y, c) * y * np.log(above(y, 0)) / c,
    ),
    support=HALF,
    sampled=(0.2, 3.0),
    shapes=((1.2, 3.0),),
)

# On other intervals.
declare(
    stats.pareto,
    lambda y, b: -(b + 1) / above(y, 1),
    slopes=(lambda y, b: 1 / b - np.log(above(y, 1)),),
    cdf_slopes=(lambda y, b: stats.pareto.pdf(y, b) * y * np.log(above(y, 1)) / b,),
    support=(1.0, np.inf),
    sampled=(1.2, 3.0),
    shapes=((1.5, 3.0),),
)
declare(stats.uniform, lambda y: np.zeros_like(y), support=(0, 1), sampled=(0.1, 0.9))
declare(
    stats.beta,
    lambda y, a, b: (a - 1) / unit(y) - (b - 1) / (1 - unit(y)),
    slopes=(
        lambda y, a, b: np.log(unit(y)) - special.digamma(a) + special.digamma(a + b),
        lambda y, a, b: (
            np.log1p(-unit(y)) - special.digamma(b) + special.digamma(a + b)
        ),
    ),
    support=(0.0, 1.0),
    sampled=(0.1, 0.9),
    shapes=((1.5, 3.0), (1.5, 3.0)),
)
