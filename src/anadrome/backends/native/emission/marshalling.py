"""Registers as words of memory, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from llvmlite import ir

from .values import I1, I32, I64, PAIR


def as_word(b: ir.IRBuilder, r: ir.Value) -> ir.Value:
    """A register as a word."""
    if isinstance(r.type, ir.PointerType):
        return b.ptrtoint(r, I64)
    if isinstance(r.type, ir.DoubleType):
        return b.bitcast(r, I64)
    if isinstance(r.type, ir.FloatType):
        return b.zext(b.bitcast(r, I32), I64)
    if r.type == I64:
        return r
    return b.zext(r, I64) if r.type == I1 else b.sext(r, I64)


def from_word(b: ir.IRBuilder, word: ir.Value, kind: ir.Type) -> ir.Value:
    """A register of a type from a word."""
    if isinstance(kind, ir.PointerType):
        return b.inttoptr(word, kind)
    if isinstance(kind, ir.DoubleType):
        return b.bitcast(word, kind)
    if isinstance(kind, ir.FloatType):
        return b.bitcast(b.trunc(word, I32), kind)
    return word if kind == I64 else b.trunc(word, kind)


def count_words(registers: Iterable[ir.Value]) -> int:
    """How many words registers take: a complex number takes two."""
    return sum(2 if r.type == PAIR else 1 for r in registers)


def store_words(
    b: ir.IRBuilder, words: ir.Value, registers: Iterable[ir.Value], first: int = 0
) -> None:
    """Put registers into memory one after the other."""
    at = first
    for r in registers:
        parts = [b.extract_value(r, k) for k in (0, 1)] if r.type == PAIR else [r]
        for part in parts:
            b.store(as_word(b, part), b.gep(words, [I64(at)]))
            at += 1


def load_words(
    b: ir.IRBuilder, words: ir.Value, like: Sequence[ir.Value], first: int = 0
) -> list[ir.Value]:
    """Registers of the types of others, read from where they were put."""
    found, at = [], first
    for r in like:
        count = count_words([r])
        loaded = [b.load(b.gep(words, [I64(at + k)])) for k in range(count)]
        at += count
        if r.type == PAIR:
            parts = [from_word(b, word, PAIR.elements[0]) for word in loaded]
            found.append(pair(b, *parts))
        else:
            found.append(from_word(b, loaded[0], r.type))
    return found


def pair(b: ir.IRBuilder, real: ir.Value, imaginary: ir.Value) -> ir.Value:
    """A complex number from its parts."""
    half = b.insert_value(ir.Constant(PAIR, ir.Undefined), real, 0)
    return b.insert_value(half, imaginary, 1)
