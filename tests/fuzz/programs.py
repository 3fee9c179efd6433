"""Random whole programs, as source text.

`write_program(choose)` returns a module with a function `program(x, y, m, s)` of an
array of shape (3,), one of (2,), one of (2, 3) and a number. Programs branch, loop,
leave loops and functions early, change arrays, lists, dicts and objects in place
through views and aliases, call functions that write into their arguments, close over
variables that change later, and recurse.
"""

from __future__ import annotations

from collections.abc import Callable

from fuzz.expressions import (
    BOX,
    FLOAT,
    KEYS,
    SHAPES,
    Choose,
    Expressions,
    Kind,
    Scope,
    Signature,
    is_array,
)

PARAMETERS: dict[str, Kind] = {"x": (3,), "y": (2,), "m": (2, 3), "s": FLOAT}

HEADER = """import numpy as np


class Box:
    def __init__(self, a, s):
        self.a = a
        self.s = s
"""


def write_program(choose: Choose) -> str:
    """A random program; the choices decide everything about it."""
    return _Writer(choose).module()


class _Writer(Expressions):
    def __init__(self, choose: Choose) -> None:
        super().__init__(choose)
        self.lines: list[str] = []
        self.indent = 0
        self.counter = 0
        self.budget = 0
        self.result: Kind = FLOAT
        self.in_loop = False
        self.in_nested = False

    # Text -----------------------------------------------------------------------------

    def emit(self, line: str) -> None:
        self.lines.append("    " * self.indent + line)

    def fresh(self, prefix: str) -> str:
        self.counter += 1
        return f"{prefix}{self.counter}"

    def module(self) -> str:
        """The text of the module."""
        self.lines = HEADER.splitlines()
        for _ in range(self.choose(4)):
            self.helper()
        self.scope = Scope(dict(PARAMETERS), {}, dict(self.scope.functions))
        self.result = self.weighted([(5, FLOAT), (1, (3,)), (1, (2, 3))])
        self.emit("")
        self.emit("")
        self.emit(f"def program({', '.join(PARAMETERS)}):")
        self.budget = 4 + self.choose(12)
        self.indent += 1
        self.prepare()
        self.block(self.budget)
        self.emit(f"return {self.summary(self.result)}")
        return "\n".join(self.lines) + "\n"

    def prepare(self) -> None:
        """A few variables to work with, mostly copies so that arguments stay whole."""
        for _ in range(1 + self.choose(3)):
            kind = self.one_of([FLOAT, (3,), (2,), (2, 3)])
            name = self.fresh("v")
            source = self.one_of(self.places(kind))
            copied = is_array(kind) and self.maybe(60)
            tail = ".copy()" if copied else ""
            self.emit(f"{name} = {source}{tail}")
            self.scope.kinds[name] = kind

    def summary(self, kind: Kind) -> str:
        """A value that depends on most of what is there."""
        parts = []
        for name, own in self.scope.kinds.items():
            if self.maybe(75):
                paths = [(p, k) for p, k in self.paths(name, own)]
                path, k = self.one_of(paths)
                if k == FLOAT:
                    parts.append(f"np.sin({path})")
                elif is_array(k):
                    parts.append(f"np.sum(np.sin({path}) * {self.constant()})")
        if kind == FLOAT:
            return " + ".join(parts) or self.scalar(2)
        return " + ".join([self.array(kind, 2), *parts])

    # Functions ------------------------------------------------------------------------

    def helper(self) -> None:
        """A function of the module."""
        name = self.fresh("helper")
        count = 1 + self.choose(3)
        kinds: list[Kind] = [FLOAT, (3,), (2,), (2, 3), ("list", (3,)), BOX]
        params = {self.fresh("p"): self.one_of(kinds) for _ in range(count)}
        results = [FLOAT, FLOAT, (3,), (2,), None, ("tuple", (3,), FLOAT)]
        signature = Signature(tuple(params.values()), self.one_of(results))
        signature.lists = any(
            isinstance(k, tuple) and k[0] == "list" for k in params.values()
        )
        signature.depth = self.maybe(25) and signature.result is not None
        signature.function = not signature.depth and self.maybe(20)
        signature.default = self.maybe(15)
        outer = self.scope
        self.scope = Scope(dict(params), {}, dict(outer.functions))
        self.emit("")
        self.emit("")
        extra = ["n"] if signature.depth else ["f"] if signature.function else []
        if signature.function:
            self.scope.functions["f"] = Signature(((3,),), (3,))
        if signature.default:
            self.scope.kinds["scale"] = FLOAT
            extra.append(f"scale={self.constant()}")
        self.emit(f"def {name}({', '.join([*params, *extra])}):")
        self.indent += 1
        self.body(name, signature, 1 + self.choose(4))
        self.indent -= 1
        self.scope = outer
        outer.functions[name] = signature

    def body(self, name: str, signature: Signature, size: int) -> None:
        """The statements of a function and its return."""
        saved = self.result, self.in_loop
        self.result, self.in_loop = signature.result, False
        if signature.depth:
            self.emit("if n <= 0:")
            self.indent += 1
            self.emit(f"return {self.of(self.result, 1)}")
            self.indent -= 1
        self.block(size)
        if signature.depth:
            given = [self.item(k) for k in signature.params]
            again = f"{name}({', '.join([*given, 'n - 1'])})"
            value = self.fresh("r")
            self.emit(f"{value} = {again}")
            self.scope.kinds[value] = signature.result
        if signature.result is not None:
            self.emit(f"return {self.item(signature.result)}")
        self.result, self.in_loop = saved

    def nested(self) -> None:
        """A function in the function, which sees the variables around it."""
        name = self.fresh("inner")
        count = self.choose(3)
        kinds: list[Kind] = [FLOAT, (3,), (2,)]
        params = {self.fresh("q"): self.one_of(kinds) for _ in range(count)}
        result = self.one_of([FLOAT, FLOAT, (3,), None])
        signature = Signature(tuple(params.values()), result)
        outer, nested, calling = self.scope, self.in_nested, self.calling
        self.scope = outer.copy()
        self.scope.ints = {}
        numbers = [
            n for n, k in outer.kinds.items() if k == FLOAT and n not in PARAMETERS
        ]
        self.scope.kinds.update(params)
        writable: set[str] = set(params)
        self.emit(f"def {name}({', '.join(params)}):")
        self.indent += 1
        if numbers and not nested and self.maybe(35):
            chosen = self.one_of(numbers)
            self.emit(f"nonlocal {chosen}")
            writable.add(chosen)
            self.emit(f"{chosen} = {self.scalar(1)}")
        self.scope.frozen = frozenset(outer.kinds) - writable
        self.in_nested, self.calling = True, False
        self.body(name, signature, 1 + self.choose(2))
        if self.lines[-1].lstrip().startswith("def "):
            self.emit("pass")
        self.indent -= 1
        self.scope, self.in_nested, self.calling = outer, nested, calling
        outer.functions[name] = signature

    # Statements -----------------------------------------------------------------------

    def block(self, size: int) -> None:
        """So many statements; at least one line is written."""
        start = len(self.lines)
        for _ in range(size):
            self.statement()
        if len(self.lines) == start:
            self.emit("pass")

    def inside(self, size: int) -> None:
        """An indented block whose new variables are gone after it."""
        outer = self.scope
        self.scope = outer.copy()
        self.indent += 1
        self.block(size)
        self.indent -= 1
        self.scope = outer

    def statement(self) -> None:
        self.budget -= 1
        simple: list[tuple[int, Callable[[], None]]] = [
            (6, self.assign),
            (4, self.reassign),
            (5, self.alias),
            (8, self.store),
            (4, self.update),
            (3, self.list_change),
            (2, self.dict_change),
            (2, self.box_change),
            (2, self.swap),
            (3, self.call_statement),
            (1, self.accumulate),
        ]
        if self.indent < 4 and self.budget > -12:
            simple += [
                (5, self.branch),
                (5, self.for_loop),
                (2, self.while_loop),
                (1, self.attempt),
            ]
            if not self.in_nested:
                simple += [(2, self.nested)]
        if self.in_loop:
            simple += [(2, self.leave_loop)]
        if self.indent > 1 or self.maybe(30):
            simple += [(1, self.early_return)]
        make: Callable[[], None] = self.weighted(simple)
        make()

    def some_kind(self) -> Kind:
        """A kind for a new variable."""
        item: Kind = self.one_of([(3,), (2,), FLOAT])
        return self.weighted(
            [
                (5, FLOAT),
                (5, self.one_of(SHAPES)),
                (3, ("list", item)),
                (2, ("tuple", item, self.one_of([(3,), FLOAT]))),
                (2, ("dict", item)),
                (2, BOX),
                (1, ("list", BOX)),
                (1, ("list", ("tuple", (3,), FLOAT))),
            ]
        )

    def assign(self) -> None:
        kind = self.some_kind()
        name = self.fresh("v")
        self.emit(f"{name} = {self.of(kind)}")
        self.scope.kinds[name] = kind

    def own_names(self, kind: Kind = None) -> list[str]:
        """The variables that may be bound anew here."""
        return [
            name
            for name, k in self.scope.kinds.items()
            if name not in self.scope.frozen and (kind is None or k == kind)
        ]

    def reassign(self) -> None:
        names = self.own_names()
        if names:
            name = self.one_of(names)
            kind = self.scope.kinds[name]
            value = self.item(kind) if self.maybe(30) else self.of(kind)
            self.emit(f"{name} = {value}")

    def alias(self) -> None:
        """A second name for an array or for a part of one."""
        shape = self.one_of(SHAPES)
        found = [*self.places(shape), *self.views(shape)]
        if not found:
            return
        name = self.fresh("w")
        value = self.one_of(found)
        if self.maybe(20):
            value = f"{value} if {self.condition()} else {self.one_of(found)}"
        self.emit(f"{name} = {value}")
        self.scope.kinds[name] = shape

    def store(self) -> None:
        """A change of a part of an array."""
        arrays = self.array_places()
        if not arrays:
            return
        path, shape = self.one_of(arrays)
        operator = self.one_of(["=", "=", "+=", "*=", "-="])
        parts: list[tuple[str, Kind]] = [
            (", ".join(self.index(n) for n in shape), FLOAT),
            (":", shape),
            (":", FLOAT),
            ("...", shape),
        ]
        if shape == (3,):
            parts += [("1:", (2,)), ("::2", (2,)), ("[0, 2]", (2,)), ("::-1", (3,))]
        if shape == (2,):
            parts += [("::-1", (2,)), ("1:", FLOAT)]
        if shape == (6,):
            parts += [("::2", (3,)), ("2:4", (2,)), ("[1, 3, 5]", (3,))]
        if len(shape) == 2:
            rows, columns = shape
            parts += [
                (self.index(rows), (columns,)),
                (f":, {self.index(columns)}", (rows,)),
                (f"{self.index(rows)}, 1:", FLOAT),
                (":", (columns,)),
            ]
        part, kind = self.one_of(parts)
        value = self.of(kind)
        if operator == "*=":
            value = f"np.cos({value})"
        self.emit(f"{path}[{part}] {operator} {value}")

    def update(self) -> None:
        """`v += …`: a change in place of an array, a new binding of a number."""
        names = [
            (n, k)
            for n, k in self.scope.kinds.items()
            if n not in self.scope.frozen and (k == FLOAT or is_array(k))
        ]
        if names:
            name, kind = self.one_of(names)
            value = self.of(kind if self.maybe(70) else FLOAT)
            if self.maybe(30):
                self.emit(f"{name} *= np.cos({value})")
            else:
                self.emit(f"{name} {self.one_of(['+=', '-='])} {value}")

    def containers(self, which: str) -> list[tuple[str, Kind]]:
        """Every list or dict that can be reached, with the kind of its items."""
        found = []
        for name, own in self.scope.kinds.items():
            for path, kind in self.paths(name, own):
                if isinstance(kind, tuple) and kind[0] == which:
                    found.append((path, kind[1]))
        return found

    def list_change(self) -> None:
        lists = self.containers("list")
        if not lists:
            return
        path, kind = self.one_of(lists)
        if not self.calling:
            self.emit(f"{path}[{self.one_of([0, -1])}] = {self.item(kind)}")
            return
        how = self.choose(8)
        if how >= 5:
            changes = [f"{path}.insert(0, {self.item(kind)})", f"{path}.reverse()"]
            changes += [f"{path} += [{self.item(kind)}]"] * (path in self.own_names())
            if kind == FLOAT or is_array(kind):
                changes += [f"{path}[{self.one_of([0, -1])}] += {self.of(kind, 1)}"] * 3
            self.emit(self.one_of(changes))
        elif how <= 1:
            self.emit(f"{path}.append({self.item(kind)})")
        elif how == 2:
            self.emit(f"{path}[{self.one_of([0, -1])}] = {self.item(kind)}")
        elif how == 3:
            name = self.fresh("w")
            self.emit(f"{path}.append({self.item(kind)})")
            self.emit(f"{name} = {path}.pop({self.one_of(['', '0'])})")
            self.scope.kinds[name] = kind
        else:
            self.emit(f"{path}.extend([{self.item(kind)}, {self.item(kind)}])")

    def dict_change(self) -> None:
        dicts = self.containers("dict")
        if dicts:
            path, kind = self.one_of(dicts)
            key = self.one_of(KEYS)
            if (kind == FLOAT or is_array(kind)) and self.maybe(40):
                self.emit(f'{path}["{key}"] += {self.of(kind, 1)}')
            else:
                self.emit(f'{path}["{key}"] = {self.item(kind)}')

    def box_change(self) -> None:
        boxes = self.places(BOX)
        if boxes:
            path = self.one_of(boxes)
            changes = [
                f"{path}.a = {self.item((3,))}",
                f"{path}.s = {self.scalar(2)}",
                f"{path}.s += {self.scalar(1)}",
                f"{path}.a += {self.array((3,), 1)}",
                f"{path}.a[{self.index(3)}] = {self.scalar(1)}",
            ]
            self.emit(self.one_of(changes))

    def swap(self) -> None:
        """Two variables of one kind change places, or a tuple is taken apart."""
        pairs = [
            (a, b)
            for a in self.own_names()
            for b in self.own_names()
            if a < b and self.scope.kinds[a] == self.scope.kinds[b]
        ]
        tuples = [n for n, k in self.scope.kinds.items() if k == ("tuple", (3,), FLOAT)]
        if tuples and self.maybe(50):
            first, second = self.fresh("w"), self.fresh("v")
            self.emit(f"{first}, {second} = {self.one_of(tuples)}")
            self.scope.kinds.update({first: (3,), second: FLOAT})
        elif pairs:
            a, b = self.one_of(pairs)
            self.emit(f"{a}, {b} = {b}, {a}")

    def call_statement(self) -> None:
        """A call of a generated function, its result kept when it has one."""
        fitting = [
            (name, signature)
            for name, signature in self.scope.functions.items()
            if self.calling or not signature.lists
        ]
        if not fitting:
            return
        name, signature = self.one_of(fitting)
        text = self.call_of(name, signature)
        if signature.result is None:
            self.emit(text)
        elif isinstance(signature.result, tuple) and signature.result[0] == "tuple":
            first, second = self.fresh("w"), self.fresh("v")
            self.emit(f"{first}, {second} = {text}")
            self.scope.kinds.update({first: (3,), second: FLOAT})
        else:
            name = self.fresh("w")
            self.emit(f"{name} = {text}")
            self.scope.kinds[name] = signature.result

    def accumulate(self) -> None:
        """A sum that starts at the number zero and becomes an array."""
        name = self.fresh("v")
        row = self.fresh("e")
        source = self.array((2, 3), 1)
        self.emit(f"{name} = {self.one_of(['0.0', '0', 'np.zeros(3)'])}")
        self.emit(f"for {row} in {source}:")
        operator = self.one_of([f"{name} = {name} +", f"{name} +="])
        self.emit(f"    {operator} np.sin({row})")
        self.scope.kinds[name] = (3,)

    # Control --------------------------------------------------------------------------

    def branch(self) -> None:
        self.emit(f"if {self.condition()}:")
        self.inside(1 + self.choose(3))
        if self.maybe(20):
            self.emit(f"elif {self.condition()}:")
            self.inside(1 + self.choose(2))
        if self.maybe(50):
            self.emit("else:")
            self.inside(1 + self.choose(3))

    def loop_body(self, kinds: dict[str, Kind], ints: dict[str, int]) -> None:
        outer, saved = self.scope, self.in_loop
        self.scope = outer.copy()
        self.scope.kinds.update(kinds)
        self.scope.ints.update(ints)
        self.in_loop = True
        self.inside(1 + self.choose(3))
        self.scope, self.in_loop = outer, saved

    def for_loop(self) -> None:
        """A loop over a range, an array, a list or several of them."""
        i, e, f = self.fresh("i"), self.fresh("e"), self.fresh("e")
        calling = self.calling
        lists = [(p, k) for p, k in self.containers("list")]
        dicts = self.containers("dict")
        how = self.weighted(
            [(5, "range"), (2, "rows"), (2, "enumerate"), (2, "zip"), (1, "reversed")]
            + [(3, "list")] * bool(lists)
            + [(1, "items")] * bool(dicts)
        )
        if how == "range":
            bound = 2 + self.choose(2)
            start = self.choose(2)
            text = f"range({start}, {bound})" if start else f"range({bound})"
            if self.maybe(20):
                text = f"range({bound - 1}, -1, -1)"
            self.emit(f"for {i} in {text}:")
            self.loop_body({}, {i: bound})
        elif how == "rows":
            shape = self.one_of([(2, 3), (3, 2), (3,)])
            kind: Kind = shape[1:] or FLOAT
            self.emit(f"for {e} in {self.array_leaf(shape)}:")
            self.loop_body({e: kind}, {})
        elif how == "enumerate":
            shape = self.one_of([(2, 3), (3,), (2,)])
            kind = shape[1:] or FLOAT
            self.emit(f"for {i}, {e} in enumerate({self.array_leaf(shape)}):")
            self.loop_body({e: kind}, {i: shape[0]})
        elif how == "zip":
            pair = f"zip({self.array((3,), 1)}, {self.array_leaf((3, 2))})"
            self.emit(f"for {e}, {f} in {pair}:")
            self.loop_body({e: FLOAT, f: (2,)}, {})
        elif how == "reversed":
            self.emit(f"for {e} in reversed({self.array_leaf((3,))}):")
            self.loop_body({e: FLOAT}, {})
        elif how == "list":
            path, kind = self.one_of(lists)
            self.calling = False
            if self.maybe(40):
                self.emit(f"for {i}, {e} in enumerate({path}):")
            else:
                self.emit(f"for {e} in {path}:")
            self.loop_body({e: kind}, {})
        else:
            path, kind = self.one_of(dicts)
            self.emit(f"for {i}, {e} in {path}.items():")
            self.loop_body({e: kind}, {})
        self.calling = calling
        if self.maybe(6):
            self.emit("else:")
            self.inside(1)

    def while_loop(self) -> None:
        """A loop that ends after a few iterations at the latest."""
        k = self.fresh("k")
        self.emit(f"{k} = 0")
        test = f"{k} < {2 + self.choose(3)}"
        if self.maybe(50):
            test += f" and {self.scalar(1)} < {self.constant()}"
        self.emit(f"while {test}:")
        self.indent += 1
        self.emit(f"{k} += 1")
        self.indent -= 1
        self.loop_body({}, {})

    def leave_loop(self) -> None:
        self.emit(f"if {self.condition()}:")
        if self.maybe(40):
            self.inside(1)
        self.emit(f"    {self.one_of(['break', 'continue'])}")

    def early_return(self) -> None:
        self.emit(f"if {self.condition()}:")
        if self.result is None:
            self.emit("    return")
        else:
            self.emit(f"    return {self.of(self.result, 1)}")

    def attempt(self) -> None:
        """A block that may be left by an exception that is caught."""
        self.emit("try:")
        self.inside(1 + self.choose(2))
        self.emit(f"    if {self.condition()}:")
        self.emit('        raise ValueError("left")')
        self.emit("except ValueError:")
        self.inside(1)
        if self.maybe(25):
            self.emit("finally:")
            self.inside(1)
