"""Calls: of user functions, which are inlined, of primitives, of everything else."""

from __future__ import annotations

import ast
import functools
import sys
import types as pytypes
from typing import Any

import numpy as np

from anadrome.errors import (
    AnadromeError,
    TypeMismatch,
    UnknownFunction,
    UnsupportedSyntax,
)
from anadrome.frontend.calls import recursion, star_arguments
from anadrome.frontend.calls.arguments import bind_arguments
from anadrome.frontend.calls.builtins import FUNCTIONS, require
from anadrome.frontend.calls.cached_functions import call_cached
from anadrome.frontend.calls.chosen_options import call_for_each, chosen_option
from anadrome.frontend.calls.known_arguments import call_known, takes
from anadrome.frontend.calls.library import REPLACED
from anadrome.frontend.calls.lifted_functions import with_lifted_functions
from anadrome.frontend.calls.opaque import (
    Keywords,
    call_opaque,
    call_opaque_method,
    is_of_numpy,
    runtime_form,
)
from anadrome.frontend.calls.star_arguments import is_splat
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.methods.dispatch import call_array_method
from anadrome.frontend.numpy import ufuncs
from anadrome.frontend.numpy.copying import call_if_shared
from anadrome.frontend.speculation.squeeze import squeezed_axes
from anadrome.frontend.syntax.generators import first_yield, make_generator
from anadrome.frontend.syntax.source import FunctionSource, source_of, source_of_code
from anadrome.frontend.values import conversions  # noqa: F401  (registers handlers)
from anadrome.frontend.values.attributes import (
    class_of,
    defines,
    get_attribute,
    has_own,
)
from anadrome.frontend.values.bindings import no_result
from anadrome.frontend.values.compile_time import (
    ArrayMethod,
    BoundMethod,
    Closure,
    Frame,
    FunctionChoice,
    Partial,
    Recursion,
    Scope,
    Super,
    Virtual,
)
from anadrome.frontend.values.functions import identity_of
from anadrome.frontend.values.instances import instantiate
from anadrome.frontend.values.iteration import Iteration
from anadrome.frontend.values.iterators import (
    Cursor,
    Generator,
    Origin,
    refuse_iterator,
)
from anadrome.frontend.values.known import is_known, static_value
from anadrome.frontend.values.own_iterators import opened_for
from anadrome.frontend.values.type_structure import structure_of
from anadrome.infer.values import is_namedtuple, is_record_class
from anadrome.ir import operations as ops
from anadrome.ir.graph import UNDEFINED, Apply, Constant, Node
from anadrome.ir.types import (
    BOOL,
    NONE,
    AnyType,
    Function,
    NeverType,
    Num,
    Object,
    Other,
    Union,
    deref,
    strip_optional,
)
from anadrome.primitives.registry import Primitive, find_primitive, is_nondifferentiable

# How often one piece of code may be inlined into itself with other captured values.
MAX_DEPTH = 24
# How often a function may be inlined into itself on ever other structures.
MAX_STRUCTURE = 6


def call(it: Interpreter, function: Node, args: list[Node], keywords: Keywords) -> Node:
    """`function(*args, **keywords)`."""
    if not isinstance(function, Constant):
        t = strip_optional(function.type)
        if isinstance(t, Object | Union) or has_own(t, "__call__"):
            return call_method(it, function, "__call__", args, keywords)
        return _call_unknown(it, function, args, keywords)
    value = function.value
    if any(is_splat(a) for a in args) and not _is_followed(value):
        return star_arguments.call(it, value, args, keywords)
    if isinstance(value, Closure):
        return call_user(it, value, args, keywords)
    if isinstance(value, BoundMethod):
        return _call_bound(it, value, args, keywords)
    if isinstance(value, ArrayMethod):
        return call_array_method(it, value, args, keywords)
    if isinstance(value, Partial):
        merged = {**value.keywords, **keywords}
        return call(it, value.function, [*value.args, *args], merged)
    if isinstance(value, FunctionChoice):
        return _call_choice(it, value, args, keywords)
    if isinstance(value, Iteration | Super | Cursor | Generator):
        raise it.fail(
            TypeMismatch,
            "this is not a function",
            "call a function, or an object with __call__",
            python=TypeError,
        )
    return call_value(it, value, args, keywords)


def _is_followed(value: Any) -> bool:
    """Whether a call is inlined, or handed on to one that is."""
    if isinstance(value, Closure | BoundMethod | Partial | FunctionChoice):
        return True
    if find_primitive(value) is not None or _lookup(FUNCTIONS, value) is not None:
        return False
    return (
        isinstance(value, pytypes.MethodType)
        or find_user_source(value)
        or (
            isinstance(value, type) and (is_record_class(value) or is_namedtuple(value))
        )
    )


def call_value(
    it: Interpreter, value: Any, args: list[Node], keywords: Keywords
) -> Node:
    """A call of a Python object."""
    handler = _lookup(FUNCTIONS, value)
    if handler is not None:
        name = getattr(value, "__name__", repr(value))
        own = value if is_of_numpy(value) else None
        args = opened_for(it, value, args)
        return call_known(it, name, functools.partial(handler, it), args, keywords, own)
    if isinstance(value, type) and hasattr(value, "__anadrome_construct__"):
        return value.__anadrome_construct__(it, args, keywords)
    replaced = _lookup(REPLACED, value)
    fixed = it.in_rule and all(is_known(a) for a in (*args, *keywords.values()))
    if replaced is not None and not fixed:
        return call_value(it, replaced, opened_for(it, value, args), keywords)
    if isinstance(value, pytypes.MethodType) and not isinstance(
        value.__func__, pytypes.FunctionType
    ):
        if hasattr(value.__func__, "__anadrome_inline__"):
            # A method that is a derivative, or native: `self` is an argument of it.
            given = it.lift(
                lambda: value.__self__, (id(value.__self__), "self"), "self"
            )
            return call_value(it, value.__func__, [given, *args], keywords)
    if hasattr(value, "__anadrome_inline__"):
        return value.__anadrome_inline__(it, args, keywords)
    primitive = value if isinstance(value, Primitive) else find_primitive(value)
    if primitive is not None:
        target = None if isinstance(value, Primitive) else value
        return call_primitive(it, primitive, args, keywords, target)
    if isinstance(value, functools.partial):
        inner = [
            it.lift(lambda k=k: value.args[k], (id(value), "given", k), f"given{k}")  # type: ignore[misc]
            for k in range(len(value.args))
        ]
        named = {
            k: it.lift(lambda k=k: value.keywords[k], (id(value), "given", k), k)  # type: ignore[misc]
            for k in value.keywords
        }
        return call_value(it, value.func, [*inner, *args], {**named, **keywords})
    if is_nondifferentiable(value):
        return call_opaque(it, value, args, keywords, pure=True)
    if isinstance(value, pytypes.MethodType):
        if find_user_source(value.__func__):
            key = (id(value.__self__), "self")
            instance = (
                it.constant(value.__self__)
                if isinstance(value.__self__, type)
                else it.lift(lambda: value.__self__, key, "self")
            )
            owner = _defining_class(type(value.__self__), value.__func__)
            bound = BoundMethod(value.__func__, instance, owner)
            return _call_bound(it, bound, args, keywords)
        handler = _lookup(FUNCTIONS, value.__func__)
        if handler is not None:
            key = (id(value.__self__), "self")
            instance = it.lift(lambda: value.__self__, key, "self")
            return handler(it, [instance, *args], keywords)
        return call_opaque(it, value, args, keywords)
    if hasattr(value, "registry") and hasattr(value, "dispatch"):
        chosen = _class_of(it, args)
        place = (id(value), "dispatch", chosen)
        found = it.lift(lambda: value.dispatch(chosen), place, "dispatch")
        return call(it, found, args, keywords)
    if isinstance(value, pytypes.FunctionType):
        wrapped = getattr(value, "__wrapped__", None)
        if wrapped is not None and isinstance(wrapped, pytypes.FunctionType):
            if _is_transparent(value):
                return call_value(it, wrapped, args, keywords)
        if find_user_source(value):
            return call_user(it, value, args, keywords)
        return call_opaque(it, value, args, keywords)
    if isinstance(value, functools._lru_cache_wrapper):
        function = it.constant(value.__wrapped__)
        return call_cached(it, [function, *args], keywords)
    if isinstance(value, type):
        return instantiate(it, value, args, keywords)
    if callable(value) and _has_own_call(type(value)):
        instance = it.lift(
            lambda: value, (id(value), "self"), type(value).__name__.lower()
        )
        return call_method(it, instance, "__call__", args, keywords)
    if callable(value):
        return call_opaque(it, value, args, keywords)
    raise it.fail(
        TypeMismatch,
        f"{value!r} is not a function",
        "call a function, or an object with __call__",
        python=TypeError,
    )


def takes_all(function: Node) -> bool:
    """Whether a call takes all that an iterator gives before it does anything else."""
    if not isinstance(function, Constant):
        return False
    value = function.value
    if isinstance(value, ArrayMethod):
        return value.name not in ("extend", "update")
    if is_of_numpy(value):
        return False
    return _lookup(_TAKE_ALL, value) or find_primitive(value) is not None


_TAKE_ALL = dict.fromkeys(
    (list, tuple, set, frozenset, dict, sorted, max, min, sum), True
)


def _lookup(table: dict[Any, Any], value: Any) -> Any:
    try:
        return table.get(value)
    except TypeError:
        return None


def _has_own_call(cls: type) -> bool:
    """Whether instances are called through Python code of the user's."""
    found = next(
        (c.__dict__[n] for c in cls.__mro__ if (n := "__call__") in c.__dict__), None
    )
    return is_record_class(cls) and isinstance(found, pytypes.FunctionType)


def _class_of(it: Interpreter, args: list[Node]) -> type:
    """The class of the argument by which `singledispatch` chooses."""
    kind = deref(args[0].type) if args else None
    known = class_of(kind) if isinstance(kind, Num) else None
    if known is not None:
        return known
    found = FUNCTIONS[type](it, args[:1], {}) if args else None
    if found is None or not is_known(found):
        raise it.fail(
            UnsupportedSyntax,
            "which implementation is called is known only at run time",
            "call it by name, or test with isinstance",
        )
    return static_value(found)


def _is_transparent(function: pytypes.FunctionType) -> bool:
    """Whether a wrapper made by functools.wraps has no source of its own to follow."""
    return source_of_code(function.__code__) is None


def find_user_source(function: Any) -> bool:
    """Whether a function is the user's own Python, to be read and inlined."""
    if not isinstance(function, pytypes.FunctionType):
        return False
    root = (function.__module__ or "").split(".")[0]
    library = root in ("numpy", "scipy") or root in sys.stdlib_module_names
    return root == "__main__" or not library


def _without(keywords: Keywords, name: str) -> bool:
    """Whether an option is not given, or is None."""
    return not ufuncs.is_given(keywords.get(name))


def _is_ours(primitive: Primitive) -> bool:
    """Whether a primitive runs code of this package, which knows its own classes."""
    module = getattr(primitive.impl, "__module__", None) or ""
    return module.split(".")[0] == "anadrome"


def call_primitive(
    it: Interpreter,
    primitive: Primitive,
    args: list[Node],
    keywords: Keywords,
    target: Any = None,
) -> Node:
    """A call of a registered function."""
    keywords = dict(keywords)
    several = chosen_option((*args, *keywords.values()))
    if several is not None:
        return call_for_each(it, primitive, args, keywords, target, several)
    out = keywords.pop("out", None)
    where: Node | None = None
    if isinstance(target, np.ufunc):
        if len(args) == target.nin + 1:
            out = args[-1]
            args = args[:-1]
        where, dtype = (keywords.pop(name, None) for name in ("where", "dtype"))
        if dtype is not None and ufuncs.is_given(dtype):
            args = ufuncs.in_dtype(it, target, args, dtype)
        if out is not None:
            out = ufuncs.single_out(it, out)
        if where is not None and is_known(where) and static_value(where) is True:
            where = None
        if where is not None:
            args = ufuncs.only_where(it, target, args, where, out)
    args, keywords = with_lifted_functions(it, primitive, args, keywords)
    if is_of_numpy(target):
        for a in (*args, *keywords.values()):
            refuse_iterator(it, a)
    args = [runtime_form(it, a) for a in args]
    keywords = {k: runtime_form(it, v) for k, v in keywords.items()}
    if any(hasattr(a.type, "as_array") for a in args) and not _is_ours(primitive):
        args = [
            a.type.as_array(it, a) if hasattr(a.type, "as_array") else a for a in args
        ]
    for a in args:
        t = strip_optional(a.type)
        if isinstance(t, Object) and not isinstance(target, pytypes.FunctionType):
            if isinstance(target, np.ufunc):
                raise it.fail(
                    UnsupportedSyntax,
                    f"NumPy's '{target.__name__}' is given a '{t.cls.__name__}'",
                    "call it on the arrays that the object holds",
                )
    if primitive.name == "squeeze" and len(args) == 1 and _without(keywords, "axis"):
        axes = squeezed_axes(it, args[0])
        if axes is not None:
            keywords["axis"] = it.constant(axes)
    try:
        primitive.signature.bind(*args, **keywords)
    except TypeError as error:
        raise it.fail(
            TypeMismatch,
            f"{primitive.__name__}: {error}",
            "the rule of this function does not know that argument",
            python=None if takes(target, len(args), keywords) else TypeError,
        ) from None
    found = call_if_shared(it, primitive, args, keywords)
    if found is None:
        found = it.apply(primitive, tuple(args), keywords, target)
    if out is not None and ufuncs.is_given(out):
        from anadrome.frontend.numpy.out_arrays import store_result

        if where is not None:
            found = ufuncs.chosen(it, where, found, out)
        return store_result(it, target, out, found)
    return found


def call_method(
    it: Interpreter, node: Node, name: str, args: list[Node], keywords: Keywords
) -> Node:
    """`node.name(*args, **keywords)`; a special method that is missing is a TypeError,
    since Python calls it for an operator."""
    t = strip_optional(node.type)
    if name.endswith("__") and isinstance(t, Object) and not defines(t.cls, name):
        raise it.fail(
            TypeMismatch,
            f"'{t.cls.__name__}' has no '{name}'",
            "define it in the class",
            python=TypeError,
        )
    return call(it, get_attribute(it, node, name), args, keywords)


def _call_bound(
    it: Interpreter, bound: BoundMethod, args: list[Node], keywords: Keywords
) -> Node:
    function = bound.function
    if isinstance(function, pytypes.FunctionType | Closure):
        if find_primitive(function) is not None or not (
            isinstance(function, Closure) or find_user_source(function)
        ):
            return call_value(it, function, [bound.instance, *args], keywords)
        return call_user(it, function, [bound.instance, *args], keywords, bound)
    return call_value(it, function, [bound.instance, *args], keywords)


def _call_choice(
    it: Interpreter, choice: FunctionChoice, args: list[Node], keywords: Keywords
) -> Node:
    """One of several functions: a chain of branches."""
    import operator

    from anadrome.frontend.syntax.expressions import binary, choose

    options = [
        (key, option)
        for key, option in zip(choice.keys, choice.options)
        if not (isinstance(option, Constant) and option.value is None)
    ]
    if len(options) < len(choice.options):
        keys = it.constant(tuple(key for key, _ in options))
        given = it.emit(ops.CONTAINS, (choice.selector, keys), BOOL)
        text = it.constant("None is not a function")
        it.emit(
            ops.OBSERVE,
            (it.constant(require), given, it.constant(TypeError), text),
            NONE,
        )

    def pick(k: int) -> Node:
        key, option = options[k]
        if k == len(options) - 1:
            return call(it, option, args, keywords)
        test = binary(it, operator.eq, choice.selector, it.constant(key))
        return choose(
            it, test, lambda: call(it, option, args, keywords), lambda: pick(k + 1)
        )

    return pick(0)


def _call_unknown(
    it: Interpreter, function: Node, args: list[Node], keywords: Keywords
) -> Node:
    t = strip_optional(function.type)
    if not isinstance(t, AnyType | Other | NeverType):
        raise it.fail(
            TypeMismatch,
            f"{t!r} is not a function",
            "call a function, or an object with __call__",
            python=TypeError,
            given=function,
        )
    if isinstance(t, NeverType):
        raise it.fail(
            UnknownFunction,
            "which function is called here is known only at run time",
            "call it by name, or choose between calls instead of between functions",
        )
    # It runs as it is; a derivative that would have to go through it is refused.
    if isinstance(function, Apply) and function.op is ops.GETATTR:
        owner, name = function.args
        if isinstance(strip_optional(owner.type), AnyType | Other):
            return call_opaque_method(it, owner, static_value(name), args, keywords)
    return call_opaque_method(it, function, "__call__", args, keywords)


def make_super(it: Interpreter, args: list[Node]) -> Node:
    """`super()` inside a method, or `super(cls, instance)` anywhere."""
    if args:
        if len(args) == 2 and is_known(args[0]):
            return it.constant(Super(static_value(args[0]), args[1]))
        raise it.fail(
            UnsupportedSyntax,
            "'super' is given something else than a class and an instance",
            "write super() or super(Class, self)",
        )
    scope: Scope | None = it.frame.scope
    while scope is not None:
        cell = scope.cells.get("__class__")
        if cell is not None and scope.source is not None:
            # Python keeps the class that a method stands in there.
            given = scope.source.node.args
            first = [*given.posonlyargs, *given.args]
            if first:
                instance = it.lookup(scope, first[0].arg)
                return it.constant(Super(cell.cell_contents, instance))
        if scope.owner is not None and scope.instance is not None:
            return it.constant(Super(scope.owner, scope.instance))
        scope = scope.parent
    raise it.fail(
        TypeMismatch,
        "super() outside of a method",
        "name the base class, or call super() in a method",
        python=RuntimeError,
    )


def _defining_class(cls: type, function: Any) -> type | None:
    for base in cls.__mro__:
        if base.__dict__.get(function.__name__) is function:
            return base
    return None


# User functions -----------------------------------------------------------------------


def call_user(
    it: Interpreter,
    function: pytypes.FunctionType | Closure,
    args: list[Node],
    keywords: Keywords,
    bound: BoundMethod | None = None,
) -> Node:
    """A call of Python code, inlined; a recursive one becomes a graph of its own."""
    if isinstance(function, Closure):
        source, parent = function.source, function.scope
        defaults, named = function.defaults, function.keyword_defaults
        globals_: dict[str, Any] = {}
        cells: dict[str, Any] = {}
    else:
        source, parent = source_of(function, it.span), None
        it.functions.append(function)
        defaults, named = _defaults(it, function)
        globals_ = function.__globals__
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    values = bind_arguments(it, source, args, keywords, defaults, named)

    def scope() -> Scope:
        made = Scope(source, parent, globals_, cells)
        if bound is not None:
            made.owner, made.instance = bound.owner, bound.instance
        return made

    callee = Constant(function, Function(function))
    if isinstance(function, Closure):
        key = identity_of(it, function)
    else:
        key = (source.node, frozenset(map(id, cells.values())))
    if not isinstance(source.node, ast.Lambda) and first_yield(source.node) is not None:
        origin = Origin(("generator", key), scope, values, callee)
        return make_generator(it, source, scope(), values, origin)
    # Nested structures are taken apart one by one while their structure is known.
    base = key
    key = (base, tuple(structure_of(it, v) for v in values.values()))
    again = [k for n, k in it.active if n is source.node and k[0] == base]
    if key not in it.recursive and len(again) > MAX_STRUCTURE:
        key = again[0]
    known = recursion.find_recursive(it, key, values, callee)
    if known is not None:
        return recursion.call_recursive(it, known, values)
    if (source.node, key) in it.active:
        raise Recursion(key)
    if sum(node is source.node for node, _ in it.active) > MAX_DEPTH:
        raise it.fail(
            UnsupportedSyntax,
            f"'{source.name}' calls itself with a new function on each call",
            "pass values instead of functions down the recursion",
        )
    before = (dict(it.env), dict(it.known_items), len(it.graph.body), len(it.frames))
    it.active.append((source.node, key))
    try:
        result = inline(it, source, scope(), values)
        if result is UNDEFINED and it.frames and not it.in_rule:
            raise no_result(it)
        return result
    except Recursion as found:
        if found.key != key:
            raise
        env, items, size, depth = before
        it.env, it.known_items = env, items
        del it.graph.body[size:]
        del it.frames[depth:]
        return recursion.make_recursive(it, key, source, scope, values, callee)
    finally:
        it.active.pop()


def _defaults(
    it: Interpreter, function: pytypes.FunctionType
) -> tuple[tuple[Node, ...], Keywords]:
    """The defaults of a function, which can be replaced like any variable."""
    # Counted from the end, a default belongs to the same parameter however many.
    count = len(function.__defaults__ or ())

    def read(k: int) -> Any:
        return function.__defaults__[k]  # type: ignore[index]

    defaults = tuple(
        it.lift(
            functools.partial(read, k - count),
            (id(function), "default", k - count),
            f"default{k}",
        )
        for k in range(count)
    )
    named = {
        k: it.lift(
            lambda k=k: function.__kwdefaults__[k],  # type: ignore[index, misc]
            (id(function), "default", k),
            k,
        )
        for k in function.__kwdefaults__ or {}
    }
    return defaults, named


def inline(
    it: Interpreter, source: FunctionSource, scope: Scope, values: dict[str, Node]
) -> Node:
    """Read a function's body with its parameters bound; the value it returns."""
    from anadrome.frontend.syntax.statements import run_function_body

    it.frames.append(Frame(scope, source, it.span))
    try:
        for name, value in values.items():
            it.env[(scope, name)] = value
            if not it.in_rule and len(it.frames) > 1 and isinstance(value, Virtual):
                value.name = value.name or name
        if isinstance(source.node, ast.Lambda):
            result = _evaluate_body(it, source.node.body)
        else:
            result = run_function_body(it, source.node)
    finally:
        it.frames.pop()
    it.drop_scope(scope)
    return result


def _evaluate_body(it: Interpreter, body: ast.expr) -> Node:
    """The value of a lambda; there is no statement around the outermost one."""
    from anadrome.frontend.syntax.exceptions import is_raised_by_python, raise_in_place
    from anadrome.frontend.syntax.expressions import evaluate

    graph = it.graph
    try:
        return evaluate(it, body)
    except AnadromeError as error:
        if len(it.frames) > 1 or not is_raised_by_python(it, error, graph):
            raise
        raise_in_place(it, error)
        return UNDEFINED


# Classes ------------------------------------------------------------------------------
