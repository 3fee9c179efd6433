"""The reader: runs a function on types instead of values and writes down a graph.

It is an interpreter of Python whose values are graph nodes. Calls of user functions
are followed and inlined, static facts are decided at once, control flow on unknown
values becomes regions whose variables are joined. `expressions`, `statements`,
`calls` and `builtins` teach it the language; this file holds its state.
"""

from __future__ import annotations

import ast
import builtins
import sys
import types as pytypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Protocol

import numpy as np

from anadrome.errors import AnadromeError, Span, TypeMismatch, UnsupportedSyntax, also
from anadrome.frontend.calls.primitive_arguments import by_position, without_defaults
from anadrome.frontend.captures import (
    FOLDED,
    Capture,
    Guard,
    item_reader,
    keeps_its_name,
    reader_of,
)
from anadrome.frontend.numpy.arraylike import with_arrays
from anadrome.frontend.numpy.path_types import settled
from anadrome.frontend.numpy.symbolic_zeros import SymbolicZero, with_zeros
from anadrome.frontend.result_types import converts, share_alias
from anadrome.frontend.values.class_members import classes_in, has_members
from anadrome.frontend.values.compile_time import (
    Closure,
    Frame,
    Key,
    LateBound,
    RecursiveFunction,
    Scope,
    Virtual,
)
from anadrome.frontend.values.identity import LOOKERS, note_identity
from anadrome.frontend.values.known import _DYNAMIC, COMPILE_TIME, static_value
from anadrome.infer.examples import lacks_items, result_type
from anadrome.infer.kinds import is_computed, with_kinds
from anadrome.infer.values import callable_data, signature_of, type_of
from anadrome.ir import operations as ops
from anadrome.ir.graph import UNDEFINED, Apply, Constant, Graph, Node, Parameter
from anadrome.ir.joins import join, join_members, type_of_key
from anadrome.ir.types import (
    ANY,
    NEVER,
    AliasClass,
    Dict,
    Function,
    List,
    Num,
    Object,
    Other,
    Type,
    deref,
    is_certain,
    is_differentiable,
)
from anadrome.primitives.captured import frozen, is_function_table, is_static
from anadrome.primitives.registry import Primitive

# Functions that make an array even where it has no axes.
_ARRAY_MAKERS = (np.zeros, np.ones, np.empty, np.full, np.array, np.asarray, np.copy)


class Preparation(Protocol):
    """What a program is prepared by that can deoptimise."""

    changed: bool
    """Whether it may fail where what was written would not."""
    fixes_lists: bool
    """Whether lists that are given are read item by item, see `fixed_lists`."""

    def run(self, graph: Graph) -> Graph:
        """The graph of a function before it is differentiated."""


class Interpreter:
    """The state of reading one function."""

    def __init__(self, name: str) -> None:
        self.root = Graph(name)
        self.graph = self.root
        self.env: dict[Key, Node] = {}
        self.frames: list[Frame] = []
        self.span: Span | None = None
        self.comment: str | None = None
        self.captures: dict[Any, Capture] = {}
        self.guards: list[Guard] = []
        # The captured functions and classes that were looked into.
        self.functions: list[pytypes.FunctionType] = []
        self.members: dict[type, None] = {}
        self.recursive: dict[Any, tuple[RecursiveFunction, ...]] = {}
        # In the first readings of a recursive function a list or a tuple of which no
        # item is known waits for what the function returns; and whether one did.
        self.patient = False
        self.waited = False
        self.active: list[tuple[ast.AST, Any]] = []
        self.graphs: list[Graph] = []
        # Inside derivative rules small loops are unrolled and constants folded.
        self.in_rule = 0
        # Values updated by `op=` of which it is not known whether they are arrays.
        self.rebound: list[Any] = []
        # The arrays of copies that stand for `x.flat`, which is not written through.
        self.flat: dict[int, Node] = {}
        # Whether what may be an array is changed in place by `x op= y`.
        self.in_place = False
        # The lists that were made longer or shorter, in order.
        self.resized: list[AliasClass] = []
        # Classes that the function defines, by their statements.
        self.classes: dict[Any, type] = {}
        # Which number stands for which function in a value chosen at run time.
        self.code_numbers: dict[Any, int] = {}
        # Contents of lists that are known item by item; cleared when written to.
        self.known_items: dict[Node, list[Node]] = {}
        # Cached properties of given objects that are computed whenever they are read.
        # Whether the generator that is about to be run may be left before it ends.
        self.leaving = False
        # What functions whose results are kept have captured.
        self.kept: dict[Any, dict[Key, Node]] = {}
        # Functions that keep results in a dictionary while they are being called.
        self.memoised: dict[Any, Any] = {}
        self.computed: list[tuple[Type, Span | None, str]] = []
        # How often generators that run over themselves have been read, and what is left
        # to be asked when everything has been.
        self.inlined: dict[Any, int] = {}
        self.checks: list[Callable[[], None]] = []
        # Where a function was put into an object or a container.
        self.packed: Span | None = None
        # Dictionaries and sets that are being iterated over.
        self.iterated: list[Node] = []
        # Iterators of which nobody knows how far they have come once a loop is left.
        self.lost: set[Any] = set()
        # What is done to a function before it is differentiated, and may be assumed.
        self.prepare: Preparation | None = None

    # Errors -------------------------------------------------------------------------

    def fail(
        self,
        kind: type[AnadromeError],
        message: str,
        help: str | None = None,
        span: Span | None = None,
        python: type[BaseException] | None = None,
        given: Node | None = None,
    ) -> AnadromeError:
        """An error at the place that is being read, with the calls that led there.

        `python` is what Python itself would raise there, which the program may catch;
        if that follows from what `given` is not, only where this is certain.
        """
        if given is not None and not is_certain(given.type):
            python = None
        path = tuple(f.call_span for f in self.frames[1:] if f.call_span is not None)
        made = kind if python is None else also(kind, python)  # type: ignore[arg-type]
        error: AnadromeError = made(message, span or self.span, help, path)
        error.python, error.graph = python, self.graph
        return error

    @contextmanager
    def at(self, node: ast.AST) -> Iterator[None]:
        """Read a piece of syntax: what is emitted meanwhile belongs to it."""
        before = self.span
        self.move_to(node)
        try:
            yield
        except Exception as error:
            # An error of the compiler itself is told with the place it was met at.
            if getattr(error, "span", None) is None:
                error.span = self.span  # type: ignore[attr-defined]
            raise
        finally:
            self.span = before

    def move_to(self, node: ast.AST) -> None:
        """Say which piece of syntax is read from here on."""
        if self.frames and not self.in_rule and hasattr(node, "lineno"):
            frame = self.frames[-1]
            call = frame.call_span
            path = (*call.path, call) if call is not None else ()
            self.span = frame.source.span(node, path)

    # Nodes --------------------------------------------------------------------------

    def constant(self, value: Any) -> Constant:
        """A value known now."""
        if isinstance(value, COMPILE_TIME):
            return Constant(value, Function(value))
        if callable_data(value) and not isinstance(value, pytypes.ModuleType):
            return Constant(value, Function(value))
        return Constant(value, type_of(value))

    def emit(
        self,
        op: Any,
        args: tuple[Node, ...],
        type: Type,
        *,
        keywords: dict[str, Node] | None = None,
        regions: tuple[Graph, ...] = (),
        target: Any = None,
    ) -> Apply:
        """Write down a statement."""
        args = tuple(self.concrete(a) for a in args)
        if keywords:
            keywords = {k: self.concrete(v) for k, v in keywords.items()}
        if op in LOOKERS:
            note_identity(op, args)
        node = Apply(op, args, type, keywords=keywords, regions=regions, span=self.span)
        node.target = target
        node.comment = self.comment
        return self.graph.append(node)

    def apply(
        self,
        primitive: Primitive,
        args: tuple[Node, ...],
        keywords: dict[str, Node] | None = None,
        target: Any = None,
    ) -> Node:
        """Write down a call of a primitive, or its value if that is known now."""
        keywords = keywords or {}
        target = target if target is not None else primitive.impl
        if self.in_rule:
            zero = with_zeros(self, primitive, args, keywords, target)
            if zero is not None:
                return zero
            keywords = without_defaults(primitive, keywords)
        args = tuple(self.concrete(a) for a in args)
        keywords = {k: self.concrete(v) for k, v in keywords.items()}
        if not self.in_rule:
            args, keywords = by_position(primitive, args, keywords)
            args, keywords = with_arrays(self, primitive, args, keywords)
        folded = self.fold(primitive, target, args, keywords)
        if folded is not None:
            return folded
        if self.patient and any(map(lacks_items, (*args, *keywords.values()))):
            self.waited = True
            t: Type = NEVER
        elif primitive.infer is not None:
            t = primitive.infer(*args, **keywords)
        else:
            plain = primitive.broadcasts and not isinstance(
                target, pytypes.FunctionType
            )
            t = result_type(target, args, keywords, plain)
            if plain and not self.in_rule:
                infer = partial(
                    result_type, target, keywords=keywords, elementwise=True
                )
                t = settled(t, args, infer)
        if not self.in_rule and not keywords and is_computed(primitive, target, args):
            t = with_kinds(t, target, args)
        if isinstance(t, Other) and not t.numeric and primitive.differentiable:
            # An object that holds what has a derivative.
            t = t if issubclass(t.cls, np.ndarray) else ANY
        hidden = isinstance(t, Other) and issubclass(t.cls, np.ndarray)
        if hidden and any(is_differentiable(a.type) for a in args):
            raise self.fail(
                UnsupportedSyntax,
                "this makes an array of Python objects",
                "keep objects in a list, and numbers in arrays of numbers",
            )
        if isinstance(t, Num) and t.ndim == 0 and target in _ARRAY_MAKERS:
            t = t if self.in_rule else Num(t.dtype, 0, boxed=True)
        if primitive.view and args and not converts(primitive, t, args[0].type):
            t = share_alias(t, args[0].type)
        elif primitive.name == "einsum" and len(args) == 2:
            # A transposed array or a diagonal is a view.
            t = share_alias(t, args[1].type)
        return self.emit(primitive, args, t, keywords=keywords, target=target)

    def fold(
        self,
        primitive: Primitive,
        target: Any,
        args: tuple[Node, ...],
        keywords: dict[str, Node],
    ) -> Node | None:
        """The result as a constant if every argument is one and it is structural."""
        if not primitive.pure:
            return None
        values = []
        for a in (*args, *keywords.values()):
            v = static_value(a)
            if v is _DYNAMIC:
                return self.fold_shape(primitive, args)
            values.append(v)
        n = len(args)
        try:
            found = target(*values[:n], **dict(zip(keywords, values[n:])))
        except Exception:
            return None
        if type(found) in FOLDED or (
            self.in_rule and type(found) in (float, np.bool_, np.int64)
        ):
            return self.constant(found)
        return None

    def by_python(self, function: Callable[..., Any], *args: Any, **kw: Any) -> Any:
        """What a function of Python's gives, or the refusal that it fails here."""
        if any(a is UNDEFINED.value for a in args):
            raise self.fail(
                UnsupportedSyntax,
                "a value is used that is not known here",
                "assign it on every path",
            )
        try:
            return function(*args, **kw)
        except Exception as error:
            failed = self.fail(
                TypeMismatch,
                f"{type(error).__name__}: {error}",
                "Python raises this here too",
                python=type(error),
            )
            failed.python_args = tuple(map(self.constant, error.args))
            raise failed from None

    def fold_shape(self, primitive: Primitive, args: tuple[Node, ...]) -> Node | None:
        """Facts that follow from the rank and the dtype alone."""
        if primitive.name in ("ndim", "iscomplexobj", "isrealobj") and args:
            t = deref(args[0].type)
            if isinstance(t, Num):
                if primitive.name == "ndim" and t.ndim is not None:
                    return self.constant(t.ndim)
                if primitive.name == "iscomplexobj" and t.dtype is not None:
                    return self.constant(t.dtype.kind == "c")
                if primitive.name == "isrealobj" and t.dtype is not None:
                    return self.constant(t.dtype.kind != "c")
        return None

    def name_value(self, node: Node, name: str) -> None:
        """Remember what the user calls a value."""
        if node.name is None and not isinstance(node, Constant | Virtual):
            node.name = name

    # Regions ------------------------------------------------------------------------

    @contextmanager
    def region(self, graph: Graph) -> Iterator[None]:
        """Write into a graph for a while."""
        before, self.graph = self.graph, graph
        try:
            yield
        finally:
            self.graph = before

    def new_region(self, name: str) -> Graph:
        """An empty region of the graph that is being written."""
        return Graph(name, self.graph)

    # Variables ----------------------------------------------------------------------

    @property
    def frame(self) -> Frame:
        """The function that is being read."""
        return self.frames[-1]

    def frame_live(self) -> frozenset[str]:
        """Every local name: what an expression must assume to be wanted after it."""
        return self.frame.scope.locals

    def assign(self, scope: Scope, name: str, value: Node) -> None:
        """Bind a name."""
        owner = self.owner_of(scope, name)
        cell = self.cell_of(owner, name)
        if cell is not None:
            from anadrome.frontend.values.item_writes import set_item

            set_item(self, cell, self.constant(0), value)
            return
        self.env[(owner, name)] = value
        self.env.pop((owner, "%bound " + name), None)
        if not self.in_rule and not name.startswith("%"):
            self.name_value(value, name)

    def owner_of(self, scope: Scope, name: str) -> Scope:
        """The scope that a bare assignment to a name goes to."""
        if name in scope.nonlocals:
            up = scope.parent
            while up is not None:
                if name in up.locals and name not in up.nonlocals:
                    return up
                up = up.parent
            raise self.fail(
                UnsupportedSyntax,
                f"'{name}' belongs to a function outside the differentiated one",
                "make it an argument and return its new value",
            )
        return scope

    def lookup(self, scope: Scope, name: str) -> Node:
        """The value of a name."""
        from anadrome.frontend.values.bindings import (
            check_name,
            empty_cell,
            is_empty,
            undefined_name,
        )

        up: Scope | None = scope
        local = True
        while up is not None:
            if name in up.locals and name not in up.nonlocals:
                cell = self.cell_of(up, name)
                if cell is not None:
                    from anadrome.frontend.values.item_reads import get_item

                    return get_item(self, cell, self.constant(0))
                check_name(self, (up, name), local)
                return self.env[(up, name)]
            local = local and up.is_comprehension and _INLINED
            if name in up.cells:
                cell = up.cells[name]
                if is_empty(cell):
                    raise empty_cell(self, cell, name)
                if isinstance(cell.cell_contents, LateBound):
                    return self.lookup(cell.cell_contents.scope, name)
                return self.lift(reader_of(cell), ("cell", id(cell)), name)
            if up.parent is None:
                table = up.globals
                if name in table:
                    read = item_reader(table, name)
                    return self.lift(read, (id(table), name), name)
                if hasattr(builtins, name):
                    return self.constant(getattr(builtins, name))
                raise undefined_name(self, table, name)
            up = up.parent
        raise undefined_name(self, {}, name)

    def lift(self, read: Callable[[], Any], key: Any, name: str) -> Node:
        """A captured value: a constant under guard, or a parameter."""
        if key in self.captures:
            return self.captures[key].parameter
        value = read()
        if is_static(value) or self.in_rule:
            if not (self.in_rule or keeps_its_name(value, name)):
                self.guards.append(Guard(read, value, key))
            return self.constant(value)
        if is_function_table(value):
            self.guards.append(Guard(lambda: frozen(read()), frozen(value), key))
            return self.constant(value)
        t = type_of(value)
        self.note_classes(t)
        parameter = Parameter(self.root, t, name)
        self.captures[key] = Capture(read, parameter, key)
        return parameter

    def note_class(self, cls: type) -> None:
        """Remember that what a class defines decides what is read."""
        if cls not in self.members and not self.in_rule:
            for base in cls.__mro__:
                if has_members(base):
                    self.members[base] = None

    def note_classes(self, t: Type) -> None:
        """Remember the classes of the objects in a value."""
        for cls in classes_in(t):
            self.note_class(cls)

    def drop_scope(self, scope: Scope) -> None:
        """Forget the variables of a function that has returned."""
        if not scope.captured:
            for key in [k for k in self.env if k[0] is scope]:
                del self.env[key]

    # Objects as variables -----------------------------------------------------------

    def concrete(self, node: Node) -> Node:
        """The node as a value that exists when the program runs."""
        if isinstance(node, Virtual):
            return self.materialise(node)
        if isinstance(node, SymbolicZero):
            return node.real(self)
        if isinstance(node, Constant) and isinstance(node.value, Closure):
            node.value.scope.captured = True
        return node

    def materialise(self, virtual: Virtual) -> Node:
        """The object itself, built from its attributes the first time it escapes."""
        heap = self.env.get((virtual, "%heap"))
        if heap is not None:
            return heap
        from anadrome.frontend.values.bindings import set_unsure, take_unsure

        fields = self.fields_of(virtual)
        unsure = take_unsure(self, virtual, fields)
        # Objects that hold each other are put together when they all exist.
        later = [k for k, v in fields.items() if self._holds(v, virtual)]
        values = tuple(
            self.constant(None) if k in later else self.concrete(self.stored_form(v))
            for k, v in fields.items()
        )
        t = virtual.type
        assert isinstance(t, Object | Dict)
        made = t.find()
        for (name, _), value in zip(fields.items(), values):
            if made.fields is None:
                # Which keys it has is not known where another path has made it.
                made.key = join(made.key, type_of_key(name))
                made.item = join_members(made.item, value.type)
                continue
            old = made.fields.get(name, NEVER)
            made.fields[name] = join_members(old, value.type)
        if virtual.is_dict:
            args: list[Node] = []
            for name, value in zip(fields, values):
                args += [self.constant(name), value]
            node = self.emit(ops.DICT, tuple(args), made)
        else:
            names = self.constant(tuple(fields))
            cls = self.constant(virtual.cls)
            node = self.emit(ops.RECORD, (cls, names, *values), made)
        if virtual.name:
            node.name = virtual.name
        self.env[(virtual, "%heap")] = node
        for name in later:
            self._put_later(virtual, name, fields[name])
        set_unsure(self, node, unsure)
        return node

    def _holds(self, node: Node, wanted: Virtual) -> bool:
        """Whether a value is an object that is not built yet, or leads to it."""
        from anadrome.frontend.values.functions import captured_by

        pending: list[Node] = [node]
        seen: set[Node] = set()
        while pending:
            found = pending.pop()
            if found is wanted:
                return True
            if isinstance(found, Virtual) and found not in seen:
                if self.is_virtual(found):
                    seen.add(found)
                    pending += self.fields_of(found).values()
            elif found not in seen:
                seen.add(found)
                pending += captured_by(self, found)
        return False

    def _put_later(self, virtual: Virtual, name: str, value: Node) -> None:
        from anadrome.frontend.values.attributes import set_attribute
        from anadrome.frontend.values.item_writes import set_item

        if virtual.is_dict:
            set_item(self, virtual, self.constant(name), value)
        else:
            set_attribute(self, virtual, name, value, plain=True)

    def stored_form(self, node: Node) -> Node:
        """A value as it is kept in a container: functions as tuples."""
        from anadrome.frontend.values.functions import is_function, pack

        if not is_function(node):
            return node
        self.packed = self.packed or self.span
        return pack(self, node)

    # Variables that a recursive function assigns -------------------------------------

    def make_cell(self, key: Key) -> None:
        """Keep a variable in a list from now on, so that it can be changed anywhere."""
        owner, name = key
        if (owner, "%bound " + name) in self.env:
            raise self.fail(
                UnsupportedSyntax,
                f"'{name}', which a recursive function assigns, may be unbound",
                f"assign '{name}' before the first call, on every path",
            )
        value = self.concrete(self.stored_form(self.env.pop(key)))
        cell = self.emit(ops.LIST, (value,), List(value.type))
        cell.name = name
        self.env[(owner, "%cell " + name)] = cell

    def cell_of(self, owner: Any, name: str) -> Node | None:
        """The list that holds a variable, if there is one."""
        return self.env.get((owner, "%cell " + name))

    def new_virtual(self, cls: type, type: Type) -> Virtual:
        """A new object that lives as variables."""
        made = Virtual(cls, type, self.span, self.graph)
        self.note_class(cls)
        # Also an object without attributes is known to exist from here on.
        self.env[(made, "%made")] = self.constant(True)
        return made

    def is_virtual(self, node: Node) -> bool:
        """Whether an object still lives as variables."""
        return isinstance(node, Virtual) and (node, "%heap") not in self.env

    def fields_of(self, virtual: Virtual) -> dict[str, Node]:
        """The attributes of an object that lives as variables, in order."""
        return {
            name: value
            for (owner, name), value in self.env.items()
            if owner is virtual
            and name not in ("%heap", "%made")
            and not str(name).startswith("%bound ")
        }


# From 3.12 on a comprehension reads the variables around it as its own.
_INLINED = sys.version_info >= (3, 12)


__all__ = [
    "UNDEFINED",
    "Interpreter",
    "signature_of",
]
