"""Blocks of memory with a count of their owners, kept for reuse in a context.

A context belongs to one call at a time. Released blocks go to its lists of free
blocks, one list for each power of two, so a loop that makes arrays of one size uses
the same warm memory again and again. Whatever a call leaves behind when it fails is
found in the context's list of live blocks and released.

A block is a header of 64 bytes and the data after it, both aligned to 64 bytes:
count, class, next, previous.
"""

from __future__ import annotations

import ctypes
from functools import cache

from .cache import ObjectCache, source_fingerprint
from .engine import Library, Passes, load_cached
from .target import Target

HEADER = 64
CLASSES = 48
LIVE = CLASSES
"""The slot of a context that heads the list of live blocks."""
CONTEXT_BYTES = 8 * (CLASSES + 1)

ALLOCATE = "anadrome.allocate"
RELEASE = "anadrome.release"
RETAIN = "anadrome.retain"
RECYCLE = "anadrome.recycle"
DISCARD = "anadrome.discard"

_TEXT = """
declare ptr @aligned_alloc(i64, i64)
declare void @free(ptr)
declare i64 @llvm.ctlz.i64(i64, i1)

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
  %n1 = getelementptr i64, ptr %free, i64 2
  %after = load ptr, ptr %n1
  store ptr %after, ptr %slot
  br label %link
fresh:
  %size = shl i64 1, %class
  %total = add i64 %size, 64
  %made = call ptr @aligned_alloc(i64 64, i64 %total)
  %missing = icmp eq ptr %made, null
  br i1 %missing, label %fail, label %link
link:
  %block = phi ptr [ %free, %reuse ], [ %made, %fresh ]
  store i64 1, ptr %block
  %c = getelementptr i64, ptr %block, i64 1
  store i64 %class, ptr %c
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

define void @"anadrome.release"(ptr %context, ptr %block) {
entry:
  %none = icmp eq ptr %block, null
  br i1 %none, label %done, label %some
some:
  %n = load i64, ptr %block
  %m = sub i64 %n, 1
  store i64 %m, ptr %block
  %last = icmp eq i64 %m, 0
  br i1 %last, label %unlink, label %done
unlink:
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
  br i1 %tail, label %push, label %fix
fix:
  %nextprev = getelementptr i64, ptr %next, i64 3
  store ptr %prev, ptr %nextprev
  br label %push
push:
  %cp = getelementptr i64, ptr %block, i64 1
  %class = load i64, ptr %cp
  %slot = getelementptr ptr, ptr %context, i64 %class
  %old = load ptr, ptr %slot
  store ptr %old, ptr %np
  store ptr %block, ptr %slot
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
  store i64 1, ptr %block
  call void @"anadrome.release"(ptr %context, ptr %block)
  br label %loop
done:
  ret void
}

define void @"anadrome.discard"(ptr %context) {
entry:
  call void @"anadrome.recycle"(ptr %context)
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
  ret void
}
"""


@cache
def memory_library(target: Target) -> Library:
    """The loaded functions; link modules with their addresses."""
    return load_cached(
        ObjectCache(),
        target,
        ["memory", source_fingerprint(__name__)],
        lambda: _TEXT,
        [ALLOCATE, RELEASE, RETAIN, RECYCLE, DISCARD],
        passes=Passes.LIGHT,
    )


class Context:
    """The memory of the calls of one compiled function."""

    def __init__(self, target: Target) -> None:
        self._library = memory_library(target)
        self._discard = self._library.function(DISCARD, None, ctypes.c_void_p)
        self.recycle = self._library.function(RECYCLE, None, ctypes.c_void_p)
        self.slots = (ctypes.c_void_p * (CLASSES + 1))()
        self.address = ctypes.addressof(self.slots)

    def __del__(self) -> None:
        if getattr(self, "_discard", None) is not None:
            self._discard(self.address)
