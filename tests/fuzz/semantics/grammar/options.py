"""Functions of NumPy whose options are given as values."""

from __future__ import annotations

from fuzz.semantics.values import REDUCTIONS
from fuzz.semantics.writer import Writer, template

# A call, and the option it takes with values to choose from.
CALLS = (
    *(("np.transpose({a}{o})", "axes", ("(1, 0)", "None", "(-1, 0)", "[1, 0]")),),
    *(("np.sort({a}{o})", "axis", ("0", "-1", "None")),),
    *(("np.cumsum({a}{o})", "axis", ("0", "-1", "None", "1")),),
    *(("np.cumprod({a}{o})", "axis", ("0", "-1", "None", "1")),),
    *(("np.diff({a}{o})", "axis", ("0", "-1", "1")), ("np.diff({a}{o})", "n", "012")),
    *(("np.flip({a}{o})", "axis", ("0", "-1", "None", "(0, 1)")),),
    *(("np.roll({a}, 1{o})", "axis", ("0", "-1", "None")),),
    *(("np.concatenate([{a}, {a}]{o})", "axis", ("0", "-1", "None")),),
    *(("np.stack([{a}, {a}]{o})", "axis", ("0", "-1", "1")),),
    *(("np.expand_dims({a}{o})", "axis", ("0", "-1", "(0, 1)")),),
    *(("np.squeeze({a}{o})", "axis", ("0", "None", "()")),),
    *(("np.repeat({a}, 2{o})", "axis", ("0", "None", "-1")),),
    *(("np.take({a}, [0, 0]{o})", "axis", ("0", "None", "-1")),),
    *(("np.take({a}, [0, 5]{o})", "mode", ("'clip'", "'wrap'", "'raise'")),),
    *(("np.tril({a}{o})", "k", ("0", "1", "-1")), ("np.triu({a}{o})", "k", ("0", "1"))),
    *(("np.diag({a}{o})", "k", ("0", "1", "-1")), ("np.trace({a}{o})", "offset", "01")),
    *(("np.reshape({a}, -1{o})", "order", ("'F'", "'C'", "'A'")),),
    *(("np.ravel({a}{o})", "order", ("'F'", "'C'", "'A'", "'K'")),),
    *(("{a}.ravel(**dict({k}))", "order", ("'F'", "'C'", "'A'", "'K'")),),
    *(("{a}.reshape(-1{o})", "order", ("'F'", "'C'", "'A'")),),
    *(("{a}.copy(**dict({k}))", "order", ("'F'", "'C'", "'K'")),),
    *(("np.round({a}{o})", "decimals", ("0", "1", "-1")),),
    *(("np.clip({a}, 0{o})", "max", ("1", "None", "0.5")),),
    *(("np.linalg.norm({a}{o})", "ord", ("None", "1", "2", "np.inf", "'fro'")),),
    *(("np.linalg.norm({a}{o})", "axis", ("0", "None", "-1")),),
    *(("np.tensordot({a}, {a}{o})", "axes", ("0", "1", "([0], [0])", "2")),),
    *(("np.zeros_like({a}{o})", "dtype", ("float", "int", "None", "np.float32")),),
    *(("np.ones(3{o})", "dtype", ("float", "int", "np.float32", "bool")),),
    *(("np.full(2, 3{o})", "dtype", ("float", "int", "None")),),
    *(("np.array({a}{o})", "dtype", ("float", "None", "np.float32", "complex")),),
    *(("np.pad({a}, 1{o})", "mode", ("'constant'", "'edge'", "'reflect'", "'wrap'")),),
    *(("np.linspace(0, 1, 3{o})", "endpoint", ("True", "False")),),
    *(("np.partition({a}, 0{o})", "axis", ("0", "-1")),),
    *(("np.argsort({a}{o})", "axis", ("0", "-1", "None")),),
    *(("np.quantile({a}, 0.5{o})", "axis", ("0", "None")),),
    *(("np.apply_along_axis(np.sum{o}, arr={a})", "axis", ("0", "-1")),),
    *(("np.nan_to_num({a}{o})", "nan", ("0.0", "1.0")),),
    *(("np.gradient({a}{o})", "edge_order", ("1", "2")),),
    *(("np.unique({a}{o})", "return_counts", ("True", "False")),),
    *(("np.einsum('i...->...', {a}{o})", "optimize", ("True", "False")),),
    *(("np.cov({a}{o})", "bias", ("True", "False")),),
    *(("np.average({a}{o})", "axis", ("0", "None")),),
    *(("np.trapezoid({a}{o})", "dx", ("0.5", "1")),),
    *(("np.meshgrid({a}{o})", "indexing", ("'ij'", "'xy'")),),
    *(("np.vander({a}{o})", "increasing", ("True", "False")),),
    *(("np.fft.fft({a}{o})", "n", ("None", "2", "4")),),
    *(("np.moveaxis({a}, 0{o})", "destination", ("-1", "0", "1")),),
)


def _given(w: Writer, name: str, value: str) -> tuple[str, str]:
    """An option as a value: what is written in the call, and as keywords alone."""
    v = w.fresh("o")
    pick = w.rng.randrange(5)
    if pick == 0:
        return f", {name}={value}", f"{name}={value}"
    if pick == 1:
        w.emit(f"{v} = {value}")
        return f", {name}={v}", f"{name}={v}"
    if pick == 2:
        w.emit(f"{v} = dict({name}={value})")
        return f", **{v}", f"**{v}"
    if pick == 3:
        w.emit(f"{v} = [{value}]")
        return f", {name}={v}[0]", f"{name}={v}[0]"
    w.before.append(f"{v} = {{{name!r}: {value}}}")
    return f", **{v}", f"**{v}"


@template("options", 5)
def call(w: Writer) -> None:
    path, _ = w.array_place(1)
    text, name, values = w.one(CALLS)
    after, keyword = _given(w, name, w.one(values))
    if "*" in after and "o}, arr" in text:
        after = f", {name}=0"
    w.emit(f"{w.target()} = " + text.format(a=path, o=after, k=keyword))


@template("options", 4)
def reduction(w: Writer) -> None:
    path, _kind = w.array_place(0)
    axes = ["None", "0", "-1", "(0,)", "()", "1", "(0, 1)", "np.int64(0)"]
    after, keyword = _given(w, "axis", w.one(axes))
    if w.maybe(50):
        more, keyword2 = _given(w, "keepdims", w.one(["True", "False", "1"]))
        after, keyword = after + more, f"{keyword}, {keyword2}"
    f = w.one(REDUCTIONS)
    if w.maybe(30):
        method = w.one(
            ["sum", "mean", "max", "min", "prod", "std", "var", "any", "all"]
        )
        w.emit(f"{w.target()} = {path}.{method}({keyword})")
    else:
        w.emit(f"{w.target()} = {f}({path}{after})")


@template("options", 2)
def positional(w: Writer) -> None:
    path, _kind = w.array_place(1)
    n = w.fresh("o")
    w.emit(f"{n} = {w.one(['0', '1', '-1', '(0,)', 'None'])}")
    f = w.one(
        ["np.sum", "np.max", "np.mean", "np.sort", "np.cumsum", "np.flip", "np.any"]
    )
    w.emit(f"{w.target()} = {f}({path}, {n})")


@template("options", 2)
def shapes(w: Writer) -> None:
    path, _kind = w.array_place(0)
    text = w.one(
        [
            *(
                "np.zeros({p}.shape)",
                "np.reshape({p}, {p}.shape[::-1])",
                "np.ones(len({p}))",
            ),
            *(
                "{p}.reshape(*{p}.shape)",
                "np.zeros(({p}.size, 1))",
                "{p}.reshape({p}.size)",
            ),
            *("np.full({p}.shape, {n})", "np.broadcast_to({n}, {p}.shape)", "{p}.ndim"),
            *("np.zeros({p}.shape + (1,))", "np.empty({p}.shape).size", "{p}.shape[0]"),
            *(
                "np.zeros_like([{n}, {n}])",
                "np.ones_like({n})",
                "np.array([[{n}]]).shape",
            ),
            *("np.zeros((2, len({p})))", "np.eye(len({p}))", "np.resize({p}, 3)"),
            *(
                "np.indices({p}.shape).sum()",
                "np.tile({p}, {p}.ndim)",
                "{p}.dtype.itemsize",
            ),
            *(
                "np.zeros(max({p}.shape))",
                "np.unravel_index(0, {p}.shape)",
                "{p}.nbytes",
            ),
        ]
    )
    w.emit(f"{w.target()} = {text.format(p=path, n=w.number(0))}")
