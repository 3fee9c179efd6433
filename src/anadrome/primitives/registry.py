"""What a primitive is, and where to find the one behind a callable.

A primitive is declared once, with everything about it in one place::

    @primitive(np.divide, operator.truediv, broadcasts=True, samples=...)
    def divide(x, y):
        "Elementwise quotient, broadcast as NumPy does."

    @divide.vjp
    def divide_vjp(z, x, y, *, dz):
        return dz / y, -dz * z / y

    @divide.jvp
    def divide_jvp(z, x, y, *, dx, dy):
        return (dx - z * dy) / y

The rules are ordinary Python. They can be called and tested as they stand; the
compiler reads their source, inlines them, and differentiates them again.
"""

from __future__ import annotations

import dis
import functools
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

Rule = Callable[..., Any]


@dataclass(frozen=True)
class Sample:
    """One call on which a primitive is tested: positional and keyword arguments."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any] = field(default_factory=dict)


def call(*args: Any, **kwargs: Any) -> Sample:
    """The sample `f(*args, **kwargs)`."""
    return Sample(args, kwargs)


class Primitive:
    """A function the compiler does not look into.

    `impl` is what runs. Exactly one of these says what its derivative is:
    `vjp_rule` and `jvp_rule`; `zero=True`, for functions that are locally constant;
    or `refusal`, the reason why there is none.
    """

    # Whether it is a user's function that writes its own derivatives: see `custom`.
    custom = False

    def __init__(
        self,
        declaration: Callable[..., Any],
        targets: tuple[Callable[..., Any], ...] = (),
        *,
        methods: tuple[str, ...] = (),
        properties: tuple[str, ...] = (),
        broadcasts: bool = False,
        view: bool = False,
        fresh: bool = True,
        zero: bool = False,
        refusal: str | None = None,
        pure: bool = True,
        masks: bool = False,
        raises: bool = True,
        linear: tuple[str, ...] = (),
        structural: tuple[str, ...] = (),
        sequences: tuple[str, ...] = (),
        samples: Callable[[np.random.Generator], list[Any]] | None = None,
        infer: Callable[..., Any] | None = None,
    ) -> None:
        self.__name__ = declaration.__name__
        self.__qualname__ = self.__name__
        self.__doc__ = declaration.__doc__
        self.__module__ = declaration.__module__
        # Passes and lowerings know primitives by name: a user's `sum` is not ours.
        own = self.__module__.startswith("anadrome.")
        self.name = self.__name__ if own else f"{self.__module__}.{self.__name__}"
        self.declaration = declaration
        self.targets = targets or (declaration,)
        self.impl = self.targets[0]
        self.methods = methods
        self.properties = properties
        self.broadcasts = broadcasts
        self.view = view
        # Whether an array that it returns is always a new one.
        self.fresh = fresh and not view
        self.zero = zero
        self.refusal = refusal
        self.pure = pure
        # Whether it passes on some of its operands and nothing of the others: `where`.
        self.masks = masks
        self.raises = raises
        self.linear = linear
        # Parameters of which only the shape or the structure matters.
        self.structural = structural
        # Parameters that are several values; a list given for another is an array.
        self.sequences = sequences
        self.make_samples = samples
        self.infer = infer
        self.vjp_rule: Rule | None = None
        self.jvp_rule: Rule | None = None
        # Elementwise functions give one partial derivative per argument instead of
        # the two rules; `None` for an argument in which they are locally constant.
        self.partials: tuple[Rule | None, ...] | None = None

    @functools.cached_property
    def signature(self) -> inspect.Signature:
        """The parameters, by the names that rules use for them."""
        return inspect.signature(self.declaration)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.impl(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<primitive {self.name}>"

    def vjp(self, rule: Rule) -> Rule:
        """Declare the reverse rule `rule(z, *args, dz) -> cotangents`."""
        self.vjp_rule = rule
        return rule

    def jvp(self, rule: Rule) -> Rule:
        """Declare the forward rule `rule(z, *args, dx=…, dy=…) -> dz`."""
        self.jvp_rule = rule
        return rule

    @property
    def differentiable(self) -> tuple[str, ...]:
        """The parameters that have a derivative: `x` where the jvp rule takes `dx`."""
        if self.partials is not None:
            names = list(self.signature.parameters)
            return tuple(n for n, d in zip(names, self.partials) if d is not None)
        if self.jvp_rule is None:
            # A reverse rule alone returns a cotangent for every parameter.
            return tuple(self.signature.parameters) if self.vjp_rule is not None else ()
        return _with_tangents(self.jvp_rule)

    def samples(self, seed: int = 0) -> list[Sample]:
        """The calls on which this primitive is tested."""
        if self.make_samples is None:
            return []
        made = self.make_samples(np.random.default_rng(seed))
        return [s if isinstance(s, Sample) else Sample(tuple(s)) for s in made]


@functools.cache
def _with_tangents(rule: Callable[..., Any]) -> tuple[str, ...]:
    """The parameters whose tangents a jvp rule takes."""
    return tuple(
        name[1:]
        for name, p in inspect.signature(rule).parameters.items()
        if p.kind is p.KEYWORD_ONLY
    )


_by_target: dict[Any, Primitive] = {}
_methods: dict[str, Primitive] = {}
_properties: dict[str, Primitive] = {}
_nondifferentiable: set[Any] = set()
_foreign: list[Primitive] = []

METHODS = MappingProxyType(_methods)
"""ndarray methods: name → primitive."""

PROPERTIES = MappingProxyType(_properties)
"""ndarray properties: name → primitive."""

# Rules for packages that are slow to import are read when the package is first met.
_LAZY = {
    "scipy.special": "scipy.special",
    "scipy.linalg": "scipy.linalg",
    "scipy.signal": "scipy.signal",
    "scipy.integrate": "scipy.integrate",
    "scipy.stats": "scipy.stats",
}


def register(made: Primitive) -> Primitive:
    """Enter a primitive into the tables and return it."""
    if not made.__module__.startswith("anadrome."):
        _foreign.append(made)
    for target in made.targets:
        _by_target[target] = made
    _by_target[made] = made
    for name in made.methods:
        _methods[name] = made
    for name in made.properties:
        _properties[name] = made
    return made


def foreign_primitives() -> list[Primitive]:
    """The primitives that others than this package have registered."""
    return _foreign


def primitive(*targets: Any, **options: Any) -> Any:
    """Declare a primitive; see the module's docstring.

    Without targets the decorated function is itself what runs, which is how users
    register their own functions: ``@ad.primitive``.
    """
    if len(targets) == 1 and not options and inspect.isfunction(targets[0]):
        return register(Primitive(targets[0]))
    return lambda declaration: register(Primitive(declaration, targets, **options))


def elementwise(
    *targets: Any, partials: tuple[Rule | None, ...] | Rule, **options: Any
) -> Any:
    """Declare an elementwise primitive by its partial derivatives.

    `partials` has one function `(z, *args) -> array` for each argument; both rules
    follow from it: ``dx = dz * partial`` and ``dz = Σ partial * dx``.
    """
    rules = partials if isinstance(partials, tuple) else (partials,)

    def declare(declaration: Callable[..., Any]) -> Primitive:
        made = Primitive(declaration, targets, broadcasts=True, **options)
        made.partials = rules
        parameters = declaration.__code__.co_varnames
        names = [n for n, d in zip(parameters, rules) if d is not None]
        given = [d for d in rules if d is not None]

        def vjp(z: Any, *args: Any, dz: Any) -> Any:
            out = tuple(dz * partial(z, *args) for partial in given)
            return out if len(out) > 1 else out[0]

        def jvp(z: Any, *args: Any, **tangents: Any) -> Any:
            return sum(
                tangents["d" + name] * partial(z, *args)
                for name, partial in zip(names, given)
                if tangents.get("d" + name) is not None
            )

        made.vjp_rule, made.jvp_rule = vjp, jvp
        return register(made)

    return declare


def constant(*targets: Any, **options: Any) -> Any:
    """Declare a primitive whose derivative is zero wherever it exists."""
    return primitive(*targets, zero=True, **options)


def nondifferentiable(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a pure helper of the rules as opaque: it works on shapes, axes and strings.

    The compiler calls it as it stands and never differentiates through it.
    """
    _nondifferentiable.add(function)
    return function


@functools.cache
def _returns_something(function: Callable[..., Any]) -> bool:
    """Whether a function may return anything but None."""
    code = getattr(function, "__code__", None)
    if code is None:
        return True
    before = None
    for step in dis.get_instructions(code):
        if step.opname == "RETURN_VALUE" and not (
            before is not None
            and before.opname == "LOAD_CONST"
            and before.argval is None
        ):
            return True
        if step.opname == "RETURN_CONST" and step.argval is not None:
            return True
        before = step
    return False


def is_guard(function: Any) -> bool:
    """Whether a helper of the rules returns nothing: it is there to refuse."""
    return is_nondifferentiable(function) and not _returns_something(function)


def is_nondifferentiable(function: Any) -> bool:
    """Whether `nondifferentiable` marked this function."""
    try:
        return function in _nondifferentiable
    except TypeError:
        return False


def load_rules_for(module: str | None) -> bool:
    """Read the rules of a lazily supported package; whether anything was read."""
    for package, rules in _LAZY.items():
        if module and (module == package or module.startswith(package + ".")):
            name = f"anadrome.primitives.{rules}"
            if name not in sys.modules and importlib.util.find_spec(name) is not None:
                importlib.import_module(name)
                return True
    return False


def find_primitive(target: Any) -> Primitive | None:
    """The primitive that stands for a callable, or None."""
    try:
        found = _by_target.get(target)
    except TypeError:
        return None
    if (
        found is None
        and isinstance(target, np.ufunc)
        and "scipy.special" in sys.modules
    ):
        # A ufunc does not know its module.
        load_rules_for("scipy.special")
        found = _by_target.get(target)
    if found is None:
        module = getattr(target, "__module__", None)
        if module is None or not isinstance(module, str):
            module = type(target).__module__
        owner = getattr(target, "__self__", None)
        if load_rules_for(module) or (
            owner is not None and load_rules_for(type(owner).__module__)
        ):
            found = _by_target.get(target)
    return found


def all_primitives() -> Iterator[Primitive]:
    """Every registered primitive once, with the lazy rules read."""
    importlib.import_module("anadrome.primitives.numpy.rules")
    for package in _LAZY:
        load_rules_for(package)
    return iter({id(p): p for p in _by_target.values()}.values())
