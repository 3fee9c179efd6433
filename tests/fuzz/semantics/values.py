"""Expressions of random programs, over what is in scope."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from fuzz.semantics.live import Kind

T = TypeVar("T")
Place = tuple[str, Kind]

UNARY = (
    *("np.sin", "np.cos", "np.tanh", "np.exp", "np.abs", "np.negative", "np.square"),
    *("np.sign", "np.floor", "np.arctan", "np.real", "np.positive", "abs", "np.ceil"),
    *("np.expm1", "np.sqrt", "np.log1p", "np.conj", "np.imag", "np.isfinite"),
    *("np.rint", "np.trunc", "np.cbrt", "np.reciprocal", "np.asarray", "np.array"),
)
BINARY = (
    *("np.add", "np.subtract", "np.multiply", "np.maximum", "np.minimum", "np.divide"),
    *("np.hypot", "np.arctan2", "np.fmod", "np.power", "np.logaddexp", "np.fmax"),
    *("np.remainder", "np.floor_divide", "np.copysign", "np.heaviside"),
)
OPERATORS = ("+", "-", "*", "+", "-", "*", "/", "//", "%", "**")
REDUCTIONS = (
    *("np.sum", "np.mean", "np.max", "np.min", "np.prod", "np.std", "np.var"),
    *("np.any", "np.all", "np.argmax", "np.argmin", "np.ptp", "np.median"),
    *("np.count_nonzero", "np.nansum", "np.linalg.norm", "np.average"),
)
METHODS = ("sum", "mean", "max", "min", "prod", "std", "any", "all", "argmax")
DTYPES = (
    *("float64", "float64", "float32", "float16", "int64", "int32", "int8", "uint8"),
    *("bool", "complex128", "complex64"),
)
TYPES = tuple(f"np.{d}" if d != "bool" else "bool" for d in DTYPES)


class Nothing(Exception):
    """There is nothing in scope that suits."""


class Values:
    """Writes expressions; `scope` says what there is."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.scope: dict[str, Kind] = {}
        self.ghosts: list[str] = []  # names that were bound somewhere else

    # Choosing -------------------------------------------------------------------------

    def maybe(self, percent: float) -> bool:
        return self.rng.random() * 100 < percent

    def one(self, items: Sequence[T]) -> T:
        if not items:
            raise Nothing
        return self.rng.choice(items)

    def places(self, suits: Callable[[Kind], Any], top: bool = False) -> list[Place]:
        """Names and paths, such as `d['a'][0]`, of values that suit."""
        found: list[Place] = []

        def visit(path: str, kind: Kind) -> None:
            if suits(kind):
                found.append((path, kind))
            if not top:
                for tail, part in kind.parts.items():
                    visit(path + tail, part)

        for name, kind in self.scope.items():
            visit(name, kind)
        return found

    def place(self, suits: Callable[[Kind], Any], top: bool = False) -> Place:
        return self.one(self.places(suits, top))

    def array_place(self, least: int = 0, writable: bool = False) -> Place:
        return self.place(
            lambda k: (
                k.tag == "array"
                and len(k.shape) >= least
                and (k.writable or not writable)
            )
        )

    # Numbers --------------------------------------------------------------------------

    def constant(self) -> str:
        if self.maybe(70):
            return self.one(["0.5", "2.0", "1.5", "-0.7", "3.0", "0.25", "1.0", "0.0"])
        return self.one(
            ["1", "2", "3", "True", "-1", "1e3", "np.float32(1.5)", "np.float64(0.3)"]
        )

    def number(self, depth: int = 2) -> str:
        """A real number."""
        if self.maybe(2) and self.ghosts:
            return self.one(self.ghosts)
        if depth <= 0 or self.maybe(25):
            found = self.places(lambda k: k.scalar and k.tag != "complex")
            if found and self.maybe(80):
                return self.one(found)[0]
            return self.constant()
        return self.one(self._numbers)(self, depth - 1)

    def _n_operator(self, d: int) -> str:
        return f"({self.number(d)} {self.one(OPERATORS)} {self.number(d)})"

    def _n_unary(self, d: int) -> str:
        return f"{self.one(UNARY[:12])}({self.number(d)})"

    def _n_binary(self, d: int) -> str:
        return f"{self.one(BINARY)}({self.number(d)}, {self.number(d)})"

    def _n_reduce(self, d: int) -> str:
        return f"{self.one(REDUCTIONS[:6])}({self.array(d)})"

    def _n_method(self, d: int) -> str:
        return f"{self.array(d)}.{self.one(METHODS)}()"

    def _n_item(self, d: int) -> str:
        path, kind = self.array_place(1)
        if 0 in kind.shape:
            raise Nothing
        index = ", ".join(str(self.rng.randrange(-n, n)) for n in kind.shape)
        return f"{path}[{index}]"

    def _n_convert(self, d: int) -> str:
        f = self.one(
            [
                "float",
                "float",
                "int",
                "bool",
                "round",
                "abs",
                "np.float32",
                "np.float64",
            ]
        )
        return f"{f}({self.number(d)})"

    def _n_choice(self, d: int) -> str:
        return f"({self.number(d)} if {self.condition(d)} else {self.number(d)})"

    def _n_boolean(self, d: int) -> str:
        word = self.one(["and", "or"])
        return f"({self.number(d)} {word} {self.number(d)})"

    def _n_extreme(self, d: int) -> str:
        return f"{self.one(['max', 'min'])}({self.number(d)}, {self.number(d)})"

    def _n_length(self, d: int) -> str:
        path, _ = self.place(lambda k: k.tag in ("array", "list", "tuple", "dict"))
        return f"len({path})"

    _numbers = (
        *(_n_operator, _n_operator, _n_operator, _n_unary, _n_unary, _n_binary),
        *(_n_reduce, _n_reduce, _n_method, _n_item, _n_item, _n_convert, _n_choice),
        *(_n_boolean, _n_extreme, _n_length),
    )

    def integer(self) -> str:
        found = self.places(
            lambda k: k.tag == "int" or (k.dtype[:3] == "int" and k.scalar)
        )
        if found and self.maybe(40):
            return self.one(found)[0]
        return str(self.one([0, 1, 2, 3, -1, 2, 1]))

    # Conditions -----------------------------------------------------------------------

    def condition(self, d: int = 1) -> str:
        pick = self.rng.randrange(12)
        if pick < 4 or d <= 0:
            sign = self.one(["<", ">", "<=", ">=", "==", "!="])
            return f"{self.number(d - 1)} {sign} {self.number(0)}"
        if pick == 4:
            signs = [self.one(["<", ">", "<=", "!="]) for _ in range(2)]
            n = [self.number(0) for _ in range(3)]
            return f"{n[0]} {signs[0]} {n[1]} {signs[1]} {n[2]}"
        if pick == 5:
            word = self.one(["and", "or"])
            return f"({self.condition(d - 1)} {word} {self.condition(d - 1)})"
        if pick == 6:
            return f"not {self.number(0)}"
        if pick == 7:
            path, _ = self.place(lambda k: k.tag in ("list", "tuple", "dict", "str"))
            return path
        if pick == 8:
            path, _ = self.place(lambda k: True)
            return f"{path} is {self.one(['None', 'not None'])}"
        if pick == 9:
            names = "float", "int", "np.ndarray", "(list, tuple)", "np.floating"
            path, _ = self.place(lambda k: True)
            return f"isinstance({path}, {self.one(names)})"
        if pick == 10:
            f = self.one(["np.any", "np.all", "any", "all"])
            return f"{f}({self.array(0)} {self.one(['<', '>'])} {self.constant()})"
        return self.number(0)

    # Arrays ---------------------------------------------------------------------------

    def array(self, depth: int = 2) -> str:
        """An array, more or less."""
        if depth <= 0 or self.maybe(25):
            return self.array_place()[0]
        return self.one(self._arrays)(self, depth - 1)

    def _a_operator(self, d: int) -> str:
        other = self.array(d) if self.maybe(50) else self.number(d)
        pair = [self.array(d), other]
        self.rng.shuffle(pair)
        return f"({pair[0]} {self.one(OPERATORS)} {pair[1]})"

    def _a_unary(self, d: int) -> str:
        return f"{self.one(UNARY)}({self.array(d)})"

    def _a_binary(self, d: int) -> str:
        other = self.array(d) if self.maybe(50) else self.number(d)
        return f"{self.one(BINARY)}({self.array(d)}, {other})"

    def _a_where(self, d: int) -> str:
        a = self.array(d)
        other = self.number(d) if self.maybe(50) else self.array(d)
        return f"np.where({a} > {self.constant()}, {a}, {other})"

    def _a_slice(self, d: int) -> str:
        path, kind = self.array_place(1)
        return f"{path}{self.index(kind)}"

    def _a_view(self, d: int) -> str:
        tail = [
            *(".T", ".ravel()", ".reshape(-1)", ".flatten()", ".copy()", "[::-1]"),
            *('.ravel(order="F")', '.reshape(-1, order="F")', '.copy(order="F")'),
            *(".squeeze()", ".real", ".swapaxes(0, -1)", "[None]", "[...]", "[..., 0]"),
            *('.ravel(order="K")', '.flatten("F")', ".reshape(-1, 1)", ".transpose()"),
        ]
        return f"{self.array(d)}{self.one(tail)}"

    def _a_cast(self, d: int) -> str:
        return f"{self.array(d)}.astype({self.one(TYPES)})"

    def _a_compare(self, d: int) -> str:
        return f"({self.array(d)} {self.one(['<', '>=', '=='])} {self.number(0)})"

    def _a_make(self, d: int) -> str:
        path, _ = self.array_place()
        text = self.one(
            [
                *("np.zeros_like({})", "np.ones({}.shape)", "np.full_like({}, 2)"),
                *("np.zeros({}.shape, dtype={}.dtype)", "np.stack([{}, {}])"),
                *("np.concatenate([{}, {}])", "np.atleast_1d({})", "np.cumsum({})"),
                *("np.sort({})", "np.diff({})", "np.outer({}, {})", "np.tile({}, 2)"),
                *(
                    "np.repeat({}, 2)",
                    "np.flip({})",
                    "np.roll({}, 1)",
                    "np.clip({}, -1, 1)",
                ),
                *(
                    "np.round({}, 1)",
                    "({} @ {}.T)",
                    "np.dot({}, {}.T)",
                    "np.unique({})",
                ),
                *("np.nonzero({})[0]", "np.tril({})", "np.array([{}, {}])"),
                *("np.linspace(0.0, 1.0, len({}))", "np.arange(len({}))"),
            ]
        )
        return text.replace("{}", path)

    def _a_list(self, d: int) -> str:
        return f"np.array([{self.number(d)}, {self.number(d)}])"

    _arrays = (
        *(_a_operator, _a_operator, _a_operator, _a_unary, _a_unary, _a_binary),
        *(_a_where, _a_slice, _a_slice, _a_view, _a_view, _a_cast, _a_compare),
        *(_a_make, _a_make, _a_list),
    )

    def index(self, kind: Kind, out: float = 3.0) -> str:
        """A subscript for an array, now and then out of bounds."""
        items = []
        for n in kind.shape[: self.rng.randint(1, max(1, len(kind.shape)))]:
            if self.maybe(out) or n == 0:
                items.append(self.one([str(n), ":", str(-n - 1), "0", "5:"]))
                continue
            k = self.rng.randrange(-n, n)
            items.append(
                self.one(
                    [
                        *(str(k), str(k), ":", "::-1", "1:", ":-1", "::2", f":{k}"),
                        *(f"{k}:", "-1::-1", "[0, -1]", "[0, 0]", "None", "..."),
                        *("-2:", "0:0", "[]", "True", self.integer()),
                    ]
                )
            )
        text = ", ".join(items)
        if text.count("...") > 1:
            text = text.replace("...", ":")
        return f"[{text}]"

    def mask(self, path: str) -> str:
        return self.one(
            [f"{path} > 0", f"{path} < 0.5", f"~({path} > 0)", f"{path} != 0"]
        )

    # Anything -------------------------------------------------------------------------

    def thing(self, depth: int = 1) -> str:
        """A value of any kind."""
        pick = self.rng.randrange(10)
        if pick < 4:
            return self.number(depth)
        if pick < 7:
            return self.array(depth)
        return self.one(self.places(lambda k: k.tag not in ("function", "type")))[0]
