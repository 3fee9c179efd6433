"""The ways out of a block: flags for `return`, `break`, `continue` and `raise`.

A function being read is inside a number of levels, loops and `try` bodies. Each level
has a flag that says that the rest of its body is skipped; a loop has another one that
says that it stops. Leaving a level sets the flags of the levels inside it, as far as
the innermost loop: what leaves a loop as well is passed on after that loop.
"""

from __future__ import annotations

from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.values.compile_time import Key, TryLevel
from anadrome.ir.graph import Constant, Node


def done_key(it: Interpreter) -> Key:
    """The flag that the function has returned."""
    return (it.frame.scope, "%done")


def skip_key(it: Interpreter, level: int | None = None) -> Key:
    """The flag that the rest of a level's body is skipped; level 0 is the function."""
    level = len(it.frame.levels) if level is None else level
    return (it.frame.scope, f"%skip{level}") if level else done_key(it)


def stop_key(it: Interpreter, level: int | None = None) -> Key:
    """The flag that a loop has no further iteration."""
    level = len(it.frame.levels) if level is None else level
    return (it.frame.scope, f"%stop{level}")


def raised_key(it: Interpreter, level: TryLevel) -> Key:
    """The flag that something was raised in a `try`."""
    return (it.frame.scope, f"%raised{level.number}")


def error_key(it: Interpreter, level: TryLevel) -> Key:
    """The exception that was raised in a `try`."""
    return (it.frame.scope, f"%error{level.number}")


def exit_flag(it: Interpreter) -> Node:
    """Whether the rest of the block that is being read is skipped."""
    return it.env.get(skip_key(it)) or it.constant(False)


def is_flag(flag: Node, value: bool) -> bool:
    """Whether a flag is known to have a value."""
    return isinstance(flag, Constant) and flag.value is value


def either(it: Interpreter, a: Node, b: Node) -> Node:
    """`a or b` of two flags."""
    from anadrome.frontend.syntax.expressions import choose

    if is_flag(a, True) or is_flag(b, False) or a is b:
        return a
    if is_flag(b, True) or is_flag(a, False):
        return b
    return choose(it, a, lambda: a, lambda: b)


def leave(it: Interpreter, target: int, flag: Node | None = None) -> None:
    """Leave the levels from the innermost to `target`, if the flag is set."""
    flag = it.constant(True) if flag is None else flag
    for level in range(len(it.frame.levels), target - 1, -1):
        keys = [skip_key(it, level)]
        loop = it.frame.levels[level - 1] is None
        if loop:
            keys.append(stop_key(it, level))
        for key in keys:
            it.env[key] = either(it, it.env.get(key) or it.constant(False), flag)
        if loop:
            return


def leave_loop(it: Interpreter, stop: bool) -> None:
    """`break` or `continue`."""
    for level in range(len(it.frame.levels), 0, -1):
        it.env[skip_key(it, level)] = it.constant(True)
        if it.frame.levels[level - 1] is None:
            if stop:
                it.env[stop_key(it, level)] = it.constant(True)
            return


def leave_function(it: Interpreter) -> None:
    """`return`, or a `raise` that nothing in this function catches."""
    it.env[done_key(it)] = it.constant(True)
    leave(it, 1)


def innermost_try(it: Interpreter) -> tuple[int, TryLevel] | None:
    """The `try` of this function that catches what is raised here, and its level."""
    for k in range(len(it.frame.levels), 0, -1):
        found = it.frame.levels[k - 1]
        if found is not None:
            return k, found
    return None


def leave_try(it: Interpreter, flag: Node, error: Node) -> None:
    """Go to the handlers of the innermost `try` with an exception, if a flag is set."""
    found = innermost_try(it)
    assert found is not None
    number, level = found
    raised, kept = raised_key(it, level), error_key(it, level)
    it.env[raised] = either(it, it.env.get(raised) or it.constant(False), flag)
    it.env[kept] = error
    leave(it, number, flag)


def after_loop(it: Interpreter) -> None:
    """Pass on what left a loop that has just been read, out of the levels around it."""
    if not it.frame.levels:
        return
    found = innermost_try(it)
    if found is not None:
        number, level = found
        raised = it.env.get(raised_key(it, level))
        if raised is not None and not is_flag(raised, False):
            leave(it, number, raised)
    done = it.env.get(done_key(it))
    if done is not None and not is_flag(done, False):
        leave(it, 1, done)


def ends_generator(it: Interpreter) -> bool:
    """Whether a StopIteration raised here leaves a generator: as a RuntimeError."""
    for frame in reversed(it.frames):
        for level in frame.levels:
            if level is not None and catches(level, StopIteration):
                return False
        if frame.ends is not None:
            return True
    return False


def catches(level: TryLevel, kind: type[BaseException]) -> bool:
    """Whether a `try` catches exceptions of a class, as far as is known."""
    return level.kinds is None or issubclass(kind, level.kinds)
