"""Calls of every function of NumPy that has a rule, with whatever is in scope."""

from __future__ import annotations

import functools
import inspect

import numpy as np
from fuzz.semantics.writer import Writer, template

NAMES = {
    "np": """
absolute add all allclose amax amin angle any append arange arccos arccosh arcsin
arcsinh arctan arctan2 arctanh argmax argmin argpartition argsort argwhere around
array array_equal array_split asanyarray asarray ascontiguousarray asfortranarray
astype atleast_1d atleast_2d atleast_3d average bartlett bincount bitwise_and
bitwise_count bitwise_or bitwise_xor blackman broadcast_arrays broadcast_to cbrt
ceil choose clip column_stack compress concatenate conjugate convolve copy copysign
corrcoef correlate cos cosh count_nonzero cov cross cumprod cumsum cumulative_prod
cumulative_sum deg2rad degrees delete diag diag_indices diag_indices_from diagflat
diagonal diff digitize divide divmod dot dsplit dstack ediff1d equal exp exp2
expand_dims expm1 extract eye fabs fix flatnonzero flip fliplr flipud float_power
floor floor_divide fmax fmin fmod frexp full full_like gcd gradient greater
greater_equal hamming hanning heaviside histogram histogram2d histogram_bin_edges
hsplit hstack hypot i0 identity imag indices inner insert interp intersect1d invert
isclose iscomplex iscomplexobj isfinite isin isinf isnan isneginf isposinf isreal
isrealobj isscalar kaiser kron lcm ldexp left_shift less less_equal lexsort linspace
log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or
logical_xor matmul matrix_transpose matvec max maximum mean median meshgrid min
minimum modf moveaxis multiply nan_to_num nanargmax nanargmin nancumprod nancumsum
nanmax nanmean nanmedian nanmin nanpercentile nanprod nanquantile nanstd nansum
nanvar ndim negative nextafter nonzero not_equal ones ones_like outer packbits pad
partition percentile poly polyadd polyder polydiv polyfit polyint polymul polysub
polyval positive power prod ptp quantile rad2deg radians ravel ravel_multi_index
real real_if_close reciprocal remainder repeat reshape resize right_shift rint roll
rollaxis roots rot90 round searchsorted setdiff1d setxor1d shape sign signbit sin
sinc sinh size sort sort_complex spacing split sqrt square squeeze stack std
subtract sum swapaxes take take_along_axis tan tanh tensordot tile trace transpose
trapezoid tri tril tril_indices tril_indices_from trim_zeros triu triu_indices
triu_indices_from trunc union1d unique unique_all unique_counts unique_inverse
unique_values unpackbits unravel_index unstack unwrap vander var vdot vecdot vecmat
vsplit vstack where zeros zeros_like
""",
    "np.linalg": """
cholesky cond cross det diagonal eig eigh eigvals eigvalsh inv lstsq matmul
matrix_norm matrix_power matrix_rank matrix_transpose multi_dot norm outer pinv qr
slogdet solve svd svdvals tensordot tensorinv tensorsolve trace vecdot vector_norm
""",
    "np.fft": """
fft fft2 fftfreq fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2
irfftn rfft rfft2 rfftfreq rfftn
""",
}
_OPTIONS = {
    "axis": ("0", "-1", "None", "1", "(0,)"),
    "keepdims": ("True", "False"),
    "dtype": ("float", "np.float32", "int", "None"),
    "ddof": ("0", "1"),
    "k": ("0", "1", "-1"),
    "initial": ("0", "1.5"),
    "order": ("'C'", "'F'"),
}


@functools.cache
def _functions() -> list[tuple[str, int, list[str]]]:
    """What is called, how many arguments it needs, and the options it takes."""
    found = []
    modules = {"np": np, "np.linalg": np.linalg, "np.fft": np.fft}
    for prefix, names in NAMES.items():
        for name in names.split():
            function = getattr(modules[prefix], name, None)
            if isinstance(function, np.ufunc):
                found.append((f"{prefix}.{name}", function.nin, ["dtype"]))
            elif function is not None:
                given = inspect.signature(function).parameters.values()
                needed = sum(p.kind < 2 and p.default is p.empty for p in given)
                options = [p.name for p in given if p.name in _OPTIONS]
                found.append((f"{prefix}.{name}", max(needed, 1), options))
    return found


def _argument(w: Writer, first: bool) -> str:
    pick = w.rng.randrange(20)
    if pick < (14 if first else 8):
        return w.array(0)
    if pick < 17:
        return w.number(0)
    if pick < 19:
        numbers = w.number(0), w.number(0)
        return w.one(["[{}, {}]", "({}, {})", "[[{}], [{}]]"]).format(*numbers)
    return w.thing(0)


@template("library", 6)
def call(w: Writer) -> None:
    name, needed, options = w.one(_functions())
    given = [_argument(w, k == 0) for k in range(needed)]
    if options and w.maybe(35):
        option = w.one(options)
        given.append(f"{option}={w.one(_OPTIONS[option])}")
    w.emit(f"{w.target()} = {name}({', '.join(given)})")


@template("library", 2)
def nested(w: Writer) -> None:
    (first, needed, _), (second, _, _) = w.one(_functions()), w.one(_functions())
    given = [_argument(w, k == 0) for k in range(needed)]
    w.emit(f"{w.target()} = {second}({first}({', '.join(given)}))")


@template("library", 1)
def method(w: Writer) -> None:
    path, _ = w.array_place()
    name = w.one(
        [
            *("sum", "mean", "cumsum", "argsort", "tolist", "item", "squeeze", "dot"),
            *("repeat", "take", "trace", "diagonal", "swapaxes", "conj", "nonzero"),
            *(
                "round",
                "clip",
                "ravel",
                "prod",
                "ptp",
                "view",
                "astype",
                "searchsorted",
            ),
        ]
    )
    given = [_argument(w, False) for _ in range(w.rng.randrange(3))]
    w.emit(f"{w.target()} = {path}.{name}({', '.join(given)})")
