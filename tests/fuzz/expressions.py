"""Random expressions over the variables of a scope, as source text.

Kinds of values: "float", a shape such as (3,) for an array, ("list", kind),
("tuple", kind, kind), ("dict", kind) with the keys of KEYS, and "box", an instance of a
class with an array of shape (3,) in `a` and a number in `s`.

Only smooth functions are used, and products are of bounded factors, so that loops do
not run away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

Kind = Any
Choose = Callable[[int], int]

FLOAT = "float"
BOX = "box"
KEYS = ("p", "q")
SHAPES: tuple[tuple[int, ...], ...] = ((3,), (2,), (2, 3), (3, 2), (6,))


def is_array(kind: Kind) -> bool:
    """Whether a kind is that of arrays."""
    return isinstance(kind, tuple) and isinstance(kind[0], int)


@dataclass
class Signature:
    """What a generated function takes and gives.

    After its parameters it may take `n`, which counts its recursion, a function `f`,
    and the keyword `scale`.
    """

    params: tuple[Kind, ...]
    result: Kind
    depth: bool = False
    lists: bool = False
    function: bool = False
    default: bool = False

    @property
    def plain(self) -> bool:
        """Whether it is called with its parameters and nothing else."""
        return not (self.depth or self.function or self.lists)


@dataclass
class Scope:
    """The variables that may be used at a point of the program."""

    kinds: dict[str, Kind] = field(default_factory=dict)
    ints: dict[str, int] = field(default_factory=dict)
    functions: dict[str, Signature] = field(default_factory=dict)
    frozen: frozenset[str] = frozenset()

    def copy(self) -> Scope:
        """A scope of its own with the same variables."""
        return Scope(
            dict(self.kinds), dict(self.ints), dict(self.functions), self.frozen
        )


class Expressions:
    """Expressions made by choices: `choose(n)` gives one of 0 … n-1."""

    def __init__(self, choose: Choose) -> None:
        self.choose = choose
        self.scope = Scope()
        self.calling = True

    # Choices --------------------------------------------------------------------------

    def one_of(self, options: Sequence[Any]) -> Any:
        """One of the options, each as likely."""
        return options[self.choose(len(options))]

    def weighted(self, options: Sequence[tuple[int, Any]]) -> Any:
        """One of the options, as likely as their weights say."""
        at = self.choose(sum(weight for weight, _ in options))
        for weight, option in options:
            at -= weight
            if at < 0:
                return option
        raise AssertionError

    def maybe(self, percent: int) -> bool:
        """True in so many of a hundred cases."""
        return self.choose(100) >= 100 - percent

    def constant(self) -> str:
        """A number between 0.1 and 1.5, sometimes negative."""
        number = (1 + self.choose(15)) / 10
        return f"-{number}" if self.maybe(25) else f"{number}"

    # Places ---------------------------------------------------------------------------

    def places(self, kind: Kind) -> list[str]:
        """Every variable, item and field of a kind."""
        found = []
        for name, own in self.scope.kinds.items():
            found += [path for path, k in self.paths(name, own) if k == kind]
        return found

    def paths(self, path: str, kind: Kind) -> Iterator[tuple[str, Kind]]:
        """What can be reached from a value without indexing an array."""
        yield path, kind
        if kind == BOX:
            yield f"{path}.a", (3,)
            yield f"{path}.s", FLOAT
        elif isinstance(kind, tuple) and kind[0] == "list":
            yield from self.paths(f"{path}[0]", kind[1])
            yield from self.paths(f"{path}[-1]", kind[1])
        elif isinstance(kind, tuple) and kind[0] == "tuple":
            for k, item in enumerate(kind[1:]):
                yield from self.paths(f"{path}[{k}]", item)
        elif isinstance(kind, tuple) and kind[0] == "dict":
            for key in KEYS:
                yield from self.paths(f'{path}["{key}"]', kind[1])

    def array_places(self) -> list[tuple[str, tuple[int, ...]]]:
        """Every array that can be reached, with its shape."""
        return [(p, shape) for shape in SHAPES for p in self.places(shape)]

    def index(self, size: int) -> str:
        """An index of an axis: a constant or a loop variable."""
        variables = [name for name, bound in self.scope.ints.items() if bound <= size]
        if variables and self.maybe(60):
            name = self.one_of(variables)
            return f"{name} - 1" if self.maybe(25) else name
        others = list(self.scope.ints)
        if others and self.maybe(20):
            return f"{self.one_of(others)} % {size}"
        return str(self.choose(size + 1) - 1)

    def views(self, shape: tuple[int, ...]) -> list[str]:
        """Views of other arrays that have a shape."""
        found: list[str] = []
        for path, own in self.array_places():
            found += [f"{path}{tail}" for tail in self.view_tails(own, shape)]
        return found

    def view_tails(self, own: tuple[int, ...], shape: tuple[int, ...]) -> list[str]:
        """What to write after an array of one shape for views of another."""
        rows: dict[Any, list[str]] = {
            ((3,), (2,)): ["[1:]", "[:2]", "[::2]", "[:-1]", "[::-2]"],
            ((3,), (3,)): ["[::-1]", "[:]"],
            ((2,), (2,)): ["[::-1]", "[...]"],
            ((2, 3), (3,)): [f"[{self.index(2)}]", "[-1, :]", "[0, ::-1]"],
            ((2, 3), (2,)): [f"[:, {self.index(3)}]", "[1, 1:]", "[0][::2]"],
            ((2, 3), (3, 2)): [".T", ".reshape(3, 2)"],
            ((3, 2), (2, 3)): [".T", ".swapaxes(0, 1)"],
            ((3, 2), (2,)): [f"[{self.index(3)}]", "[-1, ::-1]"],
            ((3, 2), (3,)): [f"[:, {self.index(2)}]"],
            ((2, 3), (6,)): [".reshape(-1)", ".ravel()"],
            ((6,), (2, 3)): [".reshape(2, 3)"],
            ((6,), (3, 2)): [".reshape((3, 2))"],
            ((6,), (3,)): ["[::2]", "[3:]", "[1:4]"],
            ((6,), (2,)): ["[2:4]", "[::3]"],
        }
        return rows.get((own, shape), [])

    # Expressions ----------------------------------------------------------------------

    def of(self, kind: Kind, depth: int = 2) -> str:
        """An expression of a kind."""
        if kind == FLOAT:
            return self.scalar(depth)
        if is_array(kind):
            return self.array(kind, depth)
        if kind == BOX:
            return f"Box({self.array((3,), 1)}, {self.scalar(1)})"
        places = self.places(kind)
        if places and self.maybe(50):
            return str(self.one_of(places))
        if kind[0] == "list":
            if places and self.maybe(40):
                return self.derived_list(kind[1], str(self.one_of(places)))
            count = 1 + self.choose(3)
            return f"[{', '.join(self.item(kind[1]) for _ in range(count))}]"
        if kind[0] == "tuple":
            return f"({', '.join(self.item(k) for k in kind[1:])})"
        items = ", ".join(f'"{key}": {self.item(kind[1])}' for key in KEYS)
        return f"{{{items}}}"

    def derived_list(self, item: Kind, path: str) -> str:
        """A list made from another one."""
        forms = [f"{path}[:]", f"{path} + [{self.item(item)}]", f"list({path})"]
        forms += [f"{path}[::-1]", f"[e for e in {path}]"]
        if item == FLOAT or is_array(item):
            forms += [f"[np.sin(e) for e in {path}]", f"[e.copy() for e in {path}]"][
                : 1 if item == FLOAT else 2
            ]
        return str(self.one_of(forms))

    def item(self, kind: Kind) -> str:
        """What is put into a container: often an alias of something that exists."""
        places = self.places(kind)
        if places and self.maybe(60):
            return str(self.one_of(places))
        return self.of(kind, 1)

    def scalar(self, depth: int) -> str:
        """A number."""
        if depth <= 0 or self.maybe(25):
            return self.scalar_leaf()
        make: Callable[[], str] = self.weighted(
            [
                (3, lambda: f"np.sin({self.scalar(depth - 1)})"),
                (3, lambda: f"np.tanh({self.scalar(depth - 1)})"),
                (3, lambda: f"({self.scalar(depth - 1)} + {self.scalar(depth - 1)})"),
                (2, lambda: f"({self.scalar(depth - 1)} - {self.scalar(depth - 1)})"),
                (3, lambda: f"np.cos({self.scalar(depth - 1)}) * {self.scalar_leaf()}"),
                (1, lambda: f"{self.scalar_leaf()} / (1.5 + np.cos({self.scalar(0)}))"),
                (1, lambda: f"np.exp(-({self.scalar_leaf()}) ** 2)"),
                (2, lambda: f"np.sum({self.array(self.one_of(SHAPES), depth - 1)})"),
                (1, lambda: f"{self.any_array(depth)}.mean()"),
                (2, lambda: self.dot(depth - 1)),
                (1, lambda: self.ternary(FLOAT)),
                (1, lambda: f"sum([{self.scalar(0)}, {self.scalar(0)}])"),
                (
                    1,
                    lambda: (
                        f"sum(np.sin(e) * {self.scalar(0)} for e in {self.vector()})"
                    ),
                ),
                (1, lambda: f"(lambda u: np.sin(u) + u)({self.scalar(depth - 1)})"),
                (4, lambda: self.call(FLOAT, depth) or self.scalar_leaf()),
            ]
        )
        return make()

    def scalar_leaf(self) -> str:
        """A number that is a place, an element or a constant."""
        places = self.places(FLOAT)
        arrays = self.array_places()
        if places and self.maybe(45):
            return str(self.one_of(places))
        if arrays and self.maybe(75):
            return self.element(*self.one_of(arrays))
        return self.constant()

    def element(self, path: str, shape: tuple[int, ...]) -> str:
        """An element of an array."""
        if len(shape) == 2 and self.maybe(20):
            return f"{path}[{self.index(shape[0])}][{self.index(shape[1])}]"
        return f"{path}[{', '.join(self.index(n) for n in shape)}]"

    def vector(self) -> str:
        """An array of one axis, by a simple expression."""
        return self.array(self.one_of([(3,), (2,)]), 1)

    def any_array(self, depth: int) -> str:
        """An array of any shape, to be followed by a method."""
        places = self.array_places()
        if places and self.maybe(60):
            return str(self.one_of(places)[0])
        return f"({self.array(self.one_of(SHAPES), depth - 1)})"

    def dot(self, depth: int) -> str:
        """An inner product."""
        shape = self.one_of([(3,), (2,), (6,)])
        a, b = self.array(shape, depth), self.array(shape, depth)
        return f"np.tanh(({a}) @ ({b}))"

    def product(self, shape: tuple[int, ...], depth: int) -> str:
        """A matrix of a shape times a vector."""
        matrix, vector = self.array(shape, depth), self.array(shape[1:], depth)
        return f"np.tanh(({matrix}) @ ({vector}))"

    def array(self, shape: tuple[int, ...], depth: int) -> str:
        """An array of a shape."""
        if depth <= 0 or self.maybe(25):
            return self.array_leaf(shape)
        inner = depth - 1
        options: list[tuple[int, Callable[[], str]]] = [
            (3, lambda: f"np.sin({self.array(shape, inner)})"),
            (2, lambda: f"np.tanh({self.array(shape, inner)})"),
            (3, lambda: f"({self.array(shape, inner)} + {self.array(shape, inner)})"),
            (2, lambda: f"({self.array(shape, inner)} - {self.scalar(inner)})"),
            (3, lambda: f"np.cos({self.array(shape, inner)}) * {self.array(shape, 0)}"),
            (2, lambda: f"{self.scalar_leaf()} * np.sin({self.array(shape, inner)})"),
            (1, lambda: f"{self.array_leaf(shape)}.copy()"),
            (1, lambda: self.ternary(shape)),
            (2, lambda: self.call(shape, depth) or self.array_leaf(shape)),
        ]
        if len(shape) == 1:
            options += [
                (1, lambda: f"np.cumsum({self.array(shape, inner)})"),
                (1, lambda: self.stacked(shape)),
                (1, lambda: self.selected(shape)),
                (1, lambda: self.summed_list(shape)),
                (1, lambda: f"np.array([np.sin(e) for e in {self.array(shape, 0)}])"),
            ]
        if shape in ((3,), (2,)):
            other = (2, 3) if shape == (2,) else (3, 2)
            options += [
                (
                    2,
                    lambda: self.product(other, inner),
                ),
                (1, lambda: f"{self.array_leaf(other)}.sum(axis=1)"),
            ]
        if shape == (3,):
            options += [
                (1, lambda: f"np.append({self.array((2,), inner)}, {self.scalar(0)})"),
                (1, lambda: f"{self.array_leaf((3,))}[[0, 2, 2]]"),
            ]
        if len(shape) == 2:
            options += [
                (2, lambda: f"{self.array(shape[1:], inner)} + {self.array(shape, 0)}"),
                (
                    1,
                    lambda: (
                        f"np.outer({self.array(shape[:1], inner)}, "
                        f"{self.array(shape[1:], inner)})"
                    ),
                ),
                (
                    1,
                    lambda: (
                        f"{self.array_leaf(shape[:1])}[:, None] * "
                        f"np.sin({self.array(shape, 0)})"
                    ),
                ),
                (1, lambda: f"({self.array(shape[::-1], inner)}).T"),
            ]
        make: Callable[[], str] = self.weighted(options)
        return make()

    def array_leaf(self, shape: tuple[int, ...]) -> str:
        """An array that is a place, a view or a constant."""
        places = self.places(shape)
        if places and self.maybe(60):
            return str(self.one_of(places))
        views = self.views(shape)
        if views and self.maybe(85):
            return str(self.one_of(views))
        if places:
            return str(self.one_of(places))
        return f"np.full({shape}, {self.constant()})"

    def stacked(self, shape: tuple[int, ...]) -> str:
        """An array put together from numbers."""
        return f"np.array([{', '.join(self.scalar(0) for _ in range(shape[0]))}])"

    def selected(self, shape: tuple[int, ...]) -> str:
        """Elements of one or of another array, by a constant mask."""
        a, b = self.array(shape, 1), self.array(shape, 0)
        mask = [self.choose(2) == 1 for _ in range(shape[0])]
        return f"np.where(np.array({mask}), {a}, {b})"

    def summed_list(self, shape: tuple[int, ...]) -> str:
        """The sum of a list of arrays, or the one that stands first."""
        lists = self.places(("list", shape))
        if not lists:
            return self.array_leaf(shape)
        path = self.one_of(lists)
        forms = [f"sum({path})", f"np.sum(np.array({path}), axis=0)"]
        forms += [f"np.stack({path}).mean(axis=0)", f"({path}[0] + {path}[-1])"]
        return str(self.one_of(forms))

    def ternary(self, kind: Kind) -> str:
        """One of two values of a kind."""
        return f"({self.of(kind, 1)} if {self.condition()} else {self.of(kind, 1)})"

    def condition(self) -> str:
        """A test, on numbers or on loop variables."""
        if self.scope.ints and self.maybe(35):
            name = self.one_of(list(self.scope.ints))
            tests = [f"{name} == 1", f"{name} > 0", f"{name} % 2 == 0", f"{name} != 0"]
            return str(self.one_of(tests))
        test = f"{self.scalar(1)} {self.one_of(['<', '>'])} {self.constant()}"
        if self.maybe(15):
            joined = self.one_of(["and", "or", "and not", "or not"])
            return f"{test} {joined} {self.scalar_leaf()} > {self.constant()}"
        return f"not {test}" if self.maybe(10) else test

    def call(self, result: Kind, depth: int) -> str | None:
        """A call of a generated function with a result of a kind, if there is one."""
        fitting = [
            (name, signature)
            for name, signature in self.scope.functions.items()
            if signature.result == result and (self.calling or not signature.lists)
        ]
        if not fitting or depth <= 0:
            return None
        return self.call_of(*self.one_of(fitting))

    def call_of(self, name: str, signature: Signature) -> str:
        """A call of a function; containers are passed as they are."""
        given = [self.item(k) for k in signature.params]
        if signature.depth:
            given.append(str(1 + self.choose(3)))
        if signature.function:
            given.append(self.function_value())
        if signature.default and self.maybe(50):
            given.append(f"scale={self.scalar(0)}")
        return f"{name}({', '.join(given)})"

    def function_value(self) -> str:
        """A function of one number or array, to be passed to another one."""
        fitting = [
            name
            for name, signature in self.scope.functions.items()
            if signature.plain
            and signature.params == ((3,),)
            and signature.result == (3,)
        ]
        if fitting and self.maybe(60):
            return str(self.one_of(fitting))
        forms = ["np.sin", f"lambda u: u * {self.scalar(0)}"]
        forms += [f"lambda u: np.cos(u) + {self.array_leaf((3,))}"]
        return str(self.one_of(forms))
