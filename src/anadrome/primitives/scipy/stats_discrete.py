"""scipy.stats: probabilities of discrete distributions.

They are defined at integers, so only their parameters have derivatives.
"""

from __future__ import annotations

import numpy as np
from scipy import special, stats

from anadrome.primitives.registry import call, elementwise, primitive


def ratio(count, x):
    """count/x, and 0 where both are 0."""
    return count / np.where((count == 0) & (x == 0), 1, x)


def possible(z, slope):
    """`slope` where the logarithm `z` is finite, and 0 at impossible counts."""
    return np.where(z == -np.inf, 0, slope)


def counts(*parameters):
    """Samples of a probability at the counts 0, 1 and 2."""

    def make(rng):
        return [
            call(np.array([0, 1, 2]), *(rng.uniform(*p, 3) for p in parameters)),
            call(1, *(float(rng.uniform(*p)) for p in parameters)),
            call(np.array([[1], [2]]), *(rng.uniform(*p, 3) for p in parameters)),
            call(np.array([1, 3]), *(rng.uniform(*p) for p in parameters), loc=1),
        ]

    return make


def trials(rng):
    """Samples of a probability of counts out of n."""
    return [
        call(np.array([0, 2, 3]), 3, rng.uniform(0.2, 0.8, 3)),
        call(1, 4, 0.3),
        call(np.array([[1], [2]]), 5, rng.uniform(0.2, 0.8, 3), loc=1),
    ]


# fmt: off
@elementwise(stats.poisson.logpmf, samples=counts((0.5, 3)), partials=(
    None, lambda z, k, mu, loc: possible(z, ratio(k - loc, mu) - 1), None))
def poisson_logpmf(k, mu, loc=0):
    """The logarithm of the probability of k events where mu are expected."""


@elementwise(stats.poisson.pmf, samples=counts((0.5, 3)), partials=(
    None, lambda z, k, mu, loc: stats.poisson.pmf(k - 1, mu, loc) - z, None))
def poisson_pmf(k, mu, loc=0):
    """The probability of k events where mu are expected."""


@elementwise(stats.poisson.cdf, samples=counts((0.5, 3)), partials=(
    None, lambda z, k, mu, loc: -stats.poisson.pmf(np.floor(k), mu, loc), None))
def poisson_cdf(k, mu, loc=0):
    """The probability of at most k events where mu are expected."""


@elementwise(stats.bernoulli.logpmf, samples=lambda rng: [
    call(np.array([0, 1, 1]), rng.uniform(0.2, 0.8, 3)), call(1, 0.3),
    call(np.array([[1], [2]]), rng.uniform(0.2, 0.8, 3), loc=1)], partials=(
    None, lambda z, k, p, loc:
        possible(z, ratio(k - loc, p) - ratio(1 - k + loc, 1 - p)), None))
def bernoulli_logpmf(k, p, loc=0):
    """log(p) for k = 1 and log(1 - p) for k = 0."""


@elementwise(stats.bernoulli.pmf, samples=lambda rng: [
    call(np.array([0, 1, 1, 2]), rng.uniform(0.2, 0.8, 4)), call(1, 0.3),
    call(np.array([[1], [2]]), rng.uniform(0.2, 0.8, 3), loc=1)], partials=(
    None, lambda z, k, p, loc: 1.0 * (k - loc == 1) - 1.0 * (k - loc == 0), None))
def bernoulli_pmf(k, p, loc=0):
    """p for k = 1 and 1 - p for k = 0."""


@elementwise(stats.binom.logpmf, samples=trials, partials=(
    None, None, lambda z, k, n, p, loc:
        possible(z, ratio(k - loc, p) - ratio(n - k + loc, 1 - p)), None))
def binom_logpmf(k, n, p, loc=0):
    """The logarithm of the probability of k successes in n trials."""


@elementwise(stats.binom.pmf, samples=trials, partials=(
    None, None, lambda z, k, n, p, loc: n * (
        stats.binom.pmf(k - 1, np.maximum(n - 1, 0), p, loc)
        - stats.binom.pmf(k, np.maximum(n - 1, 0), p, loc)), None))
def binom_pmf(k, n, p, loc=0):
    """The probability of k successes in n trials."""


@elementwise(stats.geom.logpmf, samples=lambda rng: [
    call(np.array([1, 2, 4]), rng.uniform(0.2, 0.8, 3)), call(1, 0.3)], partials=(
    None, lambda z, k, p, loc:
        possible(z, 1 / p - ratio(k - loc - 1, 1 - p)), None))
def geom_logpmf(k, p, loc=0):
    """The logarithm of the probability of the first success in trial k."""


@elementwise(stats.nbinom.logpmf, samples=counts((1.5, 3), (0.2, 0.8)), partials=(
    None,
    lambda z, k, n, p, loc: possible(
        z, special.digamma(np.maximum(k - loc, 0) + n)
        - special.digamma(n) + np.log(p)),
    lambda z, k, n, p, loc: possible(z, n / p - ratio(k - loc, 1 - p)), None))
def nbinom_logpmf(k, n, p, loc=0):
    """The logarithm of the probability of k failures before n successes."""
# fmt: on


def frozen(*args, **kwds):
    """A distribution with its parameters fixed."""


for _dist in (stats.poisson, stats.bernoulli, stats.binom, stats.geom, stats.nbinom):
    primitive(
        _dist,
        refusal="a frozen distribution hides its parameters; write "
        f"stats.{_dist.name}.logpmf(k, …) with the parameters in the call",
    )(frozen)
