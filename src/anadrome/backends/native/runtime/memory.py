"""Blocks of memory with a count of their owners, kept for reuse in a context.

A context belongs to one call at a time. Released blocks go to its lists of free
blocks, one list for each power of two, so a loop that makes arrays of one size uses
the same warm memory again and again. Whatever a call leaves behind when it fails is
found in the context's list of live blocks and released.

A block is a header of 64 bytes and the data after it, both aligned to 64 bytes. The
header's words: how often native code owns it, its class, the next and the previous
block, the Python object that it stands for (the owner of its memory), how many Python
objects hold on to it, the context it returns to, and whether only Python holds it.

Contexts are never freed: arrays that outlive a call return their memory to one.
Contexts are taken, given back, and returned to only with the interpreter's lock held.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache

from ..disk.object_cache import ObjectCache, source_fingerprint
from ..linking.engine import Library, Passes, load_cached
from ..target import Target

HEADER = 64
OBJECT = 4
"""The word of a block's header that holds the Python object it stands for."""
HOLDERS = 5
"""The word that counts the Python objects that hold on to a block."""

STACK_LIMIT, THREAD, COUNTDOWN, SITE, NUMBERS = 52, 53, 54, 58, 59
"""Slots of a context: the lowest stack address allowed, the thread that it was found
for, the iterations until the next look at the clock, where Python raised, and what goes
into the message of a failure."""

ALLOCATE = "anadrome.allocate"
RELEASE = "anadrome.release"
RETAIN = "anadrome.retain"
GIVE_BACK = "anadrome.give_back"
RECYCLE = "anadrome.recycle"
TAKE = "anadrome.take_context"
GIVE = "anadrome.give_context"
RETURN = "anadrome.return_block"
POLL = "anadrome.poll"
THIS_THREAD = "anadrome.this_thread"
EXPORTS = (
    *(ALLOCATE, RELEASE, RETAIN, GIVE_BACK, RECYCLE),
    *(TAKE, GIVE, RETURN, POLL, THIS_THREAD),
)

# A context keeps no more than this between calls.
_LIMIT = 2 << 30
# Blocks from this power of two on are asked to be made of huge pages (advice 14 of
# Linux): an array that is read by columns touches a page for every row.
_LARGE = 22 if sys.platform.startswith("linux") else 64

_TEXT = """
@contexts = internal global ptr null

declare ptr @aligned_alloc(i64, i64)
declare ptr @calloc(i64, i64)
declare void @free(ptr)
declare i32 @madvise(ptr, i64, i32)
declare i32 @clock_gettime(i32, ptr)
declare i64 @pthread_self()
declare i64 @llvm.ctlz.i64(i64, i1)
declare void @Py_DecRef(ptr)
declare i32 @PyGILState_Ensure()
declare void @PyGILState_Release(i32)
declare i32 @PyErr_CheckSignals()
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)

define ptr @"anadrome.allocate"(ptr %context, i64 %bytes) {
entry:
  %positive = icmp sgt i64 %bytes, 64
  %need = select i1 %positive, i64 %bytes, i64 64
  %less = sub i64 %need, 1
  %zeros = call i64 @llvm.ctlz.i64(i64 %less, i1 false)
  %class = sub i64 64, %zeros
  %sane = icmp slt i64 %class, 48
  br i1 %sane, label %look, label %fail
look:
  %slot = getelementptr ptr, ptr %context, i64 %class
  %free = load ptr, ptr %slot
  %none = icmp eq ptr %free, null
  br i1 %none, label %fresh, label %reuse
reuse:
  ; Its class is what it was, and nobody holds it.
  %n1 = getelementptr i64, ptr %free, i64 2
  %after = load ptr, ptr %n1
  store ptr %after, ptr %slot
  br label %link
fresh:
  %size = shl i64 1, %class
  %total = add i64 %size, 64
  %made = call ptr @aligned_alloc(i64 64, i64 %total)
  %missing = icmp eq ptr %made, null
  br i1 %missing, label %fail, label %count
count:
  %heldp = getelementptr i64, ptr %context, i64 51
  %held = load i64, ptr %heldp
  %more = add i64 %held, %total
  store i64 %more, ptr %heldp
  %large = icmp uge i64 %class, LARGE
  br i1 %large, label %advise, label %prepare
advise:
  %address = ptrtoint ptr %made to i64
  %raised = add i64 %address, 4095
  %page = and i64 %raised, -4096
  %begin = inttoptr i64 %page to ptr
  %advised = call i32 @madvise(ptr %begin, i64 %size, i32 14)
  br label %prepare
prepare:
  %c = getelementptr i64, ptr %made, i64 1
  store i64 %class, ptr %c
  %object = getelementptr ptr, ptr %made, i64 4
  store ptr null, ptr %object
  %exports = getelementptr i64, ptr %made, i64 5
  store i64 0, ptr %exports
  %detached = getelementptr i64, ptr %made, i64 7
  store i64 0, ptr %detached
  br label %link
link:
  %block = phi ptr [ %free, %reuse ], [ %made, %prepare ]
  store i64 1, ptr %block
  %home = getelementptr ptr, ptr %block, i64 6
  store ptr %context, ptr %home
  %live = getelementptr ptr, ptr %context, i64 48
  %head = load ptr, ptr %live
  %next = getelementptr i64, ptr %block, i64 2
  store ptr %head, ptr %next
  %prev = getelementptr i64, ptr %block, i64 3
  store ptr null, ptr %prev
  %empty = icmp eq ptr %head, null
  br i1 %empty, label %done, label %back
back:
  %hp = getelementptr i64, ptr %head, i64 3
  store ptr %block, ptr %hp
  br label %done
done:
  store ptr %block, ptr %live
  ret ptr %block
fail:
  ret ptr null
}

define void @"anadrome.retain"(ptr %block) {
entry:
  %none = icmp eq ptr %block, null
  br i1 %none, label %done, label %some
some:
  %n = load i64, ptr %block
  %m = add i64 %n, 1
  store i64 %m, ptr %block
  br label %done
done:
  ret void
}

define internal void @unlink(ptr %context, ptr %block) alwaysinline {
entry:
  %np = getelementptr i64, ptr %block, i64 2
  %next = load ptr, ptr %np
  %pp = getelementptr i64, ptr %block, i64 3
  %prev = load ptr, ptr %pp
  %live = getelementptr ptr, ptr %context, i64 48
  %first = icmp eq ptr %prev, null
  %prevnext = getelementptr i64, ptr %prev, i64 2
  %target = select i1 %first, ptr %live, ptr %prevnext
  store ptr %next, ptr %target
  %tail = icmp eq ptr %next, null
  br i1 %tail, label %done, label %fix
fix:
  %nextprev = getelementptr i64, ptr %next, i64 3
  store ptr %prev, ptr %nextprev
  br label %done
done:
  ret void
}

define internal void @push(ptr %context, ptr %block) alwaysinline {
  %cp = getelementptr i64, ptr %block, i64 1
  %class = load i64, ptr %cp
  %slot = getelementptr ptr, ptr %context, i64 %class
  %old = load ptr, ptr %slot
  %np = getelementptr i64, ptr %block, i64 2
  store ptr %old, ptr %np
  store ptr %block, ptr %slot
  ret void
}

define void @"anadrome.release"(ptr %context, ptr %block) {
entry:
  %none = icmp eq ptr %block, null
  br i1 %none, label %done, label %some
some:
  %n = load i64, ptr %block
  %m = sub i64 %n, 1
  store i64 %m, ptr %block
  %last = icmp eq i64 %m, 0
  br i1 %last, label %mine, label %done
mine:
  call void @"anadrome.give_back"(ptr %context, ptr %block)
  br label %done
done:
  ret void
}

define void @"anadrome.give_back"(ptr %context, ptr %block) {
entry:
  %exportsp = getelementptr i64, ptr %block, i64 5
  %exports = load i64, ptr %exportsp
  %private = icmp eq i64 %exports, 0
  br i1 %private, label %give, label %done
give:
  %objectp = getelementptr ptr, ptr %block, i64 4
  %object = load ptr, ptr %objectp
  call void @unlink(ptr %context, ptr %block)
  call void @push(ptr %context, ptr %block)
  %plain = icmp eq ptr %object, null
  br i1 %plain, label %done, label %drop
drop:
  store ptr null, ptr %objectp
  call void @Py_DecRef(ptr %object)
  br label %done
done:
  ret void
}

define void @"anadrome.return_block"(ptr %block) {
entry:
  %ep = getelementptr i64, ptr %block, i64 5
  %exports = load i64, ptr %ep
  %less = sub i64 %exports, 1
  store i64 %less, ptr %ep
  %count = load i64, ptr %block
  %both = or i64 %less, %count
  %unused = icmp eq i64 %both, 0
  br i1 %unused, label %back, label %done
back:
  %homep = getelementptr ptr, ptr %block, i64 6
  %home = load ptr, ptr %homep
  %detachedp = getelementptr i64, ptr %block, i64 7
  %detached = load i64, ptr %detachedp
  %late = icmp ne i64 %detached, 0
  br i1 %late, label %later, label %now
now:
  call void @unlink(ptr %home, ptr %block)
  call void @push(ptr %home, ptr %block)
  br label %done
later:
  %returned = getelementptr ptr, ptr %home, i64 49
  %old = load ptr, ptr %returned
  %np = getelementptr i64, ptr %block, i64 2
  store ptr %old, ptr %np
  store ptr %block, ptr %returned
  br label %done
done:
  ret void
}

define void @"anadrome.recycle"(ptr %context) {
entry:
  br label %loop
loop:
  %live = getelementptr ptr, ptr %context, i64 48
  %block = load ptr, ptr %live
  %none = icmp eq ptr %block, null
  br i1 %none, label %done, label %one
one:
  %exportsp = getelementptr i64, ptr %block, i64 5
  %exports = load i64, ptr %exportsp
  %private = icmp eq i64 %exports, 0
  br i1 %private, label %free, label %detach
free:
  store i64 1, ptr %block
  call void @"anadrome.release"(ptr %context, ptr %block)
  br label %loop
detach:
  store i64 0, ptr %block
  %detachedp = getelementptr i64, ptr %block, i64 7
  store i64 1, ptr %detachedp
  call void @unlink(ptr %context, ptr %block)
  br label %loop
done:
  ret void
}

define internal void @discard(ptr %context) {
entry:
  br label %classes
classes:
  %k = phi i64 [ 0, %entry ], [ %k1, %nextclass ]
  %slot = getelementptr ptr, ptr %context, i64 %k
  br label %blocks
blocks:
  %block = load ptr, ptr %slot
  %none = icmp eq ptr %block, null
  br i1 %none, label %nextclass, label %one
one:
  %np = getelementptr i64, ptr %block, i64 2
  %next = load ptr, ptr %np
  store ptr %next, ptr %slot
  call void @free(ptr %block)
  br label %blocks
nextclass:
  %k1 = add i64 %k, 1
  %more = icmp slt i64 %k1, 48
  br i1 %more, label %classes, label %done
done:
  %heldp = getelementptr i64, ptr %context, i64 51
  store i64 0, ptr %heldp
  ret void
}

define ptr @"anadrome.take_context"() {
entry:
  %first = load ptr, ptr @contexts
  %none = icmp eq ptr %first, null
  br i1 %none, label %fresh, label %reuse
fresh:
  %made = call ptr @calloc(i64 64, i64 8)
  %missing = icmp eq ptr %made, null
  br i1 %missing, label %fail, label %ready
reuse:
  %linkp = getelementptr ptr, ptr %first, i64 50
  %link = load ptr, ptr %linkp
  store ptr %link, ptr @contexts
  br label %merge
merge:
  %returnedp = getelementptr ptr, ptr %first, i64 49
  %block = load ptr, ptr %returnedp
  %empty = icmp eq ptr %block, null
  br i1 %empty, label %ready, label %one
one:
  %np = getelementptr i64, ptr %block, i64 2
  %next = load ptr, ptr %np
  store ptr %next, ptr %returnedp
  %detachedp = getelementptr i64, ptr %block, i64 7
  store i64 0, ptr %detachedp
  call void @push(ptr %first, ptr %block)
  br label %merge
ready:
  %context = phi ptr [ %made, %fresh ], [ %first, %merge ]
  %countdown = getelementptr i64, ptr %context, i64 54
  store i64 16, ptr %countdown
  %last = getelementptr i64, ptr %context, i64 55
  store i64 0, ptr %last
  %interval = getelementptr i64, ptr %context, i64 56
  store i64 16, ptr %interval
  %site = getelementptr i64, ptr %context, i64 58
  store i64 0, ptr %site
  ret ptr %context
fail:
  ret ptr null
}

define void @"anadrome.give_context"(ptr %context) {
entry:
  call void @"anadrome.recycle"(ptr %context)
  %heldp = getelementptr i64, ptr %context, i64 51
  %held = load i64, ptr %heldp
  %much = icmp ugt i64 %held, LIMIT
  br i1 %much, label %trim, label %give
trim:
  call void @discard(ptr %context)
  br label %give
give:
  %first = load ptr, ptr @contexts
  %linkp = getelementptr ptr, ptr %context, i64 50
  store ptr %first, ptr %linkp
  store ptr %context, ptr @contexts
  ret void
}

define i64 @"anadrome.this_thread"() {
entry:
  %thread = call i64 @pthread_self()
  ret i64 %thread
}

define i32 @"anadrome.poll"(ptr %context, i32 %locked) {
entry:
  %time = alloca [2 x i64]
  %ok = call i32 @clock_gettime(i32 1, ptr %time)
  %seconds = load i64, ptr %time
  %np = getelementptr i64, ptr %time, i64 1
  %nano = load i64, ptr %np
  %s = mul i64 %seconds, 1000
  %n = udiv i64 %nano, 1000000
  %now = add i64 %s, %n
  %lastp = getelementptr i64, ptr %context, i64 55
  %last = load i64, ptr %lastp
  %intervalp = getelementptr i64, ptr %context, i64 56
  %interval = load i64, ptr %intervalp
  %elapsed = sub i64 %now, %last
  %polledp = getelementptr i64, ptr %context, i64 57
  %polled = load i64, ptr %polledp
  store i64 %now, ptr %polledp
  %since = sub i64 %now, %polled
  %slow = icmp ugt i64 %since, 2
  %half = lshr i64 %interval, 1
  %double = shl i64 %interval, 1
  %wanted = select i1 %slow, i64 %half, i64 %double
  %many = icmp ugt i64 %wanted, 1024
  %few = icmp ult i64 %wanted, 1
  %upper = select i1 %many, i64 1024, i64 %wanted
  %iterations = select i1 %few, i64 1, i64 %upper
  store i64 %iterations, ptr %intervalp
  %countdown = getelementptr i64, ptr %context, i64 54
  store i64 %iterations, ptr %countdown
  %due = icmp ugt i64 %elapsed, 50
  br i1 %due, label %look, label %fine
look:
  store i64 %now, ptr %lastp
  %held = icmp ne i32 %locked, 0
  br i1 %held, label %yield, label %lock
yield:
  %thread = call ptr @PyEval_SaveThread()
  call void @PyEval_RestoreThread(ptr %thread)
  %a = call i32 @PyErr_CheckSignals()
  ret i32 %a
lock:
  %state = call i32 @PyGILState_Ensure()
  %b = call i32 @PyErr_CheckSignals()
  call void @PyGILState_Release(i32 %state)
  ret i32 %b
fine:
  ret i32 0
}
"""

_PYTHON = (
    "Py_DecRef",
    "PyGILState_Ensure",
    "PyGILState_Release",
    "PyErr_CheckSignals",
    "PyEval_SaveThread",
    "PyEval_RestoreThread",
)


def python_symbols(*names: str) -> dict[str, int]:
    """The addresses of functions of the interpreter."""
    found = {}
    for name in names:
        function = getattr(ctypes.pythonapi, name)
        found[name] = ctypes.cast(function, ctypes.c_void_p).value or 0
    return found


@cache
def memory_library(target: Target) -> Library:
    """The loaded functions; link modules with their addresses."""
    return load_cached(
        ObjectCache(),
        target,
        ["memory", source_fingerprint(__name__)],
        lambda: _TEXT.replace("LIMIT", str(_LIMIT)).replace("LARGE", str(_LARGE)),
        EXPORTS,
        imports=python_symbols(*_PYTHON),
        passes=Passes.LIGHT,
    )
