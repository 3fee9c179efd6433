"""Names and attributes that only some paths bind: a flag beside the value.

    if n:                  y, bound = if(n) … yield x, True … yield undefined, False
        y = x
    return 2 * y           assert bound; multiply(2, y)

A name without a value in the environment is unbound, one without a flag is bound: so is
one with a flag that is True, which has been read since it was last assigned. The flag
goes wherever the value goes, through branches and loops, and is tested where the name
is read. Where it is known there is nothing to carry and nothing to test.
"""

from __future__ import annotations

from typing import Any

from anadrome.errors import AnadromeError, TypeMismatch, UnsupportedSyntax
from anadrome.frontend.captures import Guard
from anadrome.frontend.interpreter import Interpreter
from anadrome.frontend.values.compile_time import Key, Virtual
from anadrome.ir import operations as ops
from anadrome.ir.graph import Apply, Constant, Node
from anadrome.ir.types import NEVER

_FLAG = "%bound "


def flag_key(key: Key) -> Key:
    """Where the flag of a variable or an attribute is kept."""
    return (key[0], f"{_FLAG}{key[1]}")


def is_flag_key(key: Key) -> bool:
    """Whether this is the flag of another variable."""
    return isinstance(key[1], str) and key[1].startswith(_FLAG)


def may_be_unbound(key: Key) -> bool:
    """Whether this is a name or an attribute, and not a key or the reader's own."""
    owner, name = key
    if isinstance(owner, Virtual) and owner.is_dict:
        return False
    return isinstance(name, str) and not name.startswith("%")


def binding(it: Interpreter, env: dict[Key, Node], key: Key) -> Node:
    """Whether a name is bound in an environment, as a value."""
    if key not in env:
        return it.constant(False)
    return env.get(flag_key(key)) or it.constant(True)


def is_bound(it: Interpreter, env: dict[Key, Node], key: Key) -> bool:
    """Whether a name is bound in an environment whichever path is taken."""
    return is_true(binding(it, env, key))


def is_true(flag: Node) -> bool:
    """Whether a flag is known to be set."""
    return isinstance(flag, Constant) and flag.value is True


def is_false(flag: Node | None) -> bool:
    """Whether a flag is known not to be set."""
    return isinstance(flag, Constant) and flag.value is False


def check_name(it: Interpreter, key: Key, local: bool) -> None:
    """Raise what Python raises unless a variable is bound; `local` to its reader."""
    if key in it.env and flag_key(key) not in it.env:
        return
    name = key[1]
    where = "" if local else " in enclosing scope"
    kind = "local" if local else "free"
    check(
        it,
        key,
        UnboundLocalError if local else NameError,
        f"cannot access {kind} variable '{name}' where it is not associated with a "
        f"value{where}",
        f"'{name}' is read before it is assigned",
        "assign it on every path that leads here",
    )


def check_attribute(it: Interpreter, node: Virtual, name: str) -> None:
    """Raise what Python raises unless an attribute of an object is set."""
    text = f"'{node.cls.__name__}' object has no attribute '{name}'"
    help = "assign it before it is read, for instance in __init__"
    check(it, (node, name), AttributeError, text, text, help)


def check(
    it: Interpreter,
    key: Key,
    kind: type[Exception],
    text: str,
    message: str,
    help: str,
) -> None:
    """Test the flag of a name, of which more is known from here on."""
    flag = binding(it, it.env, key)
    if isinstance(flag, Constant):
        if flag.value is True:
            return
        raise unbound(it, kind, text, message, help)
    it.emit(ops.ASSERT, (flag, it.constant(text), it.constant(kind)), NEVER)
    for known in [k for k, v in it.env.items() if v is flag and is_flag_key(k)]:
        it.env[known] = it.constant(True)


def unbind(it: Interpreter, key: Key) -> None:
    """Delete a name: its value stays, so that there is nothing else to join."""
    it.env[flag_key(key)] = it.constant(False)


def unbound(
    it: Interpreter, kind: type[Exception], text: str, message: str, help: str
) -> AnadromeError:
    """The error for a name that no path binds, which the program itself raises."""
    error = it.fail(TypeMismatch, message, help, python=kind)
    error.python_text = text
    return error


def is_empty(cell: Any) -> bool:
    """Whether a variable of a function around the outermost one is unbound."""
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return True
    return False


def empty_cell(it: Interpreter, cell: Any, name: str) -> AnadromeError:
    """The error for a variable around the outermost function that is unbound."""
    it.guards.append(Guard(lambda: is_empty(cell), True, ("cell", id(cell))))
    return unbound(
        it,
        NameError,
        f"cannot access free variable '{name}' where it is not associated with a "
        "value in enclosing scope",
        f"'{name}' is read before it is assigned",
        "assign it before this function is called",
    )


def undefined_name(it: Interpreter, table: dict[str, Any], name: str) -> AnadromeError:
    """The error for a name that no scope has."""
    it.guards.append(Guard(lambda: name in table, False, (id(table), name)))
    text = f"name '{name}' is not defined"
    return unbound(it, NameError, text, text, "define or import it")


def no_result(it: Interpreter) -> AnadromeError:
    """The end of a statement that calls a function which always raises."""
    error = it.fail(
        UnsupportedSyntax,
        "this call always raises",
        "call it in a statement of its own",
        python=BaseException,
    )
    error.written = True
    return error


# Objects that must exist when the program runs ----------------------------------------


def take_unsure(
    it: Interpreter, virtual: Virtual, fields: dict[str, Node]
) -> dict[str, tuple[Node, Node]]:
    """The attributes that may not be set, with their flags, taken out of all."""
    found = {}
    for name in list(fields):
        flag = it.env.pop(flag_key((virtual, name)), None)
        if flag is not None and not virtual.is_dict and not is_true(flag):
            found[name] = (flag, fields.pop(name))
    return found


def set_unsure(
    it: Interpreter, node: Apply, unsure: dict[str, tuple[Node, Node]]
) -> None:
    """Set attributes of a new object as far as their flags say so."""
    from anadrome.frontend.values.attributes import set_attribute

    for name, (flag, value) in unsure.items():
        if isinstance(flag, Constant):
            continue
        test = Apply(ops.IF, (flag,), NEVER, span=it.span)
        test.comment = it.comment
        test.regions = (it.new_region("then"), it.new_region("else"))
        with it.region(test.regions[0]):
            set_attribute(it, node, name, value, plain=True)
        it.graph.append(test)
