"""A typed graph as an LLVM module: functions, statements, branches."""

from __future__ import annotations

import contextlib
import dataclasses
from typing import Any

import numpy as np
from llvmlite import ir

from anadrome.errors import UnexpectedType
from anadrome.ir import operations as ops
from anadrome.ir.graph import (
    Apply,
    Constant,
    Graph,
    Node,
    Output,
    called_graphs,
    walk,
)
from anadrome.ir.types import Num, Stack, deref, is_stored
from anadrome.primitives.registry import Primitive

from ..fusion.expressions import Expr
from ..fusion.groups import Group
from ..fusion.stores import may_wait, update_of
from ..lowering import (  # noqa: F401  (fill tables)
    accumulating_matmul,
    checks,
    container_statements,
    creation,
    cumulative,
    diagonals,
    dictionaries,
    einsum,
    growing_lists,
    linalg,
    list_sorting,
    logsumexp,
    matmul,
    reductions,
    shaping,
    sorting,
    tuple_comparisons,
    windows,
)
from ..lowering.complex_elementwise import complex_operation, is_complex_operation
from ..lowering.elementwise import (
    build_operation,
    is_elementwise,
    leaves,
    materialise,
    scalar,
)
from ..lowering.language import STATEMENTS
from ..lowering.narrow_integers import (
    has_narrow_lowering,
    is_narrow_operation,
    narrow_operation,
    touches_narrow,
)
from ..lowering.random_draws import draw, is_draw
from ..lowering.registry import LOWERINGS, consumes_trees, has_lowering
from ..runtime.interrupts import declare_locked
from ..runtime.memory import STACK_LIMIT
from ..runtime.objects import CATCH, MATCHES, RAISE
from ..target import Target
from .boxing import boxed, constant_object, drop, object_in, object_of, python
from .destinations import set_apart
from .entry import emit_call
from .function import Emitter, NoLowering
from .loops import LoopEmitter, plain
from .marshalling import count_words
from .memory_order import check_order
from .module import ModuleEmitter
from .native_containers import NotNative, native_containers
from .native_lists import native_lists
from .python_arithmetic import (
    checked_integer,
    find_positions,
    guard_operands,
    guard_result,
    integer_of,
)
from .python_calls import perform
from .recursive_records import Reference, leaves_native_code
from .residuals import joined_stacks
from .templates import template
from .values import (
    I1,
    I32,
    I64,
    POINTER,
    Boxed,
    Nothing,
    Pack,
    Scalar,
    Series,
    SliceValue,
    Static,
    Value,
)


def compile_module(
    graph: Graph, target: Target, assumes: bool = False, joint: bool = False
) -> ModuleEmitter:
    """A module with `call(context, arguments, result) -> status`.

    If it `assumes`, the program may fail where at a lower speculation level it would
    not; if `joint`, also where arrays that are computed together are not of one shape.
    """
    recursive = _recursive_graphs(graph)
    gone: set[int] = set()

    def written(references: bool) -> ModuleEmitter:
        while True:
            try:
                return _compile(
                    graph, target, assumes, joint, recursive, references, gone
                )
            except NotNative as found:
                # Python has to have it after all.
                if found.key in gone:
                    raise AssertionError(
                        "a container that was left to Python"
                    ) from found
                gone.add(found.key)

    if recursive and not leaves_native_code(graph):
        # Records that Python would have to see turn out when they are used.
        with contextlib.suppress(NoLowering):
            return written(True)
    return written(False)


def _compile(
    graph: Graph,
    target: Target,
    assumes: bool,
    joint: bool,
    recursive: set[int],
    references: bool,
    gone: set[int],
) -> ModuleEmitter:
    owner = ModuleEmitter(target)
    owner.assumes, owner.joint = assumes, joint
    owner.recursive, owner.references = recursive, references
    owner.lists = native_lists(graph)
    found = native_containers(graph, owner.lists, gone)
    owner.lists |= found.fixed
    owner.growing, owner.tables = found.growing, found.tables
    owner.visible = found.visible
    function = function_of(owner, graph)
    while owner.pending:
        owner.pending.pop(0)()
    uses_python = owner.python
    emit_call(owner, graph, function, uses_python)
    locked = declare_locked(owner.module)
    locked.initializer = I32(int(uses_python))
    locked.linkage = "internal"
    locked.global_constant = True
    return owner


def _recursive_graphs(graph: Graph) -> set[int]:
    """The functions that can call themselves, directly or not."""
    return {
        id(g)
        for g in called_graphs(graph)
        if any(_calls(other, g) for other in called_graphs(g))
    }


def _calls(graph: Graph, callee: Graph) -> bool:
    return any(
        isinstance(n, Constant) and n.value is callee
        for node in walk(graph)
        for n in node.inputs
    )


def function_of(owner: ModuleEmitter, graph: Graph) -> ir.Function:
    """The LLVM function of a graph, declared now and written later."""
    found = owner.functions.get(id(graph))
    if found is not None:
        return found
    params = [template(p.type, owner) for p in graph.params]
    kinds = [r.type for p in params for r in p.flatten()]
    signature = ir.FunctionType(I32, [POINTER, *kinds, POINTER])
    own = f"{graph.name}_" if graph.name in _OWN_NAMES else graph.name
    name = f"anadrome.{own}.{len(owner.functions)}"
    function = ir.Function(owner.module, signature, name)
    function.linkage = "internal"
    owner.functions[id(graph)] = function
    owner.graphs.append(graph)
    owner.results[id(graph)] = template(graph.results[0].type, owner)

    def write() -> None:
        e = RegionEmitter(owner, function, function.args[0])
        if id(graph) in owner.recursive:
            e.span = graph.span
            e.check_stack()
        registers = list(function.args[1:-1])
        if owner.assumes:
            e.joined = joined_stacks(graph)
        for p, like in zip(graph.params, params):
            value = like.rebuild(registers)
            e.values[id(p)] = value
            e.borrowed.add(id(p))
        e.positions = find_positions(graph)
        results = e.region(graph)
        (result,) = results
        if id(graph) in owner.recursive or graph is not owner.graphs[0]:
            result = e.coerce(result, owner.results[id(graph)])
        else:
            if e.joined or e.places.joins:
                result = set_apart(e, result, graph.results[0].type, [])
            # Only the way out reads it, whatever its template is.
            owner.results[id(graph)] = result
        e.write_results(result, function.args[-1])
        e.builder.ret(I32(0))

    owner.pending.append(write)
    return function


# What comes before a number in the names of functions that are nobody's: the user's
# functions of these names get others.
_OWN_NAMES = {"apart", "fetch", "gemm", "inner", "kernel", "loop", "pool", "release"}
_OWN_NAMES |= {"scatter", "transpose"}


class RegionEmitter(LoopEmitter):
    """Writes regions: statements in order, references given up after their last use."""

    def __init__(
        self, owner: ModuleEmitter, function: ir.Function, context: ir.Value
    ) -> None:
        super().__init__(owner, function, context)

    # Regions ------------------------------------------------------------------------

    def region(self, graph: Graph) -> list[Value]:
        """Write a region's statements; its results, owned by whoever called."""
        last, uses = self._last_uses(graph)
        owned: dict[int, Node] = {}
        for p in graph.params:
            if id(p) not in self.borrowed:
                owned[id(p)] = p
                if last.get(id(p), -1) < 0:
                    self.release(self.values[id(p)])
                    del owned[id(p)]
        if self.owner.assumes:
            self.places.find_joins(self, graph)
        group = Group(self, uses)
        for k, node in enumerate(graph.body):
            if id(node) in self.fused:
                continue
            self.span = node.span
            self.dying = {key for key in owned if last.get(key, -1) == k}
            known = group.shape(node)
            takes = group.takes(node)
            operands = [] if takes or known is not None else self._operands(node)
            if group.needed(node, operands, not takes and _has_effects(node)):
                self.dead = {key for key in owned if last.get(key, -1) < k}
                owned.update((id(m), m) for m in group.write())
                takes = group.takes(node)
            if takes:
                group.add(node)
            elif known is not None:
                self.values[id(node)] = known
            else:
                self.dying = {key for key in owned if last.get(key, -1) == k}
                self.dying -= group.holds
                self.statement(node)
                for key in self.given_up & owned.keys():
                    del owned[key]
                    self.given_up.remove(key)
                made: list[Node] = (
                    [node, *node.outputs] if not node.outputs else list(node.outputs)
                )
                for m in made:
                    if id(m) in self.values:
                        owned[id(m)] = m
            owned.update(self._late())
            for key in [key for key in owned if last.get(key, -1) <= k]:
                if key not in group.holds:
                    self.release(self.values[key])
                    del owned[key]
        self.dead = {key for key in owned if last.get(key, -1) < len(graph.body)}
        owned.update((id(m), m) for m in group.write())
        owned.update(self._late())
        results = []
        for r in graph.results:
            value = self.value(r)
            if id(r) in owned:
                del owned[id(r)]
            else:
                self.retain(value)
            results.append(value)
        for key in owned:
            self.release(self.values[key])
        return results

    def _late(self) -> dict[int, Node]:
        """The fused values that were computed on their own since it was asked last."""
        found = {id(n): n for n in self.late}
        self.late.clear()
        return found

    def _last_uses(self, graph: Graph) -> tuple[dict[int, int], dict[int, int]]:
        """The last statement that reads each value, and how often it is read.

        This also decides what is fused into what is no elementwise statement.
        """
        count: dict[int, int] = {}
        consumer: dict[int, int] = {}

        def note(n: Node, k: int) -> None:
            if not isinstance(n, Constant):
                count[id(n)] = count.get(id(n), 0) + 1
                consumer[id(n)] = k

        for k, node in enumerate(graph.body):
            for n in node.inputs:
                note(n, k)
            for region in node.regions:
                for n in _reads(region):
                    note(n, k)
                    count[id(n)] = count.get(id(n), 0) + 1
        end = len(graph.body)
        for r in graph.results:
            note(r, end)
        self._fuse(graph, count, consumer)
        # What a fused value reads is read where it is used.
        last = dict(consumer)
        for node in reversed(graph.body):
            if id(node) in self.fused:
                at = last[id(node)]
                for n in node.inputs:
                    if not isinstance(n, Constant):
                        last[id(n)] = max(last.get(id(n), -1), at)
        return last, count

    def _fuse(
        self, graph: Graph, count: dict[int, int], consumer: dict[int, int]
    ) -> None:
        writes = [k for k, n in enumerate(graph.body) if _may_write(n)]
        # Where a fused value is computed in the end: with the last of its users.
        place: dict[int, int] = {}
        sums: set[int] = set()
        for k, node in reversed(list(enumerate(graph.body))):
            if not is_elementwise(node) or count.get(id(node), 0) != 1:
                continue
            if any(_is_boxed(self, n) for n in (node, *node.inputs)):
                continue
            t = deref(node.type)
            if (
                isinstance(t, Num)
                and t.ndim == 0
                and all(_is_scalar(a) for a in node.args)
            ):
                continue
            at = consumer[id(node)]
            if at >= len(graph.body):
                continue
            user = graph.body[at]
            if user.regions or not any(n is node for n in user.inputs):
                continue
            if self.owner.assumes and user.op is ops.SETITEM and may_wait(user):
                # The sum of an update belongs to the store, its parts to the group.
                if update_of(user, count) is not None:
                    if not any(k < w < at for w in writes):
                        self.fused.add(id(node))
                        sums.add(id(node))
                continue
            part = is_elementwise(user) and id(user) in self.fused - sums
            if not (part or consumes_trees(user, node)):
                continue
            end = place.get(id(user), at)
            if any(is_stored(a.type) for a in node.inputs) and any(
                k < w <= end for w in writes
            ):
                continue
            if is_stored(node.type):
                continue
            self.fused.add(id(node))
            place[id(node)] = end

    # Statements ---------------------------------------------------------------------

    def statement(self, node: Apply) -> None:
        """Write one statement."""
        if id(node) in self.given:
            self.values[id(node)] = self.given[id(node)]
        elif node.op is ops.IF:
            self._if(node)
        elif node.op is ops.TRY:
            self._try(node)
        elif node.op is ops.FOR:
            self.for_loop(node)
        elif node.op is ops.WHILE:
            self.while_loop(node)
        elif node.op is ops.CALL:
            self._call(node)
        else:
            made = self._operation(node)
            if made is not None:
                if isinstance(made, Scalar) and getattr(node.type, "boxed", False):
                    made = dataclasses.replace(made, boxed=True)
                self.values[id(node)] = made

    def _operation(self, node: Apply) -> Value | None:
        """A statement without regions: in native code if it can, else in Python."""
        check_order(self, node)
        if self._has_lowering(node):
            block, size = self.builder.block, len(self.builder.block.instructions)
            blocks = len(self.function.blocks)
            waiting = [len(phi.incomings) for _, phi in self.handlers]
            late = len(self.late)
            try:
                if is_elementwise(node):
                    return self._elementwise(node)
                if is_narrow_operation(node):
                    return narrow_operation(self, node)
                if is_complex_operation(node):
                    return complex_operation(self, node)
                if is_draw(node):
                    return draw(self, node)
                if isinstance(node.op, Primitive):
                    return LOWERINGS[node.op.name].lower(self, node)
                return STATEMENTS[node.op](self, node)
            except NoLowering:
                self._take_back(block, size, blocks, waiting)
                for n in self.late[late:]:
                    del self.values[id(n)]
                del self.late[late:]
        return perform(self, node)

    def _take_back(
        self, block: ir.Block, size: int, blocks: int, waiting: list[int]
    ) -> None:
        """Undo what a lowering has written before it gave up."""
        del self.function.blocks[blocks:]
        kept = set(map(id, self.function.blocks))
        self.exits = {k: exit for k, exit in self.exits.items() if id(exit) in kept}
        self.builder.forget(block.instructions[size:])
        del block.instructions[size:]
        block.terminator = None
        self.builder.position_at_end(block)
        for (_, phi), count in zip(self.handlers, waiting):
            del phi.incomings[count:]

    def _has_lowering(self, node: Apply) -> bool:
        if node.op is ops.SLICE:
            return True
        boxed_result = isinstance(self.template(node.type), Boxed)
        if node.op in _STRUCTURE:
            return not boxed_result
        if node.op in (ops.GETITEM, ops.GETATTR):
            if isinstance(self.value(node.args[0]), Pack | Reference):
                return isinstance(node.args[1], Constant)
        if is_draw(node):
            return True
        if any(_holds_box(self.value(n)) for n in self._operands(node)):
            return False
        if boxed_result and node.op not in _EFFECTS:
            return False
        if touches_narrow(node):
            return has_narrow_lowering(node)
        if is_elementwise(node) or is_complex_operation(node):
            return True
        if isinstance(node.op, Primitive):
            return has_lowering(node)
        return node.op in STATEMENTS

    def _operands(self, node: Apply) -> list[Node]:
        """What a statement reads, fused operations looked through."""
        found: list[Node] = []
        for n in node.inputs:
            if id(n) in self.fused:
                assert isinstance(n, Apply)
                found += self._operands(n)
            elif not isinstance(n, Constant):
                found.append(n)
        return found

    def materialised(self, node: Node) -> Value:
        assert isinstance(node, Apply)
        return self._elementwise(node)

    def _elementwise(self, node: Apply) -> Value:
        t = deref(node.type)
        assert isinstance(t, Num)
        if t.ndim is None:
            raise self.refuse(f"a value of type {t!r}", node.span)
        expr = build_operation(self, node)
        assert t.dtype is not None
        if t.ndim == 0 and not leaves(expr):
            return Scalar(t.dtype, self._number(node, expr, t.dtype), t.python)
        return materialise(self, expr, t.ndim, t.dtype)

    def _number(self, node: Apply, expr: Expr, dtype: np.dtype[Any]) -> ir.Value:
        """An operation on numbers, with the checks that Python makes."""
        guard_operands(self, node)
        integer = checked_integer(self, node)
        if integer is not None:
            return integer
        if dtype.kind == "i" and expr.dtype.kind == "f":
            return integer_of(self, scalar(self, expr, expr.dtype))
        found = scalar(self, expr, dtype)
        guard_result(self, node, found)
        return found

    def _call(self, node: Apply) -> None:
        callee = node.args[0]
        if not (isinstance(callee, Constant) and isinstance(callee.value, Graph)):
            raise self.refuse("a call of a function known only at run time", node.span)
        b = self.builder
        graph = callee.value
        function = function_of(self.owner, graph)
        like = self.owner.results[id(graph)]
        registers = []
        made: list[Value] = []
        for p, a in zip(graph.params, node.args[1:]):
            value, fresh = self.converted(self.value(a), self.template(p.type))
            registers += value.flatten()
            made += [value] if fresh else []
        words = max(1, count_words(like.flatten()))
        with b.goto_entry_block():
            out = b.bitcast(b.alloca(I64, words), POINTER)
        # Recursion that became a jump would never reach the end of the stack.
        status = b.call(function, [self.context, *registers, out], tail="notail")
        self.check_status(status)
        self.values[id(node)] = self.read_results(like, out)
        for value in made:
            self.release(value)

    # Branches -----------------------------------------------------------------------

    def truth(self, node: Node) -> ir.Value:
        """A condition."""
        value = self.value(node)
        if isinstance(value, Static | Nothing):
            return I1(int(bool(getattr(value, "value", None))))
        return self.true(value)

    def _if(self, node: Apply) -> None:
        b = self.builder
        test = self.truth(node.args[0])
        blocks = [b.append_basic_block(n) for n in ("then", "else")]
        done = b.append_basic_block("endif")
        b.cbranch(test, *blocks)
        templates = [self.template_of(o) for o in node.outputs]
        arrived = []
        for block, region in zip(blocks, node.regions):
            b.position_at_end(block)
            arrived.append(self._yield_region(region, templates))
            b.branch(done)
        self._merge(node, templates, arrived, done)

    def _try(self, node: Apply) -> None:
        """A body whose failures go to a handler if they are of the classes it names."""
        b = self.builder
        body, handler = node.regions
        templates = [self.template_of(o) for o in node.outputs]
        failed, done = b.append_basic_block("failed"), b.append_basic_block("endtry")
        status = ir.PhiInstr(
            failed, I32, name=self.function.scope.deduplicate("status")
        )
        self.handlers.append((failed, status))
        arrived = [self._yield_region(body, templates)]
        b.branch(done)
        self.handlers.pop()
        if not status.incomings:
            self.function.blocks.remove(failed)
        else:
            failed.instructions.append(status)
            b.position_at_end(failed)
            self._handle(node, handler, status)
            arrived.append(self._yield_region(handler, templates))
            b.branch(done)
        self._merge(node, templates, arrived, done)

    def _handle(self, node: Apply, handler: Graph, status: ir.Value) -> None:
        """Go on in a handler if it is for the exception, else leave with it."""
        b = self.builder
        explain = b.load(self.constant_place(None, "explain"))
        error = boxed(self, python(self, CATCH, POINTER, status, explain, self.context))
        found = object_in(self, error.register)
        classes = object_of(self, self.value(node.args[0]))
        fits = python(self, MATCHES, I32, found, classes)
        drop(self, classes)
        # No handler of a program's is for what it was not compiled for.
        ours = constant_object(self, UnexpectedType)
        other_types = b.icmp_signed(
            "==", python(self, MATCHES, I32, found, ours), I32(0)
        )
        fits = b.and_(b.icmp_signed(">", fits, I32(0)), other_types)
        caught, other = b.append_basic_block("caught"), b.append_basic_block("other")
        b.cbranch(fits, caught, other)
        b.position_at_end(other)
        self.leave(python(self, RAISE, I32, found))
        b.position_at_end(caught)
        self.values[id(handler.params[0])] = error

    def template_of(self, out: Node) -> Value:
        """The template of what a branch or an iteration of a loop gives."""
        if isinstance(out, Output) and isinstance(deref(out.type), Stack):
            statement = out.apply
            shape = statement.shape
            if statement.op in (ops.IF, ops.TRY):
                # It has the template that the branch which made it has given it.
                for region in statement.regions:
                    if not isinstance(region.results[out.index], Constant):
                        return self.template_of(region.results[out.index])
            elif shape.carried <= out.index < shape.carried + shape.kept:
                # Residuals of an inner loop have the template they were saved with.
                item = self.template_of(statement.regions[-1].results[out.index])
                return Series(plain(item), ir.Constant(POINTER, None), I64(0))
        return self.template(out.type)

    def _yield_region(
        self, region: Graph, templates: list[Value]
    ) -> tuple[ir.Block, list[list[ir.Value]]]:
        """The registers of a region's results, and the block in which it ends."""
        results = self.region(region)
        registers = [self.coerce(v, t).flatten() for v, t in zip(results, templates)]
        return self.builder.block, registers

    def _merge(
        self,
        node: Apply,
        templates: list[Value],
        arrived: list[tuple[ir.Block, list[list[ir.Value]]]],
        done: ir.Block,
    ) -> None:
        """The results of the way that was taken."""
        b = self.builder
        b.position_at_end(done)
        for k, (out, like) in enumerate(zip(node.outputs, templates)):
            merged = []
            for j, r in enumerate(like.flatten()):
                phi = b.phi(r.type)
                for block, registers in arrived:
                    phi.add_incoming(registers[k][j], block)
                merged.append(phi)
            self.values[id(out)] = plain(like.rebuild(merged))

    def check_stack(self) -> None:
        """Fail if there is little left of the thread's stack."""
        b = self.builder
        frame = self.module.declare_intrinsic("llvm.frameaddress.p0", (), _FRAME)
        here = b.ptrtoint(b.call(frame, [I32(0)]), I64)
        slots = b.bitcast(self.context, I64.as_pointer())
        limit = b.load(b.gep(slots, [I64(STACK_LIMIT)]))
        self.fail_unless(
            b.icmp_unsigned(">", here, limit),
            RecursionError,
            "maximum recursion depth exceeded",
        )


_FRAME = ir.FunctionType(POINTER, [I32])
_STRUCTURE = (ops.TUPLE, ops.NAMEDTUPLE, ops.RECORD)
_EFFECTS = (
    ops.APPEND,
    ops.DELITEM,
    ops.SETITEM,
    ops.ADD_PRODUCT,
    ops.ASSERT,
    ops.RAISE,
)


def _holds_box(value: Value) -> bool:
    if isinstance(value, Pack):
        return any(_holds_box(i) for i in value.items)
    if isinstance(value, SliceValue):
        return any(_holds_box(i) for i in (value.start, value.stop, value.step))
    return isinstance(value, Boxed)


def _is_boxed(e: Emitter, node: Node) -> bool:
    if isinstance(node, Constant):
        return False
    return isinstance(e.template(node.type), Boxed)


def _reads(region: Graph) -> list[Node]:
    found: list[Node] = []
    for node in region.body:
        found += node.inputs
        for inner in node.regions:
            found += _reads(inner)
    return [n for n in found + list(region.results) if not isinstance(n, Constant)]


def _is_scalar(node: Node) -> bool:
    t = deref(node.type)
    return isinstance(t, Num) and t.ndim == 0


def _may_write(node: Apply) -> bool:
    if isinstance(node.op, ops.Op) and (node.op.writes or node.op is ops.CALL):
        return True
    if node.op in (ops.PYCALL, ops.METHOD) and node.target is not True:
        return True
    return any(_may_write(n) for r in node.regions for n in r.body)


def _has_effects(node: Apply) -> bool:
    return node.op in (ops.ASSERT, ops.RAISE) or _may_write(node)
