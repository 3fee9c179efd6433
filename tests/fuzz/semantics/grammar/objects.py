"""Objects: identity, equality, attributes, inheritance, special methods."""

from __future__ import annotations

from fuzz.semantics.writer import Writer, template


def _record(w: Writer) -> str:
    found = w.places(lambda k: k.tag == "object")
    if found and w.maybe(70):
        return w.one(found)[0]
    name = w.fresh("b")
    w.emit(f"{name} = {w.one(['Box', 'Pair'])}({w.thing(0)}, {w.thing(0)})")
    return name


@template("objects", 2)
def make(w: Writer) -> None:
    kind = w.one(["Box", "Pair", "Point"])
    w.emit(f"{w.fresh('b')} = {kind}({w.thing(0)}, {w.one([w.thing(0), 'None'])})")


@template("objects", 4)
def attribute(w: Writer) -> None:
    b = _record(w)
    name = w.one(["a", "s", "a", "s", "c"])
    if w.maybe(50):
        w.emit(f"{b}.{name} {w.one(['=', '=', '+=', '*='])} {w.thing(0)}")
    elif w.maybe(30):
        w.emit(f"if {w.condition()}:", f"    {b}.c = {w.number(0)}")
    else:
        text = w.one(
            [
                *(
                    "getattr({b}, '{n}', 1.0)",
                    "hasattr({b}, '{n}')",
                    "{b}.{n}",
                    "{b}.c",
                ),
                *("vars({b})['a']", "{b} is {b}", "{b} == {b}", "type({b}).__name__"),
                *("isinstance({b}, Box)", "setattr({b}, 'a', 2.0)", "{b}.{n} is None"),
                *(
                    "[{b}, {b}].count({b})",
                    "{b} in [{b}]",
                    "[{b}].index({b})",
                    "{b}.a or {b}.s",
                ),
                *(
                    "{{id({b}): 1}}[id({b})]",
                    "bool({b})",
                    "len(vars({b}))",
                    "delattr({b}, 's')",
                ),
            ]
        )
        w.emit(f"{w.fresh()} = {text.format(b=b, n=name)}")


@template("objects", 3)
def identity(w: Writer) -> None:
    bs = w.fresh("bs")
    items = w.one(
        [
            *("[Box({a}, {n}), Box({a}, {n})]", "[Pair({n}, {n}), Pair({n}, {n})]"),
            *("[[{n}], [{n}]]", "[{n}, {n}]", "[{a}, {a}]", "[Box(None, {n})] * 2"),
        ]
    )
    w.emit(f"{bs} = {items.format(a=w.array(0), n=w.number(0))}")
    s = w.fresh("s")
    test = w.one(
        ["p is q", "p is not q", "p == q", "p in {bs}[1:]", "{bs}.index(p) == 0"]
    )
    w.emit(f"{s} = 0.0", f"for p in {bs}:", f"    for q in {bs}:")
    w.emit(
        f"        if {test.format(bs=bs)}:",
        "            continue",
        f"        {s} += 1.0",
    )


@template("objects", 4)
def class_with_methods(w: Writer) -> None:
    c, o = w.fresh("C"), w.fresh("o")
    methods = {
        "f": ["def f(self, q):", "    return self.k * q"],
        "g": ["def g(self, q):", "    self.k = self.k + 1", "    return self.f(q)"],
        "p": ["@property", "def p(self):", "    return self.k * 2"],
        "st": ["@staticmethod", "def st(q):", "    return q * 3"],
        "cl": ["@classmethod", "def cl(cls, q):", "    return cls(q).k"],
        "call": ["def __call__(self, q):", "    return q + self.k"],
        "getitem": ["def __getitem__(self, i):", "    return self.k * i"],
        "len": ["def __len__(self):", "    return 0"],
        "add": ["def __add__(self, other):", "    return type(self)(self.k + other)"],
        "radd": ["def __radd__(self, other):", "    return self.k + other"],
        "eq": ["def __eq__(self, other):", "    return True"],
        "bool": ["def __bool__(self):", "    return False"],
        "iter": ["def __iter__(self):", "    return iter([self.k, 1.0])"],
        "contains": ["def __contains__(self, q):", "    return q == 1"],
        "lt": ["def __lt__(self, other):", "    return self.k < other.k"],
        "private": [
            "def h(self):",
            "    self.__k = 2.0",
            "    return self.__k * self.k",
        ],
        "iadd": [
            "def __iadd__(self, q):",
            "    self.k = self.k + q",
            "    return self",
        ],
        "getattr": ["def __getattr__(self, name):", "    return 5.0"],
        "setitem": ["def __setitem__(self, i, q):", "    self.k = q"],
    }
    slots = ["__slots__ = ('k', '__dict__')"] if w.maybe(10) else []
    body = ["kind = 'base'", *slots, "def __init__(self, k):", "    self.k = k"]
    chosen = w.rng.sample(sorted(methods), 6)
    for name in [*chosen, "f"]:
        body += methods[name]
    w.before += ["", f"class {c}:", *(f"    {line}" for line in body)]
    if w.maybe(40):
        sub = w.fresh("C")
        w.before += [
            *("", f"class {sub}({c}):", "    kind = 'sub'", "    def f(self, q):"),
            *(f"        return super().f(q) + {w.one(['1.0', 'self.k', 'q'])}",),
        ]
        c = sub
    w.emit(f"{o} = {c}({w.one([w.number(0), w.thing(0)])})")
    n = w.number(0)
    for _ in range(w.rng.randint(1, 3)):
        use = w.one(
            [
                *(
                    "{o}.f({n})",
                    "{o}.g({n})",
                    "{o}.p",
                    "{c}.st({n})",
                    "{c}.cl({n})",
                    "{o}({n})",
                ),
                *(
                    "{o}[2]",
                    "len({o})",
                    "({o} + {n}).k",
                    "{n} + {o}",
                    "{o} == 1",
                    "not {o}",
                ),
                *(
                    "list({o})",
                    "1 in {o}",
                    "sorted([{c}(3.0), {c}(1.0)])[0].k",
                    "{o}.h()",
                ),
                *(
                    "{o}.kind",
                    "1.0 if {o} else 2.0",
                    "sum(q for q in {o})",
                    "{o}.k",
                    "{o}.z",
                ),
                *(
                    "{o} or 3.0",
                    "max({o})",
                    "[{o}, 1.0].index({o})",
                    "{o} is {o}",
                    "{c}.f({o}, {n})",
                ),
                *(
                    "getattr({o}, 'f')({n})",
                    "{o} in [1, {o}]",
                    "isinstance({o}, {c})",
                    "{o} != {o}",
                ),
            ]
        )
        w.emit(f"{w.fresh()} = {use.format(o=o, c=c, n=n)}")
    if w.maybe(30):
        w.emit(w.one([f"{o} += 1.0", f"{o}[0] = {n}", f"{o}.k = None", f"del {o}.k"]))
        w.emit(f"{w.fresh()} = {o}.k")


@template("objects", 1)
def equality(w: Writer) -> None:
    a, b = w.thing(0), w.thing(0)
    text = w.one(
        [
            *(
                "{a} == {b}",
                "{a} != {b}",
                "{a} is {b}",
                "{a} in [{b}]",
                "[{a}] == [{a}]",
            ),
            *(
                "({a}, 1) == ({b}, 1)",
                "float('nan') in [float('nan')]",
                "[np.nan] == [np.nan]",
            ),
            *("np.array_equal({a}, {b})", "{a} is not {a}", "{{1: {a}}} == {{1: {a}}}"),
            *(
                "1 == 1.0 == True",
                "(1, 2) < (1, 3)",
                "[1] < [2, 0]",
                "None == 0",
                "'a' == 1",
            ),
        ]
    )
    w.emit(f"{w.fresh()} = {text.format(a=a, b=b)}")
