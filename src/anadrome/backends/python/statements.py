"""Statements of a graph as lines of Python: branches, loops, stores."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anadrome import runtime
from anadrome.backends.python.expressions import (
    COMPARE,
    INFIX,
    NOT,
    POSTFIX,
    SUM,
    TERNARY,
)
from anadrome.backends.python.inlining import is_choice
from anadrome.backends.python.positions import exclusive
from anadrome.ir import operations as ops
from anadrome.ir.graph import UNDEFINED, Apply, Constant, Graph, Node, Output
from anadrome.ir.types import Dict, List, NoneType_, Num, Stack, Tuple, Type, deref
from anadrome.primitives.registry import Primitive

if TYPE_CHECKING:
    from anadrome.backends.python.printer import Function

WIDTH = 88


def _if(p: Function, node: Apply) -> None:
    if len(node.outputs) == 1 and is_choice(node, p.inlined, p.layout):
        text, _ = p.choice(node)
        p.assign(node.outputs[0], text)
        return
    then, other = node.regions

    def branch(region: Graph) -> Any:
        def write() -> None:
            p.region(region)
            p.copies(list(zip(node.outputs, region.results)))

        return write

    if _is_empty(p, then, node) and not _is_empty(p, other, node):
        p.line(f"if not {p.condition(node.args[0], 4)}:")
        p.block(branch(other))
        return
    p.line(f"if {p.condition(node.args[0])}:")
    p.block(branch(then))
    if not _is_empty(p, other, node):
        p.comment = None
        p.line("else:")
        p.block(branch(other))
        _flatten_elif(p)


def _flatten_elif(p: Function) -> None:
    """`else:` with nothing but an `if` inside becomes `elif`."""
    pad = "    " * p.depth
    for k in range(len(p.lines) - 1, -1, -1):
        if p.lines[k] == pad + "else:":
            break
    else:
        return
    inner = p.lines[k + 1 :]
    deeper = pad + "    "
    if not inner or not inner[0].startswith(deeper + "if "):
        return
    for line in inner[1:]:
        if line.startswith(deeper) and not line.startswith(deeper + " "):
            if not line.startswith((deeper + "elif ", deeper + "else:")):
                return
    p.lines[k : k + 2] = [pad + "el" + inner[0].strip()]
    del p.spans[k]
    for j in range(k + 1, len(p.lines)):
        p.lines[j] = p.lines[j][4:]


def _is_empty(p: Function, region: Graph, node: Apply) -> bool:
    if p.collecting:
        return False
    if any(id(n) not in p.inlined for n in region.body):
        return False
    for out, result in zip(node.outputs, region.results):
        if result is UNDEFINED:
            if id(out) in p.flowing:
                return False
        elif p.text(result, TERNARY) != p.variable(out):
            return False
    return True


def initial_values(node: Apply) -> tuple[Node, ...]:
    """What the variables of a loop begin with."""
    if node.op not in (ops.FOR, ops.WHILE):
        return ()
    return node.args[len(node.args) - node.shape.carried :]


def _loop_header(p: Function, node: Apply) -> None:
    shape, body = node.shape, node.regions[-1]
    start, stop, step = node.args[:3]
    stacks = node.args[3 : 3 + shape.stacks]
    index = body.params[0]
    items = body.params[1 : 1 + shape.stacks]
    targets, sources = [], []
    used = p.layout.uses.get(id(index), 0) > 0
    if used or not stacks:
        text = _range(p, start, stop, step)
        targets.append(p.variable(index) if used else "_")
        sources.append(f"reversed({text})" if shape.reverse else text)
    for stack, item in zip(stacks, items):
        text = p.text(stack, TERNARY)
        targets.append(_target(p, body, item))
        kept = isinstance(deref(stack.type), Stack) and p.layout.uses[id(stack)] == 1
        if shape.frees and shape.reverse and kept:
            taken = p.expressions.namespace.reference(runtime.take_all, "take_all")
            sources.append(f"{taken}({text})")
        else:
            sources.append(f"reversed({text})" if shape.reverse else text)
    if len(sources) == 1:
        p.line(f"for {targets[0].strip('()')} in {sources[0]}:")
        return
    head = f"for {', '.join(targets)} in zip("
    whole = f"{head}{', '.join(sources)}):"
    if len(whole) + 4 * p.depth <= WIDTH:
        p.line(whole)
        return
    if len(head) + 4 * p.depth > WIDTH:
        p.line("for (")
        for t in targets:
            p.line(f"    {t},")
        p.line(") in zip(")
    else:
        p.line(head)
    for s in sources:
        p.line(f"    {s},")
    p.line("):")


def _target(p: Function, body: Graph, item: Node) -> str:
    """What an item of a stack is assigned to: a name, or the names of its parts."""
    if not p.layout.uses.get(id(item)):
        return "_"
    t = deref(item.type)
    if isinstance(t, Tuple) and len(t.items) > 1:
        parts = p.leading_parts(body, item)
        if parts is not None:
            p.unpacked_in_header.update(id(n) for n in parts.values())
            names = [
                p.variable(parts[k]) if k in parts else "_" for k in range(len(t.items))
            ]
            return f"({', '.join(names)})"
    return p.variable(item)


def _range(p: Function, start: Node, stop: Node, step: Node) -> str:
    if isinstance(step, Constant) and step.value == 1:
        if isinstance(start, Constant) and start.value == 0:
            return f"range({p.text(stop, TERNARY)})"
        return f"range({p.text(start, TERNARY)}, {p.text(stop, TERNARY)})"
    parts = [p.text(n, TERNARY) for n in (start, stop, step)]
    return f"range({', '.join(parts)})"


def _loop(p: Function, node: Apply) -> None:
    shape = node.shape
    inits = node.args[len(node.args) - shape.carried :]
    kept = node.outputs[shape.carried : shape.carried + shape.kept]
    flags = node.outputs[shape.carried + shape.kept :]
    carried = node.outputs[: shape.carried]
    p.copies(list(zip(carried, inits)))
    for out in kept:
        p.line(f"{p.variable(out)} = []")
    stopped = flags[0] if shape.breaks and flags else None
    wanted = stopped is not None and p.layout.uses.get(id(stopped), 0) > 0
    if wanted:
        assert stopped is not None
        p.line(f"{p.variable(stopped)} = False")
    counter = flags[-1] if shape.counts else None
    if counter is not None and not p.layout.uses.get(id(counter)):
        counter = None
    if counter is not None:
        p.line(f"{p.variable(counter)} = 0")
    if node.op is ops.FOR:
        _loop_header(p, node)
        p.block(lambda: _loop_body(p, node, carried, kept, stopped, wanted, counter))
        if shape.reverse:
            # Residuals are in the order of the iterations, whichever way the loop ran.
            for out in kept:
                p.line(f"{p.variable(out)}.reverse()")
        return
    condition = node.regions[0]
    test = condition.results[0]
    simple = all(id(n) in p.inlined for n in condition.body)

    def write() -> None:
        if not simple:
            p.region(condition)
            p.line(f"if not {p.condition(test, 4)}:")
            p.block(lambda: p.line("break"))
        _loop_body(p, node, carried, kept, stopped, wanted, counter)

    p.line(f"while {p.condition(test)}:" if simple else "while True:")
    p.block(write)


def _loop_body(
    p: Function,
    node: Apply,
    carried: list[Output],
    kept: list[Output],
    stopped: Output | None,
    wanted: bool,
    counter: Output | None,
) -> None:
    shape, body = node.shape, node.regions[-1]
    p.region(body)
    for out, value in zip(kept, body.results[shape.carried :]):
        if value is UNDEFINED:
            p.line(f"{p.variable(out)}.append(None)")
        else:
            p.line(f"{p.variable(out)}.append({p.text(value, TERNARY)})")
    if counter is not None:
        p.line(f"{p.variable(counter)} += 1")
    p.copies(list(zip(carried, body.results[: shape.carried])))
    if shape.breaks:
        flag = body.results[-1]
        if wanted:
            assert stopped is not None
            p.line(f"{p.variable(stopped)} = {p.text(flag)}")
        p.line(f"if {p.text(flag)}:")
        p.block(lambda: p.line("break"))


def _try(p: Function, node: Apply) -> None:
    body, handler = node.regions

    def region(r: Graph) -> Any:
        def write() -> None:
            p.region(r)
            p.copies(list(zip(node.outputs, r.results)))

        return write

    p.line("try:")
    p.block(region(body))
    error = handler.params[0]
    name = f" as {p.variable(error)}" if p.layout.uses.get(id(error)) else ""
    p.line(f"except {p.text(node.args[0], TERNARY)}{name}:")
    p.block(region(handler))


def _setitem(p: Function, node: Apply) -> None:
    target, index, value = node.args
    place = f"{p.text(target, POSTFIX)}[{p.expressions.index(index)}]"
    if isinstance(value, Apply) and id(value) in p.inlined:
        sign = INFIX.get(value.target) if isinstance(value.op, Primitive) else None
        if (
            sign is not None
            and sign[1] != COMPARE
            and isinstance(deref(target.type), Num)
        ):
            left = value.args[0]
            whole = isinstance(index, Constant) and index.value is Ellipsis
            if whole and left is target:
                p.line(f"{p.text(target, POSTFIX)} {sign[0]}= {p.text(value.args[1])}")
                return
            same = (
                isinstance(left, Apply)
                and left.op is ops.GETITEM
                and id(left) in p.inlined
                and left.args[0] is target
                and p.expressions.index(left.args[1]) == p.expressions.index(index)
            )
            if same:
                p.line(f"{place} {sign[0]}= {p.text(value.args[1])}")
                return
    p.line(f"{place} = {p.text(value)}")


def _setattr(p: Function, node: Apply) -> None:
    name = node.args[1].value  # type: ignore[attr-defined]
    p.line(f"{p.text(node.args[0], POSTFIX)}.{name} = {p.text(node.args[2])}")


def _delitem(p: Function, node: Apply) -> None:
    p.line(f"del {p.text(node.args[0], POSTFIX)}[{p.expressions.index(node.args[1])}]")


def _append(p: Function, node: Apply) -> None:
    p.line(f"{p.text(node.args[0], POSTFIX)}.append({p.text(node.args[1])})")


def _raise(p: Function, node: Apply) -> None:
    p.line(f"raise {p.text(node.args[0])}" if node.args else "raise")


def _assert(p: Function, node: Apply) -> None:
    test, message = node.args[:2]
    kind = ops.raised_by(node)
    if kind is not AssertionError:
        name = p.namespace.reference(kind, kind.__name__)
        error = f"{name}({p.text(message, TERNARY)})"
        p.line(f"if not {p.text(test, NOT)}:")
        p.block(lambda: p.line(f"raise {error}"))
    elif isinstance(message, Constant) and message.value is None:
        p.line(f"assert {p.text(test, TERNARY)}")
    else:
        p.line(f"assert {p.text(test, TERNARY)}, {p.text(message, TERNARY)}")


def _index_add(p: Function, node: Apply) -> None:
    base, index, value = node.args
    if isinstance(base, Constant):
        raise AssertionError("an accumulator is never a constant")
    t = deref(node.type)
    changeable = isinstance(t, List | Stack | Dict) or (
        isinstance(t, Num) and bool(t.ndim)
    )
    if not changeable:
        add = p.namespace.reference(runtime.index_add, "index_add")
        args = ", ".join(p.text(a, TERNARY) for a in node.args)
        p.assign(node, f"{add}({args})")
        return
    name = p.variable(node)
    in_place = (
        p.naming is not None
        and id(base) not in p.inlined
        and p.naming.shared(node, base)
        and id(base) in p.owned
        and exclusive(p.layout.values[id(base)])
    )
    if not in_place:
        fresh = id(base) in p.inlined and id(base) in p.owned
        p.line(f"{name} = {p.text(base, POSTFIX)}{'' if fresh else '.copy()'}")
    where = p.expressions.index(index)
    if not isinstance(t, Num):
        _add_to_item(p, node, name, where)
    elif _may_repeat(index):
        p.line(f"np.add.at({name}, {p.text(index, TERNARY)}, {p.text(value, TERNARY)})")
    else:
        p.line(f"{name}[{where}] += {p.text(value)}")


def _add_product(p: Function, node: Apply) -> None:
    total, a, b = node.args
    t = deref(a.type)
    if isinstance(t, Num) and t.ndim == 1:
        product = f"np.outer({p.text(a, TERNARY)}, {p.text(b, TERNARY)})"
    else:
        product = f"{p.text(a, POSTFIX)} @ {p.text(b, POSTFIX)}"
    p.line(f"{p.text(total, POSTFIX)} += {product}")


def _add_to_item(p: Function, node: Apply, name: str, where: str) -> None:
    """Add to an item of a list or a dictionary of cotangents."""
    _, index, value = node.args
    item, d = deref(getattr(deref(node.type), "item", node.type)), deref(value.type)
    whole = node.target is True and isinstance(deref(index.type), Num)
    if whole and isinstance(item, Num) and isinstance(d, Num):
        if item.ndim == 0 and d.ndim == 0:
            p.line(f"{name}[{where}] += {p.text(value)}")
        else:
            p.line(f"{name}[{where}] = {name}[{where}] + {p.text(value, SUM + 1)}")
        return
    add = p.namespace.reference(runtime.index_add, "index_add")
    p.line(f"{add}({name}, {p.text(index, TERNARY)}, {p.text(value, TERNARY)})")


def _may_repeat(index: Node) -> bool:
    """Whether an index may name one place twice: it holds an array of integers."""
    parts = (
        index.args if isinstance(index, Apply) and index.op is ops.TUPLE else (index,)
    )
    return any(
        not isinstance(part, Constant) and _type_may_repeat(deref(part.type))
        for part in parts
    )


def _type_may_repeat(t: Type) -> bool:
    if isinstance(t, Tuple):
        return any(_type_may_repeat(deref(item)) for item in t.items)
    if isinstance(t, Num):
        return t.ndim != 0 and (t.dtype is None or t.dtype.kind in "iu")
    return not (_is_slice(t) or isinstance(t, NoneType_))


def _is_slice(t: Any) -> bool:
    return getattr(t, "cls", None) is slice


def _insert(p: Function, node: Apply) -> None:
    p.assign(node, p.text(node.args[0]))


STATEMENTS: dict[Any, Any] = {
    ops.IF: _if,
    ops.FOR: _loop,
    ops.WHILE: _loop,
    ops.TRY: _try,
    ops.SETITEM: _setitem,
    ops.SETATTR: _setattr,
    ops.DELITEM: _delitem,
    ops.APPEND: _append,
    ops.RAISE: _raise,
    ops.ASSERT: _assert,
    ops.INDEX_ADD: _index_add,
    ops.ADD_PRODUCT: _add_product,
    ops.INSERT: _insert,
}
