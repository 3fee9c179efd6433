"""Every derivative rule of SciPy's functions, as plain NumPy."""

from __future__ import annotations

import dataclasses
import importlib
from typing import Any

import numpy as np
import pytest
import rule_checker as check
from scipy import integrate, linalg, special, stats

from anadrome.errors import NotDifferentiable
from anadrome.primitives.registry import (
    Primitive,
    Sample,
    all_primitives,
    find_primitive,
)
from anadrome.primitives.scipy import integrate_function, integrate_ode
from anadrome.primitives.scipy.parameters import flatten, unflatten

FILES = (
    "scipy.special",
    "scipy.linalg",
    "scipy.signal",
    "scipy.stats",
    "scipy.integrate",
)
for file in FILES:
    importlib.import_module(f"anadrome.primitives.{file}")
OURS = "anadrome.primitives.scipy"
PRIMITIVES = sorted(
    (p for p in all_primitives() if p.__module__.startswith(OURS)),
    key=lambda p: (p.__module__, p.name),
)
CASES = [
    pytest.param(p, sample, id=f"{p.name}-{i}")
    for p in PRIMITIVES
    if p.jvp_rule is not None and p.name != "solve_ivp"  # whose value is an object
    for i, sample in enumerate(p.samples())
]


def differences(function: Any, args: Any, tangents: Any) -> Any:
    """The change of a function along tangents, by central differences."""
    h = 1e-3

    def at(t: float) -> Any:
        moved = [
            check.map_moved(lambda x, v: x + t * v, x, v)
            for x, v in zip(args, tangents)
        ]
        return np.asarray(function(*moved))

    return (at(-2 * h) - 8 * at(-h) + 8 * at(h) - at(2 * h)) / (12 * h)


def push_forward(function: Any, args: Any, tangents: Any) -> Any:
    """What the compiler's jvp returns."""
    return function(*args), differences(function, args, tangents)


def pull_back(function: Any, *args: Any) -> Any:
    """What the compiler's vjp returns."""

    def pullback(dz: Any) -> Any:
        sizes = flatten(args, args).size
        slopes = [
            np.sum(dz * differences(function, args, unflatten(unit, args)))
            for unit in np.eye(sizes)
        ]
        return unflatten(np.array(slopes), args)

    return function(*args), pullback


@pytest.fixture(autouse=True)
def _without_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (integrate_ode, integrate_function):
        monkeypatch.setattr(module, "pull_back", pull_back)
        monkeypatch.setattr(module, "push_forward", push_forward)


class Case(check.RuleCase):
    """A primitive at a sample, with the partial derivatives of active arguments only.

    The others may be refused: those of `jv(v, x)` in `v`, for example.
    """

    def partials(self) -> dict[str, Any]:
        """The partial derivative in each active argument."""
        assert self.primitive.partials is not None
        given = zip(self.primitive.signature.parameters, self.primitive.partials)
        values = self.arguments.values()
        return {n: d(self.value, *values) for n, d in given if n in self.active}

    def jvp(self, tangents: dict[str, Any]) -> Any:
        if self.primitive.partials is None:
            return super().jvp(tangents)
        dz = sum(d * tangents[n] for n, d in self.partials().items())
        return np.broadcast_to(dz, np.shape(self.value))

    def vjp(self, dz: Any) -> dict[str, Any]:
        if self.primitive.partials is None:
            return super().vjp(dz)
        return {
            n: check.unbroadcast(dz * d, np.shape(self.arguments[n]))
            for n, d in self.partials().items()
        }


@pytest.mark.parametrize(("made", "sample"), CASES)
def test_forward_rule_agrees_with_differences(made: Primitive, sample: Sample) -> None:
    check.check_forward(Case(made, sample), np.random.default_rng(1))


@pytest.mark.parametrize(("made", "sample"), CASES)
def test_reverse_rule_is_the_transpose(made: Primitive, sample: Sample) -> None:
    check.check_transposed(Case(made, sample), np.random.default_rng(2))


@pytest.mark.filterwarnings("ignore:logm result may be inaccurate")
@pytest.mark.parametrize(("made", "sample"), CASES)
def test_single_precision_is_kept(made: Primitive, sample: Sample) -> None:
    case = Case(made, sample, np.float32)
    check.check_single_precision(case, np.random.default_rng(3))


@pytest.mark.parametrize("made", PRIMITIVES, ids=lambda p: p.name)
def test_every_primitive_says_what_its_derivative_is(made: Primitive) -> None:
    has_rules = made.vjp_rule is not None and made.jvp_rule is not None
    assert has_rules + made.zero + (made.refusal is not None) == 1
    if has_rules:
        assert made.samples(), "a primitive is tested on its samples"
        assert any(Case(made, s).active for s in made.samples())


def find(target: Any) -> Primitive:
    """The primitive behind a function of SciPy."""
    found = find_primitive(target)
    assert found is not None
    return found


def rule_of(target: Any) -> Any:
    """The reverse rule of a function of SciPy."""
    return find(target).vjp_rule


EDGES = [
    (special.xlogy, 1, (0.0, 0.0), 0.0),
    (special.xlogy, 1, (0.0, 2.0), 0.0),
    (special.xlogy, 0, (0.0, 2.0), np.log(2.0)),
    (special.xlog1py, 1, (0.0, -1.0), 0.0),
    (special.rel_entr, 1, (0.0, 0.0), 0.0),
    (special.kl_div, 1, (0.0, 0.0), 1.0),
    (special.kl_div, 1, (0.0, 3.0), 1.0),
    (special.exprel, 0, (0.0,), 0.5),
    (special.spence, 0, (1.0,), -1.0),
    (special.rgamma, 0, (0.0,), 1.0),
    (special.rgamma, 0, (-3.0,), -6.0),
    (special.gammainc, 1, (1.0, 0.0), 1.0),
    (special.gammainc, 1, (2.0, 0.0), 0.0),
    (special.betainc, 2, (1.0, 1.0, 0.0), 1.0),
    (special.betainc, 2, (1.0, 1.0, 1.0), 1.0),
    (special.boxcox, 1, (0.0, 2.0), 0.25),
    (special.boxcox, 1, (np.e, 0.0), 0.5),
    (special.inv_boxcox, 1, (1.0, 0.0), -np.e / 2),
    (special.log_ndtr, 0, (-1e8,), 1e8),
    (special.log_ndtr, 0, (60.0,), 0.0),
    (special.j1, 0, (0.0,), 0.5),
    (special.i1, 0, (0.0,), 0.5),
    (special.ellipk, 0, (0.0,), np.pi / 8),
    (special.pseudo_huber, 1, (1.0, 0.0), 0.0),
    (special.factorial, 0, (-2.0, False, "zero"), 0.0),
    (special.comb, 0, (3.0, 5.0, False, False), 0.0),
]


@pytest.mark.parametrize(("target", "position", "args", "want"), EDGES)
def test_derivatives_at_the_edges_of_the_domain(
    target: Any, position: int, args: tuple[Any, ...], want: float
) -> None:
    made = find(target)
    names = list(made.signature.parameters)
    z = made.impl(**dict(zip(names, args))) if len(args) > 3 else made.impl(*args[:3])
    assert made.partials is not None
    rule = made.partials[position]
    assert rule is not None
    np.testing.assert_allclose(rule(np.asarray(z), *args), want, rtol=1e-12)


@pytest.mark.parametrize(
    ("target", "args"),
    [
        (special.jv, (0.5, 1.0)),
        (special.gammainc, (0.5, 1.0)),
        (special.betainc, (0.5, 1.0, 0.5)),
        (special.zeta, (2.0, 1.0)),
    ],
)
def test_missing_derivatives_are_refused(target: Any, args: tuple[Any, ...]) -> None:
    made = find(target)
    assert made.partials is not None
    rule = made.partials[0]
    assert rule is not None
    with pytest.raises(NotDifferentiable, match="no closed form; keep"):
        rule(made.impl(*args), *args)


def test_logsumexp_of_nothing_has_no_gradient() -> None:
    made = find(special.logsumexp)
    a = np.full((2, 3), -np.inf)
    a[0] = [0.0, -np.inf, 0.0]
    z = np.array([np.log(2.0), -np.inf])
    assert made.vjp_rule is not None
    da, db = made.vjp_rule(z, a, 1, None, False, False, dz=np.ones(2))
    np.testing.assert_array_equal(da, [[0.5, 0.0, 0.5], [0.0, 0.0, 0.0]])
    assert db == 0.0


def test_softmax_of_masked_entries() -> None:
    x = np.array([0.0, -np.inf, 0.0])
    for target in (special.softmax, special.log_softmax):
        made = find(target)
        assert made.vjp_rule is not None
        dx = made.vjp_rule(made.impl(x), x, None, dz=np.array([1.0, 0.0, 0.0]))
        assert np.isfinite(dx).all()
        assert dx[1] == 0.0


def test_degenerate_spectra_give_finite_gradients() -> None:
    a = np.eye(3)
    w = linalg.eigvalsh(a)
    rule = rule_of(linalg.eigvalsh)
    ones = np.ones(3)
    da = rule(w, a, None, True, 1, True, None, None, None, dz=ones)
    np.testing.assert_allclose(da, np.eye(3), atol=1e-15)
    rule = rule_of(linalg.svd)
    u, s, vh = linalg.svd(a)
    zero = np.zeros((3, 3))
    da = rule((u, s, vh), a, True, True, True, "gesdd", dz=(zero, ones, zero))
    np.testing.assert_allclose(da, np.eye(3), atol=1e-15)


def test_norm_of_zero_has_zero_gradient() -> None:
    rule = rule_of(linalg.norm)
    for ord in (None, 1, 3, np.inf):
        da = rule(0.0, np.zeros(3), ord, None, False, True, dz=1.0)
        np.testing.assert_array_equal(da, np.zeros(3))


def test_factor_and_solve_agree_with_solve() -> None:
    rng = np.random.default_rng(4)
    m = rng.normal(size=(4, 4))
    a = m @ m.T + np.eye(4)
    b, dz = rng.normal(size=4), rng.normal(size=4)
    z = linalg.solve(a, b)
    da, db = rule_of(linalg.solve)(z, a, b, False, True, None, False, dz=dz)
    c = linalg.cho_factor(a)
    dc, db_cho = rule_of(linalg.cho_solve)(z, c, b, True, dz=dz)
    da_cho = rule_of(linalg.cho_factor)(c, a, False, True, dz=dc)
    np.testing.assert_allclose(db_cho, db)
    np.testing.assert_allclose(da_cho + da_cho.T, da + da.T)
    lu = linalg.lu_factor(a)
    dlu, db_lu = rule_of(linalg.lu_solve)(z, lu, b, 0, True, dz=dz)
    np.testing.assert_allclose(db_lu, db)
    np.testing.assert_allclose(rule_of(linalg.lu_factor)(lu, a, True, dz=dlu), da)


@pytest.mark.parametrize(
    ("target", "z", "args", "message"),
    [
        (linalg.qr, None, (np.ones((4, 3)), "full", False, True), "not determined"),
        (linalg.svd, None, (np.ones((4, 3)), True, True, True, "gesdd"), "not determ"),
        (linalg.lu_factor, None, (np.ones((4, 3)), True), "not implemented"),
        (linalg.norm, 1.0, (np.ones((2, 3, 3)), 2, (1, 2), False, True), "ord=2"),
        (linalg.toeplitz, None, (np.ones((2, 3)), None), "vectors only"),
    ],
)
def test_what_has_no_rule_is_refused(
    target: Any, z: Any, args: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(NotDifferentiable, match=message) as caught:
        rule_of(target)(z, *args, dz=np.ones(()))
    assert caught.value.help


def test_densities_are_flat_outside_of_their_support() -> None:
    for dist, shapes in [
        (stats.expon, ()),
        (stats.gamma, (2.0,)),
        (stats.beta, (2.0, 3.0)),
        (stats.lognorm, (1.0,)),
        (stats.pareto, (2.0,)),
        (stats.uniform, ()),
        (stats.weibull_min, (1.5,)),
    ]:
        args = (np.array([-1.0, -0.5]), *shapes, 0.0, 1.0)
        for name in ("pdf", "logpdf"):
            made = find(getattr(dist, name))
            assert made.partials is not None
            for rule in made.partials:
                assert rule is not None
                slope = rule(made.impl(*args), *args)
                np.testing.assert_array_equal(slope * np.ones(2), np.zeros(2))
        for name in ("cdf", "sf", "logcdf", "logsf"):
            made = find(getattr(dist, name))
            assert made.partials is not None
            assert made.partials[0] is not None
            slope = made.partials[0](made.impl(*args), *args)
            np.testing.assert_array_equal(slope, np.zeros(2))


def test_tails_of_the_normal_distribution() -> None:
    made = find(stats.norm.logcdf)
    assert made.partials is not None
    assert made.partials[0] is not None
    slope = made.partials[0](made.impl(-30.0), -30.0, 0.0, 1.0)
    np.testing.assert_allclose(slope, 30.0332597, rtol=1e-8)


def test_a_probability_at_the_ends_of_its_range() -> None:
    for target, args, position, want in [
        (stats.bernoulli.logpmf, (1, 1.0, 0), 1, 1.0),
        (stats.bernoulli.logpmf, (0, 0.0, 0), 1, -1.0),
        (stats.poisson.logpmf, (0, 0.0, 0), 1, -1.0),
        (stats.poisson.pmf, (1, 0.0, 0), 1, 1.0),
        (stats.binom.logpmf, (3, 3, 1.0, 0), 2, 3.0),
        (stats.binom.pmf, (1, 3, 0.0, 0), 2, 3.0),
    ]:
        made = find(target)
        assert made.partials is not None
        rule = made.partials[position]
        assert rule is not None
        np.testing.assert_allclose(rule(made.impl(*args), *args), want)


def test_dirichlet_takes_all_coordinates_or_all_but_the_last() -> None:
    alpha = np.array([1.5, 2.0, 3.0])
    short = np.array([0.2, 0.5])
    full = np.array([0.2, 0.5, 0.3])
    rule = rule_of(stats.dirichlet.logpdf)
    dshort, dalpha_short = rule(None, short, alpha, dz=1.0)
    dfull, dalpha_full = rule(None, full, alpha, dz=1.0)
    np.testing.assert_allclose(dalpha_full, dalpha_short)
    np.testing.assert_allclose(dfull[:2] - dfull[2], dshort)


def test_frozen_distributions_are_refused() -> None:
    for dist in (stats.norm, stats.gamma, stats.poisson):
        refusal = find(dist).refusal
        assert refusal is not None
        assert f"stats.{dist.name}.log" in refusal


def predator_and_prey(t: float, y: Any, rates: Any, capacity: float) -> Any:
    hares, lynxes = y
    growth = rates[0] * hares * (1 - hares / capacity) - rates[1] * hares * lynxes
    return np.array([growth, rates[2] * hares * lynxes - t * lynxes])


@pytest.mark.parametrize("with_t_eval", [True, False])
@pytest.mark.parametrize("method", ["DOP853", "LSODA"])
def test_solve_ivp_in_both_modes(method: str, with_t_eval: bool) -> None:
    rng = np.random.default_rng(5)
    options = {"rtol": 1e-11, "atol": 1e-12}
    span, y0 = (0.1, 1.2), np.array([1.0, 0.6])
    args = (np.array([0.9, 0.4, 0.3]), 2.0)
    t_eval = np.array([0.3, 0.8]) if with_t_eval else None

    def solved(span: Any, y0: Any, t_eval: Any, args: Any) -> Any:
        return integrate.solve_ivp(
            predator_and_prey, span, y0, method, t_eval, args=args, **options
        )

    inputs = [span, y0, args] if t_eval is None else [span, y0, t_eval, args]
    tangents = check.random_like(rng, inputs)

    def weighed(*moved: Any) -> float:
        """Sums over given times, or over both ends: the solver chooses the others."""
        span, y0, *rest = moved
        y = solved(span, y0, rest[0] if len(rest) == 2 else None, rest[-1]).y
        return float(np.sum(weights * (y if with_t_eval else y[:, [0, -1]])))

    weights = rng.normal(size=(2, 2))
    z = solved(span, y0, t_eval, args)
    dy = np.zeros_like(z.y)
    dy[:, [0, -1]] = weights
    want = differences(weighed, inputs, tangents)

    made = find(integrate.solve_ivp)
    given = (z, predator_and_prey, span, y0, method, t_eval, False, None, False, args)
    assert made.vjp_rule is not None
    dspan, dy0, dt_eval, dargs = made.vjp_rule(*given, options, dz=type(z)(y=dy))
    cotangents = [dspan, dy0, dargs] if t_eval is None else [dspan, dy0, dt_eval, dargs]
    np.testing.assert_allclose(
        check.pairing(cotangents, tangents, inputs), want, rtol=1e-6
    )

    assert made.jvp_rule is not None
    vspan, vy0, *rest = tangents
    dz = made.jvp_rule(
        *given,
        options,
        dt_span=vspan,
        dy0=vy0,
        dt_eval=rest[0] if len(rest) == 2 else 0.0,
        dargs=rest[-1],
    )
    np.testing.assert_allclose(np.sum(dy * dz.y), want, rtol=1e-6)


@dataclasses.dataclass(frozen=True)
class Rates:
    fast: np.ndarray
    slow: float
    name: str


def test_parameters_are_flattened_and_restored() -> None:
    tree = ({"a": 1.0, "n": 3}, [np.arange(2.0)], Rates(np.ones((1, 2)), 2.0, "x"))
    flat = flatten(tree, tree)
    np.testing.assert_array_equal(flat, [1.0, 0.0, 1.0, 1.0, 1.0, 2.0])
    first, second, third = unflatten(2 * flat, tree)
    assert first == {"a": 2.0, "n": 0.0}
    np.testing.assert_array_equal(second[0], [0.0, 2.0])
    np.testing.assert_array_equal(third.fast, [[2.0, 2.0]])
    assert third.slow == 4.0
    np.testing.assert_array_equal(flatten(None, tree), np.zeros(6))


def test_parameters_that_hide_their_numbers_are_refused() -> None:
    with pytest.raises(NotDifferentiable, match="type object"):
        flatten((object(),), (object(),))


def test_stiff_equations_are_not_solved_backwards() -> None:
    """An error in the state would grow by e⁶⁰⁰ if it were."""

    def cooling(y: Any, t: float, rate: float) -> Any:
        return -300.0 * (y - rate * t)

    t = np.array([0.0, 1.0, 2.0])
    y0 = np.array([1.0])
    z = integrate.odeint(cooling, y0, t, (2.0,), rtol=1e-10, atol=1e-12)
    dz = np.array([[0.0], [0.0], [1.0]])
    rule = rule_of(integrate.odeint)
    made = find(integrate.odeint)
    bound = made.signature.bind(cooling, y0, t, (2.0,), rtol=1e-10, atol=1e-12)
    bound.apply_defaults()
    dy0, _, dargs = rule(z, *bound.arguments.values(), dz=dz)
    np.testing.assert_allclose(dy0, [0.0], atol=1e-9)
    np.testing.assert_allclose(dargs[0], 2.0 - 1 / 300, rtol=1e-6)
