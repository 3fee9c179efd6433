"""Memory for threads: a context lends its free blocks to others, and gets them back.

A context belongs to one thread. Each thread that takes part in a loop is given a
context of its own with a share of the free blocks of the one that runs the loop, so
that it works in memory that is already there.
"""

from __future__ import annotations

from functools import cache

from ..disk.object_cache import ObjectCache, source_fingerprint
from ..linking.engine import Library, Passes, load_cached
from ..target import Target

LEND = "anadrome.lend"
COLLECT = "anadrome.collect"
CONTEXT_WORDS = 64

_TEXT = """
define void @"anadrome.lend"(ptr %from, ptr %contexts, i64 %count) {
entry:
  %words = mul i64 %count, 64
  br label %clear
clear:
  %w = phi i64 [ 0, %entry ], [ %w1, %clearing ]
  %more = icmp slt i64 %w, %words
  br i1 %more, label %clearing, label %classes
clearing:
  %wp = getelementptr i64, ptr %contexts, i64 %w
  store i64 0, ptr %wp
  %w1 = add i64 %w, 1
  br label %clear
classes:
  %k = phi i64 [ 0, %clear ], [ %k1, %next ]
  %slot = getelementptr ptr, ptr %from, i64 %k
  %first = load ptr, ptr %slot
  store ptr null, ptr %slot
  br label %deal
deal:
  %block = phi ptr [ %first, %classes ], [ %after, %dealt ]
  %turn = phi i64 [ 0, %classes ], [ %turn1, %dealt ]
  %none = icmp eq ptr %block, null
  br i1 %none, label %next, label %give
give:
  %np = getelementptr i64, ptr %block, i64 2
  %after = load ptr, ptr %np
  %own = icmp eq i64 %turn, %count
  br i1 %own, label %keep, label %lend
keep:
  br label %dealt
lend:
  %offset = mul i64 %turn, 64
  %context = getelementptr i64, ptr %contexts, i64 %offset
  %lent = getelementptr ptr, ptr %context, i64 %k
  br label %dealt
dealt:
  %place = phi ptr [ %slot, %keep ], [ %lent, %lend ]
  %old = load ptr, ptr %place
  store ptr %old, ptr %np
  store ptr %block, ptr %place
  %up = add i64 %turn, 1
  %turn1 = select i1 %own, i64 0, i64 %up
  br label %deal
next:
  %k1 = add i64 %k, 1
  %further = icmp slt i64 %k1, 48
  br i1 %further, label %classes, label %done
done:
  ret void
}

define void @"anadrome.collect"(ptr %to, ptr %contexts, i64 %count) {
entry:
  br label %contextloop
contextloop:
  %c = phi i64 [ 0, %entry ], [ %c1, %nextcontext ]
  %any = icmp slt i64 %c, %count
  br i1 %any, label %one, label %done
one:
  %offset = mul i64 %c, 64
  %context = getelementptr i64, ptr %contexts, i64 %offset
  br label %classes
classes:
  %k = phi i64 [ 0, %one ], [ %k1, %next ]
  %from = getelementptr ptr, ptr %context, i64 %k
  %slot = getelementptr ptr, ptr %to, i64 %k
  br label %blocks
blocks:
  %block = load ptr, ptr %from
  %none = icmp eq ptr %block, null
  br i1 %none, label %next, label %take
take:
  %np = getelementptr i64, ptr %block, i64 2
  %after = load ptr, ptr %np
  store ptr %after, ptr %from
  %old = load ptr, ptr %slot
  store ptr %old, ptr %np
  store ptr %block, ptr %slot
  br label %blocks
next:
  %k1 = add i64 %k, 1
  %further = icmp slt i64 %k1, 48
  br i1 %further, label %classes, label %nextcontext
nextcontext:
  %c1 = add i64 %c, 1
  br label %contextloop
done:
  ret void
}
"""


@cache
def lending_library(target: Target) -> Library:
    """The loaded functions; link modules with their addresses."""
    return load_cached(
        ObjectCache(),
        target,
        ["lending", source_fingerprint(__name__)],
        lambda: _TEXT,
        [LEND, COLLECT],
        passes=Passes.LIGHT,
        codegen_level=0,
    )
