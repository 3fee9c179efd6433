"""Arrays: views that depend on memory order, stores through them, masks, large ones."""

from __future__ import annotations

from fuzz.semantics.values import REDUCTIONS, TYPES
from fuzz.semantics.writer import Writer, template

VIEWS = (
    *(".ravel()", ".reshape(-1)", '.ravel(order="F")', '.reshape(-1, order="F")', ".T"),
    *(
        '.ravel("K")',
        '.reshape(-1, order="A")',
        "[::-1]",
        "[...]",
        "[1:]",
        ".squeeze()",
    ),
    *(".swapaxes(0, -1)", ".transpose()", ".view()", ".real", ".flat", ".flatten()"),
    *('.flatten("F")', "[::2]", ".copy()", '.copy(order="F")', '.copy("K")', "[None]"),
    *(".astype(float, copy=False)", ".reshape(-1, 1)", "[..., ::-1]", ".diagonal()"),
)
MAKERS = (
    *("np.asarray({})", "np.array({}, copy=False)", "np.array({})", "np.ravel({})"),
    *('np.ravel({}, order="F")', "np.reshape({}, -1)", "np.asfortranarray({})"),
    *("np.ascontiguousarray({})", "np.atleast_2d({})", "np.transpose({})"),
    *("np.broadcast_to({}, (2,) + {}.shape)", "np.expand_dims({}, 0)", "np.diag({})"),
    *("np.moveaxis({}, 0, -1)", "np.squeeze({})", "np.flip({})", "np.fliplr({})"),
    *("np.split({}, 1)[0]", "np.array_split({}, 2)[0]", "np.real({})", "np.rot90({})"),
    *('np.array({}, order="F")', "np.require({}, requirements='C')", "np.flipud({})"),
    *("np.lib.stride_tricks.sliding_window_view({}, 1)", "np.atleast_1d({})"),
)
CHANGES = (
    *("{}[0] = {n}", "{}[0] -= {n}", "{}[-1] += {n}", "{}[...] = {n}", "{} *= 2"),
    *("{}[:] = {a}", "{}[::-1] += {a}", "{}[{a} > 0] = {n}", "{}[1:] += {}[:-1]"),
    *("{}[:-1] = {}[1:]", "{}[[0, 0]] += 1", "{}.fill({n})", "{}[{}  > 0] *= 2"),
    *("{} -= {n}", "{}[..., 0] = {n}", "np.add.at({}, [0, 0], {n})", "{}.sort()"),
    *("np.multiply({}, {n}, out={})", "np.copyto({}, {n})", "np.put({}, [0], {n})"),
    *("{}[[-1, 0]] = {}[[0, -1]]", "{} += {}[::-1]", "{}[0], {}[-1] = {}[-1], {}[0]"),
    *("np.fill_diagonal({}, {n})", "{} = {} + {a}", "{}.flat[0] = {n}"),
    *("{} /= 2", "{} //= 2", "{} **= 2", "{}[()] = {n}", "{}.itemset(0, {n})"),
)


def _change(w: Writer, path: str) -> str:
    text = w.one(CHANGES).replace("{}", path)
    if "{n}" in text:
        text = text.replace("{n}", w.number(1))
    return text.replace("{a}", w.array(1)) if "{a}" in text else text


@template("layouts", 5)
def view_and_change(w: Writer) -> None:
    path, _ = w.array_place()
    name = w.fresh()
    if w.maybe(50):
        w.emit(f"{name} = {path}{w.one(VIEWS)}")
    else:
        w.emit(f"{name} = {w.one(MAKERS).replace('{}', path)}")
    w.emit(_change(w, w.one([path, name])))
    if w.maybe(40):
        w.emit(_change(w, w.one([path, name])))


@template("layouts", 2)
def view_of_a_copy(w: Writer) -> None:
    path, _ = w.array_place(1)
    a, b = w.fresh(), w.fresh()
    order = w.one(['order="F"', 'order="C"', 'order="K"', ""])
    w.emit(f"{a} = {path}.copy({order})")
    w.emit(f"{b} = {a}{w.one(VIEWS)}")
    w.emit(_change(w, b))


@template("layouts", 3)
@template("stores", 5)
def change(w: Writer) -> None:
    path, _ = w.array_place(0 if w.maybe(20) else 1, writable=w.maybe(95))
    w.emit(_change(w, path))


@template("stores", 3)
def store_item(w: Writer) -> None:
    path, kind = w.array_place(1, writable=True)
    sign = w.one(["=", "=", "+=", "-=", "*="])
    value = w.number(1) if w.maybe(60) else w.array(1)
    w.emit(f"{path}{w.index(kind)} {sign} {value}")


@template("stores", 2)
def store_in_loop(w: Writer) -> None:
    path, _kind = w.array_place(1, writable=True)
    i = w.fresh("i")
    lines = [f"{path}[{i}] = {path}[{i} - 1] * {w.number(1)}"]
    if w.maybe(50):
        lines.append(f"{path}[{i}] += {i}")
    w.emit(f"for {i} in range({w.one(['len(' + path + ')', '2', '0'])}):")
    w.emit(*(f"    {line}" for line in lines))


@template("stores", 2)
def store_into_rows(w: Writer) -> None:
    path, _ = w.array_place(1, writable=True)
    r = w.fresh("r")
    w.emit(f"for {r} in {path}:", f"    {r} {w.one(['*=', '+=', '-='])} {w.number(0)}")


@template("stores", 2)
def change_then_choose(w: Writer) -> None:
    path, _ = w.array_place(0, writable=True)
    name = w.target()
    w.emit(_change(w, path))
    other = w.array(1) if w.maybe(70) else w.number(1)
    w.emit(f"{name} = {path} if {w.condition()} else {other}")
    if w.maybe(50):
        w.emit(_change(w, name))


@template("stores", 2)
def out_argument(w: Writer) -> None:
    path, _ = w.array_place(0, writable=True)
    name = w.fresh()
    f = w.one(["np.add", "np.multiply", "np.maximum"])
    w.emit(f"{name} = {f}({path}, {w.number(1)}, out={path})")
    if w.maybe(50):
        w.emit(_change(w, name))


@template("dtypes", 4)
def assign_array(w: Writer) -> None:
    w.emit(f"{w.target()} = {w.array(3)}")


@template("dtypes", 2)
def cast(w: Writer) -> None:
    path, _ = w.place(lambda k: k.tag in ("array", "npnum"))
    w.emit(f"{w.target()} = {path}.astype({w.one(TYPES)}) {w.one('+-*')} {w.number(1)}")


@template("dtypes", 3)
def mix_dtypes(w: Writer) -> None:
    a, _ = w.array_place()
    b, _ = w.array_place()
    c = w.one(
        ["3", "2.5", "np.float32(3)", "np.int8(100)", "1j", "300", "2**31", "True"]
    )
    text = w.one(
        [
            *(
                "{a} * {b}",
                "{a} + {c}",
                "{c} - {a}",
                "{a} / {c}",
                "{a} // {c}",
                "{a} % {c}",
            ),
            *(
                "{a} ** 2",
                "{a} & {b}",
                "~{a}",
                "{a} << 1",
                "-{a}",
                "{a} == {b}",
                "{a} | {c}",
            ),
            *(
                "np.where({a} > 0, {b}, {c})",
                "np.mean({a})",
                "np.sum({a})",
                "np.prod({a})",
            ),
            *("np.cumsum({a})", "np.sqrt({a})", "np.exp({a})", "abs({a})", "{a} @ {b}"),
            *("np.array([{a}, {b}])", "np.concatenate([{a}, {b}])", "np.add({a}, {c})"),
            *(
                "np.full({a}.shape, {c})",
                "np.full_like({a}, {c})",
                "np.maximum({a}, {c})",
            ),
            *(
                "np.sum({a}, dtype=np.float32)",
                "np.zeros(3, {a}.dtype) + {c}",
                "{a} < {c}",
            ),
            *(
                "np.var({a})",
                "np.floor({a})",
                "np.round({a})",
                "np.sign({a})",
                "np.abs({a})",
            ),
            *(
                "np.result_type({a}, {b}).type(2)",
                "np.clip({a}, 0, {c})",
                "divmod({a}, {c})",
            ),
            *(
                "np.hypot({a}, {b})",
                "np.dot({a}, {b})",
                "np.square({a})",
                "np.isnan({a})",
            ),
        ]
    )
    w.emit(f"{w.target()} = {text.format(a=a, b=b, c=c)}")


@template("dtypes", 2)
def store_other_dtype(w: Writer) -> None:
    path, _ = w.array_place(1, writable=True)
    name = w.fresh()
    w.emit(f"{name} = {path}.astype({w.one(TYPES)})")
    w.emit(f"{name}{w.one(['[0]', '[:]', '[-1]'])} {w.one(['=', '+='])} {w.number(1)}")


@template("masks", 4)
def mask(w: Writer) -> None:
    path, _kind = w.array_place(1)
    m, name = w.fresh("m"), w.fresh()
    w.emit(f"{m} = {w.mask(path)}")
    text = w.one(
        [
            *("{p}[{m}]", "np.sum({p}[{m}])", "np.where({m}, {p}, {n})", "{p} * {m}"),
            *("np.max({p}[{m}])", "np.mean({p}[~{m}])", "{p}[{m}][::-1]", "{m}.sum()"),
            *(
                "np.nonzero({m})[0]",
                "np.where({m})[0]",
                "np.any({m})",
                "np.argmax({m})",
            ),
            *(
                "np.max({p}, where={m}, initial=0)",
                "np.extract({m}, {p})",
                "{m} & ({p} > 1)",
            ),
            *(
                "np.sum({p}, where={m})",
                "np.compress({m}.ravel(), {p})",
                "not {m}.any()",
            ),
            *(
                "np.select([{m}], [{p}], {n})",
                "np.place({p}, {m}, {n})",
                "np.flatnonzero({m})",
            ),
        ]
    )
    w.emit(f"{name} = {text.format(p=path, m=m, n=w.number(0))}")


@template("masks", 3)
def masked_store(w: Writer) -> None:
    path, _ = w.array_place(1, writable=True)
    m = w.mask(path)
    text = w.one(
        [
            *("{p}[{m}] = {n}", "{p}[{m}] *= 2", "{p}[{m}] += {p}[{m}]"),
            *("{p}[{m}] = -{p}[{m}]", "{p}[({m}) & ({p} < 1)] -= 1", "{p}[{m}][0] = 7"),
            *("np.putmask({p}, {m}, {n})", "np.copyto({p}, {n}, where={m})"),
        ]
    )
    w.emit(text.format(p=path, m=m, n=w.number(1)))


@template("masks", 3)
def fancy(w: Writer) -> None:
    path, _kind = w.array_place(1)
    i = w.fresh("i")
    index = w.one(
        ["[0, -1]", "[0, 0]", "np.array([0, -1])", "[]", "[[0], [0]]", "[-1]"]
    )
    w.emit(f"{i} = {index}")
    if w.maybe(60):
        w.emit(f"{w.target()} = {path}[{i}]")
    else:
        w.emit(f"{path}[{i}] {w.one(['=', '+=', '*='])} {w.number(1)}")


@template("threads", 4)
def large(w: Writer) -> None:
    w.emit(f"{w.target()} = {w.array(3)}")


@template("threads", 2)
def large_reduction(w: Writer) -> None:
    path, _kind = w.array_place(1)
    axis = w.one(["", ", axis=0", ", axis=-1"])
    w.emit(f"{w.target()} = {w.one(REDUCTIONS)}({path}{axis})")


@template("threads", 2)
def large_store(w: Writer) -> None:
    path, _ = w.array_place(1, writable=True)
    w.emit(_change(w, path))


@template("threads", 1)
def large_rows(w: Writer) -> None:
    path, _kind = w.array_place(2)
    s = w.fresh("s")
    w.emit(
        f"{s} = 0.0",
        f"for row in {path}[:4]:",
        f"    {s} += np.sum(row * {w.number(0)})",
    )
