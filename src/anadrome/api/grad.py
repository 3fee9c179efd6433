"""The public interface to derivatives: `grad`, `jvp`, `vjp`, `hessian` and so on."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from anadrome import tree
from anadrome.driver.specialise import Derived, checked_argnums, remember
from anadrome.errors import ArgumentError, NotDifferentiable, UnsupportedSyntax
from anadrome.insert_grad import InsertGradOf

if TYPE_CHECKING:
    from anadrome.driver.program import Compiled
    from anadrome.frontend.interpreter import Interpreter
    from anadrome.ir.graph import Graph, Node, Parameter

Argnums = int | tuple[int, ...]

insert_grad_of = InsertGradOf


# Gradients --------------------------------------------------------------------------


class Gradient(Derived):
    """`f_grad(*args) -> gradient`."""

    kind = "grad"
    with_value = False

    def __init__(self, function: Any, argnums: Any = 0, has_aux: bool = False) -> None:
        super().__init__(function, argnums)
        self.has_aux = has_aux

    @property
    def results(self) -> tuple[tuple[int, ...], ...]:
        """Where in the result the gradients are."""
        if self.with_value:
            return ((1,),)
        return ((0,),) if self.has_aux else ((),)

    def transform(self, graph: Graph, sources: list[Parameter], name: str) -> Graph:
        from anadrome.transform.expansion.gradients import gradient_graph

        return gradient_graph(self, graph, sources, name)


class ValueAndGradient(Gradient):
    """`f_value_and_grad(*args) -> (value, gradient)`."""

    kind = "value_and_grad"
    with_value = True


class ElementwiseGradient(Gradient):
    """The gradient of the sum of the results."""

    kind = "elementwise_grad"

    def transform(self, graph: Graph, sources: list[Parameter], name: str) -> Graph:
        from anadrome.transform.expansion.gradients import sum_result

        return super().transform(sum_result(graph), sources, name)


def grad(
    fun: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """The gradient of a function that returns one number.

    `argnums` says which positional arguments to differentiate; for a tuple the
    gradients come in a tuple. Arguments may be numbers, arrays, and lists, tuples,
    dicts and objects of them: a gradient has the structure of its argument, with None
    where there is nothing to differentiate. With `has_aux` the function returns
    `(loss, aux)` and the gradient function `(gradient, aux)`.
    """
    return Gradient(fun, argnums, has_aux)


def value_and_grad(
    fun: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """Like `grad`, but returns the value too: `(value, gradient)`.

    With `has_aux` that is `((loss, aux), gradient)`.
    """
    return ValueAndGradient(fun, argnums, has_aux)


def elementwise_grad(
    fun: Callable[..., Any], argnums: Argnums = 0
) -> Callable[..., Any]:
    """The derivative of each output element with respect to its own input element.

    Right for functions that work element by element; for others it is the gradient of
    the sum of the outputs.
    """
    return ElementwiseGradient(fun, argnums)


# Directional derivatives ------------------------------------------------------------


class Jvp(Derived):
    """A function of arguments and tangents: `(value, tangent)`."""

    kind = "jvp"
    results: tuple[tuple[int, ...], ...] = ((1,),)

    def __init__(self, function: Any, argnums: Any = 0) -> None:
        super().__init__(function, argnums)
        # What draws random numbers in its programs, by the program, if it was asked.
        self.draws: dict[int, tuple[Compiled, Any]] = {}

    def transform(self, graph: Graph, sources: list[Parameter], name: str) -> Graph:
        from anadrome.transform.forward.walk import forward

        return forward(graph, sources, name)

    def push(
        self, args: tuple[Any, ...], keywords: dict[str, Any], tangents: tuple[Any, ...]
    ) -> Any:
        """The value and its tangent."""
        places = self.positions(len(args))
        fitted = tuple(
            tree.fitted(args[k], t, for_integers=0.0) for k, t in zip(places, tangents)
        )
        return self.specialise(args, keywords).run(args, keywords, fitted)

    def inline_push(
        self,
        it: Interpreter,
        args: list[Node],
        keywords: dict[str, Node],
        tangents: list[Node],
    ) -> Node:
        """The value and its tangent inside a function that is being read."""
        from anadrome.transform.expansion.nesting import graph_of_call, splice

        graph, params, free = graph_of_call(it, self.function, args, keywords)
        sources = [params[k] for k in self.positions(len(args))]
        made = self.transform(graph, sources, f"{self.kind}_{graph.name}")
        return splice(it, made, [*args, *keywords.values(), *free, *tangents])


class HessianProduct(Jvp):
    """`(*args, v) -> H v`, the derivative of a gradient along v."""

    kind = "hvp"
    results = ((),)

    def __init__(self, function: Any, argnums: Any) -> None:
        super().__init__(grad(function, argnums), argnums)
        name = getattr(function, "__name__", "f").replace("<lambda>", "f")
        self.__name__ = f"hvp_{name}"

    def transform(self, graph: Graph, sources: list[Parameter], name: str) -> Graph:
        from anadrome.transform.expansion.gradients import second_item

        return second_item(super().transform(graph, sources, name))

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        *given, v = _with_direction(args)
        vs = v if isinstance(self.argnums, tuple) else (v,)
        return self.push(tuple(given), keywords, vs)

    def __anadrome_inline__(
        self, it: Interpreter, args: list[Node], keywords: dict[str, Node]
    ) -> Node:
        from anadrome.frontend.values.tuples import take

        *given, v = args
        vs = [v]
        if isinstance(self.argnums, tuple):
            vs = [take(it, it.concrete(v), k) for k in range(len(self.argnums))]
        return self.inline_push(it, given, keywords, vs)


def _with_direction(args: tuple[Any, ...]) -> tuple[Any, ...]:
    if not args:
        raise ArgumentError(
            "the direction is missing",
            help="write it last, as in ad.hvp(f)(x, v)",
        )
    return args


def jvp(
    fun: Callable[..., Any], primals: tuple[Any, ...], tangents: tuple[Any, ...]
) -> tuple[Any, Any]:
    """The value of a function and its derivative in a direction.

    `tangents` has one direction for each argument, in the argument's shape.
    """
    if not isinstance(primals, tuple | list) or not isinstance(tangents, tuple | list):
        raise ArgumentError(
            "jvp takes tuples of arguments and of tangents",
            help="write ad.jvp(f, (x,), (dx,))",
        )
    if len(primals) != len(tangents):
        raise ArgumentError(
            f"{len(primals)} arguments but {len(tangents)} tangents",
            help="give one tangent for each argument",
        )
    kept = tuple(k for k, x in enumerate(primals) if _varies(x, tangents[k]))
    if not kept:
        raise ArgumentError(
            "none of the arguments is a floating-point value",
            help="convert one with float(…) or .astype(float)",
        )
    pushed = remember(Jvp, fun, kept)
    found: tuple[Any, Any] = pushed.push(
        tuple(primals), {}, tuple(tangents[k] for k in kept)
    )
    return found


def _varies(x: Any, dx: Any) -> bool:
    """Whether an argument has a tangent; one without must be given none."""
    if tree.leaves(x):
        return True
    tree.fitted(x, dx)
    return False


class Vjp(Derived):
    """Two programs: the value with a record, and the backward pass from it."""

    kind = "vjp"
    results: tuple[tuple[int, ...], ...] = ((0,),)

    def __init__(self, function: Any, argnums: tuple[int, ...]) -> None:
        super().__init__(function, argnums)

    def build(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> Compiled:
        from anadrome.api.vjp import build_pair

        return build_pair(self, args, keywords)

    def pull(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, Any]:
        """The value, and the pullback."""
        from anadrome.api.vjp import Pullback

        made = self.specialise(args, keywords)
        return Pullback.start(made, args, keywords)


def vjp(
    fun: Callable[..., Any], *args: Any
) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """The value of a function, and its pullback.

    The pullback maps a cotangent of the value to a tuple of cotangents, one for each
    argument; it can be called more than once. Arguments without floating-point numbers
    have the cotangent None.
    """
    kept = tuple(k for k, x in enumerate(args) if tree.leaves(x))
    if not kept:
        raise ArgumentError(
            "none of the arguments is a floating-point value",
            help="convert one with float(…) or .astype(float)",
        )
    value, pull = remember(Vjp, fun, kept).pull(args, {})
    if len(kept) == len(args):
        return value, pull

    def pullback(cotangent: Any) -> tuple[Any, ...]:
        found = dict(zip(kept, pull(cotangent)))
        return tuple(found.get(k) for k in range(len(args)))

    return value, pullback


# Jacobians --------------------------------------------------------------------------


def _chosen(args: tuple[Any, ...], argnums: Argnums) -> Any:
    """The arguments to differentiate: one, or a tuple of them."""
    wanted = argnums if isinstance(argnums, tuple) else (argnums,)
    for k in wanted:
        if not -len(args) <= k < len(args):
            raise ArgumentError(
                f"argnums={k}, but the function was called with {len(args)} positional "
                "arguments",
                help="pass the arguments to differentiate by position",
            )
        if any(np.iscomplexobj(leaf) for leaf in tree.leaves(args[k])):
            raise ArgumentError(
                "the Jacobian in a complex argument is not one matrix",
                help="use real arguments, or ad.jvp and ad.vjp",
            )
    chosen = tuple(args[k] for k in wanted)
    return chosen if isinstance(argnums, tuple) else chosen[0]


def _draw(push: Jvp, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """A statement that draws other random numbers whenever a function runs."""
    program = push.specialise(args, keywords)
    if id(program) not in push.draws:
        from anadrome.transform.dependence.draws import draws_anew

        push.draws[id(program)] = program, draws_anew(program.graph)
    return push.draws[id(program)][1]


def _refuse_draws(push: Jvp, args: tuple[Any, ...], keywords: dict[str, Any]) -> None:
    drawn = _draw(push, args, keywords)
    if drawn is not None:
        raise NotDifferentiable(
            "random numbers are drawn in a function that runs more than once for this "
            "derivative, and would draw others each time",
            drawn.span,
            "draw them before the call, or make the generator from a seed inside",
        )


class Jacobian:
    """The Jacobian of a function: `mode` is "fwd", "rev" or the cheaper of them."""

    def __init__(self, function: Any, argnums: Any, mode: str, kind: str) -> None:
        self.argnums = checked_argnums(argnums)
        wanted = self.argnums if isinstance(self.argnums, tuple) else (self.argnums,)
        self.forward = Jvp(function, wanted)
        self.reverse = Vjp(function, wanted)
        self.mode = mode
        name = getattr(function, "__name__", "f").replace("<lambda>", "f")
        self.__name__ = f"{kind}_{name}"
        self.__doc__ = getattr(function, "__doc__", None)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        x = _chosen(args, self.argnums)
        several = isinstance(self.argnums, tuple)

        def push(d: Any) -> tuple[Any, Any]:
            found: tuple[Any, Any] = self.forward.push(
                args, keywords, d if several else (d,)
            )
            return found

        if self.mode == "fwd":
            if tree.size(x) > 1:
                _refuse_draws(self.forward, args, keywords)
            return tree.jacobian_columns(push, x)
        value, pullback = self.reverse.pull(args, keywords)
        if self.mode == "any" and tree.size(x) <= tree.size(value):
            if tree.size(x) < 2 or _draw(self.forward, args, keywords) is None:
                return tree.jacobian_columns(push, x)

        def pull(d: Any) -> Any:
            return pullback(d) if several else pullback(d)[0]

        return tree.jacobian_rows(value, pull, x)

    def __repr__(self) -> str:
        return f"<ad.{self.__name__}>"

    @property
    def function(self) -> Any:
        """The function whose Jacobian it is."""
        return self.forward.function

    def __anadrome_inline__(
        self, it: Interpreter, args: list[Node], keywords: dict[str, Node]
    ) -> Node:
        """The Jacobian as part of a function that is being read."""
        from anadrome.api.jacobian import inline_jacobian

        return inline_jacobian(self, it, args)


def jacfwd(fun: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """The Jacobian of a function, column by column in forward mode."""
    return Jacobian(fun, argnums, "fwd", "jacfwd")


def jacrev(fun: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """The Jacobian of a function, row by row in reverse mode."""
    return Jacobian(fun, argnums, "rev", "jacrev")


def jacobian(fun: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """The Jacobian of a function, in the mode that needs fewer passes.

    Its axes are those of the result, then those of the argument. For structured
    results and arguments it is a result's structure of an argument's structures.
    """
    return Jacobian(fun, argnums, "any", "jacobian")


def hessian(fun: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """The matrix of second derivatives: forward mode over reverse mode."""
    made = Jacobian(grad(fun, argnums), argnums, "fwd", "hessian")
    made.__name__ = f"hessian_{getattr(fun, '__name__', 'f')}".replace("<lambda>", "f")
    return made


def hvp(fun: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """`hvp(f)(*args, v)`: the Hessian times a vector, without the Hessian.

    `v` has the structure of the differentiated argument, or is a tuple if `argnums`
    is one.
    """
    return HessianProduct(fun, argnums)


# Products with approximations of the Hessian ----------------------------------------


def _half_square(y: Any) -> Any:
    return 0.5 * np.sum(y * y)


def gauss_newton_product(
    fun: Callable[..., Any], loss: Callable[[Any], Any] = _half_square, argnums: int = 0
) -> Callable[..., Any]:
    """`(*args, v) -> Jᵀ H J v`: J the Jacobian of `fun`, H the Hessian of `loss`."""
    push, pull, curve = Jvp(fun, (argnums,)), Vjp(fun, (argnums,)), hvp(loss)

    def product(*args: Any, **keywords: Any) -> Any:
        *given, v = _with_direction(args)
        _refuse_draws(push, tuple(given), keywords)
        y, jv = push.push(tuple(given), keywords, (v,))
        pullback = pull.pull(tuple(given), keywords)[1]
        return pullback(curve(y, jv))[0]

    product.__anadrome_inline__ = _outside  # type: ignore[attr-defined]
    product.__name__ = f"gauss_newton_product_{getattr(fun, '__name__', 'f')}"
    return product


def gradient_covariance_product(
    losses: Callable[..., Any], argnums: int = 0
) -> Callable[..., Any]:
    """`(*args, v) -> (1/n) Σ gᵢ gᵢᵀ v` for the gradients gᵢ of n losses.

    `losses` returns the vector of the losses of n examples. The product is that of the
    uncentred covariance of their gradients, as Jᵀ (J v) / n.
    """
    push, pull = Jvp(losses, (argnums,)), Vjp(losses, (argnums,))

    def product(*args: Any, **keywords: Any) -> Any:
        *given, v = _with_direction(args)
        _refuse_draws(push, tuple(given), keywords)
        y, jv = push.push(tuple(given), keywords, (v,))
        pullback = pull.pull(tuple(given), keywords)[1]
        return pullback(jv / np.size(y))[0]

    product.__anadrome_inline__ = _outside  # type: ignore[attr-defined]
    product.__name__ = f"gradient_covariance_product_{getattr(losses, '__name__', 'f')}"
    return product


# Inside functions that are being read -----------------------------------------------


def _inside(make: Callable[..., Any]) -> Any:
    """`ad.grad(f)` in the code of a differentiated function."""

    def handler(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
        from anadrome.api.vjp import compile_time_value

        given = [compile_time_value(it, a, k == 0) for k, a in enumerate(args)]
        named = {k: compile_time_value(it, v, k == "fun") for k, v in keywords.items()}
        return it.constant(make(*given, **named))

    return handler


def _jvp_inside(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    from anadrome.api.vjp import inline_jvp

    return inline_jvp(it, args, keywords)


def _vjp_inside(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    from anadrome.api.vjp import inline_vjp

    return inline_vjp(it, args, keywords)


def _outside(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    raise it.fail(
        UnsupportedSyntax,
        "a product with an approximate Hessian inside a function that is being read",
        "call it outside, or write it with ad.jvp, ad.vjp and ad.hvp",
    )


def _register_inside() -> None:
    gauss_newton_product.__anadrome_inline__ = _outside  # type: ignore[attr-defined]
    gradient_covariance_product.__anadrome_inline__ = _outside  # type: ignore[attr-defined]
    made = (grad, value_and_grad, elementwise_grad, hvp)
    for function in (*made, jacobian, jacfwd, jacrev, hessian):
        function.__anadrome_inline__ = _inside(function)  # type: ignore[attr-defined]
    jvp.__anadrome_inline__ = _jvp_inside  # type: ignore[attr-defined]
    vjp.__anadrome_inline__ = _vjp_inside  # type: ignore[attr-defined]


_register_inside()
