"""Prints the minimax coefficients in `anadrome.backends.native.vectormath`.

    python tools/fit_polynomials.py > \
        src/anadrome/backends/native/vectormath/coefficients.py

Each polynomial minimises the greatest weighted error |f(x) - P(x)|·w(x) on an
interval by Remez exchange in 60-digit arithmetic.  Its coefficients are then
rounded to the precision they are used in, all at once or lowest power first with
the rest refitted after each, whichever leaves the smaller error.  The line above
each table gives the weighted error that remains, as a power of two.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable

from mpmath import mp, mpf

mp.dps = 60
Function = Callable[[mpf], mpf]


def chebyshev_points(low: mpf, high: mpf, count: int) -> list[mpf]:
    """The extrema of a Chebyshev polynomial, moved to an interval."""
    middle, radius = (low + high) / 2, (high - low) / 2
    return [middle - radius * mp.cos(mp.pi * k / (count - 1)) for k in range(count)]


def remez(target, weight, points, powers):  # type: ignore[no-untyped-def]
    """The coefficients of `powers` that minimise the weighted error on a grid."""
    count = len(powers) + 1
    step = (len(points) - 1) / (count - 1)
    chosen = [round(k * step) for k in range(count)]
    for _ in range(40):
        matrix = mp.matrix(count, count)
        right = mp.matrix(count, 1)
        for row, index in enumerate(chosen):
            x = points[index]
            for column, power in enumerate(powers):
                matrix[row, column] = x**power * weight[index]
            matrix[row, count - 1] = (-1) ** row
            right[row] = target[index] * weight[index]
        solution = list(mp.lu_solve(matrix, right))
        level = abs(solution.pop())
        errors = [
            (t - sum(c * x**p for c, p in zip(solution, powers))) * w
            for x, t, w in zip(points, target, weight)
        ]
        extrema = alternating_extrema(errors)
        worst = max(abs(e) for e in errors)
        if len(extrema) < count or worst <= level * mpf("1.001"):
            return solution, worst
        while len(extrema) > count:
            extrema.pop(0 if abs(errors[extrema[0]]) < abs(errors[extrema[-1]]) else -1)
        chosen = extrema
    return solution, worst


def alternating_extrema(errors: list[mpf]) -> list[int]:
    """The place of the greatest error in each run of one sign."""
    places: list[int] = []
    for index, error in enumerate(errors):
        if places and (error > 0) == (errors[places[-1]] > 0):
            if abs(error) > abs(errors[places[-1]]):
                places[-1] = index
        else:
            places.append(index)
    return places


def round_to(value: mpf, bits: int) -> float:
    """A number rounded to float32 or float64."""
    number = float(value)
    return struct.unpack("f", struct.pack("f", number))[0] if bits == 32 else number


def fit(
    name: str,
    function: Function,
    weight: Function,
    low: float,
    high: float,
    degree: int,
    bits: int,
    digits: int = 60,
) -> None:
    """Print the table of one polynomial."""
    mp.dps = digits
    points = chebyshev_points(mpf(low), mpf(high), 24 * (degree + 2) + 1)
    target = [function(x) for x in points]
    weights = [weight(x) for x in points]
    best, worst = [], mpf("inf")
    for refit in (False, True):
        powers = list(range(degree + 1))
        fixed: list[float] = []
        solution, _ = remez(target, weights, points, powers)
        while powers:
            fixed.append(round_to(solution.pop(0), bits))
            powers.pop(0)
            if refit and powers:
                rest = [
                    t - sum(mpf(c) * x**k for k, c in enumerate(fixed))
                    for x, t in zip(points, target)
                ]
                solution, _ = remez(rest, weights, points, powers)
        error = max(
            abs(t - sum(mpf(c) * x**k for k, c in enumerate(fixed))) * w
            for x, t, w in zip(points, target, weights)
        )
        if error < worst:
            best, worst = fixed, error
    print(f"# error 2^{float(mp.log(worst, 2)):.1f} on [{low:.6g}, {high:.6g}]")
    print(f"{name} = (")
    for c in best:
        print(f"    {c!r},")
    print(")\n")


def at_zero(function: Function, limit: float) -> Function:
    """A function with a removable singularity at 0 filled in."""
    return lambda x: mpf(limit) if abs(x) < mpf(10) ** -25 else function(x)


def split(value: mpf, sizes: tuple[int, ...]) -> list[float]:
    """The leading parts of a number, each with as many bits as given."""
    parts = []
    for bits in sizes:
        scale = mpf(2) ** (bits - 1 - int(mp.floor(mp.log(abs(value), 2))))
        part = mp.nint(value * scale) / scale
        parts.append(float(part))
        value -= part
    return parts


HALF_LN2 = float(mp.log(2) / 2)
QUARTER_PI_SQUARED = float((mp.pi / 4) ** 2) * 1.0001


def exp_tail(r: mpf) -> mpf:
    return (mp.exp(r) - 1 - r) / r**2


def log_tail(z: mpf) -> mpf:
    s = mp.sqrt(z)
    return (mp.log((1 + s) / (1 - s)) / s - 2) / z


def log_cubic(f: mpf) -> mpf:
    return (mp.log(1 + f) - f + f * f / 2) / f**3


def sin_tail(z: mpf) -> mpf:
    x = mp.sqrt(z)
    return (mp.sin(x) / x - 1) / z


def cos_tail(z: mpf) -> mpf:
    return (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2


def atan_tail(z: mpf) -> mpf:
    x = mp.sqrt(z)
    return (mp.atan(x) / x - 1) / z


def asin_tail(z: mpf) -> mpf:
    x = mp.sqrt(z)
    return (mp.asin(x) / x - 1) / z


def tanh_tail(z: mpf) -> mpf:
    x = mp.sqrt(z)
    return (mp.tanh(x) / x - 1) / z


def erf_tail(z: mpf) -> mpf:
    x = mp.sqrt(z)
    return mp.erf(x) / x - 1


def erfcx_of(t: mpf) -> mpf:
    """(1 + 2x)·exp(x²)·erfc(x) with t = (x - 4)/(x + 4)."""
    if t >= 1 - mpf(10) ** -30:
        return 2 / mp.sqrt(mp.pi)
    x = 4 * (1 + t) / (1 - t)
    if x > 200:
        series = 1 + sum(
            (-1) ** k * mp.fac2(2 * k - 1) / (2 * x * x) ** k for k in range(1, 12)
        )
        return (1 + 2 * x) * series / (x * mp.sqrt(mp.pi))
    return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x)


def log_erfc(x: mpf) -> mpf:
    return -mp.log(mp.erfc(x))


def normal_quantile_over_x(w: mpf) -> mpf:
    """√2·erfinv(x)/x with w = -log(1 - x²)."""
    if w < mpf(10) ** -25:
        return mp.sqrt(2) * mp.sqrt(mp.pi) / 2
    x = mp.sqrt(1 - mp.exp(-w))
    tail = mp.exp(-w) / (1 + x)
    # The root of erfc(y) = 1 - x, by Newton's method.
    y = mp.sqrt(mp.pi) / 2 * x if w < 2 else mp.sqrt(w)
    for _ in range(60):
        step = (mp.erfc(y) - tail) * mp.sqrt(mp.pi) / 2 * mp.exp(y * y)
        y += step
        if abs(step) < mpf(10) ** -45:
            break
    return mp.sqrt(2) * y / x


def one(_: mpf) -> mpf:
    return mpf(1)


def fit_normal() -> None:
    """Print the quantile's tables in `anadrome.random_bits`.

    They are used at w - 3 below 6 and at √w - 4 above.
    """
    near = at_shift(normal_quantile_over_x, 3)
    far = at_shift(lambda root: normal_quantile_over_x(root * root), 4)
    fit("QUANTILE_NEAR", near, lambda t: 1 / near(t), -3.0, 3.0, 14, 64)
    fit("QUANTILE_FAR", far, lambda t: 1 / far(t), -1.56, 2.25, 14, 64)


def at_shift(function: Function, shift: int) -> Function:
    """A function of the distance from `shift`."""
    return lambda t: function(t + shift)


def main() -> None:
    """Print the module."""
    print('"""Minimax coefficients, printed by `tools/fit_polynomials.py`."""\n')
    if sys.argv[1:] == ["normal"]:
        fit_normal()
        return
    for bits, degree in ((32, 4), (64, 10)):
        fit(
            f"EXP_TAIL_{bits}",
            at_zero(exp_tail, 0.5),
            lambda r: abs(r) + 0.01,
            -HALF_LN2 * 1.001,
            HALF_LN2 * 1.001,
            degree,
            bits,
        )
    for bits, degree in ((64, 6), (65, 10)):
        fit(
            "LOG_TAIL_64" if bits == 64 else "LOG_TAIL_EXTENDED",
            at_zero(log_tail, mpf(2) / 3),
            lambda z: z / 2,
            0.0,
            0.02945,
            degree,
            64,
        )
    fit(
        "LOG_CUBIC_32",
        at_zero(log_cubic, mpf(1) / 3),
        lambda f: f * f,
        -0.29290,
        0.41422,
        8,
        32,
    )
    for bits, degree in ((32, 2), (64, 5)):
        fit(
            f"SIN_TAIL_{bits}",
            at_zero(sin_tail, -mpf(1) / 6),
            lambda z: z,
            0.0,
            QUARTER_PI_SQUARED,
            degree,
            bits,
        )
        fit(
            f"COS_TAIL_{bits}",
            at_zero(cos_tail, mpf(1) / 24),
            lambda z: z * z,
            0.0,
            QUARTER_PI_SQUARED,
            degree,
            bits,
        )
    for bits, degree in ((32, 5), (64, 13)):
        fit(
            f"TANH_TAIL_{bits}",
            at_zero(tanh_tail, -mpf(1) / 3),
            lambda z: z,
            0.0,
            0.40,
            degree,
            bits,
        )
    for bits, degree in ((32, 4), (64, 12)):
        fit(
            f"ATAN_TAIL_{bits}",
            at_zero(atan_tail, -mpf(1) / 3),
            lambda z: z,
            0.0,
            0.17158,
            degree,
            bits,
        )
    fit(
        "ASIN_TAIL_64", at_zero(asin_tail, mpf(1) / 6), lambda z: z, 0.0, 0.2501, 12, 64
    )
    fit(
        "ERF_SMALL_64", at_zero(erf_tail, 2 / mp.sqrt(mp.pi) - 1), one, 0.0, 1.0, 13, 64
    )
    fit("ERF_SMALL_32", at_zero(erf_tail, 2 / mp.sqrt(mp.pi) - 1), one, 0.0, 1.0, 7, 32)
    fit("ERF_LARGE_32", log_erfc, mp.erfc, 0.95, 4.0, 7, 32)
    fit("ERFCX_64", erfcx_of, lambda t: 1 / erfcx_of(t), -1.0, 1.0, 23, 64)
    for name, value, sizes in (
        ("HALF_PI_64", mp.pi / 2, (53, 53, 53)),
        ("LN2_64", mp.log(2), (42, 53)),
        ("LN2_32", mp.log(2), (15, 24)),
        ("LOG2_E_64", 1 / mp.log(2), (21, 53)),
        ("LOG10_E_64", 1 / mp.log(10), (21, 53)),
        ("LOG10_2_64", mp.log10(2), (42, 53)),
        ("LOG2_E_32", 1 / mp.log(2), (12, 24)),
        ("LOG10_E_32", 1 / mp.log(10), (12, 24)),
        ("LOG10_2_32", mp.log10(2), (15, 24)),
    ):
        parts = split(value, sizes)
        print(f"# {float(value)!r} in parts of {sizes} bits")
        print(f"{name} = (")
        for part in parts:
            print(f"    {part!r},")
        print(")\n")


if __name__ == "__main__":
    main()
