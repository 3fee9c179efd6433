"""What the code generator knows of values: numbers, arrays, tuples, stacks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from llvmlite import ir

INT64 = np.dtype(np.int64)
INT32 = np.dtype(np.int32)
UINT64 = np.dtype(np.uint64)
BOOL = np.dtype(bool)

I1, I8, I32, I64 = (ir.IntType(n) for n in (1, 8, 32, 64))
POINTER = I8.as_pointer()

_ELEMENTS: dict[str, ir.Type] = {
    "float64": ir.DoubleType(),
    "float32": ir.FloatType(),
    "int64": I64,
    "int32": I32,
    "bool": I8,
}
_NARROW: dict[str, ir.Type] = {
    "int8": I8,
    "uint8": I8,
    "int16": ir.IntType(16),
    "uint16": ir.IntType(16),
    "uint32": I32,
    "uint64": I64,
}
"""Integers that are computed with one at a time: no kernel has them."""


PAIR = ir.LiteralStructType([ir.DoubleType(), ir.DoubleType()])
"""A complex number: its real and its imaginary part."""


def element_type(dtype: np.dtype[Any]) -> ir.Type | None:
    """How a real element of an array is stored, or None if it cannot be."""
    return _ELEMENTS.get(dtype.name)


def stored_type(dtype: np.dtype[Any]) -> ir.Type | None:
    """How any element of an array is stored, or None if it cannot be."""
    if dtype.name == "complex128":
        return PAIR
    return _ELEMENTS.get(dtype.name) or _NARROW.get(dtype.name)


def is_narrow(dtype: np.dtype[Any]) -> bool:
    """Whether numbers of a type are only computed with one at a time."""
    return dtype.name in _NARROW


def scalar_type(dtype: np.dtype[Any]) -> ir.Type:
    """How a number is held in a register."""
    if dtype.kind == "b":
        return I1
    found = stored_type(dtype)
    assert found is not None
    return found


class Value:
    """A value of the program that is being compiled."""

    def flatten(self) -> list[ir.Value]:
        """The registers that make it up."""
        raise NotImplementedError

    def rebuild(self, registers: list[ir.Value]) -> Value:
        """A value of the same shape from other registers, taken off the list."""
        raise NotImplementedError

    def blocks(self) -> list[ir.Value]:
        """The memory blocks it holds."""
        return []


@dataclass
class Scalar(Value):
    """A number; `boxed`, it is an array without axes that nothing changes."""

    dtype: np.dtype[Any]
    register: ir.Value
    weak: bool = False
    boxed: bool = False

    def flatten(self) -> list[ir.Value]:
        return [self.register]

    def rebuild(self, registers: list[ir.Value]) -> Value:
        return Scalar(self.dtype, registers.pop(0), self.weak, self.boxed)


@dataclass
class Array(Value):
    """An array in memory: `block` owns the memory, or is null if the caller does.

    Sizes and strides count elements. `contiguous` is what is known at compile time.
    A template of what is `changed` in place is not filled with a converted copy.
    """

    dtype: np.dtype[Any]
    block: ir.Value
    data: ir.Value
    shape: list[ir.Value]
    strides: list[ir.Value]
    contiguous: bool = False
    changed: bool = False

    @property
    def ndim(self) -> int:
        return len(self.shape)

    def flatten(self) -> list[ir.Value]:
        return [self.block, self.data, *self.shape, *self.strides]

    def rebuild(self, registers: list[ir.Value]) -> Value:
        n = self.ndim
        block, data = registers.pop(0), registers.pop(0)
        shape = [registers.pop(0) for _ in range(n)]
        strides = [registers.pop(0) for _ in range(n)]
        known = self.contiguous, self.changed
        return Array(self.dtype, block, data, shape, strides, *known)

    def blocks(self) -> list[ir.Value]:
        return [self.block]


def either(
    b: ir.IRBuilder, r: ir.Value, r_end: ir.Block, s: ir.Value, s_end: ir.Block
) -> ir.Value:
    """A register that is one of two, by the block that the program comes from."""
    constants = isinstance(r, ir.Constant) and isinstance(s, ir.Constant)
    if r is s or (constants and r.constant == s.constant):
        return r
    phi = b.phi(r.type)
    phi.add_incoming(r, r_end)
    phi.add_incoming(s, s_end)
    return phi


def either_array(
    b: ir.IRBuilder, x: Array, x_end: ir.Block, y: Array, y_end: ir.Block
) -> Array:
    """An array that is one of two; what is the same of both remains known."""
    pairs = zip(x.flatten(), y.flatten(), strict=True)
    found = x.rebuild([either(b, r, x_end, s, y_end) for r, s in pairs])
    assert isinstance(found, Array)
    found.contiguous = x.contiguous and y.contiguous
    return found


def is_one(n: ir.Value) -> bool:
    """Whether a size is known to be one."""
    return isinstance(n, ir.Constant) and bool(n.constant == 1)


@dataclass
class Pack(Value):
    """A tuple or a record."""

    items: list[Value]
    names: tuple[str, ...] = ()
    cls: Any = None

    def flatten(self) -> list[ir.Value]:
        return [r for i in self.items for r in i.flatten()]

    def rebuild(self, registers: list[ir.Value]) -> Value:
        return Pack([i.rebuild(registers) for i in self.items], self.names, self.cls)

    def blocks(self) -> list[ir.Value]:
        return [b for i in self.items for b in i.blocks()]


@dataclass
class Nothing(Value):
    """None, or a value that is never read."""

    def flatten(self) -> list[ir.Value]:
        return []

    def rebuild(self, registers: list[ir.Value]) -> Value:
        return self


@dataclass
class Static(Value):
    """A value known at compile time: an axis, a shape, a dtype, a slice, a string."""

    value: Any

    def flatten(self) -> list[ir.Value]:
        return []

    def rebuild(self, registers: list[ir.Value]) -> Value:
        return self


@dataclass
class Boxed(Value):
    """A Python object: a block that stands for it."""

    register: ir.Value

    def flatten(self) -> list[ir.Value]:
        return [self.register]

    def rebuild(self, registers: list[ir.Value]) -> Value:
        return Boxed(registers.pop(0))

    def blocks(self) -> list[ir.Value]:
        return [self.register]


@dataclass
class SliceValue(Value):
    """A slice of integers; None where a bound is left out."""

    start: Value
    stop: Value
    step: Value

    def flatten(self) -> list[ir.Value]:
        return [r for p in (self.start, self.stop, self.step) for r in p.flatten()]

    def rebuild(self, registers: list[ir.Value]) -> Value:
        return SliceValue(
            *(p.rebuild(registers) for p in (self.start, self.stop, self.step))
        )

    def blocks(self) -> list[ir.Value]:
        return [b for p in (self.start, self.stop, self.step) for b in p.blocks()]


@dataclass
class Series(Value):
    """A growing list of values of one kind: the residuals of a loop.

    Its items lie in memory one after the other, each as its registers.
    """

    item: Value
    block: ir.Value
    length: ir.Value
    kinds: list[ir.Type] = field(default_factory=list)

    def flatten(self) -> list[ir.Value]:
        return [self.block, self.length]

    def rebuild(self, registers: list[ir.Value]) -> Value:
        return Series(self.item, registers.pop(0), registers.pop(0), self.kinds)

    def blocks(self) -> list[ir.Value]:
        return [self.block]
