"""Records that contain records of their own kind: a block of memory for each.

The residuals that the forward half of a recursive function leaves to the backward half
are such a record. Only native code ever sees it, so it needs no Python object: its
fields lie in a block one after the other, and the last owner gives them up.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from llvmlite import ir

from anadrome.ir.graph import Graph
from anadrome.ir.types import Object, Type, deref, parts
from anadrome.runtime import Saved

from ..runtime.memory import HEADER, RELEASE
from .function import Emitter
from .marshalling import count_words, load_words, store_words
from .templates import is_recursive
from .values import I64, POINTER, Value

_NULL = ir.Constant(POINTER, None)


@dataclass
class Reference(Value):
    """A record in memory, or null where there is none."""

    type: Object
    register: ir.Value

    def flatten(self) -> list[ir.Value]:
        return [self.register]

    def rebuild(self, registers: list[ir.Value]) -> Value:
        return Reference(self.type, registers.pop(0))

    def blocks(self) -> list[ir.Value]:
        return [self.register]


def is_reference(t: Type) -> bool:
    """Whether values of a type are records in memory."""
    t = deref(t)
    if not isinstance(t, Object) or t.cls is not Saved:
        return False
    return not t.stored and is_recursive(t)


def leaves_native_code(graph: Graph) -> bool:
    """Whether Python gives or gets such a record, which then must be an object."""
    ends = [*graph.params, *graph.results]
    return any(_contains(n.type, set()) for n in ends)


def _contains(t: Type, seen: set[int]) -> bool:
    t = deref(t)
    if id(t) in seen:
        return False
    seen.add(id(t))
    return is_reference(t) or any(_contains(p, seen) for p in parts(t))


def _templates(e: Emitter, t: Object) -> dict[str, Value]:
    assert t.fields is not None
    return {name: e.template(field) for name, field in t.fields.items()}


def make_record(e: Emitter, t: Object, values: dict[str, Value]) -> Reference:
    """A new record of values, which it owns together with others."""
    b = e.builder
    templates = _templates(e, t)
    fields = {
        name: e.adopt(values[name], template) for name, template in templates.items()
    }
    registers = [r for field in fields.values() for r in field.flatten()]
    block = e.allocate_bytes(I64(8 * max(1, count_words(registers))))
    store_words(b, _words(b, block), registers)
    return Reference(t, block)


def field_of(e: Emitter, record: Reference, name: str) -> Value:
    """A field of a record; the record still owns it."""
    b = e.builder
    at = 0
    for other, template in _templates(e, record.type).items():
        registers = template.flatten()
        if other == name:
            words = _words(b, record.register)
            return template.rebuild(load_words(b, words, registers, at))
        at += count_words(registers)
    raise e.refuse(f"the attribute '{name}'")


def release_record(e: Emitter, record: Reference) -> None:
    """One owner less of a record; the last gives up its fields."""
    e.builder.call(_releaser(e, record.type), [e.context, record.register])


def _releaser(e: Emitter, t: Object) -> ir.Function:
    owner = e.owner
    found = owner.releasers.get(id(t))
    if found is not None:
        return found
    signature = ir.FunctionType(ir.VoidType(), [POINTER, POINTER])
    name = f"anadrome.release.{len(owner.releasers)}"
    function = ir.Function(owner.module, signature, name)
    function.linkage = "internal"
    owner.releasers[id(t)] = function

    def write() -> None:
        inner = Emitter(owner, function, function.args[0])
        b = inner.builder
        block = function.args[1]
        with b.if_then(b.icmp_unsigned("!=", block, _NULL)):
            count = b.load(b.bitcast(block, I64.as_pointer()))
            with b.if_then(b.icmp_signed("==", count, I64(1))):
                record = Reference(t, block)
                for name in t.fields or {}:
                    inner.release(field_of(inner, record, name))
            release = owner.runtime(RELEASE, ir.VoidType(), POINTER, POINTER)
            b.call(release, [inner.context, block])
        b.ret_void()

    owner.pending.append(write)
    return function


def _words(b: ir.IRBuilder, block: ir.Value) -> Any:
    return b.bitcast(b.gep(block, [I64(HEADER)]), I64.as_pointer())
