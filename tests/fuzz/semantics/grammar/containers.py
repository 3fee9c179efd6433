"""Lists, tuples, dicts and sets, with aliasing between them."""

from __future__ import annotations

from fuzz.semantics.writer import Writer, template


def _listed(w: Writer) -> str:
    return w.place(lambda k: k.tag == "list")[0]


def _mapped(w: Writer) -> str:
    return w.place(lambda k: k.tag == "dict")[0]


@template("containers", 3)
def make_list(w: Writer) -> None:
    things = [w.thing(0) for _ in range(w.rng.randint(0, 3))]
    made = w.one(
        [
            "[{}]",
            "[{}]",
            "({},)",
            "list(({},))",
            "[{}] * 2",
            "[[{}], [{}]]",
            "tuple([{}])",
        ]
    ).replace("{}", ", ".join(things) or "1.0")
    w.emit(f"{w.target()} = {made}")


@template("containers", 2)
def make_dict(w: Writer) -> None:
    a, b = w.thing(0), w.thing(0)
    made = w.one(
        [
            *("{{'a': {a}, 'b': {b}}}", "dict(a={a}, b={b})", "{{1: {a}, 2: {b}}}"),
            *("{{'a': {a}, 'b': {{'c': {b}}}}}", "dict([('a', {a}), ('b', {b})])"),
            *("dict(zip('ab', [{a}, {b}]))", "{{(0, 1): {a}, None: {b}}}"),
            *("{{k: {a} for k in 'ab'}}", "dict.fromkeys(['a', 'b'], {a})"),
        ]
    )
    w.emit(f"{w.target()} = {made.format(a=a, b=b)}")


@template("containers", 5)
def change_list(w: Writer) -> None:
    path, n = _listed(w), w.thing(0)
    text = w.one(
        [
            *(
                "{p}.append({n})",
                "{p}.extend([{n}, 1.0])",
                "{p}.insert(0, {n})",
                "{p}.pop()",
            ),
            *(
                "{p}[0] = {n}",
                "{p}[-1] += {n}",
                "{p}.reverse()",
                "{p}.clear()",
                "{p}.pop(0)",
            ),
            *(
                "{p} += [{n}]",
                "{p} *= 2",
                "{p}[1:] = [{n}]",
                "del {p}[0]",
                "{p}[:0] = {p}",
            ),
            *(
                "{p}.remove({p}[0])",
                "{p}.append({p}[0])",
                "del {p}[1:]",
                "{p} += ({n},)",
            ),
            *("{p}[::2] = [{n}]", "{p}.sort()", "{p}[0], {p}[-1] = {p}[-1], {p}[0]"),
            *("{p}.extend({p})", "{p}[:] = {p}[::-1]", "{p}.extend(v for v in [{n}])"),
        ]
    )
    w.emit(text.format(p=path, n=n))


@template("containers", 3)
def read_list(w: Writer) -> None:
    path, _ = w.place(lambda k: k.tag in ("list", "tuple"))
    text = w.one(
        [
            *(
                "{p}[0]",
                "{p}[-1]",
                "{p}[1:]",
                "{p}[::-1]",
                "sum({p})",
                "len({p})",
                "{p}[0] * 2",
            ),
            *(
                "max({p})",
                "sorted({p})",
                "{p} + {p}",
                "{p} * 2",
                "{p}.index({p}[-1])",
                "{p}[5]",
            ),
            *(
                "{p}.count({p}[0])",
                "list({p})",
                "tuple({p})",
                "np.array({p})",
                "{p} == {p}",
            ),
            *("{p}[0] in {p}", "np.sum({p})", "[*{p}, 1.0]", "any({p})", "{p}.copy()"),
            *(
                "np.stack({p})",
                "np.concatenate({p})",
                "max({p}, key=lambda q: -q)",
                "bool({p})",
            ),
            *(
                "min({p}, default=0.0)",
                "functools.reduce(lambda a, b: a + b, {p})",
                "{p}[-2:]",
            ),
            *(
                "math.fsum({p})",
                "np.mean({p})",
                "list(map(float, {p}))",
                "{p} < {p}",
                "[] or {p}",
            ),
            *(
                "1.0 in {p}",
                "{p} is {p}",
                "np.asarray({p})",
                "np.zeros_like({p})",
                "str(len({p}))",
            ),
        ]
    )
    w.emit(f"{w.target()} = {text.format(p=path)}")


@template("containers", 3)
def change_dict(w: Writer) -> None:
    path, n = _mapped(w), w.thing(0)
    text = w.one(
        [
            *("{p}['b'] = {n}", "{p}['c'] = {n}", "{p}.update(c={n})", "{p}.pop('a')"),
            *("{p}.setdefault('a', {n})", "{p}.setdefault('z', []).append({n})"),
            *("del {p}['a']", "{p}['a'] += {n}", "{p}.clear()", "{p}.popitem()"),
            *(
                "{p} |= {{'d': {n}}}",
                "{p}.pop('q', None)",
                "{p}['a'] = {p}",
                "{p}[1] = {n}",
            ),
        ]
    )
    w.emit(text.format(p=path, n=n))


@template("containers", 3)
def read_dict(w: Writer) -> None:
    path = _mapped(w)
    text = w.one(
        [
            *("{p}['a']", "{p}.get('a', 1.0)", "{p}.get('q')", "list({p})", "len({p})"),
            *(
                "sum({p}.values())",
                "list({p}.items())",
                "'a' in {p}",
                "{p}['q']",
                "dict({p})",
            ),
            *(
                "{{**{p}, 'a': 1.0}}",
                "{p}.copy()",
                "sorted({p})",
                "{{k: v for k, v in {p}.items()}}",
            ),
            *(
                "[v for v in {p}.values()]",
                "{p} == {p}",
                "max({p}, key={p}.get)",
                "next(iter({p}))",
            ),
            *(
                "tuple({p}.keys())",
                "list(reversed({p}))",
                "{p} | {{'a': 2.0}}",
                "bool({p})",
            ),
        ]
    )
    w.emit(f"{w.target()} = {text.format(p=path)}")


@template("containers", 3)
def alias(w: Writer) -> None:
    path, kind = w.place(lambda k: k.tag in ("list", "dict", "object", "array"))
    name = w.fresh()
    w.emit(
        f"{name} = {w.one([path, f'[{path}]', f'[{path}, {path}]', f'({path}, 1.0)'])}"
    )
    if kind.tag == "array":
        w.emit(f"{path} {w.one(['*=', '+=', '-='])} {w.number(0)}")
    elif kind.tag == "list":
        w.emit(f"{path}.append({w.number(0)})")


@template("containers", 2)
def unpack(w: Writer) -> None:
    path, _kind = w.place(lambda k: k.tag in ("list", "tuple", "array", "dict"))
    a, b = w.fresh(), w.fresh()
    w.emit(
        w.one([f"{a}, *{b} = {path}", f"*{a}, {b} = {path}", f"{a}, {b} = {path}[:2]"])
    )


@template("containers", 1)
def sets(w: Writer) -> None:
    text = w.one(
        [
            *(
                "{{1, 2, {n}}}",
                "len({{1, 2, 2}})",
                "set([3, 1, 2])",
                "sorted({{3, 1}})",
            ),
            *("{{1}} | {{2}}", "2 in {{1, 2}}", "{{1, 2}} & {{2}}", "frozenset([1])"),
            *("sum({{1.0, 2.0}}) * {n}", "{{1, 2}} - {{1}}", "{{1}} <= {{1, 2}}"),
        ]
    )
    w.emit(f"{w.target()} = {text.format(n=w.number(0))}")


@template("containers", 2)
def strings(w: Writer) -> None:
    text = w.one(
        [
            *(
                "'a' + 'b'",
                "'a,b'.split(',')",
                "f'{{1 + 1}}'",
                "len('abc') * {n}",
                "'abc'[1:]",
            ),
            *("'b' in 'abc'", "'-'.join(['a', 'b'])", "'x' * 3", "str(2)", "'%d' % 3"),
            *("'abc'.upper()", "'a' < 'b'", "'{{}}'.format(3)", "float('1.5') * {n}"),
            *(
                "{{'sum': np.sum, 'max': np.max}}['sum']([{n}, 1.0])",
                "getattr(np, 'sin')({n})",
            ),
        ]
    )
    w.emit(f"{w.target()} = {text.format(n=w.number(0))}")


@template("containers", 2)
def walk(w: Writer) -> None:
    path, _ = w.place(lambda k: k.tag in ("list", "dict", "tuple"))
    s, q = w.fresh("s"), w.fresh("q")
    w.emit(f"{s} = 0.0", f"for {q} in {path}:")
    w.emit(
        "    "
        + w.one(
            [
                *(f"{s} += np.sum({q})", f"{s} = {s} + len(str(type({q}).__name__))"),
                *(f"{q} = 2.0", f"{s} += {path}[{q}]", f"{path}.pop()"),
                *(f"{s} = {q}", f"{q} *= 2"),
            ]
        )
    )
