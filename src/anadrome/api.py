"""The public interface: `import anadrome as ad`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from anadrome import structures
from anadrome.backends.python.compiled import compile_graph
from anadrome.derivative import Compiled, Derived, scalar_result
from anadrome.errors import ArgumentError
from anadrome.frontend.builtins import FUNCTIONS
from anadrome.frontend.contexts import InsertGradOf
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.program import read
from anadrome.ir.graph import Constant, Graph, Node, Parameter
from anadrome.ir.printer import print_graph
from anadrome.ir.types import Num, Tuple, Type
from anadrome.optimize.passes import optimize
from anadrome.transform.forward import forward
from anadrome.transform.reverse import reverse, reverse_pair

insert_grad_of = InsertGradOf


class _Gradient(Derived):
    kind = "grad"

    def __init__(self, function: Any, argnums: Any = 0, has_aux: bool = False) -> None:
        super().__init__(function, argnums)
        self.has_aux = has_aux

    def transform(self, graph: Graph, sources: list[Parameter], name: str) -> Graph:
        scalar_result(graph, self.has_aux, self.kind)
        made = reverse(
            graph,
            list(sources),
            name,
            seeded=False,
            value=self.kind == "value_and_grad" or self.has_aux,
            aux=self.has_aux,
        )
        if isinstance(self.argnums, tuple | list) and len(sources) == 1:
            made = _as_tuple(made, self.has_aux or self.kind == "value_and_grad")
        if self.has_aux and self.kind == "grad":
            made = _gradient_and_aux(made)
        return made


class _ValueAndGradient(_Gradient):
    kind = "value_and_grad"


def _as_tuple(graph: Graph, with_value: bool) -> Graph:
    """A gradient in a tuple of one, as `argnums=(0,)` asks for."""
    from anadrome.ir import operations as ops
    from anadrome.ir.graph import Apply

    result = graph.results[0]
    gradient = result
    if with_value:
        assert isinstance(result, Apply)
        gradient = result.args[1]
    single = Apply(ops.TUPLE, (gradient,), Tuple((gradient.type,)))
    if not with_value:
        graph.append(single)
        graph.results = [single]
        return graph
    assert isinstance(result, Apply)
    graph.body.insert(graph.body.index(result), single)
    single.graph = graph
    result.args = (result.args[0], single)
    result.type = Tuple((result.args[0].type, single.type))
    return graph


def _gradient_and_aux(graph: Graph) -> Graph:
    """`((loss, aux), gradient)` as `(gradient, aux)`."""
    from anadrome.frontend.regions import take

    it = Interpreter(graph.name)
    it.graph = graph
    pair, gradient = (take(it, graph.results[0], k) for k in (0, 1))
    aux = take(it, pair, 1)
    from anadrome.ir import operations as ops

    graph.results = [it.emit(ops.TUPLE, (gradient, aux), Tuple((gradient.type, aux.type)))]
    return graph


def grad(
    fun: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """The gradient of a function that returns one number.

    `argnums` says which positional arguments to differentiate; for a tuple the
    gradients come in a tuple. With `has_aux` the function returns `(loss, aux)` and the
    gradient function `(gradient, aux)`.
    """
    return _Gradient(fun, argnums, has_aux)


def value_and_grad(
    fun: Callable[..., Any], argnums: int | tuple[int, ...] = 0, has_aux: bool = False
) -> Callable[..., Any]:
    """Like `grad`, but returns the value too: `(value, gradient)`."""
    return _ValueAndGradient(fun, argnums, has_aux)


class _Jvp(Derived):
    """`f_jvp(*args, *tangents) -> (value, tangent)`."""

    kind = "jvp"

    def __init__(self, function: Any, count: int) -> None:
        super().__init__(function, tuple(range(count)))
        self.count = count

    def transform(self, graph: Graph, sources: list[Parameter], name: str) -> Graph:
        return forward(graph, sources, name)

    def __call__(self, *args: Any, **keywords: Any) -> Any:
        primals, tangents = args[: self.count], list(args[self.count :])
        return self.specialise(primals, keywords).run(primals, keywords, tangents)

    def __anadrome_inline__(
        self, it: Interpreter, args: list[Node], keywords: dict[str, Node]
    ) -> Node:
        from anadrome.derivative import graph_of_call, splice

        primals, tangents = args[: self.count], args[self.count :]
        graph, params, free = graph_of_call(it, self.function, primals, keywords)
        derived = self.transform(graph, list(params), f"jvp_{graph.name}")
        given = [*primals, *keywords.values(), *free, *tangents]
        return splice(it, derived, [it.concrete(g) for g in given])


def jvp(
    fun: Callable[..., Any], primals: tuple[Any, ...], tangents: tuple[Any, ...]
) -> tuple[Any, Any]:
    """The value of a function and its derivative in a direction."""
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
    for x, dx in zip(primals, tangents):
        structures.check_same(x, dx)
    found: tuple[Any, Any] = _Jvp(fun, len(primals))(*primals, *tangents)
    return found


class _Vjp(Derived):
    """Two programs: the value with a record, and the way back from it."""

    kind = "vjp"

    def __init__(self, function: Any, argnums: tuple[int, ...]) -> None:
        super().__init__(function, argnums)
        self._pairs: dict[int, Compiled] = {}

    def transform(self, graph: Graph, sources: list[Parameter], name: str) -> Graph:
        front, self._back = reverse_pair(graph, list(sources), name)
        return front

    def specialise(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> Compiled:
        made = super().specialise(args, keywords)
        if id(made) not in self._pairs:
            optimize(self._back)
            function, source = compile_graph(self._back, self._back.name)
            self._pairs[id(made)] = Compiled(made.program, self._back, function, source, [])
        return made

    def pull(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> tuple[Any, Any]:
        """The value, and the pullback."""
        front = self.specialise(args, keywords)
        back = self._pairs[id(front)]
        value, saved = front.run(args, keywords, [])

        def pullback(cotangent: Any) -> Any:
            """The cotangents of the arguments for a cotangent of the value."""
            structures.check_same(value, cotangent, "the cotangent")
            found = back.function(saved, cotangent)
            return found if len(self.argnums) > 1 else (found,)

        return value, pullback


def vjp(fun: Callable[..., Any], *args: Any) -> tuple[Any, Callable[[Any], tuple[Any, ...]]]:
    """The value of a function, and its pullback.

    The pullback maps a cotangent of the value to a tuple of cotangents, one for each
    argument; it can be called more than once.
    """
    return _Vjp(fun, tuple(range(len(args)))).pull(args, {})


def elementwise_grad(
    fun: Callable[..., Any], argnums: int | tuple[int, ...] = 0
) -> Callable[..., Any]:
    """The derivative of each output element with respect to its own input element.

    Right for functions that work element by element; for others it is the gradient of
    the sum of the outputs.
    """

    def total(*args: Any, **keywords: Any) -> Any:
        return np.sum(fun(*args, **keywords))

    made = grad(total, argnums)
    made.__name__ = f"elementwise_grad_{getattr(fun, '__name__', 'f')}"
    return made


def jacfwd(fun: Callable[..., Any], argnums: int = 0) -> Callable[..., Any]:
    """The Jacobian of a function, column by column in forward mode."""

    def jacobian_of(*args: Any, **keywords: Any) -> Any:
        return structures.jacobian_columns(_push(fun, argnums, args, keywords), args[argnums])

    jacobian_of.__name__ = f"jacfwd_{getattr(fun, '__name__', 'f')}"
    return jacobian_of


def _push(
    fun: Any, argnums: int, args: tuple[Any, ...], keywords: dict[str, Any]
) -> Callable[[Any], tuple[Any, Any]]:
    single = _restricted(fun, argnums, args, keywords)
    push = _Jvp(single, 1)
    x = args[argnums]
    return lambda dx: push(x, dx)  # type: ignore[no-any-return]


def _restricted(
    fun: Any, argnums: int, args: tuple[Any, ...], keywords: dict[str, Any]
) -> Callable[[Any], Any]:
    """The function of one argument with the others held fixed."""
    before, after = args[:argnums], args[argnums + 1 :]

    def restricted(x: Any) -> Any:
        return fun(*before, x, *after, **keywords)

    return restricted


def jacrev(fun: Callable[..., Any], argnums: int = 0) -> Callable[..., Any]:
    """The Jacobian of a function, row by row in reverse mode."""

    def jacobian_of(*args: Any, **keywords: Any) -> Any:
        value, pullback = _Vjp(fun, (argnums,)).pull(args, keywords)
        return structures.jacobian_rows(value, lambda d: pullback(d)[0], args[argnums])

    jacobian_of.__name__ = f"jacrev_{getattr(fun, '__name__', 'f')}"
    return jacobian_of


def jacobian(fun: Callable[..., Any], argnums: int = 0) -> Callable[..., Any]:
    """The Jacobian of a function, in the mode that needs fewer passes."""

    def jacobian_of(*args: Any, **keywords: Any) -> Any:
        push = _push(fun, argnums, args, keywords)
        x = args[argnums]
        value, _ = push(structures.zeros_like(x))
        if structures.size(x) <= structures.size(value):
            return structures.jacobian_columns(push, x)
        return jacrev(fun, argnums)(*args, **keywords)

    jacobian_of.__name__ = f"jacobian_{getattr(fun, '__name__', 'f')}"
    return jacobian_of


def hessian(fun: Callable[..., Any], argnums: int = 0) -> Callable[..., Any]:
    """The matrix of second derivatives: forward mode over reverse mode."""
    return jacfwd(grad(fun, argnums), argnums)


def hvp(fun: Callable[..., Any], argnums: int = 0) -> Callable[..., Any]:
    """`hvp(f)(*args, v)`: the Hessian times a vector, without the Hessian."""
    gradient = grad(fun, argnums)

    def product(*args: Any) -> Any:
        *given, v = args
        return _push(gradient, argnums, tuple(given), {})(v)[1]

    product.__name__ = f"hvp_{getattr(fun, '__name__', 'f')}"
    return product


def _half_square(y: Any) -> Any:
    return 0.5 * np.sum(y * y)


def gauss_newton_product(
    fun: Callable[..., Any], loss: Callable[[Any], Any] = _half_square, argnums: int = 0
) -> Callable[..., Any]:
    """`(*args, v) -> Jᵀ H J v`: J the Jacobian of `fun`, H the Hessian of `loss`."""

    def product(*args: Any) -> Any:
        *given, v = args
        single = _restricted(fun, argnums, tuple(given), {})
        y, jv = jvp(single, (given[argnums],), (v,))
        hjv = hvp(loss)(y, jv)
        return vjp(single, given[argnums])[1](hjv)[0]

    product.__name__ = f"gauss_newton_product_{getattr(fun, '__name__', 'f')}"
    return product


def gradient_covariance_product(
    losses: Callable[..., Any], argnums: int = 0
) -> Callable[..., Any]:
    """`(*args, v) -> (1/n) Σ gᵢ gᵢᵀ v` for the gradients gᵢ of n losses.

    `losses` returns the vector of the losses of n examples. The product is that of the
    uncentred covariance of their gradients, as Jᵀ (J v) / n.
    """

    def product(*args: Any) -> Any:
        *given, v = args
        single = _restricted(losses, argnums, tuple(given), {})
        y, jv = jvp(single, (given[argnums],), (v,))
        return vjp(single, given[argnums])[1](jv / np.size(y))[0]

    product.__name__ = f"gradient_covariance_product_{getattr(losses, '__name__', 'f')}"
    return product


# Looking --------------------------------------------------------------------------------


def _program_of(fun: Any, args: tuple[Any, ...]) -> Graph:
    program = read(fun, args, {})
    return optimize(program.graph)


def source(fun: Any, *example_args: Any) -> str:
    """The Python source of a derivative, or of a function as the compiler sees it.

    With example arguments it is the program for arguments of those types; without
    them every parameter is taken to be an array of floats.
    """
    args = example_args or _assumed(fun)
    if isinstance(fun, _Vjp):
        raise ArgumentError("show the function that vjp was given instead")
    if isinstance(fun, Derived):
        return fun.specialise(args, {}).source.text
    graph = _program_of(fun, args)
    return compile_graph(graph, graph.name)[1].text


def _assumed(fun: Any) -> tuple[Type, ...]:
    """A type for each parameter of a function of which nothing is known."""
    import inspect

    inner = fun
    while isinstance(inner, Derived):
        inner = inner.function
    found: list[Type] = []
    for p in inspect.signature(inner).parameters.values():
        if p.default is not p.empty or p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            break
        scalar = p.annotation in (float, "float")
        found.append(Num(np.dtype(float), 0 if scalar else None, scalar))
    return tuple(found)


def show(fun: Any, *example_args: Any) -> str:
    """The graph of a function or a derivative, as text."""
    args = example_args or _assumed(fun)
    if isinstance(fun, Derived):
        return print_graph(fun.specialise(args, {}).graph)
    return print_graph(_program_of(fun, args))


# Inside functions that are being read -----------------------------------------------------


def _inside(make: Callable[..., Any], *names: str) -> Any:
    """`ad.grad(f)` in the code of a differentiated function."""

    def handler(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
        given: list[Any] = []
        for k, a in enumerate(args):
            if k and not isinstance(a, Constant):
                raise it.fail(ArgumentError, "argnums must be known when reading")
            given.append(_callable_of(a) if k == 0 else a.value)  # type: ignore[attr-defined]
        named = {k: v.value for k, v in keywords.items()}  # type: ignore[attr-defined]
        return it.constant(make(*given, **named))

    return handler


def _callable_of(node: Node) -> Any:
    """A function of the reader as something that can be differentiated."""
    if isinstance(node, Constant) and callable(node.value):
        return node.value
    return node


for _function in (grad, value_and_grad):
    FUNCTIONS[_function] = _inside(_function)


def _jvp_inside(it: Interpreter, args: list[Node], keywords: dict[str, Node]) -> Node:
    from anadrome.frontend.containers import static_items

    import ast

    nowhere = ast.Constant(None)
    primals = static_items(it, args[1], nowhere)
    tangents = static_items(it, args[2], nowhere)
    push = _Jvp(_callable_of(args[0]), len(primals))
    return push.__anadrome_inline__(it, [*primals, *tangents], {})


FUNCTIONS[jvp] = _jvp_inside
