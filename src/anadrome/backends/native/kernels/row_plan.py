"""Which passes over a row compute what, when numbers of the whole row are needed.

A softmax needs the greatest element of a row before it can take exponentials, and their
sum before it can divide.  Each such reduction ends a row pass; what depends on it
belongs to a later one.  A row is at hand while its row passes follow one another, so
that most things are simply computed again; what is costly is kept for later passes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from llvmlite import ir

from ..emission.values import Array
from ..fusion.expressions import ElementwiseOp, Expr, Leaf, Reduced
from .plan import KernelOutput, Plan, is_narrow

# Expressions that cost more than so many additions are kept rather than computed again.
_CHEAP = 4


@dataclass
class RowPass:
    """One way along a row.

    First `numbers` are written, one for the row each; then elements of `outputs` and
    `keeps`, while `reduces` are combined.  `kept` says where expressions of earlier row
    passes are found, and `operands` what passes by: both count operands, then kept
    expressions.
    """

    numbers: list[tuple[int, KernelOutput]] = field(default_factory=list)
    outputs: list[tuple[int, KernelOutput]] = field(default_factory=list)
    reduces: list[Reduced] = field(default_factory=list)
    keeps: dict[int, Expr] = field(default_factory=dict)
    kept: dict[int, int] = field(default_factory=dict)
    operands: set[int] = field(default_factory=set)

    @property
    def roots(self) -> list[tuple[Expr, Any]]:
        """What is computed on the way, and in which types."""
        found: list[tuple[Expr, Any]] = [(s.expr, s.dtype) for _, s in self.outputs]
        found += [(r.expr, r.dtype) for r in self.reduces]
        return found + [(x, x.dtype) for x in self.keeps.values()]


class RowPlan(Plan):
    """What a kernel computes along rows that are gone over several times."""

    def __init__(self, shape: list[ir.Value], outputs: list[KernelOutput]) -> None:
        super().__init__(shape, outputs)
        self.key = ("rows", *self.key)
        self.facts = Facts(len(shape))
        self.scratch: list[Expr] = []
        self.row_passes = self._find_row_passes()

    def is_number(self, operand: int) -> bool:
        """Whether an operand is one number for each row."""
        if operand < self.reads:
            return self.facts.is_narrow(self.operands[operand])
        return not self.facts.is_wide(self.outputs[operand - self.reads].expr)

    def _find_row_passes(self) -> list[RowPass]:
        facts = self.facts
        reduced = found_reductions([s.expr for s in self.outputs])
        last = max(facts.level(s.expr) for s in self.outputs)
        row_passes = [RowPass() for _ in range(last + 1)]
        stored: dict[int, int] = {}
        for k, output in enumerate(self.outputs, self.reads):
            row_pass = row_passes[facts.level(output.expr)]
            if not facts.is_wide(output.expr):
                row_pass.numbers.append((k, output))
                continue
            row_pass.outputs.append((k, output))
            row_pass.operands.add(k)
            if self.unit[k] and output.dtype == output.expr.dtype:
                stored[id(output.expr)] = k
        for r in reduced:
            row_passes[facts.level(r.expr)].reduces.append(r)
        first: dict[int, RowPass] = {}
        for row_pass in row_passes:
            seen: set[int] = set()
            for root, _ in row_pass.roots:
                self._note(root, row_pass, seen, first, stored)
        return row_passes

    def _note(
        self,
        expr: Expr,
        row_pass: RowPass,
        seen: set[int],
        first: dict[int, RowPass],
        stored: dict[int, int],
    ) -> None:
        """Note what a row pass needs for an expression, and what earlier ones keep."""
        if not self.facts.is_wide(expr):
            return
        if isinstance(expr, Leaf):
            assert isinstance(expr.value, Array)
            row_pass.operands.add(self.operand(expr.value))
            return
        if id(expr) in seen:
            return
        seen.add(id(expr))
        before = first.setdefault(id(expr), row_pass)
        if before is not row_pass:
            if id(expr) not in stored and self.facts.cost(expr) > _CHEAP:
                stored[id(expr)] = len(self.operands) + len(self.scratch)
                self.scratch.append(expr)
                before.keeps[stored[id(expr)]] = expr
                before.operands.add(stored[id(expr)])
                self.facts.costs[id(expr)] = 0
            if id(expr) in stored:
                row_pass.kept[id(expr)] = stored[id(expr)]
                row_pass.operands.add(stored[id(expr)])
                return
        for i in expr.inputs:
            self._note(i, row_pass, seen, first, stored)


class Facts:
    """What is known of expressions whose rows lie along the last of some axes."""

    def __init__(self, rank: int) -> None:
        self.rank = rank
        self.costs: dict[int, int] = {}
        self._wide: dict[int, bool] = {}
        self._levels: dict[int, int] = {}

    def is_narrow(self, array: Array) -> bool:
        """Whether an array has one number for each row."""
        return is_narrow(array, self.rank)

    def is_wide(self, expr: Expr) -> bool:
        """Whether an expression has another value for each element of a row."""
        if isinstance(expr, Reduced):
            return False
        if isinstance(expr, Leaf):
            value = expr.value
            return isinstance(value, Array) and not self.is_narrow(value)
        if id(expr) not in self._wide:
            self._wide[id(expr)] = any(map(self.is_wide, expr.inputs))
        return self._wide[id(expr)]

    def level(self, expr: Expr) -> int:
        """The first row pass in which an expression can be computed."""
        if isinstance(expr, Leaf):
            return 0
        if id(expr) not in self._levels:
            found = max(map(self.level, expr.inputs), default=0)
            self._levels[id(expr)] = found + isinstance(expr, Reduced)
        return self._levels[id(expr)]

    def cost(self, expr: Expr) -> int:
        """What computing an expression again costs, in additions."""
        if not isinstance(expr, ElementwiseOp) or not self.is_wide(expr):
            return 0
        if id(expr) not in self.costs:
            self.costs[id(expr)] = expr.cost + sum(map(self.cost, expr.inputs))
        return self.costs[id(expr)]


def scratch_bytes(exprs: list[Expr], rank: int) -> int:
    """The most bytes for each element of a row that are kept between row passes."""
    facts = Facts(rank)
    levels: dict[int, tuple[int, Expr]] = {}
    bytes_ = 0
    roots = [(facts.level(x), x) for x in exprs if facts.is_wide(x)]
    roots += [(facts.level(r.expr), r.expr) for r in found_reductions(exprs)]
    seen: set[tuple[int, int]] = set()
    counted: set[int] = set()

    def visit(level: int, expr: Expr) -> None:
        nonlocal bytes_
        if isinstance(expr, Leaf) or not facts.is_wide(expr):
            return
        if (level, id(expr)) in seen:
            return
        seen.add((level, id(expr)))
        first, _ = levels.setdefault(id(expr), (level, expr))
        if first != level and id(expr) not in counted and facts.cost(expr) > _CHEAP:
            counted.add(id(expr))
            bytes_ += expr.dtype.itemsize
        for i in expr.inputs:
            visit(level, i)

    for level, expr in roots:
        visit(level, expr)
    return bytes_


def can_be_written_over(
    array: Array, result: Expr, reduced: list[Expr], rank: int
) -> bool:
    """Whether elements of a result may take the places of those of an operand.

    `reduced` are the expressions that are combined along rows. In the row pass that
    writes the result, only parts of its own expression may read the operand, and no
    later one at all.
    """
    facts = Facts(rank)
    if not facts.is_wide(result):
        return False
    level, own = facts.level(result), _subexpressions(result)
    for expr in reduced:
        if not any(_is_leaf_of(x, array) for x in _subexpressions(expr).values()):
            continue
        if facts.level(expr) > level:
            return False
        if facts.level(expr) == level and id(expr) not in own:
            return False
    return True


def _is_leaf_of(expr: Expr, array: Array) -> bool:
    return isinstance(expr, Leaf) and expr.value is array


def _subexpressions(expr: Expr) -> dict[int, Expr]:
    """An expression and all in it, without those of which it reads only a number."""
    found: dict[int, Expr] = {}
    pending = [expr]
    while pending:
        x = pending.pop()
        if id(x) in found:
            continue
        found[id(x)] = x
        if not isinstance(x, Leaf | Reduced):
            pending += x.inputs
    return found


def found_reductions(exprs: list[Expr]) -> list[Reduced]:
    """The reductions within expressions, each before those that depend on it."""
    found: list[Reduced] = []
    seen: set[int] = set()

    def visit(expr: Expr) -> None:
        if isinstance(expr, Leaf) or id(expr) in seen:
            return
        seen.add(id(expr))
        for i in expr.inputs:
            visit(i)
        if isinstance(expr, Reduced):
            found.append(expr)

    for expr in exprs:
        visit(expr)
    return found
