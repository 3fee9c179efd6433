"""Programs of earlier processes, found again before anything is read.

A program is kept under all that its function depends on. With it go the captured
variables that it reads and those it was made under, so that it can be called, and given
up, as if it had just been made. Its graph is read only when it is asked for: by `show`,
by an error, or by a call for which it assumes too much.
"""

from __future__ import annotations

import json
import types as pytypes
from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from anadrome.backends.native.disk.object_cache import ObjectCache, cache_key
from anadrome.backends.native.disk.qualified_names import Unknown
from anadrome.backends.native.disk.serialise import Level, unpacked
from anadrome.driver.dependencies import Dependencies, dependencies_of_call, is_library
from anadrome.driver.program import NativeProgram
from anadrome.frontend.values.class_members import itself, member_reader
from anadrome.infer.values import attributes_of, is_namedtuple, is_plain_record
from anadrome.primitives.captured import frozen, is_function_table

if TYPE_CHECKING:
    from anadrome.api.jit import Jitted
    from anadrome.backends.native.disk.serialise import Program as Code
    from anadrome.backends.native.speculation import NativeFunction
    from anadrome.backends.native.target import Target
    from anadrome.backends.python.printer import Source
    from anadrome.frontend.program import Program
    from anadrome.ir.graph import Graph

# A captured variable: of what kind, the number of a function, a class or a module among
# the dependencies, and its name there.
Place = tuple[str, int, Any]


def recall(
    jitted: Jitted, args: tuple[Any, ...], keywords: dict[str, Any]
) -> NativeProgram:
    """The program of a function for arguments like these, from the disk or made."""

    found = dependencies_of_call(jitted.function, jitted.static, args, keywords)
    if found is None:
        return _make(jitted, args, keywords)
    from anadrome.backends.native.target import select_target

    dependencies, text = found
    target, cache = select_target(), ObjectCache()
    key = cache_key(target, "call", text)
    body = cache.load(key)
    if body is not None:
        entry = json.loads(body)
        code = cache.load(entry["program"])
        program = unpacked(entry["program"], code, None) if code is not None else None
        if program is not None:
            like = _alike((args, keywords), {})
            return Recalled(jitted, like, entry, program, target, dependencies)
    made = _make(jitted, args, keywords)
    entry = _entry_of(made, dependencies)
    if entry is not None:
        cache.store(key, json.dumps(entry).encode())
    return made


def _make(
    jitted: Jitted, args: tuple[Any, ...], keywords: dict[str, Any]
) -> NativeProgram:
    from anadrome.driver.pipeline import build_native

    return build_native(jitted, args, keywords)


class Recalled(NativeProgram):
    """A program in native code whose graph has not been read in this process."""

    def __init__(
        self,
        jitted: Jitted,
        given: tuple[tuple[Any, ...], dict[str, Any]],
        entry: dict[str, Any],
        program: Code,
        target: Target,
        dependencies: Dependencies,
    ) -> None:
        self._jitted, self._given = jitted, given
        guards = [_guard(_reader(place, dependencies)) for place in entry["guards"]]
        self.use(
            _RecalledFunction(entry, program, target, lambda: self.made),
            getattr(jitted.function, "__code__", None),
            len(given[0]),
            entry["order"],
            [_reader(place, dependencies) for place in entry["captures"]],
            guards,
            entry["written"],
            entry["numbers"],
        )
        self.copied = entry["copied"]

    @cached_property
    def made(self) -> NativeProgram:
        """The program as it is made from the function."""
        return _make(self._jitted, *self._given)

    @property
    def graph(self) -> Graph:  # type: ignore[override]
        """The graph of the program."""
        return self.made.graph

    @property
    def program(self) -> Program:  # type: ignore[override]
        """The function as it was read."""
        return self.made.program

    @property
    def source(self) -> Source:
        """The program as Python."""
        return self.made.source


class _RecalledFunction:
    """Native code from the disk; where it assumes too much, it is made anew."""

    def __init__(
        self,
        entry: dict[str, Any],
        program: Code,
        target: Target,
        made: Callable[[], NativeProgram],
    ) -> None:
        from anadrome.backends.native.linking.loader import Linked, or_in_python

        self._made = made
        self.hands_over = False
        fallback = (
            self._deoptimise if Level[entry["level"]] is not Level.PLAIN else None
        )
        self.call: Callable[..., Any] = Linked(
            entry["name"], program, target, fallback, self._types, self._in_python
        ).function()
        if entry.get("starts_over"):
            self.call = or_in_python(
                self.call, self._in_python, lambda: self.hands_over
            )

    def __call__(self, *args: Any) -> Any:
        return self.call(*args)

    @property
    def function(self) -> NativeFunction:
        """The same with its graph."""
        found: NativeFunction = self._made().function  # type: ignore[assignment]
        found.hands_over = self.hands_over
        return found

    def _types(self) -> list[Any]:
        return [p.type for p in self.function.graph.params]

    def _in_python(self, *args: Any) -> Any:
        return self.function.in_python(*args)

    def _deoptimise(self, *args: Any) -> Any:
        self.call = self.function
        return self.function(*args)


def _alike(value: Any, made: dict[int, Any]) -> Any:
    """A value of the same type and the same sizes that keeps no array alive."""
    cls = type(value)
    if id(value) in made:
        return made[id(value)]
    if cls is np.ndarray:
        found: Any = np.broadcast_to(np.zeros((), value.dtype), value.shape)
    elif cls is tuple:
        found = tuple([_alike(v, made) for v in value])
    elif is_namedtuple(cls):
        found = cls._make(_alike(v, made) for v in value)
    elif cls is list or cls is dict:
        found = made[id(value)] = cls()
        if cls is list:
            found.extend(_alike(v, made) for v in value)
        else:
            found.update((k, _alike(v, made)) for k, v in value.items())
    elif is_plain_record(cls):
        found = made[id(value)] = object.__new__(cls)
        for name, v in attributes_of(value).items():
            object.__setattr__(found, name, _alike(v, made))
    else:
        found = value
    made[id(value)] = found
    return found


def _reader(place: Place, dependencies: Dependencies) -> Callable[[], Any]:
    """How a captured variable is read."""
    kind, number, name = place
    if kind == "module":
        module = dependencies.modules[number]
        return lambda: getattr(module, name)
    if kind == "class":
        cls = dependencies.classes[number]
        return lambda: getattr(cls, name)
    if kind == "partial":
        bound = dependencies.partials[number]
        return lambda: (bound.keywords if type(name) is str else bound.args)[name]
    if kind == "members":
        return member_reader(dependencies.classes[number])
    function = dependencies.functions[number]
    if kind == "global":
        table = function.__globals__
        return partial(table.__getitem__, name)
    if kind == "cell":
        cell = (function.__closure__ or ())[name]
        return lambda: cell.cell_contents
    if kind == "code":
        return partial(itself, function)
    if kind == "default":
        return lambda: function.__defaults__[name]  # type: ignore[index]
    return lambda: function.__kwdefaults__[name]  # type: ignore[index]


def _guard(read: Callable[[], Any]) -> tuple[Callable[[], Any], Any]:
    value = read()
    if is_function_table(value):
        return lambda: frozen(read()), frozen(value)
    return read, value


def _entry_of(made: NativeProgram, dependencies: Dependencies) -> dict[str, Any] | None:
    """What is kept of a program; None if it depends on more than these."""
    program, function = made.program, made.function
    known = {id(f) for f in dependencies.functions}
    for f in program.functions:
        if id(f) not in known and not is_library(f.__globals__.get("__name__", "")):
            return None
    captures: list[Place] = []
    guards: list[Place] = []
    try:
        places = _Places(dependencies)
        for capture in program.captures:
            captures.append(places.find(capture.key, capture.read))
        for guard in program.guards:
            place = places.find(guard.key, guard.read)
            if place not in guards:
                guards.append(place)
    except Unknown:
        return None
    if not function.key:  # type: ignore[attr-defined]
        return None
    return {
        "program": function.key,  # type: ignore[attr-defined]
        "name": made.graph.name,
        "level": function.level.name,  # type: ignore[attr-defined]
        "starts_over": function.starts_over,  # type: ignore[attr-defined]
        "order": made.order,
        "captures": captures,
        "guards": guards,
        "written": made.written,
        "copied": made.copied,
        "numbers": made.numbers,
    }


class _Places:
    """Where captured variables are found, by the keys of the reader."""

    def __init__(self, dependencies: Dependencies) -> None:
        self.dependencies = dependencies
        self.found: dict[Any, Place] = {}
        for k, module in enumerate(dependencies.modules):
            for name in vars(module):
                self.found[id(module), name] = ("module", k, name)
        for k, cls in enumerate(dependencies.classes):
            for name in dir(cls):
                self.found[id(cls), name] = ("class", k, name)
            self.found[id(cls), "members"] = ("members", k, "")
        for k, bound in enumerate(dependencies.partials):
            for name in (*range(len(bound.args)), *bound.keywords):
                self.found[id(bound), "given", name] = ("partial", k, name)
        for k, function in enumerate(dependencies.functions):
            self._add_function(k, function)

    def _add_function(self, k: int, function: pytypes.FunctionType) -> None:
        table = function.__globals__
        for name in table:
            self.found.setdefault((id(table), name), ("global", k, name))
        for place, cell in enumerate(function.__closure__ or ()):
            self.found.setdefault(("cell", id(cell)), ("cell", k, place))
        for place in range(-len(function.__defaults__ or ()), 0):
            self.found[id(function), "default", place] = ("default", k, place)
        self.found[id(function), "code"] = ("code", k, "")
        for name in function.__kwdefaults__ or {}:
            self.found[id(function), "default", name] = ("keyword", k, name)

    def find(self, key: Any, read: Callable[[], Any]) -> Place:
        """The place of a variable; raises `Unknown`."""
        place = self.found.get(key)
        if place is None:
            raise Unknown
        found, now = _reader(place, self.dependencies)(), read()
        if place[0] == "members":
            found, now = found == now, True
        if found is not now and (not is_function_table(found) or frozen(found) != now):
            raise Unknown
        return place


__all__ = ["recall"]
