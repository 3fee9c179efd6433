"""Control flow: names bound on one path, loops of no iterations, exceptions, `with`."""

from __future__ import annotations

from fuzz.semantics.writer import Writer, template

ERRORS = ("ValueError", "IndexError", "KeyError", "ZeroDivisionError", "TypeError")


@template("names", 4)
def bound_on_one_path(w: Writer) -> None:
    name = w.fresh()
    with w.nest(f"if {w.condition()}:"):
        w.emit(f"{name} = {w.thing(1)}")
    if w.maybe(40):
        with w.nest("else:"):
            w.emit(
                w.one(
                    ["pass", f"{w.fresh()} = {w.number(0)}", f"{name} = {w.thing(0)}"]
                )
            )
    if w.maybe(60):
        w.emit(f"{w.fresh()} = {name}")


@template("names", 3)
def bound_in_loop(w: Writer) -> None:
    name, i = w.fresh(), w.fresh("i")
    path = w.one(["range(0)", "range(2)", "[]", "range(n)", "w", "()"])
    if path == "range(n)":
        w.emit(f"n = {w.integer()}")
    elif path == "w":
        path = w.place(lambda k: k.tag in ("array", "list", "tuple") and k.shape)[0]
    w.emit(f"for {i} in {path}:", f"    {name} = {w.number(1)}")
    if w.maybe(70):
        w.emit(f"{w.fresh()} = {w.one([name, i])}")


@template("names", 3)
def deleted(w: Writer) -> None:
    names = [n for n in w.scope if n[0] in "vs"]
    name = w.one(names)
    if w.maybe(50):
        w.emit(f"del {name}")
    else:
        w.emit(f"if {w.condition()}:", f"    del {name}")
    if w.maybe(50):
        w.emit(w.one([f"{w.fresh()} = {name}", f"{name} = {w.number(0)}"]))


@template("names", 2)
def bound_in_try(w: Writer) -> None:
    name = w.fresh()
    w.emit(
        "try:", f"    {w.fresh()} = {w.number(1)} / {w.number(0)}", f"    {name} = 1.0"
    )
    w.emit(f"except {w.one(['Exception', *ERRORS])}:", "    pass")
    w.emit(f"{w.fresh()} = {name}")


@template("names", 2)
def bound_by_closure(w: Writer) -> None:
    name, f = w.fresh(), w.fresh("f")
    w.emit(f"def {f}():", f"    return {name} * 2")
    if w.maybe(50):
        w.emit(f"{name} = {w.number(0)}")
    else:
        w.emit(f"if {w.condition()}:", f"    {name} = {w.number(0)}")
    w.emit(f"{w.fresh()} = {f}()")
    if w.maybe(40):
        w.emit(f"{name} = {w.number(0)}", f"{w.fresh()} = {f}()")


@template("names", 1)
def nonlocal_name(w: Writer) -> None:
    name, f = w.fresh(), w.fresh("f")
    w.emit(f"{name} = {w.number(0)}", f"def {f}(q):", f"    nonlocal {name}")
    w.emit(f"    {name} = {name} {w.one(['+', '*'])} q", f"    return {name}")
    w.emit(f"{w.fresh()} = {f}(2.0) + {f}({w.number(0)})", f"{w.fresh()} = {name}")


@template("loops", 4)
def counted(w: Writer) -> None:
    i = w.fresh("i")
    ranges = ["range(3)", "range(1)", "range(0)", "range(2, 0, -1)", "range(0, 6, 2)"]
    with w.nest(f"for {i} in {w.one(ranges)}:"):
        w.block()
        if w.maybe(30):
            w.emit(f"if {i} == 1:", f"    {w.one(['break', 'continue'])}")
            w.statement()
    if w.maybe(25):
        with w.nest("else:"):
            w.block(1)


@template("loops", 3)
def while_loop(w: Writer) -> None:
    n = w.fresh("n")
    w.emit(f"{n} = 0")
    more = f" and {w.condition()}" if w.maybe(40) else ""
    with w.nest(f"while {n} < {w.one(['3', '1', '0'])}{more}:"):
        w.emit(f"{n} += 1")
        w.block()
        if w.maybe(30):
            w.emit(f"if {w.condition()}:", f"    {w.one(['break', 'continue'])}")
            w.statement()
    if w.maybe(25):
        with w.nest("else:"):
            w.block(1)


@template("loops", 3)
def over_something(w: Writer) -> None:
    tags = ("array", "list", "tuple", "dict", "range")
    path, _ = w.place(lambda k: k.tag in tags)
    q = w.fresh("q")
    form = w.one(
        [path, path, f"enumerate({path})", f"zip({path}, {path}[1:])", f"{path}[::-1]"]
    )
    with w.nest(f"for {q} in {form}:"):
        w.block()


@template("loops", 2)
def accumulate(w: Writer) -> None:
    s, i = w.fresh("s"), w.fresh("i")
    start = w.one(
        ["0", "0.0", "1", "None", w.number(0), "np.zeros(2)", "[]", "np.float32(0)"]
    )
    w.emit(
        f"{s} = {start}", f"for {i} in {w.one(['range(3)', 'range(0)', '[0.5, 1.5]'])}:"
    )
    value = w.number(1) if w.maybe(70) else w.array(1)
    if start == "None":
        w.emit(f"    {s} = {value} if {s} is None else {s} + {value}")
    elif start == "[]":
        w.emit(f"    {s}.append({value})")
    else:
        w.emit(f"    {s} {w.one(['+=', '*=', '= ' + i + ' +'])} {value}")


@template("loops", 1)
def search(w: Writer) -> None:
    path, _ = w.array_place(1)
    q, found = w.fresh("q"), w.fresh()
    w.emit(f"for {q} in {path}:", f"    if np.sum({q}) > {w.number(0)}:")
    w.emit(f"        {found} = {q} * 2", "        break", "else:", f"    {found} = 0.0")


@template("branches", 4)
def branch(w: Writer) -> None:
    with w.nest(f"if {w.condition(2)}:"):
        w.block()
    if w.maybe(30):
        with w.nest(f"elif {w.condition()}:"):
            w.block(1)
    if w.maybe(60):
        with w.nest("else:"):
            w.block()


@template("branches", 3)
def same_name_two_types(w: Writer) -> None:
    name = w.target()
    with w.nest(f"if {w.condition()}:"):
        w.emit(f"{name} = {w.thing(1)}")
    with w.nest("else:"):
        w.emit(f"{name} = {w.thing(1)}")
    w.emit(f"{w.fresh()} = {name}")


@template("branches", 1)
def early_return(w: Writer) -> None:
    w.emit(f"if {w.condition()}:", f"    return {w.returned()}")


@template("branches", 1)
def matched(w: Writer) -> None:
    name = w.fresh()
    w.emit(f"match {w.thing(0)}:")
    w.emit("    case 1 | 2:", f"        {name} = {w.number(0)}")
    if w.maybe(60):
        case = w.one(["[a, b]", "{'a': a}", "float()", "Box(a=a)", "[a, *_]", "int(a)"])
        w.emit(f"    case {case}:", f"        {name} = {w.number(0)}")
    w.emit("    case _:", f"        {name} = {w.number(0)}")


@template("branches", 1)
def assertion(w: Writer) -> None:
    w.emit(f"assert {w.condition()}, 'no'")


@template("exceptions", 4)
def try_block(w: Writer) -> None:
    error = w.one(["Exception", "(ValueError, IndexError)", *ERRORS])
    bound = w.one(["", " as e"])
    with w.nest("try:", ["except Exception:", "    pass"]):
        w.block()
        if w.maybe(60):
            w.emit(_raiser(w))
        if w.maybe(40):
            w.statement()
    with w.nest(f"except {error}{bound}:"):
        if bound and w.maybe(50):
            w.emit(
                f"{w.fresh()} = {w.one(['len(e.args)', 'type(e).__name__', 'e.args'])}"
            )
        w.block(1)
    if w.maybe(25):
        with w.nest("else:"):
            w.block(1)
    if w.maybe(35):
        with w.nest("finally:"):
            w.block(1)


def _raiser(w: Writer) -> str:
    n = w.number(0)
    return w.one(
        [
            *("raise ValueError('a')", f"{w.fresh()} = [][0]", f"{w.fresh()} = 1 // 0"),
            *("{}['q']", f"{w.fresh()} = np.zeros(2)[5]", "raise KeyError", "int('a')"),
            *(f"{w.fresh()} = 1.0 / ({n} * 0)", "np.argmax(np.zeros(0))", "[].pop()"),
            *(
                "np.zeros(2) + np.zeros(3)",
                "next(iter([]))",
                "math.sqrt(-1.0)",
                "None + 1",
            ),
            *("np.zeros(3).reshape(2, 2)", "a, b = [1]", "float('x')", "np.max([])"),
            *("raise IndexError(3)", "assert False", "np.linalg.inv(np.zeros((2, 2)))"),
            *("[1].index(2)", "np.ones((2, 3)) @ np.ones(2)", "max([])", "(1).nothing"),
            *(
                "np.concatenate([])",
                "np.stack([np.ones(1), np.ones(2)])",
                "undefined_name",
            ),
            *("np.sum(np.ones(2), axis=3)", "np.array([1, 2])[0.5]", "np.ones(2)[[7]]"),
        ]
    )


@template("exceptions", 2)
def bare_failure(w: Writer) -> None:
    """A statement whose result is dead, and which raises."""
    text = _raiser(w)
    if w.maybe(60):
        w.emit(f"if {w.condition()}:", f"    {text}")
    else:
        w.emit(text)


@template("exceptions", 2)
def dead_and_failing(w: Writer) -> None:
    path, _kind = w.array_place(1)
    text = w.one(
        [
            *("np.argmax({p}[:0])", "{p}[7]", "np.max({p}[:0])", "{p}.reshape(7, 7)"),
            *(
                "np.sum({p}[:0]) + {p}[9]",
                "{p} + np.ones(17)",
                "{p}[[0, 8]]",
                "np.min([])",
            ),
            *(
                "np.stack([{p}, {p}[:1]])",
                "{p} @ np.ones(11)",
                "np.split({p}, 7)",
                "{p}[0:0][0]",
            ),
            *(
                "np.transpose({p}, (5, 0))",
                "np.sum({p}, axis=4)",
                "{p}.nothing",
                "{p}[0, 0, 0, 0]",
            ),
            *("np.expand_dims({p}, 9)", "np.take({p}, 99)", "np.zeros(-1)", "{p}['a']"),
        ]
    ).format(p=path)
    form = w.one(["{v} = {t}", "{t}", "{v} = {t} * 0", "({t}, 1)", "{v} = len([{t}])"])
    w.emit(form.format(v=w.fresh(), t=text))


@template("exceptions", 2)
def change_then_fail(w: Writer) -> None:
    path, _ = w.array_place(1, writable=True)
    first, last = f"{path}[0] = {w.number(0)}", f"{path}[-1] *= 3"
    w.emit("try:", f"    {first}", f"    {_raiser(w)}", f"    {last}")
    w.emit(
        f"except {w.one(['Exception', *ERRORS])}:", f"    {w.fresh()} = {w.number(0)}"
    )


@template("exceptions", 1)
def finally_returns(w: Writer) -> None:
    f = w.fresh("f")
    w.emit(f"def {f}(q):", "    try:", f"        {_raiser(w)}", "        return q")
    w.emit(f"    except {w.one(['Exception', *ERRORS])}:", "        return q * 2")
    w.emit(
        "    finally:",
        w.one(["        q = 3.0", "        print('f')", "        return 9.0"]),
    )
    w.emit(f"{w.fresh()} = {f}({w.number(0)})")


@template("exceptions", 1)
def nested_handlers(w: Writer) -> None:
    v = w.fresh()
    w.emit("try:", "    try:", f"        {_raiser(w)}", f"    except {w.one(ERRORS)}:")
    w.emit(
        w.one(
            [
                "        raise",
                "        raise RuntimeError('b') from None",
                f"        {v} = 1.0",
            ]
        )
    )
    w.emit(
        "except Exception as e:",
        f"    {v} = type(e).__name__, type(e.__cause__).__name__",
    )


@template("with", 4)
def manager(w: Writer) -> None:
    m = w.fresh("M")
    swallow = w.one(["False", "True", "kind is ValueError", "kind is not None", "None"])
    w.before += [
        *("", f"class {m}:", "    def __init__(self, log):", "        self.log = log"),
        *(
            "    def __enter__(self):",
            "        self.log.append('in')",
            "        return self",
        ),
        *("    def __exit__(self, kind, error, trace):",),
        *("        self.log.append(kind.__name__ if kind else 'out')",),
        *(f"        return {swallow}",),
    ]
    log = w.fresh("log")
    w.emit(f"{log} = []")
    with w.nest(f"with {m}({log}){w.one(['', ' as c'])}:"):
        w.block(1)
        if w.maybe(60):
            w.emit(_raiser(w))
        if w.maybe(40):
            w.statement()
    w.emit(f"{w.fresh()} = len({log})")


@template("with", 3)
def suppress(w: Writer) -> None:
    with w.nest(
        f"with contextlib.suppress({w.one([*ERRORS, 'ValueError, IndexError'])}):"
    ):
        w.block(1)
        w.emit(_raiser(w))
        if w.maybe(40):
            w.statement()


@template("with", 1)
def errstate(w: Writer) -> None:
    option = w.one(
        ["all='ignore'", "divide='raise'", "over='ignore'", "invalid='raise'"]
    )
    w.emit(
        f"with np.errstate({option}):",
        f"    {w.fresh()} = {w.array(1)} / {w.number(0)}",
    )


@template("with", 1)
def context_generator(w: Writer) -> None:
    m = w.fresh("m")
    after = w.one(["finally:", "except ValueError:"])
    w.before += [
        *(
            "",
            "@contextlib.contextmanager",
            f"def {m}(a):",
            "    try:",
            "        yield a * 2",
        ),
        *(f"    {after}", "        print('closed')"),
    ]
    with w.nest(f"with {m}({w.number(0)}) as {w.fresh()}:"):
        w.block(1)
        if w.maybe(50):
            w.emit(_raiser(w))


@template("with", 1)
def stack(w: Writer) -> None:
    log = w.fresh("log")
    w.emit(f"{log} = []", "with contextlib.ExitStack() as stack:")
    w.emit(f"    stack.callback({log}.append, 1)", f"    {log}.append(0)")
    if w.maybe(40):
        w.emit(
            "    stack.enter_context(contextlib.suppress(ValueError))",
            f"    {_raiser(w)}",
        )
    w.emit(f"{w.fresh()} = {log}[-1] + {w.number(0)}")
