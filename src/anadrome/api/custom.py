"""Derivative rules of the user's: `custom_vjp`, `custom_jvp`, `stop_gradient`.

    @ad.custom_vjp
    def clipped(x):
        return x

    @clipped.vjp
    def clipped_vjp(z, x, *, dz):
        return np.clip(dz, -1.0, 1.0)

The function's own body runs as it stands. Rules are ordinary Python that the compiler
reads, so they are differentiated again for higher derivatives.
"""

from __future__ import annotations

import functools
import inspect
import types as pytypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from anadrome import tree
from anadrome.errors import (
    AnadromeError,
    ArgumentError,
    MutationError,
    UnsupportedSyntax,
)
from anadrome.primitives.registry import Primitive, primitive

if TYPE_CHECKING:
    from anadrome.frontend.interpreter import Interpreter
    from anadrome.ir.graph import Apply, Node
    from anadrome.ir.types import Type

Rule = Callable[..., Any]


class CustomFunction(Primitive):
    """A function with derivative rules of the user's.

    Rules are given in the style of primitives, with `vjp` and `jvp`, or in the style
    of JAX, with `defvjp(fwd, bwd)` and `defjvp(rule)`. One is enough if it is linear.
    """

    custom = True

    def __init__(self, function: Callable[..., Any], nondiff_argnums: Any = ()) -> None:
        if not callable(function):
            raise ArgumentError(
                f"a derivative rule needs a function, this is a {type(function).__name__}"  # noqa: E501
            )
        super().__init__(_named(function))
        self.function = function
        self.impl = function
        functools.update_wrapper(self, function, updated=())
        names = list(self.signature.parameters)
        numbers = (
            (nondiff_argnums,) if isinstance(nondiff_argnums, int) else nondiff_argnums
        )
        try:
            self.fixed = frozenset(names[k] for k in numbers)
        except (IndexError, TypeError):
            raise ArgumentError(
                f"nondiff_argnums={nondiff_argnums!r}, but '{self.name}' has "
                f"{len(names)} parameters"
            ) from None
        self.forward_rule: Rule | None = None
        self.backward_rule: Rule | None = None
        self.pair_rule: Rule | None = None
        self.jvp_names: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<ad.custom {self.name}>"

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        return self.function(*args, **keywords)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """The function as a method: `self` is its first argument."""
        return self if instance is None else pytypes.MethodType(self, instance)

    @property
    def differentiable(self) -> tuple[str, ...]:
        """The parameters that a reverse rule returns cotangents for."""
        return tuple(
            n
            for n, p in self.signature.parameters.items()
            if n not in self.fixed and p.kind is not p.VAR_KEYWORD
        )

    def jvp(self, rule: Rule) -> Rule:
        """Declare the forward rule `rule(z, *args, dx=…, dy=…) -> dz`."""
        parameters = inspect.signature(rule).parameters.values()
        self.jvp_names = tuple(
            p.name[1:] for p in parameters if p.kind is p.KEYWORD_ONLY
        )
        unknown = [n for n in self.jvp_names if n not in self.signature.parameters]
        if unknown or not self.jvp_names:
            raise ArgumentError(
                f"the forward rule of '{self.name}' takes its tangents as keywords "
                f"{', '.join('d' + n for n in self.differentiable)}",
                help="write def rule(z, x, *, dx): …",
            )
        self.jvp_rule = rule
        return rule

    def vjp(self, rule: Rule) -> Rule:
        """Declare the reverse rule `rule(z, *args, dz=…) -> cotangents`."""
        parameter = inspect.signature(rule).parameters.get("dz")
        if parameter is None or parameter.kind is not parameter.KEYWORD_ONLY:
            raise ArgumentError(
                f"the reverse rule of '{self.name}' takes the cotangent as keyword dz",
                help="write def rule(z, x, *, dz): …",
            )
        self.vjp_rule = rule
        return rule

    def defvjp(self, fwd: Rule, bwd: Rule) -> None:
        """Declare the rule as `fwd(*args) -> (value, kept)` and `bwd(kept, dz)`.

        Arguments in `nondiff_argnums` come before the residuals.
        """
        self.forward_rule, self.backward_rule = fwd, bwd

    def defjvp(self, rule: Rule) -> Rule:
        """Declare `rule(primals, tangents) -> (value, tangent)`.

        Arguments in `nondiff_argnums` come before the primals.
        """
        self.pair_rule = rule
        return rule

    # What the compiler asks ----------------------------------------------------------

    def __anadrome_inline__(
        self, it: Interpreter, args: list[Node], keywords: dict[str, Node]
    ) -> Node:
        from anadrome.frontend.calls.opaque import runtime_form

        bound = self.signature
        args = [runtime_form(it, a) for a in args]
        keywords = {k: runtime_form(it, v) for k, v in keywords.items()}
        try:
            bound.bind(*args, **keywords)
        except TypeError as error:
            from anadrome.errors import TypeMismatch

            raise it.fail(TypeMismatch, f"{self.name}: {error}") from None
        kind, target = self._result(it, args, keywords)
        return it.emit(self, tuple(args), kind, keywords=keywords, target=target)

    def _result(
        self, it: Interpreter, args: list[Node], keywords: dict[str, Node]
    ) -> tuple[Type, Any]:
        """The type of the value, and what to call for it."""
        from anadrome.frontend.calls.calls import call
        from anadrome.frontend.interpreter import Interpreter
        from anadrome.infer.examples import result_type
        from anadrome.ir.types import classes_of

        nodes = [*args, *keywords.values()]
        classes = classes_of([n.type for n in nodes])
        before = [c.find().stores for c in classes]
        reader = Interpreter(self.name)
        reader.in_place = True
        reader.frames = list(it.frames)
        try:
            made = reader.concrete(
                call(reader, reader.constant(self.function), args, keywords)
            )
        except AnadromeError:
            return result_type(self.function, tuple(args), keywords), self._copying()
        if [c.find().stores for c in classes] != before:
            raise it.fail(
                MutationError,
                f"'{self.name}' has a rule of its own and changes an argument in place",
                "change a copy and return it",
            )
        it.guards += reader.guards
        it.functions += reader.functions
        it.members.update(reader.members)
        found = {id(c.find()) for c in classes_of([made.type])}
        if found & {id(c.find()) for c in classes}:
            return independent(made.type), self._copying()
        return made.type, self.function

    def _copying(self) -> Callable[..., Any]:
        """The function with a new array as its result even where it returns an argument."""  # noqa: E501

        @functools.wraps(self.function)
        def copied(*args: Any, **keywords: Any) -> Any:
            return tree.separate(self.function(*args, **keywords))

        return copied

    def forward_half(self, r: Any, node: Apply) -> bool:
        """Write the user's forward function into a forward pass, if there is one."""
        from anadrome.transform.expansion.custom import forward_half

        return forward_half(r, node)

    def pull_back(self, r: Any, node: Apply, d: Node) -> None:
        """Write the backward pass through a call."""
        from anadrome.transform.expansion.custom import pull_back

        pull_back(r, node, d)

    def push_forward(self, f: Any, node: Apply) -> Node | None:
        """The tangent of a call's value."""
        from anadrome.transform.expansion.custom import push_forward

        return push_forward(f, node)


def _named(function: Any) -> Any:
    """Something with a name and a signature for the declaration of a primitive."""
    if isinstance(getattr(function, "__name__", None), str):
        return function

    @functools.wraps(function)
    def declared(*args: Any, **keywords: Any) -> Any:
        return function(*args, **keywords)

    declared.__name__ = type(function).__name__
    return declared


def independent(t: Type) -> Type:
    """The type of a copy: the same, with alias classes of its own all the way down."""
    from anadrome.ir import types as kinds

    made: dict[int, Any] = {}

    def copy(s: Type) -> Type:
        s = kinds.deref(s)
        if isinstance(s, kinds.Num):
            return kinds.Num(s.dtype, s.ndim, s.python)
        if isinstance(s, kinds.Tuple):
            return kinds.Tuple(tuple(map(copy, s.items)), s.cls)
        if isinstance(s, kinds.VarTuple):
            return kinds.VarTuple(copy(s.item))
        if isinstance(s, kinds.Optional):
            return kinds.Optional(copy(s.inner))
        if not isinstance(s, kinds.Cell):
            return s
        if id(s) in made:
            return made[id(s)]
        new: Any = kinds.Object(s.cls) if isinstance(s, kinds.Object) else type(s)()
        made[id(s)] = new
        new.key, new.item = s.key, copy(s.item)
        if s.fields is not None:
            new.fields = {k: copy(v) for k, v in s.fields.items()}
        return new

    return copy(t)


def custom_vjp(function: Any = None, nondiff_argnums: Any = ()) -> Any:
    """The function with a reverse rule of your own.

    Give the rule with `@f.vjp def rule(z, x, y, *, dz)`, which is called with the
    value, the arguments and the cotangent of the value and returns one cotangent for
    each argument, or with `f.defvjp(fwd, bwd)` as in JAX. Forward mode follows from it
    if it is linear in `dz`; otherwise `@f.jvp` may say what it is.
    """
    if function is None:
        return lambda f: CustomFunction(f, nondiff_argnums)
    return CustomFunction(function, nondiff_argnums)


def custom_jvp(function: Any = None, nondiff_argnums: Any = ()) -> Any:
    """The function with a forward rule of your own; reverse mode follows from it.

    Give the rule with `@f.jvp def rule(z, x, y, *, dx, dy)`, which returns the tangent
    of the value, or with `f.defjvp(rule)` as in JAX.
    """
    return custom_vjp(function, nondiff_argnums)


def _outside(name: str) -> Any:
    """How the code of a differentiated function meets a declaration of a rule."""

    def handler(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
        raise it.fail(
            UnsupportedSyntax,
            f"ad.{name} is called in a function that is being read",
            "define the function and its rules outside of it, at module level",
        )

    return handler


for _declare in (custom_vjp, custom_jvp, primitive):
    _declare.__anadrome_inline__ = _outside(_declare.__name__)  # type: ignore[attr-defined]


@primitive(zero=True, infer=lambda value: independent(value.type))
def stop_gradient(value: Any) -> Any:
    """A copy of a value that counts as a constant: nothing flows back through it."""
    return _copied(value)


def _copied(value: Any) -> Any:
    copied = tree.separate(value)
    return (
        copied.copy() if isinstance(copied, np.ndarray) and copied is value else copied
    )


__all__ = ["CustomFunction", "custom_jvp", "custom_vjp", "stop_gradient"]
