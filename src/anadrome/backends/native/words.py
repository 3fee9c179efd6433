"""Registers as words of memory, and back."""

from __future__ import annotations

from llvmlite import ir

from .values import I1, I32, I64


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
