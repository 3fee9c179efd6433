"""Lists that grow and hash tables whose keys are integers, in native memory.

What depends on the kind of the items is written into programs; what only moves bytes is
here. `containers.ll` says how lists and tables are laid out. Functions for keys of one
to four words are made below: `find` says which entry a key has, or -1; `insert` makes
an entry for a key that has none, or says -1 if there is no memory.
"""

from __future__ import annotations

from functools import cache

from ..disk.object_cache import ObjectCache, source_fingerprint
from ..linking.engine import Library, Passes, load_cached
from ..target import Target
from .memory import memory_library
from .objects import text_of

LENGTH, ROOM, ITEMS = 8, 9, 10
"""Words of a list."""
LIVE, USED, ENTRIES, INDEX = 8, 9, 12, 13
"""Words of a table."""
LIST_WORDS, TABLE_WORDS = 3, 6

GROW_LIST = "anadrome.grow_list"
SPLICE = "anadrome.splice"
REMOVE = "anadrome.remove"
LIST_KEYS = "anadrome.list_keys"
SORT = "anadrome.sort_records"
FIND, INSERT = "anadrome.find.", "anadrome.insert."
"""Followed by the number of words of a key."""
MOST_WORDS = 4

EXPORTS = (
    *(GROW_LIST, SPLICE, REMOVE, LIST_KEYS, SORT),
    *(f"{name}{n + 1}" for name in (FIND, INSERT) for n in range(MOST_WORDS)),
)

_KEYED = """
define internal i64 @hash.{n}({keys}) alwaysinline {{
  {hashing}
  ret i64 %hash
}}

define i64 @"anadrome.find.{n}"(ptr %table, i64 %bytes, {keys}) {{
entry:
  %livep = getelementptr i64, ptr %table, i64 8
  %live = load i64, ptr %livep
  %empty = icmp eq i64 %live, 0
  br i1 %empty, label %none, label %look
look:
  %hash = call i64 @hash.{n}({keys})
  %maskp = getelementptr i64, ptr %table, i64 11
  %mask = load i64, ptr %maskp
  %entriesp = getelementptr ptr, ptr %table, i64 12
  %entries = load ptr, ptr %entriesp
  %indexp = getelementptr ptr, ptr %table, i64 13
  %index = load ptr, ptr %indexp
  %base = getelementptr i8, ptr %entries, i64 64
  %places = getelementptr i8, ptr %index, i64 64
  br label %probe
probe:
  %k = phi i64 [ %hash, %look ], [ %k1, %next ]
  %place = and i64 %k, %mask
  %slotp = getelementptr i64, ptr %places, i64 %place
  %slot = load i64, ptr %slotp
  %free = icmp eq i64 %slot, 0
  br i1 %free, label %none, label %test
test:
  %apart = xor i64 %slot, %hash
  %alike = icmp ult i64 %apart, 4294967296
  br i1 %alike, label %compare, label %next
compare:
  %number = and i64 %slot, 4294967295
  %at = mul i64 %number, %bytes
  %entry.p = getelementptr i8, ptr %base, i64 %at
  {comparing}
  br i1 %same, label %found, label %next
next:
  %k1 = add i64 %k, 1
  br label %probe
found:
  ret i64 %number
none:
  ret i64 -1
}}

define i64 @"anadrome.insert.{n}"(ptr %context, ptr %table, i64 %bytes, {keys}) {{
entry:
  %livep = getelementptr i64, ptr %table, i64 8
  %usedp = getelementptr i64, ptr %table, i64 9
  %roomp = getelementptr i64, ptr %table, i64 10
  %before = load i64, ptr %usedp
  %room = load i64, ptr %roomp
  %full = icmp eq i64 %before, %room
  br i1 %full, label %grow, label %make
grow:
  %status = call i32 @grow_table(ptr %context, ptr %table, i64 %bytes)
  %fine = icmp eq i32 %status, 0
  br i1 %fine, label %make, label %fail
make:
  %used = load i64, ptr %usedp
  %hash = call i64 @hash.{n}({keys})
  %maskp = getelementptr i64, ptr %table, i64 11
  %mask = load i64, ptr %maskp
  %entriesp = getelementptr ptr, ptr %table, i64 12
  %entries = load ptr, ptr %entriesp
  %indexp = getelementptr ptr, ptr %table, i64 13
  %index = load ptr, ptr %indexp
  %base = getelementptr i8, ptr %entries, i64 64
  %places = getelementptr i8, ptr %index, i64 64
  call void @enter(ptr %places, i64 %mask, i64 %hash, i64 %used)
  %at = mul i64 %used, %bytes
  %entry.p = getelementptr i8, ptr %base, i64 %at
  store i64 %hash, ptr %entry.p
  {storing}
  %used1 = add i64 %used, 1
  store i64 %used1, ptr %usedp
  %live = load i64, ptr %livep
  %live1 = add i64 %live, 1
  store i64 %live1, ptr %livep
  ret i64 %used
fail:
  ret i64 -1
}}
"""

# An odd number with many ones: 2⁶⁴ divided by the golden ratio (Knuth, 6.4).
_FACTOR = -7046029254386353131
_SIGN = -(1 << 63)


def _keyed(n: int) -> str:
    """The functions for keys of so many words."""
    hashing, comparing, storing = [], [], []
    before, same = "0", "true"
    for k in range(n):
        hashing += [
            f"%x{k} = xor i64 {before}, %key{k}",
            f"%m{k} = mul i64 %x{k}, {_FACTOR}",
            f"%s{k} = lshr i64 %m{k}, 32",
            f"%h{k} = xor i64 %m{k}, %s{k}",
        ]
        before = f"%h{k}"
        place = f"getelementptr i64, ptr %entry.p, i64 {k + 1}"
        comparing += [
            f"%p{k} = {place}",
            f"%w{k} = load i64, ptr %p{k}",
            f"%e{k} = icmp eq i64 %w{k}, %key{k}",
            f"%a{k} = and i1 {same}, %e{k}",
        ]
        same = f"%a{k}"
        storing += [f"%p{k} = {place}", f"store i64 %key{k}, ptr %p{k}"]
    hashing.append(f"%hash = or i64 {before}, {_SIGN}")
    comparing.append(f"%same = and i1 {same}, true")
    return _KEYED.format(
        n=n,
        keys=", ".join(f"i64 %key{k}" for k in range(n)),
        hashing="\n  ".join(hashing),
        comparing="\n  ".join(comparing),
        storing="\n  ".join(storing),
    )


@cache
def container_library(target: Target) -> Library:
    """The loaded functions; link modules with their addresses."""
    text, digest = text_of("containers.ll")
    return load_cached(
        ObjectCache(),
        target,
        ["containers", source_fingerprint(__name__), digest],
        lambda: text + "".join(_keyed(n + 1) for n in range(MOST_WORDS)),
        EXPORTS,
        imports=memory_library(target).addresses,
        passes=Passes.SCALAR,
    )
