"""A pool of threads that native code hands its loops to.

`anadrome.parallel_for(body, context, chunks)` calls `body(context, i)` once for every
0 ≤ i < chunks, on the calling thread and on as many workers as are awake in time, and
returns when all are done.  Calls from within a body, or while another thread uses
the pool, simply run on their own thread.

Workers are Python threads that wait inside native code without the interpreter's
lock.  After a job they watch for the next one for some fifty microseconds and then
sleep: a pool that spins for longer slows down whatever else wants the processor.

The caller takes chunks from the front and workers from the back: from job to job most
of what a chunk reads and writes is still near the thread that takes it.

A job is entered by counting oneself into `active` and *then* looking whether the job
is `open`; it is closed by clearing `open` and *then* waiting for `active` to be zero.
So no worker can be left reading a job that is gone.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import platform
import threading
from collections.abc import Callable
from functools import cache
from types import MappingProxyType

from llvmlite import ir

from ..disk.object_cache import ObjectCache, source_fingerprint
from ..emission.control_flow import for_range
from ..emission.dsl import I1, I32, I64, declare
from ..linking.engine import Library, Passes, load_cached
from ..target import select_target

POINTER = ir.IntType(8).as_pointer()
BODY = ir.FunctionType(ir.VoidType(), [POINTER, I64])
PARALLEL_FOR = "anadrome.parallel_for"
THREAD_COUNT = "anadrome.thread_count"
HELPS = "anadrome.helps"
_PAUSES_BEFORE_SLEEP = 4000
# Workers are woken for small jobs that follow each other within so many cycles once
# they have come to so many additions.
_SOON, _ENOUGH = 1 << 15, 1 << 19
_PAUSES_BEFORE_YIELD = 4000
# What a chunk that is taken from either end adds to the count of both.
_FRONT, _BACK = 1, 1 << 32
# More than any platform's mutex or condition variable.
_OPAQUE_BYTES = 256


def declare_parallel_for(module: ir.Module) -> ir.Function:
    """`void parallel_for(body, context, chunks)` in a module, to be called.

    Load the module with `imports=thread_pool().symbols`.
    """
    arguments = [BODY.as_pointer(), POINTER, I64]
    return declare(module, PARALLEL_FOR, ir.FunctionType(ir.VoidType(), arguments))


def declare_thread_count(module: ir.Module) -> ir.Function:
    """`i64 thread_count()` in a module: how many threads a job may get."""
    return declare(module, THREAD_COUNT, ir.FunctionType(I64, []))


def declare_helps(module: ir.Module) -> ir.Function:
    """`i1 helps(additions)` in a module: whether to share a small job.

    It is if a worker watches for it, or should be woken because there are many.
    """
    return declare(module, HELPS, ir.FunctionType(I1, [I64]))


def default_thread_count() -> int:
    """`ANADROME_NUM_THREADS`, or the processors this process may run on."""
    if chosen := os.environ.get("ANADROME_NUM_THREADS"):
        return max(1, int(chosen))
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class ThreadPool:
    """The workers of this process."""

    def __init__(self) -> None:
        self._library = _load()
        call = self._library.function
        self._worker = call("pool_worker", None)
        self._reset = call("pool_reset", None)
        self._set_count = call("pool_set_count", None, ctypes.c_int64)
        self._stop = call("pool_stop", None)
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()
        self._reset()
        self._set_count(1)

    @property
    def symbols(self) -> MappingProxyType[str, int]:
        """The addresses that modules import to use the pool."""
        names = (PARALLEL_FOR, THREAD_COUNT, HELPS)
        return MappingProxyType({n: self._library.address(n) for n in names})

    @property
    def thread_count(self) -> int:
        """The threads that share a job, the caller's own among them."""
        return len(self._threads) + 1

    def resize(self, count: int) -> None:
        """Let `count` threads share a job from now on."""
        with self._lock:
            if count == self.thread_count:
                return
            self._stop_workers()
            for number in range(1, count):
                name = f"anadrome-{number}"
                thread = threading.Thread(target=self._worker, name=name, daemon=True)
                thread.start()
                self._threads.append(thread)
            self._set_count(self.thread_count)

    def stop(self) -> None:
        """End the workers; jobs run on their caller's thread."""
        with self._lock:
            self._stop_workers()

    def _stop_workers(self) -> None:
        self._set_count(1)
        self._stop()
        for thread in self._threads:
            thread.join()
        self._threads.clear()
        self._reset()

    def _after_fork(self) -> None:
        """Forget workers that exist only in the parent process."""
        self._threads = []
        self._lock = threading.Lock()
        self._reset()
        self._set_count(1)


_MAKING = threading.Lock()


def thread_pool() -> ThreadPool:
    """The pool of this process, started with the default number of threads.

    After a fork the child has no workers: its jobs run on one thread until `resize`.
    """
    # All pools would share the state of the library: a second one must never be made,
    # though threads may ask for the first at the same time.
    with _MAKING:
        return _the_pool()


@cache
def _the_pool() -> ThreadPool:
    pool = ThreadPool()
    atexit.register(pool.stop)
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=pool._after_fork)
    pool.resize(default_thread_count())
    return pool


def _load() -> Library:
    return load_cached(
        ObjectCache(),
        # One pool serves the code of every target.
        select_target("baseline"),
        [
            "thread pool",
            source_fingerprint(
                __name__, "anadrome.backends.native.emission.control_flow"
            ),
        ],
        pool_module,
        [
            *(PARALLEL_FOR, THREAD_COUNT, HELPS),
            *("pool_worker", "pool_reset", "pool_set_count", "pool_stop"),
        ],
        passes=Passes.LIGHT,
        codegen_level=0,
    )


def pool_module() -> ir.Module:
    """The module of the pool."""
    return _PoolModule().module


class _PoolModule:
    """Emits the pool's functions around its global state."""

    def __init__(self) -> None:
        self.module = ir.Module("anadrome.threads")
        # The words that several threads write stand on cache lines of their own.
        self.next = self._variable("next", I64)
        self.active = self._variable("active", I32)
        self.generation = self._variable("generation", I32)
        self.open = self._variable("open", I32)
        self.busy = self._variable("busy", I32)
        self.sleepers = self._variable("sleepers", I32)
        self.stopping = self._variable("stopping", I32)
        self.count = self._variable("count", I64)
        self.chunks = self._variable("chunks", I64)
        self.body = self._variable("body", BODY.as_pointer())
        self.context = self._variable("context", POINTER)
        # When the last small job came, and how much those before it were.
        self.latest = self._variable("latest", I64)
        self.waiting = self._variable("waiting", I64)
        opaque = ir.ArrayType(ir.IntType(8), _OPAQUE_BYTES)
        self.mutex = self._variable("mutex", opaque)
        self.condition = self._variable("condition", opaque)
        self._run_chunks = self._emit_run_chunks()
        self._emit_parallel_for()
        self._emit_thread_count()
        self._emit_helps()
        self._emit_worker()
        self._emit_reset()
        self._emit_set_count()
        self._emit_stop()

    def _variable(self, name: str, type_: ir.Type) -> ir.GlobalVariable:
        variable = ir.GlobalVariable(self.module, type_, f"anadrome.pool.{name}")
        variable.linkage = "internal"
        variable.initializer = ir.Constant(type_, None)
        variable.align = 64
        return variable

    def _function(
        self, name: str, result: ir.Type, *arguments: ir.Type
    ) -> ir.IRBuilder:
        type_ = ir.FunctionType(result, arguments)
        function = ir.Function(self.module, type_, name)
        return ir.IRBuilder(function.append_basic_block())

    def _load(self, builder: ir.IRBuilder, variable: ir.GlobalVariable) -> ir.Value:
        align = 4 if variable.value_type == I32 else 8
        return builder.load_atomic(variable, "seq_cst", align)

    def _store(
        self, builder: ir.IRBuilder, variable: ir.GlobalVariable, value: ir.Value | int
    ) -> None:
        type_ = variable.value_type
        value = type_(value) if isinstance(value, int) else value
        builder.store_atomic(value, variable, "seq_cst", 4 if type_ == I32 else 8)

    def _add(
        self, builder: ir.IRBuilder, variable: ir.GlobalVariable, amount: int
    ) -> ir.Value:
        step = variable.value_type(amount)
        return builder.atomic_rmw("add", variable, step, "seq_cst")

    def _posix(self, builder: ir.IRBuilder, name: str, *arguments: ir.Value) -> None:
        pointers = [builder.bitcast(a, POINTER) for a in arguments]
        type_ = ir.FunctionType(I32, [POINTER] * len(pointers))
        builder.call(declare(self.module, name, type_), pointers)

    def _pause(self, builder: ir.IRBuilder) -> None:
        if _host_is_x86():
            type_ = ir.FunctionType(ir.VoidType(), [])
            builder.call(declare(self.module, "llvm.x86.sse2.pause", type_), [])

    def _emit_run_chunks(self) -> ir.Function:
        """`run_chunks(end)`: take chunks from the front or the back until none is left.

        One word counts both, so that nobody takes what another one has: those from the
        front in its lower half, those from the back in its upper half.
        """
        builder = self._function("pool_run_chunks", ir.VoidType(), I64)
        function = builder.function
        function.linkage = "internal"
        step = function.args[0]
        at_front = builder.icmp_signed("==", step, I64(_FRONT))
        body = builder.load(self.body)
        context = builder.load(self.context)
        chunks = builder.load(self.chunks)
        take = builder.append_basic_block("take")
        run = builder.append_basic_block("run")
        done = builder.append_basic_block("done")
        builder.branch(take)
        builder.position_at_end(take)
        taken = builder.atomic_rmw("add", self.next, step, "seq_cst")
        front = builder.and_(taken, I64(_BACK - 1))
        back = builder.lshr(taken, I64(32))
        some = builder.icmp_signed("<", builder.add(front, back), chunks)
        builder.cbranch(some, run, done)
        builder.position_at_end(run)
        last = builder.sub(chunks, I64(1))
        index = builder.select(at_front, front, builder.sub(last, back))
        builder.call(body, [context, index])
        builder.branch(take)
        builder.position_at_end(done)
        builder.ret_void()
        return function

    def _emit_parallel_for(self) -> None:
        builder = self._function(
            PARALLEL_FOR, ir.VoidType(), BODY.as_pointer(), POINTER, I64
        )
        body, context, chunks = builder.function.args
        alone = builder.append_basic_block("alone")
        claim = builder.append_basic_block("claim")
        shared = builder.append_basic_block("shared")
        few = builder.icmp_signed("<=", chunks, I64(1))
        single = builder.icmp_signed("<=", self._load(builder, self.count), I64(1))
        builder.cbranch(builder.or_(few, single), alone, claim)

        builder.position_at_end(claim)
        got = builder.cmpxchg(self.busy, I32(0), I32(1), "seq_cst", "seq_cst")
        builder.cbranch(builder.extract_value(got, 1), shared, alone)

        builder.position_at_end(alone)
        with for_range(builder, 0, chunks) as index:
            builder.call(body, [context, index])
        builder.ret_void()

        builder.position_at_end(shared)
        builder.store(body, self.body)
        builder.store(context, self.context)
        builder.store(chunks, self.chunks)
        self._store(builder, self.next, 0)
        self._store(builder, self.open, 1)
        self._add(builder, self.generation, 1)
        asleep = builder.icmp_signed(">", self._load(builder, self.sleepers), I32(0))
        with builder.if_then(asleep):
            self._posix(builder, "pthread_mutex_lock", self.mutex)
            self._posix(builder, "pthread_cond_broadcast", self.condition)
            self._posix(builder, "pthread_mutex_unlock", self.mutex)
        builder.call(self._run_chunks, [I64(_FRONT)])
        self._store(builder, self.open, 0)
        self._wait_while(
            builder,
            lambda: builder.icmp_signed("!=", self._load(builder, self.active), I32(0)),
        )
        self._store(builder, self.busy, 0)
        builder.ret_void()

    def _wait_while(
        self, builder: ir.IRBuilder, condition: Callable[[], ir.Value]
    ) -> None:
        """Wait with pauses at first, then by yielding the processor."""
        before = builder.block
        head = builder.append_basic_block("wait")
        more = builder.append_basic_block("wait.more")
        done = builder.append_basic_block("wait.done")
        builder.branch(head)
        builder.position_at_end(head)
        tries = builder.phi(I64)
        tries.add_incoming(I64(0), before)
        builder.cbranch(condition(), more, done)
        builder.position_at_end(more)
        self._pause(builder)
        patient = builder.icmp_signed(">", tries, I64(_PAUSES_BEFORE_YIELD))
        with builder.if_then(patient):
            self._posix(builder, "sched_yield")
        tries.add_incoming(builder.add(tries, I64(1)), builder.block)
        builder.branch(head)
        builder.position_at_end(done)

    def _emit_worker(self) -> None:
        """Wait for a new generation, help with its job, and again."""
        builder = self._function("pool_worker", ir.VoidType())
        first = self._load(builder, self.generation)
        entry = builder.block
        wait = builder.append_basic_block("wait")
        spin = builder.append_basic_block("spin")
        sleep = builder.append_basic_block("sleep")
        awake = builder.append_basic_block("awake")
        work = builder.append_basic_block("work")
        leave = builder.append_basic_block("leave")
        finish = builder.append_basic_block("finish")
        builder.branch(wait)

        builder.position_at_end(wait)
        seen = builder.phi(I32)
        tries = builder.phi(I64)
        seen.add_incoming(first, entry)
        tries.add_incoming(I64(0), entry)
        now = self._load(builder, self.generation)
        changed = builder.icmp_signed("!=", now, seen)
        # A worker may start after the generation that told all to stop.
        builder.cbranch(builder.or_(changed, self._is_stopping(builder)), awake, spin)

        builder.position_at_end(spin)
        self._pause(builder)
        seen.add_incoming(seen, spin)
        tries.add_incoming(builder.add(tries, I64(1)), spin)
        tired = builder.icmp_signed(">", tries, I64(_PAUSES_BEFORE_SLEEP))
        builder.cbranch(tired, sleep, wait)

        builder.position_at_end(sleep)
        self._posix(builder, "pthread_mutex_lock", self.mutex)
        self._add(builder, self.sleepers, 1)
        check = builder.append_basic_block("check")
        doze = builder.append_basic_block("doze")
        rise = builder.append_basic_block("rise")
        builder.branch(check)
        builder.position_at_end(check)
        current = self._load(builder, self.generation)
        changed = builder.icmp_signed("!=", current, seen)
        builder.cbranch(builder.or_(changed, self._is_stopping(builder)), rise, doze)
        builder.position_at_end(doze)
        self._posix(builder, "pthread_cond_wait", self.condition, self.mutex)
        builder.branch(check)
        builder.position_at_end(rise)
        self._add(builder, self.sleepers, -1)
        self._posix(builder, "pthread_mutex_unlock", self.mutex)
        seen.add_incoming(seen, rise)
        tries.add_incoming(I64(0), rise)
        builder.branch(wait)

        builder.position_at_end(awake)
        enter = builder.append_basic_block("enter")
        builder.cbranch(self._is_stopping(builder), finish, enter)
        builder.position_at_end(enter)
        self._add(builder, self.active, 1)
        is_open = builder.icmp_signed("!=", self._load(builder, self.open), I32(0))
        builder.cbranch(is_open, work, leave)
        builder.position_at_end(work)
        builder.call(self._run_chunks, [I64(_BACK)])
        builder.branch(leave)
        builder.position_at_end(leave)
        self._add(builder, self.active, -1)
        seen.add_incoming(now, leave)
        tries.add_incoming(I64(0), leave)
        builder.branch(wait)

        builder.position_at_end(finish)
        builder.ret_void()

    def _is_stopping(self, builder: ir.IRBuilder) -> ir.Value:
        return builder.icmp_signed("!=", self._load(builder, self.stopping), I32(0))

    def _emit_thread_count(self) -> None:
        builder = self._function(THREAD_COUNT, I64)
        builder.ret(self._load(builder, self.count))

    def _emit_helps(self) -> None:
        builder = self._function(HELPS, I1, I64)
        work = builder.function.args[0]
        single = builder.icmp_signed("<=", self._load(builder, self.count), I64(1))
        with builder.if_then(single):
            builder.ret(I1(0))
        awake = builder.icmp_signed("==", self._load(builder, self.sleepers), I32(0))
        with builder.if_then(awake, likely=True):
            builder.ret(I1(1))
        clock = ir.FunctionType(I64, [])
        now = builder.call(declare(self.module, "llvm.readcyclecounter", clock), [])
        # Several threads may write these at once: then a worker wakes sooner, or later.
        since = builder.sub(now, self._load(builder, self.latest))
        soon = builder.icmp_unsigned("<", since, I64(_SOON))
        before = builder.select(soon, self._load(builder, self.waiting), I64(0))
        together = builder.add(before, work)
        enough = builder.icmp_signed(">=", together, I64(_ENOUGH))
        self._store(builder, self.latest, now)
        self._store(builder, self.waiting, builder.select(enough, I64(0), together))
        builder.ret(enough)

    def _emit_set_count(self) -> None:
        builder = self._function("pool_set_count", ir.VoidType(), I64)
        self._store(builder, self.count, builder.function.args[0])
        builder.ret_void()

    def _emit_reset(self) -> None:
        """Put the state as if no job had ever run and no worker existed."""
        builder = self._function("pool_reset", ir.VoidType())
        for word in (self.active, self.open, self.busy, self.sleepers, self.stopping):
            self._store(builder, word, 0)
        null = ir.Constant(POINTER, None)
        self._posix(builder, "pthread_mutex_init", self.mutex, null)
        self._posix(builder, "pthread_cond_init", self.condition, null)
        builder.ret_void()

    def _emit_stop(self) -> None:
        """Tell every worker to return."""
        builder = self._function("pool_stop", ir.VoidType())
        self._store(builder, self.stopping, 1)
        self._add(builder, self.generation, 1)
        self._posix(builder, "pthread_mutex_lock", self.mutex)
        self._posix(builder, "pthread_cond_broadcast", self.condition)
        self._posix(builder, "pthread_mutex_unlock", self.mutex)
        builder.ret_void()


def _host_is_x86() -> bool:
    return platform.machine().lower() in ("x86_64", "amd64")
