"""Looking, once in a while, whether the user wants to stop a long loop."""

from __future__ import annotations

from dataclasses import dataclass

from llvmlite import ir

from ..emission.function import Emitter
from ..emission.module import ModuleEmitter
from ..emission.values import I32, I64, POINTER
from .memory import COUNTDOWN, POLL, THIS_THREAD


@dataclass(frozen=True)
class Watched:
    """What tells the threads that share a loop to stop.

    `status` points to the failure of any of them. Only the thread that was called from
    Python can find out about signals: whether this is it is `called`.
    """

    status: ir.Value
    called: ir.Value


def this_thread(owner: ModuleEmitter) -> ir.Function:
    """`i64 this_thread()` in a module."""
    return owner.runtime(THIS_THREAD, I64)


def declare_locked(module: ir.Module) -> ir.GlobalVariable:
    """Whether the module runs with the interpreter's lock held."""
    found = module.globals.get("anadrome.locked")
    if found is None:
        found = ir.GlobalVariable(module, I32, "anadrome.locked")
    return found


def poll(e: Emitter, ordinal: ir.Value | None = None) -> None:
    """Leave if the user, or another thread of the same loop, wants it.

    A loop whose iterations take no time looks only now and then, by the `ordinal` of
    the iteration: it need not count down in memory.
    """
    b = e.builder
    if e.watched is None:
        if ordinal is None:
            _look(e)
            return
        rest = b.and_(ordinal, I64(_SELDOM - 1))
        with b.if_then(b.icmp_signed("==", rest, I64(_SELDOM - 1)), likely=False):
            _ask(e)
        return
    status = b.trunc(b.load_atomic(e.watched.status, "monotonic", 8), I32)
    stop, go_on = (b.append_basic_block(n) for n in ("others.failed", "others.run"))
    branch = b.cbranch(b.icmp_signed("==", status, I32(0)), go_on, stop)
    branch.set_weights([1 << 10, 1])
    b.position_at_end(stop)
    e.leave(status)
    b.position_at_end(go_on)
    with b.if_then(e.watched.called):
        _look(e)


def _look(e: Emitter) -> None:
    b = e.builder
    slots = b.bitcast(e.context, I64.as_pointer())
    place = b.gep(slots, [I64(COUNTDOWN)])
    left = b.sub(b.load(place), I64(1))
    b.store(left, place)
    with b.if_then(b.icmp_signed("<=", left, I64(0)), likely=False):
        _ask(e)


_SELDOM = 1024
"""So many iterations of a loop that does little pass between two looks."""


def _ask(e: Emitter) -> None:
    """Look at the clock, and if it is time, for signals."""
    b = e.builder
    ask = e.owner.runtime(POLL, I32, POINTER, I32)
    locked = b.load(declare_locked(e.module))
    answer = b.call(ask, [e.context, locked])
    go_on, bad = b.append_basic_block("go.on"), b.append_basic_block("stop")
    b.cbranch(b.icmp_signed("==", answer, I32(0)), go_on, bad)
    b.position_at_end(bad)
    e.leave(I32(-1))
    b.position_at_end(go_on)
