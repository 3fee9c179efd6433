"""Iterators: lazy, consumed once, shared, live; comprehensions and their scopes."""

from __future__ import annotations

from fuzz.semantics.values import Nothing
from fuzz.semantics.writer import Writer, template


def _iterable(w: Writer) -> str:
    found = w.places(
        lambda k: (
            k.tag in ("list", "tuple", "range", "iterator")
            or (k.tag == "array" and len(k.shape) >= 1)
        )
    )
    if found and w.maybe(75):
        return w.one(found)[0]
    return w.one(["range(3)", "[1.0, 2.0]", "(0.5, 1.5, 2.5)", "range(0)", "[]"])


def _maker(w: Writer) -> str:
    p, q, n = _iterable(w), _iterable(w), w.number(0)
    return w.one(
        [
            *("(q * {n} for q in {p})", "map(lambda q: q + {n}, {p})", "zip({p}, {q})"),
            *(
                "filter(lambda q: np.sum(q) > 0, {p})",
                "enumerate({p})",
                "reversed({p})",
            ),
            *("iter({p})", "(q for q in {p} if np.sum(q) > {n})", "enumerate({p}, 1)"),
            *("(np.sum(q) for q in {p})", "map(np.sum, {p})", "zip({p}, range(5))"),
            *("itertools.chain({p}, {q})", "itertools.islice({p}, 2)", "zip({p})"),
            *(
                "itertools.accumulate({p})",
                "map(operator.add, {p}, {q})",
                "iter([{n}])",
            ),
            *(
                "itertools.zip_longest({p}, {q}, fillvalue={n})",
                "itertools.pairwise({p})",
            ),
            *("((q, r) for q in {p} for r in {q})", "itertools.product({p}, [1, 2])"),
            *("itertools.takewhile(lambda q: np.sum(q) > 0, {p})", "map(float, {p})"),
            *("itertools.repeat({n}, 2)", "itertools.combinations({p}, 2)", "iter(())"),
            *("zip({p}, itertools.cycle([1.0, 2.0]))", "zip(itertools.count(), {p})"),
            *(
                "filter(None, {p})",
                "itertools.starmap(max, zip({p}, {q}))",
                "map(abs, {p})",
            ),
        ]
    ).format(p=p, q=q, n=n)


def _consumer(w: Writer, g: str) -> str:
    return w.one(
        [
            *(
                "sum({g})",
                "list({g})",
                "next({g})",
                "tuple({g})",
                "sum({g}) + sum({g})",
            ),
            *("next({g}, 7.0)", "list(zip({g}, {g}))", "any(q > 0 for q in {g})"),
            *("max({g})", "[q for q in {g}]", "dict(enumerate({g}))", "len(list({g}))"),
            *(
                "max({g}, default=1.0)",
                "sorted({g})",
                "all({g})",
                "any({g})",
                "1.0 in {g}",
            ),
            *(
                "np.array(list({g}))",
                "[*{g}]",
                "np.stack(list({g}))",
                "list(enumerate({g}))",
            ),
            *("[next({g}), *{g}]", "sum(q * 2 for q in {g})", "iter({g}) is {g}"),
            *(
                "functools.reduce(operator.add, {g})",
                "list({g}) + list({g})",
                "min({g})",
            ),
            *(
                "(next({g}), next({g}))",
                "sum(1 for _ in {g})",
                "list(map(np.sum, {g}))",
            ),
        ]
    ).replace("{g}", g)


@template("iterators", 6)
def make_and_use(w: Writer) -> None:
    g = w.fresh("g")
    w.emit(f"{g} = {_maker(w)}")
    for _ in range(w.rng.randint(1, 2)):
        w.emit(f"{w.fresh()} = {_consumer(w, g)}")


@template("iterators", 3)
def make_change_use(w: Writer) -> None:
    """What the iterator goes over changes before it is used."""
    path, kind = w.place(lambda k: k.tag in ("list", "array") and len(k.shape) >= 1)
    g, k = w.fresh("g"), w.fresh("k")
    w.emit(f"{k} = 1.0")
    made = w.one(
        [
            *("(q * {k} for q in {p})", "map(lambda q: q * {k}, {p})", "iter({p})"),
            *("zip({p}, {p})", "enumerate({p})", "reversed({p})", "(q for q in {p})"),
            *("filter(lambda q: np.sum(q) > -{k}, {p})", "zip({p}, range(9))"),
        ]
    )
    w.emit(f"{g} = {made.format(k=k, p=path)}")
    if kind.tag == "list":
        w.emit(w.one([f"{path}.append({w.number(0)})", f"{path}.pop()", f"{k} = 10.0"]))
    else:
        w.emit(
            w.one([f"{path}[0] = {w.number(0)}", f"{path} = {path} * 2", f"{k} = 10.0"])
        )
    w.emit(f"{w.fresh()} = {_consumer(w, g)}")


@template("iterators", 2)
def views_of_dicts(w: Writer) -> None:
    found = w.places(lambda k: k.tag == "dict")
    d = w.one(found)[0] if found and w.maybe(60) else w.fresh("d")
    if d not in w.scope:
        w.emit(f"{d} = {{'a': {w.number(0)}, 'b': {w.number(0)}}}")
    v = w.fresh()
    w.emit(f"{v} = {d}.{w.one(['values()', 'items()', 'keys()'])}")
    w.emit(w.one([f"{d}['b'] = {w.number(0)}", f"{d}['z'] = 3.0", f"{d}.pop('a')"]))
    use = w.one(
        [
            "list({v})",
            "len({v})",
            "sum({v})",
            "[q for q in {v}]",
            "tuple({v})",
            "set({v})",
        ]
    )
    w.emit(f"{w.fresh()} = {use.format(v=v)}")


@template("iterators", 3)
def loop_over(w: Writer) -> None:
    g, s, q = w.fresh("g"), w.fresh("s"), w.fresh("q")
    w.emit(f"{g} = {_maker(w)}", f"{s} = 0.0")
    with w.nest(f"for {q} in {g}:"):
        w.emit(f"{s} = {s} + np.sum({q})")
        if w.maybe(40):
            w.emit(f"if {s} > {w.number(0)}:", "    break")
        if w.maybe(30):
            w.emit(f"{s} = {s} + next({g}, 0.5)")
    if w.maybe(50):
        w.emit(f"{w.fresh()} = list({g})")


@template("iterators", 2)
def exhausted(w: Writer) -> None:
    g = w.fresh("g")
    w.emit(f"{g} = {_maker(w)}", "try:", f"    {w.fresh()} = next({g}) and next({g})")
    w.emit(f"    {w.fresh()} = [next({g}) for _ in range(9)]", "except StopIteration:")
    w.emit(f"    {w.fresh()} = {w.number(0)}")


@template("iterators", 2)
def calls_are_counted(w: Writer) -> None:
    calls, f = w.fresh("c"), w.fresh("f")
    w.emit(
        f"{calls} = []",
        f"def {f}(q):",
        f"    {calls}.append(1)",
        "    return np.sum(q) > 0",
    )
    use = w.one(
        [
            *("any({f}(q) for q in {p})", "next((q for q in {p} if {f}(q)), 0)"),
            *("next(map({f}, {p}))", "all({f}(q) for q in {p})", "[*filter({f}, {p})]"),
            *(
                "next(filter({f}, {p}), 0)",
                "any(map({f}, {p}))",
                "map({f}, {p})",
                "max({p}, key={f})",
            ),
        ]
    )
    w.emit(
        f"{w.fresh()} = {use.format(f=f, p=_iterable(w))}",
        f"{w.fresh()} = len({calls})",
    )


@template("comprehensions", 5)
def comprehension(w: Writer) -> None:
    p, q, n = _iterable(w), _iterable(w), w.number(0)
    v = w.one([n for n in w.scope if n[0] == "v"] or ["q"])
    text = w.one(
        [
            *(
                "[{v} * 2 for {v} in {p}]",
                "[np.sum(q) for q in {p} if np.sum(q) > {n}]",
            ),
            *(
                "{{i: q for i, q in enumerate({p})}}",
                "[[r + q for r in [1.0, {n}]] for q in {p}]",
            ),
            *("[q for q in {p} for _ in range(2)]", "sum([q * {n} for q in {p}])"),
            *("[(a, b) for a, b in zip({p}, {q})]", "{{q for q in [1, 2, 2]}}"),
            *(
                "np.array([np.sum(q) * {n} for q in {p}])",
                "[q if np.sum(q) > 0 else {n} for q in {p}]",
            ),
            *(
                "[f() for f in [lambda: q for q in {p}]]",
                "[lambda: {n} for _ in {p}][0]()",
            ),
            *("[(t := np.sum(q)) + t for q in {p}]", "[q for q in reversed({p})]"),
            *(
                "[i for i in range(3) for i in range(i)]",
                "[f(1.0) for f in [np.sin, np.cos]]",
            ),
            *("[{v} for {v} in {p} if {v} is not None]", "list(q for q in {p})"),
            *("[x for x in {p}]", "[q[0] for q in {p}]", "sum(np.sum(q) for q in {p})"),
        ]
    )
    w.emit(f"{w.target()} = {text.format(p=p, q=q, n=n, v=v)}")


@template("comprehensions", 2)
def comprehension_then_name(w: Writer) -> None:
    """The variable of a comprehension does not leave it."""
    name = w.fresh()
    w.emit(
        f"{name} = {w.number(0)}",
        f"{w.fresh()} = [{name} for {name} in {_iterable(w)}]",
    )
    w.emit(f"{w.fresh()} = {name} * 2")


@template("comprehensions", 2)
def late_binding(w: Writer) -> None:
    fs, i = w.fresh("fs"), w.fresh("i")
    default = w.one(["", f", {i}={i}"])
    w.emit(f"{fs} = []", f"for {i} in {w.one(['range(3)', '[0.5, 1.5]'])}:")
    w.emit(f"    {fs}.append(lambda q{default}: q * {i})")
    w.emit(f"{w.fresh()} = [f({w.number(0)}) for f in {fs}]")
    if w.maybe(40):
        w.emit(f"{i} = 7.0", f"{w.fresh()} = {fs}[0](1.0)")


@template("generators", 5)
def generator(w: Writer) -> None:
    name, g, n = w.fresh("gen"), w.fresh("g"), w.number(0)
    p = _iterable(w)
    body = w.one(
        [
            ["yield a", f"yield {n}"],
            [f"for q in {p}:", "    yield np.sum(q) * a"],
            ["k = 0", "while k < 3:", "    yield a * k", "    k += 1", "return k"],
            [f"yield from {p}", "yield a"],
            ["try:", "    yield a", "finally:", "    print('done')"],
            ["if a is None:", "    return", "yield a", "yield a"],
            ["r = yield a", "yield r"],
            ["r = yield from [a, a]", "yield r"],
            ["for k in range(3):", "    if k == 1:", "        return a", "    yield k"],
        ]
    )
    w.emit(f"def {name}(a):", *(f"    {line}" for line in body))
    w.emit(f"{g} = {name}({n})")
    w.emit(f"{w.fresh()} = {_consumer(w, g)}")
    if w.maybe(40):
        w.emit(f"{w.fresh()} = list({g})")


@template("generators", 2)
def delegated(w: Writer) -> None:
    inner, outer = w.fresh("gen"), w.fresh("gen")
    w.emit(f"def {inner}(a):", "    yield a", "    yield a * 2", "    return a * 3")
    w.emit(f"def {outer}(a):", f"    r = yield from {inner}(a)", "    yield r")
    w.emit(f"{w.fresh()} = {w.one(['list', 'sum', 'max'])}({outer}({w.number(0)}))")


@template("generators", 1)
def changed_between(w: Writer) -> None:
    path, _ = w.array_place(1, writable=True)
    name, g = w.fresh("gen"), w.fresh("g")
    w.emit(
        f"def {name}(a):",
        "    for q in a:",
        "        yield np.sum(q)",
        "        a *= 2",
    )
    w.emit(f"{g} = {name}({path})", f"{w.fresh()} = next({g})", f"{path}[-1] = 3")
    w.emit(f"{w.fresh()} = list({g})")
    if not path:
        raise Nothing
