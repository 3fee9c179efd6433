"""Elements that do not stand side by side: brought together, put back, multiplied.

`anadrome.fetch` and `anadrome.scatter` bring operands with odd strides into a buffer
and back, so that kernels are written for neighbours in memory only.  Rows that are
read backwards are reversed a vector at a time; others are gathered.
"""

from __future__ import annotations

from llvmlite import ir

from ..emission.control_flow import for_range
from ..emission.dsl import I32, I64, declare, type_name
from ..target import Target

POINTER = ir.PointerType()
BYTE = ir.IntType(8)
FETCH = "anadrome.fetch"
SCATTER = "anadrome.scatter"
FETCH_TYPE = ir.FunctionType(POINTER, [POINTER, I64, I64, POINTER])
"""fetch(source, stride, n, buffer): where the elements stand as neighbours

What is behind the last of them, up to a whole vector, may be written over.
"""
SCATTER_TYPE = ir.FunctionType(ir.VoidType(), [POINTER, I64, I64, POINTER])
"""scatter(target, stride, n, buffer)"""


class Strided:
    """Vectors of elements that stand a number of bytes apart."""

    def __init__(
        self, b: ir.IRBuilder, item: ir.Type, lanes: int, stride: ir.Value
    ) -> None:
        self.b, self.lanes = b, lanes
        self.vector = ir.VectorType(item, lanes)
        numbers = ir.Constant(ir.VectorType(I64, lanes), list(range(lanes)))
        self.apart = b.mul(numbers, self._splat(stride))

    def _splat(self, value: ir.Value) -> ir.Value:
        return splat(self.b, value, self.lanes)

    def mask(self, left: ir.Value) -> ir.Value:
        """The lanes that stand for an element, if so many are left."""
        numbers = ir.Constant(ir.VectorType(I64, self.lanes), list(range(self.lanes)))
        return self.b.icmp_signed("<", numbers, self._splat(left))

    def _places(self, start: ir.Value) -> ir.Value:
        b = self.b
        at = b.add(self._splat(b.ptrtoint(start, I64)), self.apart)
        return b.inttoptr(at, ir.VectorType(POINTER, self.lanes))

    def load(self, start: ir.Value, mask: ir.Value) -> ir.Value:
        """The elements from a place on, and zeros."""
        places, zeros = self._places(start), ir.Constant(self.vector, None)
        kinds = [places.type, I32, mask.type, self.vector]
        name = f"llvm.masked.gather.{type_name(self.vector)}.v{self.lanes}p0"
        callee = declare(self.b.module, name, ir.FunctionType(self.vector, kinds))
        return self.b.call(callee, [places, I32(1), mask, zeros])

    def store(self, value: ir.Value, start: ir.Value, mask: ir.Value) -> None:
        """Put elements back."""
        places = self._places(start)
        kinds = [self.vector, places.type, I32, mask.type]
        name = f"llvm.masked.scatter.{type_name(self.vector)}.v{self.lanes}p0"
        type_ = ir.FunctionType(ir.VoidType(), kinds)
        callee = declare(self.b.module, name, type_)
        self.b.call(callee, [value, places, I32(1), mask])


def splat(b: ir.IRBuilder, value: ir.Value, lanes: int) -> ir.Value:
    """A number in every lane."""
    undefined = ir.Constant(ir.VectorType(value.type, lanes), ir.Undefined)
    one = b.insert_element(undefined, value, I32(0))
    zeros = ir.Constant(ir.VectorType(I32, lanes), [0] * lanes)
    return b.shuffle_vector(one, undefined, zeros)


def emit_strides(module: ir.Module, target: Target, sizes: tuple[int, ...]) -> None:
    """Write `fetch` and `scatter` for elements of some sizes."""
    for size in sizes:
        _emit_fetch(module, target, size)
        _emit_scatter(module, target, size)


def _moved(b: ir.IRBuilder, pointer: ir.Value, distance: ir.Value) -> ir.Value:
    return b.gep(pointer, [distance], source_etype=BYTE)


def _at(b: ir.IRBuilder, pointer: ir.Value, index: ir.Value, item: ir.Type) -> ir.Value:
    return b.gep(pointer, [index], source_etype=item)


def _emit_fetch(module: ir.Module, target: Target, size: int) -> None:
    function = ir.Function(module, FETCH_TYPE, f"{FETCH}.{size}")
    b = ir.IRBuilder(function.append_basic_block())
    source, stride, count, buffer = function.args
    item = ir.IntType(8 * size)
    lanes = min(16, target.lanes(size))
    vector = ir.VectorType(item, lanes)
    with b.if_then(b.icmp_signed("==", stride, I64(size))):
        b.ret(source)
    with b.if_then(b.icmp_signed("==", stride, I64(0))):
        repeated = splat(b, b.load(source, typ=item), lanes)
        with for_range(b, 0, count, lanes) as k:
            b.store(repeated, _at(b, buffer, k, item), align=size)
        b.ret(buffer)
    whole = b.and_(count, I64(-lanes))
    with b.if_then(b.icmp_signed("==", stride, I64(-size))):
        order = ir.Constant(ir.VectorType(I32, lanes), list(range(lanes))[::-1])
        undefined = ir.Constant(vector, ir.Undefined)
        with for_range(b, 0, whole, lanes) as k:
            back = b.sub(I64(1 - lanes), k)
            r = b.load(_at(b, source, back, item), typ=vector, align=size)
            r = b.shuffle_vector(r, undefined, order)
            b.store(r, _at(b, buffer, k, item), align=size)
        _one_by_one(b, item, whole, count, source, stride, buffer)
        b.ret(buffer)
    with b.if_then(b.icmp_signed("==", stride, I64(2 * size))):
        _fetch_every_second(b, vector, count, source, buffer)
        b.ret(buffer)
    if size == 1:
        _one_by_one(b, item, I64(0), count, source, stride, buffer)
    else:
        strided = Strided(b, item, lanes, stride)
        with for_range(b, 0, count, lanes) as k:
            place = _moved(b, source, b.mul(k, stride))
            r = strided.load(place, strided.mask(b.sub(count, k)))
            b.store(r, _at(b, buffer, k, item), align=size)
    b.ret(buffer)


def _fetch_every_second(
    b: ir.IRBuilder,
    vector: ir.VectorType,
    count: ir.Value,
    source: ir.Value,
    buffer: ir.Value,
) -> None:
    """Parts of complex numbers, and the like: two vectors hold one of them."""
    item, lanes = vector.element, vector.count
    size = item.width // 8
    # Behind the last element there may be nothing to read.
    whole = b.and_(b.sub(count, I64(1)), I64(-lanes))
    order = ir.Constant(ir.VectorType(I32, lanes), list(range(0, 2 * lanes, 2)))
    with for_range(b, 0, whole, lanes) as k:
        place = _at(b, source, b.mul(k, I64(2)), item)
        pair = [
            b.load(_at(b, place, I64(j), item), typ=vector, align=size)
            for j in (0, lanes)
        ]
        r = b.shuffle_vector(*pair, order)
        b.store(r, _at(b, buffer, k, item), align=size)
    _one_by_one(b, item, whole, count, source, I64(2 * size), buffer)


def _one_by_one(
    b: ir.IRBuilder,
    item: ir.Type,
    first: ir.Value,
    count: ir.Value,
    source: ir.Value,
    stride: ir.Value,
    buffer: ir.Value,
) -> None:
    with for_range(b, first, count) as k:
        r = b.load(_moved(b, source, b.mul(k, stride)), typ=item)
        b.store(r, _at(b, buffer, k, item))


def _emit_scatter(module: ir.Module, target: Target, size: int) -> None:
    function = ir.Function(module, SCATTER_TYPE, f"{SCATTER}.{size}")
    b = ir.IRBuilder(function.append_basic_block())
    place, stride, count, buffer = function.args
    item = ir.IntType(8 * size)
    with b.if_then(b.icmp_signed("==", stride, I64(size))):
        b.ret_void()
    with b.if_then(b.icmp_signed("==", stride, I64(0))):
        b.store(b.load(buffer, typ=item), place)
        b.ret_void()
    if size == 1 or target.vector_bits < 512:
        with for_range(b, 0, count) as k:
            r = b.load(_at(b, buffer, k, item), typ=item)
            b.store(r, _moved(b, place, b.mul(k, stride)))
        b.ret_void()
        return
    lanes = target.lanes(size)
    strided = Strided(b, item, lanes, stride)
    with for_range(b, 0, count, lanes) as k:
        r = b.load(_at(b, buffer, k, item), typ=strided.vector, align=size)
        mask = strided.mask(b.sub(count, k))
        strided.store(r, _moved(b, place, b.mul(k, stride)), mask)
    b.ret_void()
