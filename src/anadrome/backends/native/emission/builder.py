"""A builder that writes no instruction whose result is known already.

Sums with zero and the like are not written, nor is what was computed before on every
way to where the builder stands, nor a comparison whose outcome the branches on the way
tell.  LLVM would find the same, later, and for far more time than is spent here.

Where a block stands among the others is told by the branches to it: those of its
predecessors must be written before the block is, except for branches back to it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from llvmlite import ir
from llvmlite.ir import instructions

_CONSTANT = ir.Constant
_INTEGER = ir.IntType

# What comparisons say of each other: with operands exchanged, and the opposite.
_SWAPPED = {
    "eq": "eq",
    "ne": "ne",
    **{f"{s}{a}": f"{s}{b}" for s in "su" for a, b in (("lt", "gt"), ("le", "ge"))},
    **{f"{s}{b}": f"{s}{a}" for s in "su" for a, b in (("lt", "gt"), ("le", "ge"))},
}
_OPPOSITE = {
    "eq": "ne",
    "ne": "eq",
    **{f"{s}{a}": f"{s}{b}" for s in "su" for a, b in (("lt", "ge"), ("le", "gt"))},
    **{f"{s}{b}": f"{s}{a}" for s in "su" for a, b in (("lt", "ge"), ("le", "gt"))},
}
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_RELATIONS = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_ALIKE = ("==", "<=", ">=")
_WORK = ("anadrome.loop.", "anadrome.gemm", "anadrome.inner.", "anadrome.recycle")


class _Scope:
    """A block as its instructions see it: which blocks are passed on every way here."""

    __slots__ = ("above", "bit", "passed")

    def __init__(self, number: int, above: _Scope | None) -> None:
        self.above = above
        self.bit = 1 << number
        self.passed: int = self.bit | (above.passed if above else 0)


class Builder(ir.IRBuilder):  # type: ignore[misc]
    """Writes the instructions of a function, each only if nothing else gives it."""

    def __init__(self, block: ir.Block) -> None:
        super().__init__(block)
        self._scopes: dict[ir.Block, _Scope] = {}
        self._branches: dict[ir.Block, list[tuple[_Scope, Any, bool]]] = {}
        # What is known, by what it is: in which blocks, and the value.
        self._known: dict[Any, list[tuple[int, ir.Value]]] = {}
        # What stands in a block after the place of the builder must not be used.
        self._in_order = True
        self._scope = self._enter(block)
        # Where kernels and the like are called, and whether a loop calls none.
        self._calls: list[_Scope] = []
        self.has_plain_loop = False

    # Blocks -------------------------------------------------------------------------

    def position_at_end(self, block: ir.Block) -> None:
        super().position_at_end(block)
        self._in_order = True
        self._scope = self._enter(block)

    def position_at_start(self, block: ir.Block) -> None:
        super().position_at_start(block)
        self._in_order = False
        self._scope = self._enter(block)

    def position_before(self, instr: ir.Instruction) -> None:
        super().position_before(instr)
        self._in_order = instr is self.block.terminator
        self._scope = self._enter(self.block)

    def position_after(self, instr: ir.Instruction) -> None:
        super().position_after(instr)
        self._in_order = False
        self._scope = self._enter(self.block)

    def _enter(self, block: ir.Block) -> _Scope:
        found = self._scopes.get(block)
        if found is not None:
            return found
        branches = self._branches.get(block, ())
        above: _Scope | None = None
        for k, (scope, _, _) in enumerate(branches):
            above = _common(above, scope) if k else scope
        found = self._scopes[block] = _Scope(len(self._scopes), above)
        if len(branches) == 1:
            _, condition, holds = branches[0]
            if condition is not None:
                self._learn(condition, holds, found.bit)
        return found

    def _learn(self, condition: ir.Value, holds: bool, bit: int) -> None:
        """Note what a condition tells in a block."""
        if isinstance(condition, _CONSTANT):
            return
        kind = getattr(condition, "opname", "")
        if isinstance(condition, instructions.ICMPInstr):
            left, right = map(_key, condition.operands)
            op = condition.op
            for a, b, name in ((left, right, op), (right, left, _SWAPPED[op])):
                self._note(("icmp", name, a, b), bit, _I1(int(holds)))
                opposite = _OPPOSITE[name]
                self._note(("icmp", opposite, a, b), bit, _I1(int(not holds)))
        elif kind == ("and" if holds else "or"):
            for part in condition.operands:
                self._learn(part, holds, bit)
        elif kind == "xor" and _number(condition.operands[1]) is not None:
            self._learn(condition.operands[0], not holds, bit)

    def _branch_to(self, block: ir.Block, condition: Any, holds: bool) -> None:
        entered = self._scopes.get(block)
        if entered is None:
            self._branches.setdefault(block, []).append((self._scope, condition, holds))
        elif self._scope.passed & entered.bit:
            if not any(scope.passed & entered.bit for scope in self._calls):
                self.has_plain_loop = True
        elif entered.above is not None:
            raise AssertionError(f"a branch to {block.name} comes after its code")

    def branch(self, target: ir.Block) -> Any:
        self._branch_to(target, None, True)
        return super().branch(target)

    def cbranch(self, cond: ir.Value, truebr: ir.Block, falsebr: ir.Block) -> Any:
        self._branch_to(truebr, cond, True)
        self._branch_to(falsebr, cond, False)
        return super().cbranch(cond, truebr, falsebr)

    def switch(self, value: ir.Value, default: ir.Block) -> Any:
        raise NotImplementedError("branches that only LLVM would see")

    def call(self, fn: Any, args: Sequence[ir.Value], *rest: Any, **named: Any) -> Any:
        if getattr(fn, "name", "").startswith(_WORK):
            self._calls.append(self._scope)
        return super().call(fn, args, *rest, **named)

    # What is known ------------------------------------------------------------------

    def _note(self, key: Any, bit: int, value: ir.Value) -> None:
        self._known.setdefault(key, []).append((bit, value))

    def _once(self, key: Any, write: Callable[..., ir.Value], *args: Any) -> ir.Value:
        """What an instruction gives, written if nothing before it does."""
        if not self._in_order:
            return write(*args)
        scope = self._scope
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = []
        else:
            passed = scope.passed
            for bit, value in reversed(known):
                if passed & bit:
                    return value
        value = write(*args)
        known.append((scope.bit, value))
        return value

    def forget(self, instructions: Iterable[ir.Instruction]) -> None:
        """Know no more what instructions give that are taken out of a block."""
        gone = set(map(id, instructions))
        for known in self._known.values():
            known[:] = [k for k in known if id(k[1]) not in gone]

    # Integers -----------------------------------------------------------------------

    def add(self, lhs: Any, rhs: Any, name: str = "", flags: Any = ()) -> ir.Value:
        a, b = _number(lhs), _number(rhs)
        if a is not None and b is not None:
            return _integer_constant(lhs.type, a + b)
        if b == 0:
            return lhs
        if a == 0:
            return rhs
        write = super().add
        return self._once(_binary("add", lhs, rhs, flags), write, lhs, rhs, name, flags)

    def sub(self, lhs: Any, rhs: Any, name: str = "", flags: Any = ()) -> ir.Value:
        a, b = _number(lhs), _number(rhs)
        if a is not None and b is not None:
            return _integer_constant(lhs.type, a - b)
        if b == 0:
            return lhs
        write = super().sub
        return self._once(_binary("sub", lhs, rhs, flags), write, lhs, rhs, name, flags)

    def mul(self, lhs: Any, rhs: Any, name: str = "", flags: Any = ()) -> ir.Value:
        a, b = _number(lhs), _number(rhs)
        if a is not None and b is not None:
            return _integer_constant(lhs.type, a * b)
        if b == 1 or a == 0:
            return lhs
        if a == 1 or b == 0:
            return rhs
        write = super().mul
        return self._once(_binary("mul", lhs, rhs, flags), write, lhs, rhs, name, flags)

    def and_(self, lhs: Any, rhs: Any, name: str = "", flags: Any = ()) -> ir.Value:
        a, b = _number(lhs), _number(rhs)
        if a == 0 or _is_full(rhs, b) or lhs is rhs:
            return lhs
        if b == 0 or _is_full(lhs, a):
            return rhs
        write = super().and_
        return self._once(_binary("and", lhs, rhs, flags), write, lhs, rhs, name, flags)

    def or_(self, lhs: Any, rhs: Any, name: str = "", flags: Any = ()) -> ir.Value:
        a, b = _number(lhs), _number(rhs)
        if b == 0 or _is_full(lhs, a) or lhs is rhs:
            return lhs
        if a == 0 or _is_full(rhs, b):
            return rhs
        write = super().or_
        return self._once(_binary("or", lhs, rhs, flags), write, lhs, rhs, name, flags)

    def xor(self, lhs: Any, rhs: Any, name: str = "", flags: Any = ()) -> ir.Value:
        a, b = _number(lhs), _number(rhs)
        if a is not None and b is not None:
            return _integer_constant(lhs.type, a ^ b)
        write = super().xor
        return self._once(_binary("xor", lhs, rhs, flags), write, lhs, rhs, name, flags)

    def icmp_signed(self, cmpop: str, lhs: Any, rhs: Any, name: str = "") -> ir.Value:
        return self._compared("s", cmpop, lhs, rhs, super().icmp_signed, name)

    def icmp_unsigned(self, cmpop: str, lhs: Any, rhs: Any, name: str = "") -> ir.Value:
        return self._compared("u", cmpop, lhs, rhs, super().icmp_unsigned, name)

    def _compared(
        self,
        sign: str,
        relation: str,
        lhs: Any,
        rhs: Any,
        write: Callable[..., ir.Value],
        name: str,
    ) -> ir.Value:
        a, b = _number(lhs, sign == "u"), _number(rhs, sign == "u")
        if a is not None and b is not None:
            return _I1(int(_COMPARE[relation](a, b)))
        if lhs is rhs and not isinstance(lhs.type, ir.VectorType):
            return _I1(int(relation in _ALIKE))
        op = _RELATIONS[relation]
        op = op if op in ("eq", "ne") else sign + op
        key = "icmp", op, _key(lhs), _key(rhs)
        return self._once(key, write, relation, lhs, rhs, name)

    def select(
        self, cond: Any, lhs: Any, rhs: Any, name: str = "", flags: Any = ()
    ) -> ir.Value:
        chosen = _number(cond)
        if chosen is not None:
            return lhs if chosen else rhs
        if lhs is rhs:
            return lhs
        key = "select", _key(cond), _key(lhs), _key(rhs), tuple(flags)
        return self._once(key, super().select, cond, lhs, rhs, name, flags)

    # Addresses ----------------------------------------------------------------------

    def gep(
        self,
        ptr: Any,
        indices: Sequence[ir.Value],
        inbounds: bool = False,
        name: str = "",
        source_etype: Any = None,
    ) -> ir.Value:
        if len(indices) == 1 and source_etype is None and _number(indices[0]) == 0:
            return ptr
        key = "gep", _key(ptr), inbounds, source_etype, *map(_key, indices)
        write = super().gep
        return self._once(key, write, ptr, indices, inbounds, name, source_etype)

    def extract_value(self, agg: Any, idx: Any, name: str = "") -> ir.Value:
        places = tuple(idx) if isinstance(idx, tuple | list) else (idx,)
        key = "extractvalue", _key(agg), places
        return self._once(key, super().extract_value, agg, idx, name)


def _repeatable(name: str, binary: bool) -> Callable[..., ir.Value]:
    """A method that writes an instruction once."""
    write: Callable[..., ir.Value] = getattr(ir.IRBuilder, name)

    def number(
        self: Builder, lhs: Any, rhs: Any, name_: str = "", flags: Any = ()
    ) -> ir.Value:
        key = _binary(name, lhs, rhs, flags)
        return self._once(key, write, self, lhs, rhs, name_, flags)

    def cast(self: Builder, val: Any, typ: ir.Type, name_: str = "") -> ir.Value:
        if val.type == typ:
            return val
        return self._once((name, _key(val), typ), write, self, val, typ, name_)

    return number if binary else cast


def _ordered(name: str) -> Callable[..., ir.Value]:
    write: Callable[..., ir.Value] = getattr(ir.IRBuilder, name)

    def compare(
        self: Builder,
        cmpop: str,
        lhs: Any,
        rhs: Any,
        name_: str = "",
        flags: Any = (),
    ) -> ir.Value:
        key = name, cmpop, _key(lhs), _key(rhs), tuple(flags)
        return self._once(key, write, self, cmpop, lhs, rhs, name_, flags)

    return compare


_NUMBERS = (
    *("shl", "lshr", "ashr", "udiv", "sdiv", "urem", "srem"),
    *("fadd", "fsub", "fmul", "fdiv"),
)
_CASTS = (
    *("trunc", "zext", "sext", "fptrunc", "fpext", "bitcast"),
    *("uitofp", "sitofp", "ptrtoint", "inttoptr"),
)
for _name in _NUMBERS:
    setattr(Builder, _name, _repeatable(_name, True))
for _name in _CASTS:
    setattr(Builder, _name, _repeatable(_name, False))
for _name in ("fcmp_ordered", "fcmp_unordered"):
    setattr(Builder, _name, _ordered(_name))


# Operands ---------------------------------------------------------------------------

_I1 = ir.IntType(1)


def _common(a: _Scope | None, b: _Scope | None) -> _Scope | None:
    """The last block that both ways pass."""
    while a is not None and not (b is not None and b.passed & a.bit):
        a = a.above
    return a


def _key(value: Any) -> Any:
    """What tells an operand from others."""
    if type(value) is not _CONSTANT:
        return id(value)
    found = value.constant
    kind = value.type
    if type(kind) is _INTEGER and isinstance(found, int):
        return kind.width, int(found) & ((1 << kind.width) - 1)
    if isinstance(found, float):
        return str(kind), found.hex()
    if found is None:
        return str(kind)
    # Whatever uses it keeps it alive.
    return id(value)


def _binary(op: str, lhs: Any, rhs: Any, flags: Iterable[str]) -> Any:
    return op, _key(lhs), _key(rhs), tuple(flags)


def _number(value: Any, unsigned: bool = False) -> int | None:
    """The integer that a value is, if that is known."""
    if type(value) is not _CONSTANT or type(value.type) is not _INTEGER:
        return None
    found = value.constant
    if found is None:
        return 0
    if not isinstance(found, int):
        return None
    return _wrapped(int(found), value.type.width, unsigned)


def _wrapped(number: int, width: int, unsigned: bool = False) -> int:
    number &= (1 << width) - 1
    if unsigned or width == 1:
        return number
    return number - (1 << width) if number >> (width - 1) else number


def _integer_constant(kind: ir.Type, number: int) -> ir.Constant:
    return _CONSTANT(kind, _wrapped(number, kind.width))


def _is_full(value: Any, number: int | None) -> bool:
    """Whether all bits of a number are set."""
    return number is not None and number == (1 if value.type.width == 1 else -1)
