"""Numbers of Python and of NumPy, truth, and integers that overflow."""

from __future__ import annotations

from fuzz.semantics.writer import Writer, template

CONSTRUCTORS = (
    "float",
    "int",
    "np.float64",
    "np.float32",
    "np.int64",
    "np.int8",
    "bool",
)


@template("numbers", 5)
def assign(w: Writer) -> None:
    w.emit(f"{w.target()} = {w.number(3)}")


@template("numbers", 2)
def augment(w: Writer) -> None:
    path, _ = w.place(lambda k: k.scalar, top=True)
    sign = w.one(["+=", "-=", "*=", "/=", "//=", "%=", "**="])
    w.emit(f"{path} {sign} {w.number(1)}")


@template("numbers", 3)
def functions_of_numbers(w: Writer) -> None:
    n, m = w.number(1), w.number(0)
    text = w.one(
        [
            *(
                "divmod({n}, {m})",
                "round({n}, 1)",
                "round({n})",
                "pow({n}, 2)",
                "abs({n})",
            ),
            *(
                "math.floor({n})",
                "math.sqrt({n})",
                "math.exp({n})",
                "math.hypot({n}, {m})",
            ),
            *(
                "int({n})",
                "float({n})",
                "complex({n}, {m})",
                "({n}).real",
                "({n}).imag",
            ),
            *("np.divide({n}, {m})", "np.logical_not({n})", "np.logical_and({n}, {m})"),
            *("np.all({n})", "np.any({n})", "np.add({n}, {m})", "np.power({n}, {m})"),
            *(
                "np.isclose({n}, {m})",
                "np.sign({n})",
                "np.clip({n}, 0, 1)",
                "np.ndim({n})",
            ),
            *(
                "np.shape({n})",
                "math.isnan({n})",
                "np.round({n}, 1)",
                "sum([{n}, {m}])",
            ),
            *("np.maximum({n}, {m})", "max({n}, {m}, 0)", "min([{n}, {m}])", "-{n}"),
            *("({n}).conjugate()", "np.float32({n})", "math.fmod({n}, {m})", "+{n}"),
            *(
                "np.floor_divide({n}, {m})",
                "np.mod({n}, {m})",
                "math.copysign({n}, {m})",
            ),
            *("operator.add({n}, {m})", "sorted([{n}, {m}])[0]", "math.log({n})"),
            *("np.sqrt({n})", "np.log({n})", "np.reciprocal({n})", "np.square({n})"),
            *(
                "np.asarray({n})",
                "np.array({n})",
                "np.atleast_1d({n})",
                "np.zeros(()) + {n}",
            ),
            *(
                "type({n})({m})",
                "({n}).is_integer()",
                "math.trunc({n})",
                "math.pi * {n}",
            ),
            *("np.exp2({n})", "np.spacing({n})", "np.nextafter({n}, {m})", "not {n}"),
        ]
    )
    w.emit(f"{w.target()} = {text.format(n=n, m=m)}")


@template("numbers", 3)
def choice(w: Writer) -> None:
    values = [w.number(0) for _ in range(2)]
    if w.maybe(40):
        values[0] = f"{w.one(CONSTRUCTORS)}({values[0]})"
    name = w.target()
    w.emit(f"{name} = {values[0]} if {w.condition()} else {values[1]}")
    if w.maybe(50):
        w.emit(f"{w.fresh()} = {name} {w.one(['/', '//', '*', '+'])} {w.number(0)}")


@template("numbers", 2)
def truth(w: Writer) -> None:
    word = w.one(["and", "or"])
    values = [
        w.thing(0),
        w.one(["0", "0.0", "None", "[]", "''", "1", "()"]),
        w.number(0),
    ]
    w.rng.shuffle(values)
    w.emit(
        f"{w.target()} = {values[0]} {word} {values[1]} {w.one(['and', 'or'])} "
        f"{values[2]}"
    )


@template("numbers", 2)
def calls_in_truth(w: Writer) -> None:
    first = w.one(['print("p")', "np.random.seed(0)", "[].sort()", "None", "not None"])
    w.emit(f"{w.target()} = {first} {w.one(['or', 'and'])} {w.number(0)}")


@template("integers", 4)
def integer_arithmetic(w: Writer) -> None:
    n = w.one([w.integer(), "2**62", "2**31", "255", "127", "-5", "7", "10**18", "3"])
    m = w.one([w.integer(), "2", "2**62", "-1", "3", "0", "63"])
    text = w.one(
        [
            *(
                "{n} * {m}",
                "{n} + {m}",
                "{n} - {m}",
                "{n} // {m}",
                "{n} % {m}",
                "{n} << 2",
            ),
            *(
                "{n} ** 2",
                "np.add({n}, {m})",
                "np.multiply({n}, {m})",
                "np.int64({n}) * 2",
            ),
            *("np.int8(100) + np.int8(100)", "np.uint8(3) - np.uint8(5)", "{n} & {m}"),
            *(
                "abs({n})",
                "divmod({n}, {m})",
                "int({n} / 2)",
                "{n} ^ {m}",
                "~{n}",
                "{n} >> 1",
            ),
            *(
                "{n} / {m}",
                "np.int32({n}) + {m}",
                "np.arange(3) * {n}",
                "-{n} // 2",
                "-7 % 3",
            ),
            *("np.array([5], np.int32) - {n}", "np.array([1, 2], np.uint8) + {n}"),
            *(
                "bin({n})",
                "({n}).bit_length()",
                "math.gcd({n}, {m})",
                "math.comb(5, 2)",
            ),
            *(
                "sum(range(min({m}, 99)))",  # more is not ended by a signal
                "np.sum(np.arange(4, dtype=np.int8) * 60)",
                "str({n})",
            ),
            *(
                "np.cumsum(np.full(3, 100, np.int8))",
                "np.prod([{n}, {m}])",
                "hash({n})",
            ),
            *(
                "int('12') + {n}",
                "np.floor_divide({n}, {m})",
                "np.left_shift(1, 3) + {m}",
            ),
            *(
                "range({m}).index(0)",
                "{m} in range(5)",
                "len(range(0, 10, 3))",
                "{n} == {m}",
            ),
            *(
                "range(10)[2:5][1]",
                "range(3)[-1]",
                "list(range(3, 0, -1))",
                "0 if {n} else 1",
            ),
        ]
    )
    w.emit(f"{w.target()} = {text.format(n=n, m=m)}")


@template("integers", 2)
def integer_loop(w: Writer) -> None:
    name, i = w.fresh(), w.fresh("i")
    start = w.one(["1", "2", "np.int8(1)", "np.int32(3)", "np.uint8(1)", "1.0"])
    w.emit(f"{name} = {start}", f"for {i} in range({w.one(['3', '0', '9', '70'])}):")
    w.emit(f"    {name} {w.one(['*=', '+=', '-='])} {w.one(['2', '3', i, '100'])}")


@template("integers", 2)
def integer_index(w: Writer) -> None:
    path, _kind = w.array_place(1)
    i = w.fresh("i")
    w.emit(f"{i} = {w.one(['int', 'np.argmax', 'len', 'np.argmin'])}({path})")
    w.emit(f"{w.target()} = {path}[{i} {w.one(['- 1', '% 2', '// 4', '* 0'])}]")


@template("integers", 2)
def integer_arrays(w: Writer) -> None:
    name = w.fresh()
    made = w.one(
        [
            *("np.arange(4)", "np.arange(3, dtype=np.int8)", "np.array([1, 2, 3])"),
            *(
                "np.array([200, 100], np.uint8)",
                "np.array([2**62, 1])",
                "np.eye(2, dtype=int)",
            ),
            *(
                "np.zeros(3, int)",
                "np.array([True, False])",
                "np.array([2**31 - 1], np.int32)",
            ),
        ]
    )
    w.emit(f"{name} = {made}")
    change = w.one(
        [
            *(
                "{} *= 2",
                "{} += 100",
                "{}[0] = -1",
                "{}[0] = 300",
                "{} = {} * 1.5",
                "{} //= 2",
            ),
            *(
                "{} **= 2",
                "{} = {} / 2",
                "{}[0] = 2.7",
                "{} = -{}",
                "{} = {} @ {}",
                "{} %= 3",
            ),
            *(
                "{} = np.sum({})",
                "{} = np.mean({})",
                "{} -= 1",
                "{} += 0.5",
                "{} = {} ** -1",
            ),
            *("{} = {}.astype(np.int8)", "{} = np.fmod({}, 2)", "{} = np.cumsum({})"),
        ]
    )
    w.emit(change.replace("{}", name))
