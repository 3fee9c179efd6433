"""Control flow nested at random: exits, faults, handlers, managers, loops, generators.

Each statement is a call of a function whose body is written here from the outside to
the inside. What it comes through is noted in a list of numbers, one for each place, so
that a wrong path shows.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

from fuzz.semantics.writer import Writer, template

T = TypeVar("T")

_ERRORS = ("ValueError", "IndexError", "KeyError", "ZeroDivisionError", "TypeError")
_FAULTS = (
    *("{v} = 1.0 / ({a} - {a})", "{v} = x[k + 1]", "x[k * 3] = {a}", "{v} = x[7]"),
    *("raise ValueError('a')", "raise KeyError(k)", "raise IndexError", "log[9] = 1"),
    *("{v} = {{}}[k]", "{v} = int('q')", "{v} = [1.0][k]", "assert k, 'no'"),
    *("{v} = math.sqrt(-abs({a}) - 1)", "{v} = None + 1", "{v}, {w} = [1.0] * k"),
    *("{v} = 1 // k", "{v} = next(iter(()))", "x.nothing", "{v} = max([])"),
    *("{v} = np.ones(2) + np.ones(3)", "raise Mine(k)", "{v} = {{1: 2.0}}[k]"),
    *("{v} = gone", "del gone", "{v} = faulty({a}, k)", "faulty({a}, 1)"),
    *("raise RuntimeError from e", "{v} = [].pop()", "{v} = (1.0, 2.0).index({a})"),
)
_MANAGERS = (
    *("Noting(log)", "Noting(log, True)", "Noting(log, k == 1)", "noted(log)"),
    *("contextlib.suppress({e})", "contextlib.suppress({e}, {f})", "noted(log)"),
    *("contextlib.nullcontext({a})", "contextlib.ExitStack()", "swallows(log)"),
    *("handles(log, {a})", "Failing(log, k)", "contextlib.closing(Closed(log))"),
)
_CONSTANTS = ("0.5", "1", "2.0", "0", "0.25", "-1.0", "3")
_BEFORE = """
class Mine(ValueError):
    pass


class Noting:
    def __init__(self, log, ends=False):
        self.log = log
        self.ends = ends

    def __enter__(self):
        self.log.append(100)
        return len(self.log)

    def __exit__(self, kind, error, trace):
        self.log.append(101 if kind is None else 102)
        return self.ends


class Failing:
    def __init__(self, log, k):
        self.log = log
        self.k = k

    def __enter__(self):
        if self.k == 2:
            raise KeyError(2)
        return self

    def __exit__(self, kind, error, trace):
        self.log.append(103)
        if kind is ValueError:
            raise IndexError(3)
        return isinstance(error, KeyError)


class Closed:
    def __init__(self, log):
        self.log = log

    def close(self):
        self.log.append(104)


@contextlib.contextmanager
def noted(log):
    log.append(105)
    try:
        yield 0.5
    finally:
        log.append(106)


@contextlib.contextmanager
def swallows(log):
    try:
        yield 1.5
    except ValueError:
        log.append(107)
    else:
        log.append(108)


@contextlib.contextmanager
def handles(log, q):
    log.append(109)
    try:
        yield q * 2.0
    except (IndexError, ZeroDivisionError) as e:
        log.append(110)
        raise KeyError(1) from e
    log.append(111)


def faulty(q, k):
    if k == 1:
        raise ValueError(q)
    if k == 2:
        return [q][k]
    return q * 0.5


class Steps:
    def __init__(self, n):
        self.n = n
        self.at = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.at >= self.n:
            raise StopIteration
        self.at += 1
        return self.at * 0.5
"""


class Flow:
    """The body of a function under construction."""

    def __init__(self, rng: random.Random, generators: Sequence[str] = ()) -> None:
        self.rng = rng
        self.lines: list[str] = []
        self.depth = 1
        self.loops = 0  # around this place, in this function
        self.handlers = 0
        self.counter = 0
        self.marks = 0
        self.left = 16  # statements that may still be written
        self.bound = ["a", "b"]
        self.counts: list[str] = []
        self.iterators: list[str] = []
        self.generators = list(generators)
        self.gives = False  # whether this is a generator
        self.functions: list[str] = []

    # Choosing -------------------------------------------------------------------------

    def maybe(self, percent: float) -> bool:
        return self.rng.random() * 100 < percent

    def one(self, items: Sequence[T]) -> T:
        return self.rng.choice(items)

    def emit(self, *lines: str) -> None:
        self.lines.extend("    " * self.depth + line for line in lines)

    def fresh(self, prefix: str) -> str:
        self.counter += 1
        return f"{prefix}{self.counter}"

    def mark(self) -> None:
        self.marks += 1
        self.emit(f"log.append({self.marks})")

    # Expressions ----------------------------------------------------------------------

    def name(self) -> str:
        if self.maybe(6):
            return self.one("abcd")
        return self.one(self.bound)

    def target(self) -> str:
        return self.one("abcdab")

    def number(self, depth: int = 1) -> str:
        if depth <= 0 or self.maybe(30):
            if self.counts and self.maybe(20):
                return self.one(self.counts)
            return self.name() if self.maybe(70) else self.one(_CONSTANTS)
        a, b = self.number(depth - 1), self.number(depth - 1)
        forms = [
            *("{a} + {b}", "{a} * 0.5", "{a} - {b}", "np.sin({a})", "x[0] * {a}"),
            *("x[k]", "float(k) + {a}", "abs({a})", "max({a}, {b})", "x.sum() + {a}"),
            *("({a} if {c} else {b})", "-{a}", "len(log) * 0.5", "0.3 * {a} * {b}"),
            *("({a} and {b})", "({n} := {a} + 1.0)", "sum([{a}, {b}])", "x[-1]"),
            *("sum(q * {a} for q in x if q > {b})", "min({a}, 2)", "faulty({a}, 0)"),
        ]
        if self.iterators:
            g = self.one(self.iterators)
            forms += [f"next({g}, {{a}})", f"next({g})", f"sum({g})"]
        if self.functions:
            forms += [f"{self.one(self.functions)}({{a}})"] * 2
        if self.generators:
            g = self.one(self.generators)
            forms += [
                f"sum({g}(x, {{a}}, k, log))",
                f"next({g}(x, {{a}}, k, log), 0.0)",
            ]
            forms += [f"max({g}(x, {{a}}, k, log), default=1.0)"]
            forms += [f"sum(q for q in {g}(x, {{a}}, k, log) if q > 0.5)"]
        text = self.one(forms)
        n = self.one("cd")
        return text.format(a=a, b=b, c=self.condition(0), n=n)

    def condition(self, depth: int = 1) -> str:
        a = self.name()
        if depth > 0 and self.maybe(25):
            b, c = self.condition(0), self.condition(0)
            return self.one(["{b} and {c}", "{b} or {c}", "not ({b})"]).format(b=b, c=c)
        forms = [
            *("k == 1", "k", "k > 1", "{a} > 0.5", "{a} < {b}", "len(log) > 3", "log"),
            *("{a}", "x[0] > {a}", "k != 2", "{a} is None", "isinstance({a}, int)"),
            *("1 in log", "len(log) % 2", "(c := {a}) > 0.5", "0 < k < 3"),
        ]
        if self.counts:
            i = self.one(self.counts)
            forms += [f"{i} == 1", f"{i} < k", f"{i} % 2", f"{i}"] * 2
        return self.one(forms).format(a=a, b=self.one(["0.3", "1.0", "x[1]", "b"]))

    def sequence(self) -> str:
        """What a loop over numbers runs over."""
        forms = [
            *("x", "[{a}, {b}]", "(0.5, {a})", "x[::-1]", "[]", "reversed([{a}, 1.0])"),
            *("(q * {a} for q in x)", "map(abs, x)", "x[:k]", "list(x)", "Steps(k)"),
            *("[q for q in x if q > {a}]", "filter(None, [0.0, {a}])", "Steps(2)"),
            *("itertools.islice(itertools.count(), k)", "itertools.chain(x, [{a}])"),
            *("[{a}] * k", "itertools.takewhile(lambda q: q < {a}, x)", "log"),
        ]
        if self.generators:
            forms += [f"{self.one(self.generators)}(x, {{a}}, k, log)"] * 6
        if self.iterators:
            forms += [self.one(self.iterators)] * 3
        return self.one(forms).format(a=self.number(0), b=self.number(0))

    # Statements -----------------------------------------------------------------------

    def block(self, most: int = 3) -> None:
        """Some statements one level further in."""
        bound, functions = list(self.bound), list(self.functions)
        iterators, counts = list(self.iterators), list(self.counts)
        self.depth += 1
        self.body(most)
        self.depth -= 1
        if self.maybe(80):
            self.bound = bound
        self.functions, self.iterators, self.counts = functions, iterators, counts

    def body(self, most: int) -> None:
        start = len(self.lines)
        for _ in range(self.rng.randint(1, most)):
            if self.left > 0:
                self.left -= 1
                if self.statement():
                    break
        if len(self.lines) == start:
            self.mark()

    def statement(self) -> bool:
        """Write one; whether nothing comes after it."""
        simple = [self.assign] * 5 + [self.note] * 3 + [self.store] * 2
        simple += [self.fault] * 2 + [self.delete, self.delete_item, self.make_iterator]
        nested = [self.branch] * 4 + [self.try_block] * 6 + [self.with_block] * 3
        nested += [self.loop] * 4 + [self.while_loop] * 2 + [self.match]
        nested += [self.function, self.comprehension]
        if self.gives:
            simple += [self.give] * 8
        if self.maybe(12):
            return self.leave()
        chosen = nested if self.depth < 5 and self.maybe(50) else simple
        self.one(chosen)()
        return False

    def bind(self, name: str) -> None:
        if name not in self.bound:
            self.bound.append(name)

    def assign(self) -> None:
        v = self.target()
        if v in self.bound and self.maybe(35):
            self.emit(f"{v} {self.one(['+=', '-=', '+='])} {self.number()}")
            return
        if self.maybe(10):
            w = self.target()
            self.emit(f"{v}, {w} = {self.number(0)}, {self.number(0)}")
            self.bind(w)
        elif self.maybe(5):
            self.emit(f"{v}, *rest = x")
        else:
            self.emit(f"{v} = {self.number(2)}")
        self.bind(v)

    def note(self) -> None:
        if self.maybe(15):
            self.emit(f"print({self.marks})")
        else:
            self.mark()

    def store(self) -> None:
        index = self.one(["0", "-1", "k", "1"])
        self.emit(f"x[{index}] {self.one(['=', '+=', '*='])} {self.number(1)}")

    def delete(self) -> None:
        v = self.target()
        if (v in self.bound and v not in "ab") or self.maybe(25):
            self.emit(f"del {v}")
            if v in self.bound and len(self.bound) > 1:
                self.bound.remove(v)
        else:
            self.mark()

    def delete_item(self) -> None:
        self.emit(self.one(["del log[-1]", "log.pop()", "log.clear()", "log += [k]"]))

    def fault(self) -> None:
        text = self.one(_FAULTS)
        if text.endswith("from e") and not self.handlers:
            text = "raise RuntimeError"
        v, w = self.target(), self.target()
        text = text.format(a=self.name(), v=v, w=w)
        if self.maybe(35):
            self.emit(f"if {self.condition(0)}:", f"    {text}")
        else:
            self.emit(text)

    def leave(self) -> bool:
        forms = ["return {a}", "return", "return {a}, {b}", "raise ValueError(k)"]
        if self.gives:
            forms = ["return {a}", "return", "raise ValueError(k)"]
        if self.loops:
            forms += ["break", "continue", "break", "continue", "break", "continue"]
        if self.handlers:
            forms += ["raise", "raise", "raise KeyError(k) from None"]
        text = self.one(forms).format(a=self.number(1), b=self.number(0))
        if self.maybe(60):
            self.emit(f"if {self.condition(0)}:", f"    {text}")
            return False
        self.emit(text)
        return True

    def branch(self) -> None:
        self.emit(f"if {self.condition()}:")
        self.block()
        if self.maybe(25):
            self.emit(f"elif {self.condition()}:")
            self.block(2)
        if self.maybe(50):
            self.emit("else:")
            self.block()

    def errors(self) -> str:
        pick = self.rng.randrange(8)
        if pick < 3:
            return "Exception"
        if pick < 7:
            return self.one([*_ERRORS, "Mine", "LookupError", "ArithmeticError"])
        return f"({self.one(_ERRORS)}, {self.one(_ERRORS)})"

    def try_block(self) -> None:
        self.emit("try:")
        self.block()
        if self.maybe(45):
            self.depth += 1
            self.fault()
            self.depth -= 1
        handled = self.maybe(85)
        for k in range(self.one([1, 1, 1, 2]) if handled else 0):
            name = self.one(["", "", " as e", " as e", " as a", " as c"])
            errors = self.errors()
            if k and self.maybe(30):
                self.emit("except:")
                name = ""
            else:
                self.emit(f"except {errors}{name}:")
            self.handler(name[4:])
        if handled and self.maybe(30):
            self.emit("else:")
            self.block(2)
        if not handled or self.maybe(35):
            self.emit("finally:")
            self.block(2)

    def handler(self, name: str) -> None:
        self.handlers += name == "e"
        before = list(self.bound)
        if name in self.bound:
            self.bound.remove(name)
            self.bound = self.bound or ["b"]
        if name and self.maybe(40):
            self.depth += 1
            text = self.one(
                [
                    f"log.append(len({name}.args))",
                    f"log.append(type({name}).__name__)",
                    f"log.append(isinstance({name}, LookupError))",
                    f"log.append({name}.__cause__ is None)",
                    f"log.append({name}.__context__ is None)",
                    f"{name} = 2.0",
                    f"del {name}",
                ]
            )
            self.emit(text)
            self.depth -= 1
        self.block()
        self.bound = [n for n in before if n != name] or ["b"]
        self.handlers -= name == "e"

    def with_block(self) -> None:
        def one() -> str:
            e, f = self.one(_ERRORS), self.one(_ERRORS)
            return self.one(_MANAGERS).format(e=e, f=f, a=self.number(0))

        made = one()
        if made.endswith("Stack()"):
            self.emit(f"with {made} as stack:")
            callback = f"stack.callback(log.append, {200 + self.marks})"
            enter = f"stack.enter_context({one()})"
            self.emit(f"    {self.one([callback, enter])}")
        else:
            more = f", {one()}" if self.maybe(15) else ""
            self.emit(f"with {made}{self.one(['', '', ' as c'])}{more}:")
        self.block()
        if self.maybe(30):
            self.depth += 1
            self.fault()
            self.depth -= 1

    def loop(self) -> None:
        if self.maybe(45):
            i = self.fresh("i")
            over = self.one(["range(3)", "range(k)", "range(2, 0, -1)", "range(k, 4)"])
            self.emit(f"for {i} in {over}:")
            self.counts.append(i)
        elif self.maybe(25):
            i = self.fresh("i")
            v = self.target()
            pairs = self.one(["enumerate({s})", "zip(range(2), {s})"])
            self.emit(f"for {i}, {v} in {pairs.format(s=self.sequence())}:")
            self.counts.append(i)
        else:
            self.emit(f"for {self.target()} in {self.sequence()}:")
        self.looped()

    def looped(self) -> None:
        self.loops += 1
        self.block()
        self.loops -= 1
        if self.maybe(25):
            self.emit("else:")
            self.block(2)

    def while_loop(self) -> None:
        n = self.fresh("n")
        self.emit(f"{n} = {self.one(['0', '0', '1', 'k'])}")
        more = self.one(["", "", f" and {self.condition(0)}"])
        if self.maybe(15):
            self.emit(f"while ({n} := {n} + 1) < {self.one('34')}{more}:")
        else:
            self.emit(f"while {n} < {self.one('123')}{more}:", f"    {n} += 1")
        self.counts.append(n)
        self.looped()

    def match(self) -> None:
        subject = self.one(["k", "[k, {a}]", "{a}", "{{'a': {a}, 'b': k}}", "(k, x)"])
        self.emit(f"match {subject.format(a=self.number(0))}:")
        cases = [
            *("1 | 2", "[0 | 1, c]", "float(c)", "{'a': c}", "(2, _)", "int()", "0"),
            *("[_, *rest]", "{'b': 1, **rest}", "d if d", "[1, float() as d]"),
        ]
        for _ in range(self.rng.randint(1, 3)):
            self.depth += 1
            guard = f" if {self.condition(0)}" if self.maybe(20) else ""
            case = self.one(cases)
            self.emit(f"case {case}{'' if ' if ' in case else guard}:")
            self.block(2)
            self.depth -= 1
        if self.maybe(50):
            self.depth += 1
            self.emit("case _:")
            self.block(2)
            self.depth -= 1

    def comprehension(self) -> None:
        v, s = self.target(), self.sequence()
        text = self.one(
            [
                "sum([q * {a} for q in {s}])",
                "len([1 for q in {s} if q > {a}])",
                "[q + {a} for q in {s}][0]",
                "max([(c := q) for q in {s}])",
                "sum([q for q in {s} for _ in range(k)])",
                "{{i: q for i, q in enumerate({s})}}[k]",
                "any(q > {a} for q in {s})",
                "[*{s}][-1]",
                "next(q for q in {s} if q > {a})",
            ]
        )
        self.emit(f"{v} = {text.format(a=self.name(), s=s)}")
        self.bind(v)

    def make_iterator(self) -> None:
        g = self.fresh("g")
        made = self.sequence()
        self.emit(f"{g} = iter({made})")
        self.iterators.append(g)

    def give(self) -> None:
        text = self.one(
            [
                *("yield {a}", "yield {a}", "yield {a}", "yield {b}"),
                *("yield from [{a}, {b}]", "sent = yield {a}", "yield from {s}"),
            ]
        )
        a, b, s = self.number(), self.number(0), self.sequence()
        self.emit(text.format(a=a, b=b, s=s))

    def function(self) -> None:
        f = self.fresh("f")
        self.emit(f"def {f}(q):")
        v = self.one("abc")  # of the function around
        change = self.one(["=", "+=", "="])
        if self.maybe(40):
            self.emit(f"    nonlocal {v}", f"    {v} {change} q * 0.5")
            self.emit(f"    return {self.one(['q', v])}")
        elif self.maybe(50):
            self.emit("    try:", f"        return q * {self.name()}")
            self.emit("    finally:", "        log.append(300)")
        else:
            self.emit("    if q > 1.0:", "        raise ValueError(q)")
            self.emit(f"    return q + {self.name()}")
        self.functions.append(f)


def written(
    rng: random.Random,
    name: str,
    generators: Sequence[str] = (),
    gives: bool = False,
    size: int = 4,
) -> list[str]:
    """The lines of a function, or of a generator, that takes `x, a, k, log`."""
    flow = Flow(rng, generators)
    flow.gives = gives
    flow.left = size * rng.choice([1, 2] if gives else [2, 3, 4, 5])
    if gives:
        flow.emit(f"b = {flow.one(['0.5', 'a', '1', 'x[0]'])}")
        if flow.maybe(60):
            flow.give()
        flow.body(4)
        flow.give()
    else:
        flow.emit(f"b = {flow.one(['0.5', 'a * 2', '1', '0', 'x[0]'])}")
        if flow.maybe(30):
            flow.emit("c = d = 0.0")
            flow.bound += ["c", "d"]
        while flow.left > 0:
            if flow.statement():
                break
        ends = [n for n in "abcd" if n in flow.bound]
        found = [n for n in ends if rng.random() < 0.8] or ["k"]
        flow.emit(f"return {', '.join(found)}")
    if "    nonlocal c" in "".join(flow.lines):
        flow.lines.insert(0, "    c = 1.0")
    return [f"def {name}(x, a, k, log):", *flow.lines]


@template("control", 6)
def nested(w: Writer) -> None:
    """A call of a function, and of the generators that it uses."""
    if _BEFORE not in w.before:
        w.before.append(_BEFORE)
    generators: list[str] = []
    for _ in range(w.one([0, 0, 1])):
        name = w.fresh("gen")
        w.before += ["", *written(w.rng, name, generators, True, 2)]
        generators.append(name)
    name, log, result = w.fresh("f"), w.fresh("log"), w.fresh()
    w.before += ["", *written(w.rng, name, generators, False, 2)]
    places = w.places(
        lambda k: (
            k.tag == "array"
            and k.dtype == "float64"
            and len(k.shape) == 1
            and k.shape[0] > 1
            and k.writable
        )
    )
    x = w.one(places)[0] if places and w.maybe(70) else "np.array([0.5, 1.5, -0.25])"
    call = f"{result} = {name}({x}, {w.number(0)}, {w.one('01123')}, {log})"
    w.emit(f"{log} = []")
    if w.maybe(75):
        w.emit("try:", f"    {call}", "except Exception as error:")
        w.emit(f"    {result} = type(error).__name__")
    else:
        w.emit(call)
