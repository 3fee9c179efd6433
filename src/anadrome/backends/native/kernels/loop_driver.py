"""Loops around kernels: a library that walks any loop nest, compiled once.

A kernel works along the rows of a matrix.  `anadrome.loop_driver` is given the shape
and the strides of every operand, joins axes that lie behind one another in memory, and
calls the kernel for each matrix; large loop nests are shared among threads.  Programs
only say what their operands are, so none of this is compiled again for each of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from llvmlite import ir

from ..disk.object_cache import ObjectCache, source_fingerprint
from ..emission.control_flow import divide_up, for_range, minimum
from ..emission.dsl import I1, I64
from ..linking.engine import Library, Passes, load_cached
from ..runtime.threads import BODY, declare_helps, declare_parallel_for, thread_pool
from ..target import Target
from .strided import BYTE, FETCH, POINTER, SCATTER, emit_strides

VOID = ir.VoidType()
LOOP_DRIVER = "anadrome.loop_driver"
ITEM_SIZES = (1, 4, 8)
_SOURCES = (
    "anadrome.backends.native.emission.control_flow",
    f"{__package__}.strided",
)
CHUNK = 256
"""The elements that `fetch` brings at a time."""
# Pieces of one axis are cut at whole vectors, and those of columns at so many that
# what they read lies together.
_VECTOR, _COLUMNS = 16, 128

KERNEL = ir.FunctionType(VOID, [I64, I64, POINTER, POINTER, POINTER, POINTER])
"""kernel(n, rows, pointers, strides, jumps, scalars)

It works on rows of n elements; strides lead from element to element and jumps from
row to row, in bytes.
"""
LOOP_DRIVER_TYPE = ir.FunctionType(
    VOID, [KERNEL.as_pointer(), I64, I64, I64, POINTER, POINTER, POINTER, I64, I64]
)
"""loop_driver(kernel, rank, operands, reads, shape, descriptions, scalars, cost, keep)

An operand is described by its address and then its strides in bytes; the first ones are
read, those behind them written.  `cost` is what an element costs, in additions, or 0 if
rows depend on each other; `keep` says how the axes may be taken. Shape and descriptions
are changed.
"""
FREE, LAST, IN_ORDER, ROWS, ADDED, COLUMNS = 0, 1, 2, 3, 4, 5
"""In any order; with the last one along which the kernel works, undivided, also if it
has one element; in order, but for those of one element; with whole rows along the last
one, also if they are empty; as with the last one undivided, where rows may add to the
same elements; with the last one along which the kernel works, where rows are combined,
so that only columns may be shared."""

# A job is shared among threads if it is worth this many additions, in pieces of this.
WORTH_SHARING = 1 << 17
_PIECE = 1 << 15
# One that is worth this many is shared in so many pieces if somebody is awake to help.
WORTH_HELPING = 1 << 16
_HELPINGS = 4
# Bytes that memory gives at a time, and the columns that are walked together.
_LINE, _STRIP = 64, 64
# How far beyond its row a kernel that adds may write, in bytes.
_BEYOND = 256
# Rows are few below this number, and short if so many elements hold all of them.
_FEW_ROWS, _SHORT_ROWS = 8, 4096


@cache
def loop_driver_library(target: Target) -> Library:
    """The loaded functions; link modules with their addresses."""
    names = [LOOP_DRIVER]
    names += [f"{kind}.{size}" for kind in (FETCH, SCATTER) for size in ITEM_SIZES]
    return load_cached(
        ObjectCache(),
        target,
        ["loop_driver", source_fingerprint(__name__, *_SOURCES)],
        lambda: loop_driver_module(target),
        names,
        imports=thread_pool().symbols,
        passes=Passes.LIGHT,
    )


def loop_driver_module(target: Target) -> ir.Module:
    """The module of the library."""
    module = ir.Module("anadrome.loop_driver")
    emit_strides(module, target, ITEM_SIZES)
    walk = _emit_walk(module)
    tiles = _emit_tiles(module, walk)
    _emit_loop_driver(module, walk, tiles, _emit_share(module, walk.function_type))
    return module


def _start(
    module: ir.Module, name: str, type_: ir.FunctionType, exported: bool = True
) -> tuple[ir.Function, ir.IRBuilder]:
    function = ir.Function(module, type_, name)
    if not exported:
        function.linkage = "internal"
    return function, ir.IRBuilder(function.append_basic_block())


def _word(b: ir.IRBuilder, base: ir.Value, index: ir.Value | int) -> ir.Value:
    """The address of a word of an array of words."""
    at = I64(index) if isinstance(index, int) else index
    return b.gep(base, [at], source_etype=I64)


def _load(b: ir.IRBuilder, base: ir.Value, index: ir.Value | int) -> ir.Value:
    return b.load(_word(b, base, index), typ=I64)


def _store(
    b: ir.IRBuilder, value: ir.Value, base: ir.Value, index: ir.Value | int
) -> None:
    b.store(value, _word(b, base, index))


def _moved(b: ir.IRBuilder, pointer: ir.Value, distance: ir.Value) -> ir.Value:
    return b.gep(pointer, [distance], source_etype=BYTE)


def _emit_walk(module: ir.Module) -> ir.Function:
    """walk(kernel, last, operands, sizes, steps, pointers, scalars)

    Axes are given from the innermost outwards, `last` being the number of the
    outermost.  The pointers are moved, and at the end they are what they were.
    """
    pointers_only = [POINTER] * 4
    type_ = ir.FunctionType(VOID, [KERNEL.as_pointer(), I64, I64, *pointers_only])
    function, b = _start(module, "walk", type_, exported=False)
    kernel, last, operands, sizes, steps, pointers, scalars = function.args
    counters = b.alloca(I64, b.add(last, I64(1)))
    with for_range(b, 0, b.add(last, I64(1))) as k:
        _store(b, I64(0), counters, k)
    n = _load(b, sizes, 0)
    deep = b.icmp_signed(">", last, I64(0))
    with b.if_else(deep) as (several, single):
        with several:
            many = _load(b, sizes, 1)
            high = b.block
        with single:
            low = b.block
    rows = b.phi(I64)
    rows.add_incoming(many, high)
    rows.add_incoming(I64(1), low)
    jumps = _word(b, steps, b.select(deep, operands, I64(0)))
    row = b.append_basic_block("row")
    iteration = b.append_basic_block("iteration")
    inside = b.append_basic_block("inside")
    carry = b.append_basic_block("carry")
    done = b.append_basic_block("done")
    b.branch(row)
    b.position_at_end(row)
    b.call(kernel, [n, rows, pointers, steps, jumps, scalars])
    called = b.block
    b.branch(iteration)
    b.position_at_end(iteration)
    axis = b.phi(I64)
    axis.add_incoming(I64(2), called)
    b.cbranch(b.icmp_signed("<=", axis, last), inside, done)
    b.position_at_end(inside)
    count = b.add(_load(b, counters, axis), I64(1))
    size = _load(b, sizes, axis)
    _store(b, count, counters, axis)
    own = _word(b, steps, b.mul(axis, operands))
    full = b.icmp_signed("==", count, size)
    # At the end of an axis its steps are all taken back.
    times = b.select(full, b.sub(I64(1), size), I64(1))
    with for_range(b, 0, operands) as k:
        moved = b.add(_load(b, pointers, k), b.mul(_load(b, own, k), times))
        _store(b, moved, pointers, k)
    b.cbranch(full, carry, row)
    b.position_at_end(carry)
    _store(b, I64(0), counters, axis)
    axis.add_incoming(b.add(axis, I64(1)), carry)
    b.branch(iteration)
    b.position_at_end(done)
    b.ret_void()
    return function


def _emit_tiles(module: ir.Module, walk: ir.Function) -> ir.Function:
    """`walk`, in strips of columns if an operand's neighbours lie in other rows.

    Such an operand is brought from memory a line at a time, of which each row uses one
    element: the next rows must come before the line is forgotten.
    """
    function, b = _start(module, "tiles", walk.function_type, exported=False)
    kernel, last, operands, sizes, steps, pointers, scalars = function.args
    n = _load(b, sizes, 0)
    strip = b.alloca(I64)
    b.store(n, strip)
    with b.if_then(b.icmp_signed(">", last, I64(0))), for_range(b, 0, operands) as k:
        along = _absolute(b, _load(b, steps, k))
        across = _absolute(b, _load(b, steps, b.add(operands, k)))
        far = b.icmp_signed(">=", along, I64(_LINE))
        scattered = b.and_(far, b.icmp_signed("<", across, along))
        with b.if_then(b.and_(scattered, b.icmp_signed(">", across, I64(0)))):
            b.store(I64(_STRIP), strip)
    width = b.load(strip)
    with for_range(b, 0, n, width) as first:
        _store(b, minimum(b, b.sub(n, first), width), sizes, 0)
        b.call(walk, [kernel, last, operands, sizes, steps, pointers, scalars])
        with for_range(b, 0, operands) as k:
            moved = b.add(_load(b, pointers, k), b.mul(_load(b, steps, k), width))
            _store(b, moved, pointers, k)
    _store(b, n, sizes, 0)
    b.ret_void()
    return function


def _sort_axes(
    b: ir.IRBuilder,
    rank: ir.Value,
    operands: ir.Value,
    shape: ir.Value,
    given: ir.Value,
) -> None:
    """Put the axes along which the steps are shortest last, in their given order
    where that makes no difference."""
    width = b.add(rank, I64(1))
    lengths = b.alloca(I64, rank)
    with for_range(b, 0, rank) as axis:
        _store(b, I64(0), lengths, axis)
        with for_range(b, 0, operands) as k:
            at = b.add(b.mul(k, width), b.add(axis, I64(1)))
            step = _absolute(b, _load(b, given, at))
            _store(b, b.add(_load(b, lengths, axis), step), lengths, axis)
    with for_range(b, 1, rank) as last, for_range(b, 0, last) as k:
        # Insertion sort: the axis at `last` moves down to its place.
        j = b.sub(last, k)
        i = b.sub(j, I64(1))
        shorter = b.icmp_signed("<", _load(b, lengths, i), _load(b, lengths, j))
        with b.if_then(shorter):
            _swap(b, lengths, i, j)
            _swap(b, shape, i, j)
            with for_range(b, 0, operands) as operand:
                first = b.add(b.mul(operand, width), I64(1))
                _swap(b, given, b.add(first, i), b.add(first, j))


def _take_lines_first(
    b: ir.IRBuilder,
    last: ir.Value,
    operands: ir.Value,
    sizes: ir.Value,
    steps: ir.Value,
) -> None:
    """Make the axis the second along which a scattered operand has its neighbours.

    Then `tiles` uses the lines that it brings from memory while they are at hand.
    """
    best, own = b.alloca(I64), b.alloca(I64)
    b.store(I64(1), best)
    b.store(I64(-1), own)

    def step(axis: ir.Value, operand: ir.Value) -> ir.Value:
        return _load(b, steps, b.add(b.mul(axis, operands), operand))

    with b.if_then(b.icmp_signed(">", last, I64(1))), for_range(b, 0, operands) as k:
        far = b.icmp_signed(">=", _absolute(b, step(I64(0), k)), I64(_LINE))
        with b.if_then(far):
            b.store(k, own)
    scattered = b.load(own)
    with b.if_then(b.icmp_signed(">=", scattered, I64(0))):
        with for_range(b, 2, b.add(last, I64(1))) as axis:
            across = _absolute(b, step(axis, scattered))
            least = _absolute(b, step(b.load(best), scattered))
            nearer = b.icmp_unsigned("<", b.sub(across, I64(1)), b.sub(least, I64(1)))
            with b.if_then(nearer):
                b.store(axis, best)
        other = b.load(best)
        _swap(b, sizes, I64(1), other)
        with for_range(b, 0, operands) as k:
            _swap(b, steps, b.add(operands, k), b.add(b.mul(other, operands), k))


def _take_more_rows(
    b: ir.IRBuilder,
    last: ir.Value,
    operands: ir.Value,
    sizes: ir.Value,
    steps: ir.Value,
) -> None:
    """Give a kernel more rows at a time if it has few and short ones, and the axis
    around them is longer, but not the outermost, which may be shared."""
    with b.if_then(b.icmp_signed(">", last, I64(2))):
        n, rows, around = (_load(b, sizes, k) for k in range(3))
        few = b.icmp_signed("<", rows, minimum(b, around, _FEW_ROWS))
        short = b.icmp_signed("<", b.mul(n, around), I64(_SHORT_ROWS))
        with b.if_then(b.and_(few, short)):
            _swap(b, sizes, I64(1), I64(2))
            with for_range(b, 0, operands) as k:
                inner = b.add(operands, k)
                _swap(b, steps, inner, b.add(operands, inner))


def _swap(b: ir.IRBuilder, base: ir.Value, i: ir.Value, j: ir.Value) -> None:
    first, second = _load(b, base, i), _load(b, base, j)
    _store(b, second, base, i)
    _store(b, first, base, j)


def _absolute(b: ir.IRBuilder, x: ir.Value) -> ir.Value:
    return b.select(b.icmp_signed("<", x, I64(0)), b.neg(x), x)


# What `share` is given: these words, in order.
_JOB = (
    *("kernel", "last", "operands", "sizes", "steps", "pointers", "scalars"),
    *("walk", "piece", "first", "stride", "cut"),
)


def _emit_share(module: ir.Module, kind: ir.FunctionType) -> ir.Function:
    """A piece of the axis `cut`: number k is the piece first + k · stride."""
    function, b = _start(module, "share", BODY, exported=False)
    job, number = function.args
    words = [_load(b, job, k) for k in range(len(_JOB))]
    kernel, last, operands, sizes, steps, pointers, scalars, walk, piece, *which = words
    number = b.add(which[0], b.mul(number, which[1]))
    cut = which[2]
    kernel = b.inttoptr(kernel, KERNEL.as_pointer())
    walk = b.inttoptr(walk, kind.as_pointer())
    sizes, steps, pointers, scalars = (
        b.inttoptr(w, POINTER) for w in (sizes, steps, pointers, scalars)
    )
    axes = b.add(last, I64(1))
    own_sizes = b.alloca(I64, axes)
    own_pointers = b.alloca(I64, operands)
    with for_range(b, 0, axes) as k:
        _store(b, _load(b, sizes, k), own_sizes, k)
    first = b.mul(number, piece)
    left = b.sub(_load(b, sizes, cut), first)
    _store(b, minimum(b, left, piece), own_sizes, cut)
    outer = _word(b, steps, b.mul(cut, operands))
    with for_range(b, 0, operands) as k:
        start = b.add(_load(b, pointers, k), b.mul(_load(b, outer, k), first))
        _store(b, start, own_pointers, k)
    b.call(walk, [kernel, last, operands, own_sizes, steps, own_pointers, scalars])
    b.ret_void()
    return function


@dataclass(frozen=True)
class _Outputs:
    """Where a loop driver writes: operands from the number `first` on."""

    operands: ir.Value
    first: ir.Value
    last: ir.Value
    sizes: ir.Value
    steps: ir.Value
    pointers: ir.Value


def _keep_apart(b: ir.IRBuilder, out: _Outputs, piece: ir.Value) -> ir.Value:
    """Whether rows that are a piece apart never write the same bytes.

    Two outputs that are parts of one array must go through it in equal steps, of which
    a piece leads further than they are apart and than one row is long.
    """
    width = b.alloca(I64, out.operands)
    good = b.alloca(I1)
    b.store(I1(1), good)

    def require(test: ir.Value) -> None:
        b.store(b.and_(b.load(good), test), good)

    def step_of(k: ir.Value, axis: ir.Value) -> ir.Value:
        return _load(b, out.steps, b.add(b.mul(axis, out.operands), k))

    with for_range(b, out.first, out.operands) as k:
        _store(b, I64(_BEYOND), width, k)
        with for_range(b, 0, out.last) as axis:
            step = step_of(k, axis)
            require(b.icmp_signed(">=", step, I64(0)))
            more = b.mul(b.sub(_load(b, out.sizes, axis), I64(1)), step)
            _store(b, b.add(_load(b, width, k), more), width, k)
        require(b.icmp_signed(">", step_of(k, out.last), I64(0)))
    rows = b.sub(_load(b, out.sizes, out.last), I64(1))
    with (
        for_range(b, out.first, out.operands) as k,
        for_range(b, out.first, out.operands) as l,
    ):
        step, other = step_of(k, out.last), step_of(l, out.last)
        extent = b.add(_load(b, width, k), b.mul(rows, step))
        distance = b.sub(_load(b, out.pointers, l), _load(b, out.pointers, k))
        # The other case is looked at when the two come the other way round.
        ahead = b.icmp_signed(">=", distance, I64(0))
        elsewhere = b.icmp_signed(">=", distance, extent)
        longer = _load(b, width, k)
        theirs = _load(b, width, l)
        longer = b.select(b.icmp_signed(">", theirs, longer), theirs, longer)
        far = b.icmp_signed(">=", b.mul(piece, step), b.add(distance, longer))
        near = b.and_(b.icmp_signed("==", step, other), far)
        require(b.or_(b.not_(ahead), b.or_(elsewhere, near)))
    return b.load(good)


def _try_matrix(b: ir.IRBuilder, arguments: tuple[ir.Value, ...]) -> None:
    """Run a kernel on a small matrix as it is, and return, if that is as it should be.

    So it is unless the other axis has the shorter steps, or one of them has no more
    than one element.
    """
    kernel, rank, operands, _, shape, given, scalars, cost, keep = arguments
    two = b.icmp_signed("==", rank, I64(2))
    with b.if_then(b.and_(two, b.icmp_signed("!=", keep, I64(ROWS)))):
        rows, n = _load(b, shape, 0), _load(b, shape, 1)
        total = b.mul(rows, n)
        small = b.icmp_unsigned("<", b.mul(total, cost), I64(WORTH_HELPING))
        several = b.icmp_signed(">", minimum(b, rows, n), I64(1))
        with b.if_then(b.and_(small, several)):
            pointers, steps, jumps = (b.alloca(I64, operands) for _ in range(3))
            nearer, joined = b.alloca(I64), b.alloca(I1)
            scattered = b.alloca(I1)
            b.store(I64(0), nearer)
            b.store(I1(1), joined)
            b.store(I1(0), scattered)
            with for_range(b, 0, operands) as k:
                own = _word(b, given, b.mul(k, I64(3)))
                across, along = _load(b, own, 1), _load(b, own, 2)
                _store(b, _load(b, own, 0), pointers, k)
                _store(b, along, steps, k)
                _store(b, across, jumps, k)
                same = b.icmp_signed("==", across, b.mul(along, n))
                b.store(b.and_(b.load(joined), same), joined)
                across, along = _absolute(b, across), _absolute(b, along)
                b.store(b.add(b.load(nearer), b.sub(across, along)), nearer)
                far = b.icmp_signed(">=", along, I64(_LINE))
                far = b.and_(far, b.icmp_signed("<", across, along))
                b.store(b.or_(b.load(scattered), far), scattered)
            tail = [pointers, steps, jumps, scalars]
            with b.if_then(b.load(joined)):
                b.call(kernel, [total, I64(1), *tail])
                b.ret_void()
            fixed = b.icmp_signed("!=", keep, I64(FREE))
            ordered = b.icmp_signed(">=", b.load(nearer), I64(0))
            ordered = b.and_(b.or_(fixed, ordered), b.not_(b.load(scattered)))
            with b.if_then(ordered):
                b.call(kernel, [n, rows, *tail])
                b.ret_void()


def _emit_loop_driver(
    module: ir.Module, walk: ir.Function, tiles: ir.Function, share: ir.Function
) -> None:
    function, b = _start(module, LOOP_DRIVER, LOOP_DRIVER_TYPE)
    kernel, rank, operands, reads, shape, given, scalars, cost, keep = function.args
    _try_matrix(b, function.args)
    axes = b.add(rank, I64(1))
    width = axes
    sizes = b.alloca(I64, axes)
    steps = b.alloca(I64, b.mul(axes, operands))
    pointers = b.alloca(I64, operands)
    last = b.alloca(I64)
    total = b.alloca(I64)
    b.store(I64(0), last)
    b.store(I64(1), total)
    by_rows = b.icmp_signed("==", keep, I64(ROWS))
    added = b.icmp_signed("==", keep, I64(ADDED))
    columns = b.icmp_signed("==", keep, I64(COLUMNS))
    undivided = b.or_(by_rows, b.or_(added, b.icmp_signed("==", keep, I64(LAST))))
    undivided = b.or_(undivided, columns)
    before_last = b.alloca(I64)
    b.store(I64(1), before_last)
    with for_range(b, 0, rank) as k:
        b.store(b.load(total), before_last)
        b.store(b.mul(b.load(total), _load(b, shape, k)), total)
    count = b.select(by_rows, b.load(before_last), b.load(total))
    with b.if_then(b.icmp_signed("==", count, I64(0))):
        b.ret_void()
    with for_range(b, 0, operands) as k:
        _store(b, _load(b, given, b.mul(k, width)), pointers, k)
        _store(b, I64(0), steps, k)
    _store(b, I64(1), sizes, 0)
    several = b.icmp_signed(">", rank, I64(1))
    with b.if_then(b.and_(several, b.icmp_signed("==", keep, I64(FREE)))):
        _sort_axes(b, rank, operands, shape, given)

    def take(axis: ir.Value, place: ir.Value) -> None:
        """Make a given axis the one at a place of our own."""
        _store(b, _load(b, shape, axis), sizes, place)
        with for_range(b, 0, operands) as k:
            step = _load(b, given, b.add(b.mul(k, width), b.add(axis, I64(1))))
            _store(b, step, steps, b.add(b.mul(place, operands), k))

    def joins(axis: ir.Value, place: ir.Value) -> ir.Value:
        """Whether an axis lies around the one at a place without gaps."""
        flag = joined
        b.store(I1(1), flag)
        size = _load(b, sizes, place)
        with for_range(b, 0, operands) as k:
            outer = _load(b, given, b.add(b.mul(k, width), b.add(axis, I64(1))))
            inner = _load(b, steps, b.add(b.mul(place, operands), k))
            same = b.icmp_signed("==", outer, b.mul(inner, size))
            b.store(b.and_(b.load(flag), same), flag)
        return b.load(flag)

    joined = b.alloca(I1)
    has_axes = b.icmp_signed(">", rank, I64(0))
    with b.if_then(has_axes):
        take(b.sub(rank, I64(1)), I64(0))
    with for_range(b, 1, rank) as k:
        axis = b.sub(b.sub(rank, I64(1)), k)
        n = _load(b, shape, axis)
        place = b.load(last)
        with b.if_then(b.icmp_signed("!=", n, I64(1))):
            single = b.icmp_signed("==", _load(b, sizes, place), I64(1))
            outer = b.icmp_signed(">", place, I64(0))
            free = b.or_(outer, b.not_(undivided))
            whole_rows = b.and_(by_rows, b.not_(outer))
            with b.if_else(b.and_(single, free)) as (replace, otherwise):
                with replace:
                    take(axis, place)
                with (
                    otherwise,
                    b.if_else(b.and_(joins(axis, place), b.not_(whole_rows))) as (
                        join,
                        add,
                    ),
                ):
                    with join:
                        _store(b, b.mul(_load(b, sizes, place), n), sizes, place)
                    with add:
                        following = b.add(place, I64(1))
                        b.store(following, last)
                        take(axis, following)

    outermost = b.load(last)
    with b.if_then(b.and_(b.icmp_signed("!=", cost, I64(0)), b.not_(undivided))):
        _take_more_rows(b, outermost, operands, sizes, steps)
        _take_lines_first(b, outermost, operands, sizes, steps)
    work = b.mul(b.load(total), cost)
    single = b.and_(undivided, b.icmp_signed("==", outermost, I64(0)))
    some = b.icmp_signed(">=", work, I64(WORTH_HELPING))
    large = b.icmp_signed(">=", work, I64(WORTH_SHARING))
    walker = b.select(by_rows, walk, tiles)
    parallel_for = declare_parallel_for(module)

    def write_job(piece: ir.Value, cut: ir.Value) -> ir.Value:
        """What `share` is given for pieces of an axis."""
        words = [kernel, outermost, operands, sizes, steps, pointers, scalars]
        words += [walker, piece, I64(0), I64(1), cut]
        job = b.alloca(I64, len(words))
        for k, word in enumerate(words):
            if isinstance(word.type, ir.PointerType):
                word = b.ptrtoint(word, I64)
            _store(b, word, job, k)
        return job

    def rounded(piece: ir.Value, unit: int) -> ir.Value:
        return b.and_(b.add(piece, I64(unit - 1)), I64(-unit))

    wide = b.icmp_signed(">", _load(b, sizes, 0), I64(_COLUMNS))
    with b.if_then(b.and_(b.and_(some, columns), wide), likely=False):
        apart = b.alloca(I1)
        b.store(I1(1), apart)
        with for_range(b, 1, b.add(outermost, I64(1))) as axis:
            step = _load(b, steps, b.add(b.mul(axis, operands), reads))
            still = b.icmp_signed("==", step, I64(0))
            b.store(b.and_(b.load(apart), still), apart)
        with b.if_then(b.load(apart)):
            helped = b.or_(large, b.call(declare_helps(module), [work]))
            with b.if_then(helped):
                n = _load(b, sizes, 0)
                piece = rounded(divide_up(b, n, I64(_HELPINGS)), _COLUMNS)
                context = b.bitcast(write_job(piece, I64(0)), BYTE.as_pointer())
                b.call(parallel_for, [share, context, divide_up(b, n, piece)])
                b.ret_void()
    single = b.or_(single, columns)
    with b.if_then(b.and_(some, b.not_(single)), likely=False):
        shared = b.alloca(I1)
        b.store(large, shared)
        # What is reduced along pieces would depend on where they end.
        whole = b.and_(undivided, b.not_(added))
        with b.if_then(b.not_(b.or_(large, whole))):
            b.store(b.call(declare_helps(module), [work]), shared)
        size = _load(b, sizes, outermost)
        # Pieces depend on the work alone, so results do not depend on the threads.
        piece = divide_up(b, I64(_PIECE), b.add(b.udiv(work, size), I64(1)))
        piece = b.select(large, piece, divide_up(b, size, I64(_HELPINGS)))
        # Every other piece, and then the rest: two threads have the same to do.
        rounds = b.mul(divide_up(b, work, I64(8 * _PIECE)), I64(_HELPINGS))
        piece = b.select(added, divide_up(b, size, rounds), piece)
        vectors = rounded(piece, _VECTOR)
        piece = b.select(b.icmp_signed("==", outermost, I64(0)), vectors, piece)
        job = write_job(piece, outermost)
        pieces = divide_up(b, size, piece)
        context = b.bitcast(job, BYTE.as_pointer())
        with b.if_then(b.and_(b.load(shared), b.not_(added))):
            b.call(parallel_for, [share, context, pieces])
            b.ret_void()
        # Pieces that are neighbours may meet, so every other one comes first, also if
        # nobody helps: sums are the same then.
        with b.if_then(added):
            outputs = _Outputs(operands, reads, outermost, sizes, steps, pointers)
            with b.if_then(_keep_apart(b, outputs, piece)):
                _store(b, I64(2), job, _JOB.index("stride"))
                halves = divide_up(b, pieces, I64(2)), b.udiv(pieces, I64(2))
                for first, count in enumerate(halves):
                    _store(b, I64(first), job, _JOB.index("first"))
                    with b.if_else(b.load(shared)) as (together, alone):
                        with together:
                            b.call(parallel_for, [share, context, count])
                        with alone, for_range(b, 0, count) as k:
                            b.call(share, [context, k])
                b.ret_void()
    b.call(walker, [kernel, outermost, operands, sizes, steps, pointers, scalars])
    b.ret_void()
