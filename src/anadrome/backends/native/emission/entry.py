"""The way in and out of a module: Python's arguments, the program, its result."""

from __future__ import annotations

from llvmlite import ir

from anadrome.ir.graph import Graph
from anadrome.ir.types import Type, deref, is_stored, parts

from ..disk.serialise import ENTRY
from ..runtime import array_objects, objects
from ..runtime.memory import STACK_LIMIT, THREAD
from .boxing import (
    array_in,
    as_pointer,
    boxed,
    check_object,
    constant_object,
    drop,
    number_in,
    object_of,
    python,
    unbox,
)
from .function import Emitter
from .marshalling import count_words
from .module import EXPLAIN, STACK, ModuleEmitter
from .values import (
    I32,
    I64,
    INT64,
    POINTER,
    Array,
    Boxed,
    Nothing,
    Pack,
    Scalar,
    Static,
    Value,
)


def emit_call(
    owner: ModuleEmitter, graph: Graph, function: ir.Function, uses_python: bool
) -> None:
    """`call(context, arguments, result) -> status`, and `entry` for the interpreter."""
    signature = ir.FunctionType(I32, [POINTER, POINTER, POINTER])
    call = ir.Function(owner.module, signature, "anadrome.call")
    call.linkage = "internal"
    e = Emitter(owner, call, call.args[0])
    b = e.builder
    given = b.bitcast(call.args[1], POINTER.as_pointer())
    registers: list[ir.Value] = []
    e.taking = True
    for k, p in enumerate(graph.params):
        found = b.load(b.gep(given, [I64(k)]))
        template = e.template(p.type)
        registers += take(e, found, template, p.type).flatten()
    e.taking = False
    if owner.recursive:
        _find_stack(e)
    template = owner.results[id(graph)]
    out = e.local(I64, max(1, count_words(template.flatten())))
    if not uses_python:
        thread = python(e, "PyEval_SaveThread", POINTER)
    status = b.call(function, [call.args[0], *registers, as_pointer(e, out)])
    if not uses_python:
        python(e, "PyEval_RestoreThread", ir.VoidType(), thread)
    e.check_status(status)
    e.leaving = True
    result = object_of(e, e.read_results(template, as_pointer(e, out)))
    b.store(result, b.bitcast(call.args[2], POINTER.as_pointer()))
    b.ret(I32(0))
    _emit_entry(owner, call, len(graph.params))


def _emit_entry(owner: ModuleEmitter, call: ir.Function, count: int) -> None:
    signature = ir.FunctionType(POINTER, [POINTER, POINTER, I64])
    entry = ir.Function(owner.module, signature, ENTRY)
    e = Emitter(owner, entry, ir.Constant(POINTER, None))
    table = as_pointer(e, e.constant_place(None, EXPLAIN))
    target = as_pointer(e, call)
    _, given, number = entry.args
    e.builder.ret(
        python(
            e,
            objects.ENTER,
            POINTER,
            target,
            given,
            number,
            I64(count),
            table,
            I32(int(owner.assumes)),
        )
    )


def _find_stack(e: Emitter) -> None:
    """Tell the context how far the stack of this thread reaches."""
    b = e.builder
    slots = b.bitcast(e.context, I64.as_pointer())
    here = e.owner.runtime("pthread_self", I64)
    thread = b.call(here, [])
    known = b.load(b.gep(slots, [I64(THREAD)]))
    with b.if_then(b.icmp_unsigned("!=", known, thread), likely=False):
        find = b.load(e.constant_place(None, STACK))
        made = python(e, "PyObject_CallNoArgs", POINTER, find)
        check_object(e, made)
        limit = number_in(e, made, Scalar(INT64, I64(0), True))
        drop(e, made)
        b.store(limit.register, b.gep(slots, [I64(STACK_LIMIT)]))
        b.store(thread, b.gep(slots, [I64(THREAD)]))


def take(e: Emitter, found: ir.Value, template: Value, t: Type) -> Value:
    """An argument in registers; it stays the caller's."""
    t = deref(t)
    if isinstance(template, Static | Nothing):
        return template
    if isinstance(template, Scalar):
        return number_in(e, found, template)
    if isinstance(template, Array):
        words = e.local(I64, 2 + 2 * template.ndim)
        status = python(
            e,
            array_objects.TAKE_ARRAY,
            I32,
            e.context,
            found,
            I32(template.dtype.num),
            I64(template.dtype.itemsize),
            I64(template.ndim),
            I32(int(is_stored(t))),
            as_pointer(e, words),
        )
        e.check_status(status)
        return array_in(e, words, template)
    if isinstance(template, Pack):
        items = []
        for k, (item, part) in enumerate(zip(template.items, parts(t), strict=True)):
            if template.names:
                name = constant_object(e, template.names[k])
                made = python(e, "PyObject_GetAttr", POINTER, found, name)
            else:
                made = python(e, objects.GET_INDEX, POINTER, found, I64(k))
            check_object(e, made)
            items.append(take(e, made, item, part))
            drop(e, made)
        return Pack(items, template.names, template.cls)
    python(e, "Py_IncRef", ir.VoidType(), found)
    held = boxed(e, found)
    return held if isinstance(template, Boxed) else unbox(e, held, template)
