"""Functions: defaults, closures, recursion, arguments by name, decorators, methods."""

from __future__ import annotations

from fuzz.semantics.writer import Writer, template


@template("functions", 4)
def local_function(w: Writer) -> None:
    """A function whose body is made of statements over its parameters."""
    f, a, b = w.fresh("f"), w.thing(0), w.thing(0)
    call = f"{f}({a}, {b})"
    with w.nest(f"def {f}(xa, yb):", [call]):
        outer = w.scope
        w.block()
        w.emit(f"return {w.returned()}")
        w.scope = outer
    w.emit(f"{w.fresh()} = {call}")
    if w.maybe(40):
        w.emit(f"{w.fresh()} = {f}({w.thing(0)}, {b})")


@template("functions", 3)
def defaults(w: Writer) -> None:
    f, k = w.fresh("f"), w.fresh("k")
    default = w.one([w.number(0), "[]", "None", k, "{}", w.thing(0)])
    w.emit(f"{k} = {w.number(0)}", f"def {f}(q, r={default}, *rest, s=2.0, **more):")
    body = {
        "[]": ["r.append(q)", "return sum(r) * s"],
        "{}": ["r[len(r)] = q", "return len(r) * s"],
        "None": ["return q if r is None else q * r"],
    }.get(default, ["return q * r * s + len(rest) + len(more)"])
    w.emit(*(f"    {line}" for line in body))
    if w.maybe(40):
        w.emit(f"{k} = 100.0")
    given = w.one(
        [
            "",
            ", 3.0",
            ", s=1.0",
            ", 1.0, 2.0",
            ", z=1",
            ", *[1.0, 2.0]",
            ", **{'s': 4.0}",
        ]
    )
    w.emit(
        f"{w.fresh()} = {f}({w.number(0)})", f"{w.fresh()} = {f}({w.number(0)}{given})"
    )


@template("functions", 2)
def module_function(w: Writer) -> None:
    f = w.fresh("f")
    body = w.one(
        [
            ["return a * 2"],
            ["a += 1", "return a"],
            ["if np.sum(a) > 0:", "    return a", "return -a"],
            ["for k in range(2):", "    a = a * 1.5", "return a"],
            ["b = a", "b *= 2", "return b, a"],
            ["a[0] = 4", "return np.sum(a)"],
            ["pass"],
            ["print(np.ndim(a))", "return a"],
            ["return [a, a]"],
            ["global_list.append(1)", "return len(global_list) * a"],
            ["return f'{np.ndim(a)}', a"],
        ]
    )
    if "global_list" in body[0]:
        w.before.append("global_list = []")
    w.before += ["", f"def {f}(a):", *(f"    {line}" for line in body)]
    w.emit(f"{w.fresh()} = {f}({w.thing(1)})")
    if w.maybe(40):
        w.emit(f"{w.fresh()} = {f}({w.thing(0)})")


@template("functions", 3)
def recursion(w: Writer) -> None:
    f = w.fresh("f")
    text = w.one(
        [
            ["if n == 0:", "    return a", "return f(a * 0.5, n - 1) + n"],
            [
                "if n <= 0:",
                "    return 0.0",
                "return np.sum(a) + f(a, n - 1) + f(a, n - 2)",
            ],
            ["if n == 0:", "    return [a]", "return f(a, n - 1) + [a * n]"],
            ["if n == 0:", "    return a", "a = a * 2", "return f(a, n - 1)"],
            [
                "if isinstance(a, list):",
                "    return sum([f(q, n) for q in a])",
                "return a * n",
            ],
            ["if n:", "    a += 1", "    f(a, n - 1)", "return a"],
            ["return a if n < 1 else (f(a, n - 1), n)[0]"],
        ]
    )
    w.emit(f"def {f}(a, n):", *(f"    {line.replace('f(', f + '(')}" for line in text))
    w.emit(f"{w.fresh()} = {f}({w.thing(0)}, {w.one(['0', '1', '3', w.integer()])})")


@template("functions", 2)
def higher_order(w: Writer) -> None:
    f = w.fresh("f")
    text = w.one(
        [
            *(
                "{f} = lambda q, r=2.0: q * r",
                "{f} = functools.partial(np.multiply, 2.0)",
            ),
            *("{f} = functools.partial(lambda q, r: q - r, r={n})", "{f} = np.sin"),
            *("{f} = (lambda k: lambda q: q * k)({n})", "{f} = max if {c} else min"),
            *("{f} = operator.itemgetter(0)", "{f} = operator.neg", "{f} = np.sum"),
        ]
    )
    w.emit(text.format(f=f, n=w.number(0), c=w.condition()))
    w.emit(f"{w.fresh()} = {f}({w.thing(0)}{w.one(['', '', ', 3.0'])})")


@template("functions", 2)
def writes_into_argument(w: Writer) -> None:
    path, _ = w.place(lambda k: k.tag == "array" or k.tag == "list")
    f = w.fresh("f")
    change = w.one(
        ["a[0] = 2", "a *= 2", "a = a * 2", "a[:] = a[::-1]", "a += a", "a[-1] += q"]
    )
    w.emit(
        f"def {f}(a, q):",
        f"    {change}",
        f"    return {w.one(['a', 'q', 'None', 'a[0]'])}",
    )
    w.emit(f"{w.fresh()} = {f}({path}, {w.number(0)})")


@template("functions", 1)
def decorated(w: Writer) -> None:
    d, f = w.fresh("d"), w.fresh("f")
    w.before += [
        *("", f"def {d}(g):", "    @functools.wraps(g)", "    def inner(*args, **kw):"),
        *("        return g(*args, **kw) * 2", "    return inner", "", f"@{d}"),
        *(f"def {f}(a, b=1.0):", "    return a + b"),
    ]
    w.emit(f"{w.fresh()} = {f}({w.number(0)}{w.one(['', ', 2.0', ', b=3.0'])})")


@template("functions", 1)
def printed(w: Writer) -> None:
    path, _ = w.array_place()
    text = w.one(
        ["'a', 1", "{p}.shape", "len('abc')", "{p}.dtype", "{p}.ndim, end=''", "[1, 2]"]
    )
    line = f"print({text.format(p=path)})"
    w.emit(w.one([line, f"if {w.condition()}:\n{'    ' * (w.depth + 1)}{line}"]))


@template("functions", 1)
def random_draws(w: Writer) -> None:
    rs = w.fresh("rs")
    w.emit(
        f"{rs} = np.random.{w.one(['RandomState', 'default_rng'])}({w.integer()} + 2)"
    )
    draw = w.one(
        ["normal(size=2)", "uniform(0, 1)", "normal()", "choice(3)", "permutation(3)"]
    )
    w.emit(
        f"{w.fresh()} = {rs}.{draw} * {w.number(0)}",
        f"{w.fresh()} = {rs}.normal(size=(2,))",
    )
