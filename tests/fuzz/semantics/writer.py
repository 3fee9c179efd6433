"""Random programs as text, written statement by statement.

`write_program(category, seed)` gives a module with a function `program` and a function
`arguments` that makes what it is called with. Statements come from templates, most of
them of the category; each is tried out, and most that raise are taken back.
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterator, Sequence

from fuzz.semantics.layouts import LAYOUTS
from fuzz.semantics.live import try_out
from fuzz.semantics.values import DTYPES, Nothing, Values

HEADER = """\
import contextlib
import functools
import itertools
import math
import operator
from collections import namedtuple
from dataclasses import dataclass, field

import numpy as np
from fuzz.semantics.layouts import laid, number


class Box:
    def __init__(self, a, s):
        self.a = a
        self.s = s


@dataclass
class Pair:
    a: object
    s: object


Point = namedtuple("Point", "a s")
"""

Template = Callable[["Writer"], None]
TEMPLATES: dict[str, list[tuple[int, Template]]] = {}


Program = Callable[[random.Random], str]
WHOLE: dict[str, Program] = {}


# What is kept to programs of its own.
_APART = ("threads", "generators", "library", "control")


def template(category: str, weight: int = 2) -> Callable[[Template], Template]:
    """Register a way to write a statement."""

    def register(function: Template) -> Template:
        TEMPLATES.setdefault(category, []).append((weight, function))
        return function

    return register


def whole(category: str) -> Callable[[Program], Program]:
    """Register a way to write programs that are not made of statements at random."""

    def register(function: Program) -> Program:
        WHOLE[category] = function
        return function

    return register


def categories() -> list[str]:
    """What programs may be about."""
    import fuzz.semantics.grammar  # noqa: F401

    return [*TEMPLATES, *WHOLE]


class Writer(Values):
    """A program under construction."""

    def __init__(self, rng: random.Random, category: str) -> None:
        super().__init__(rng)
        self.category = category
        self.before: list[str] = []  # lines of the module
        self.making: list[str] = []  # lines of `arguments`
        self.parameters: list[str] = []
        self.lines: list[str] = []
        self.depth = 1
        self.tails: list[list[str]] = []  # what open blocks need to be complete
        self.counter = 0
        self.raises = False

    # Text -----------------------------------------------------------------------------

    def text(self, probe: bool = False) -> str:
        """The module so far."""
        body = list(self.lines)
        if probe:
            body.append("    " * self.depth + "__probe__(locals())")
            for tail in reversed(self.tails):
                body.extend(tail)
        names = ", ".join(self.parameters)
        return "\n".join(
            [
                *(HEADER, *self.before, "", f"def program({names}):", *body, "", ""),
                *("def arguments():", *(f"    {line}" for line in self.making)),
                f"    return {names}" + ("," if len(self.parameters) == 1 else ""),
                "",
            ]
        )

    def emit(self, *lines: str) -> None:
        self.lines.extend("    " * self.depth + line for line in lines)

    def fresh(self, prefix: str = "v") -> str:
        self.counter += 1
        return f"{prefix}{self.counter}"

    def target(self) -> str:
        """A name to assign to: often a new one."""
        old = [n for n in self.scope if n[0] in "vxyz"]
        return self.one(old) if old and self.maybe(30) else self.fresh()

    @contextlib.contextmanager
    def nest(self, header: str, tail: Sequence[str] = ()) -> Iterator[None]:
        """An indented block; `tail` completes it while it is not closed."""
        self.emit(header)
        self.tails.append(["    " * self.depth + line for line in tail])
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1
            self.tails.pop()

    # Statements -----------------------------------------------------------------------

    def look(self) -> bool:
        """Run what there is; whether it raises."""
        trial = try_out(self.text(probe=True))
        if trial.scope is not None:
            gone = [n for n in self.scope if n not in trial.scope]
            self.ghosts = list(dict.fromkeys([*self.ghosts, *gone]))[-4:]
            self.scope = trial.scope
        return trial.error is not None

    def pick(self) -> Template:
        """A template, mostly of the category."""
        mixed = self.one([c for c in TEMPLATES if c not in _APART])
        name = self.category if self.maybe(60) else mixed
        weights, functions = zip(*TEMPLATES[name])
        return self.rng.choices(functions, weights)[0]

    def statement(self, chosen: Template | None = None) -> bool:
        """Write one; whether it was possible."""
        for _ in range(4):
            saved = len(self.lines), len(self.before), self.counter, dict(self.scope)
            raised = self.raises
            try:
                (chosen or self.pick())(self)
                if len(self.lines) == saved[0]:
                    raise Nothing
            except Nothing:
                bad = True
            else:
                bad = self.look()
                if bad and (raised or self.maybe(7)):
                    self.raises, bad = True, False
            if not bad:
                return True
            del self.lines[saved[0] :], self.before[saved[1] :]
            self.counter, self.scope, self.raises = *saved[2:], raised
        return False

    def block(self, most: int = 2) -> None:
        """A few statements, at least one."""
        self.look()
        start = len(self.lines)
        if self.depth < 4:
            for _ in range(self.rng.randint(1, most)):
                self.statement()
        if len(self.lines) == start:
            self.statement(_simple)
        if len(self.lines) == start:
            self.emit("pass")

    # The whole ------------------------------------------------------------------------

    def argument(self) -> None:
        """One more argument."""
        name = "xyzuvw"[len(self.parameters)]
        self.making.append(f"{name} = {self.given()}")
        self.parameters.append(name)

    def shape(self) -> str:
        if self.category == "threads":
            return self.one(["(70000,)", "(300, 250)", "(4, 20000)", "(3,)"])
        shapes = ["(3,)", "(3,)", "(2, 3)", "(2, 3)", "(3, 3)", "(4,)", "()", "(1,)"]
        return self.one([*shapes, "(1, 3)", "(2, 1, 3)", "(0,)", "(0, 3)", "(2, 2, 2)"])

    def laid(self) -> str:
        layout = self.one(LAYOUTS) if self.maybe(60) else "C"
        dtype = self.one(DTYPES) if self.maybe(45) else "float64"
        if self.category == "layouts" and self.maybe(60):
            layout, dtype = self.one(LAYOUTS), "float64"
        seed = self.rng.randrange(1000)
        return f'laid("{layout}", "{dtype}", {self.shape()}, {seed})'

    def scalar(self) -> str:
        kind = self.one(["float", "float", "float", "int", "bool", "complex", *DTYPES])
        if kind in ("float", "float64", "float32", "float16"):
            value = self.one(["0.5", "1.25", "-0.75", "2.0", "0.0"])
        elif kind.startswith("complex"):
            value = self.one(["0.5+1j", "1j", "2.0"])
        elif kind.startswith("bool"):
            value = self.one(["True", "False"])
        elif kind.startswith("uint"):
            value = self.one(["0", "3", "200"])
        else:
            value = self.one(["0", "1", "2", "3", "-2"])
        return f'number("{kind}", {value})'

    def given(self) -> str:
        """What makes an argument."""
        pick = self.rng.randrange(20)
        if pick < 9:
            return self.laid()
        if pick < 14:
            return self.scalar()
        leaf = self.laid if self.maybe(50) else self.scalar
        if pick == 14:
            return f"[{leaf()}, {leaf()}]"
        if pick == 15:
            return f"({leaf()}, {leaf()})"
        if pick == 16:
            return f'{{"a": {leaf()}, "b": {leaf()}}}'
        if pick == 17:
            return f"{self.one(['Box', 'Pair', 'Point'])}({leaf()}, {leaf()})"
        if pick == 18 and self.parameters:
            old = self.one(self.parameters)
            return self.one([old, f"[{old}, {old}]", f"[{old}, {self.scalar()}]"])
        return self.one(["None", '"mean"', "[]", "[[1.0, 2.0], [3.0]]", "{}", "[1, 2]"])

    def program(self) -> str:
        """The text of the module."""
        for _ in range(self.rng.randint(1, 4)):
            self.argument()
        if self.category == "threads" or self.maybe(70):
            self.making.insert(0, f"w = {self.laid()}")
            self.parameters.insert(0, "w")
        self.look()
        for _ in range(self.rng.randint(2, 7)):
            self.statement()
            if self.raises and self.maybe(70):
                break
        self.finish()
        return self.text()

    def finish(self) -> None:
        """What is returned: mostly something that depends on much."""
        for _ in range(5):
            saved = len(self.lines)
            try:
                self.emit(f"return {self.returned()}")
            except Nothing:
                continue
            if not self.look() or self.raises:
                return
            del self.lines[saved:]
        self.emit("return 1.0")

    def returned(self) -> str:
        pick = self.rng.randrange(10)
        if pick < 4:
            parts = []
            for path, kind in self.places(lambda k: k.scalar or k.tag == "array"):
                if self.maybe(50) and len(parts) < 5:
                    parts.append(f"np.sum({path})" if kind.tag == "array" else path)
            return " + ".join(parts) or self.number()
        if pick < 8:
            things = [self.thing(0) for _ in range(self.rng.randint(2, 4))]
            return self.one(["({})", "({})", "[{}]"]).format(", ".join(things))
        return self.one([self.number, self.array, self.thing])()


def _simple(w: Writer) -> None:
    w.emit(f"{w.target()} = {w.number(1)}")


def write_program(category: str, seed: str) -> str:
    """The program of a category and a seed; always the same one."""
    categories()
    rng = random.Random(f"{category}:{seed}")
    if category in WHOLE:
        return f"{HEADER}\n\n{WHOLE[category](rng)}"
    return Writer(rng, category).program()
