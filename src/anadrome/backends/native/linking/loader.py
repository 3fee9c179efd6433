"""A program linked into this process: arguments in, results out."""

from __future__ import annotations

import copy
import ctypes
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from anadrome.errors import AnadromeError, UnexpectedType, render
from anadrome.ir.types import Type, deref, is_given, is_stored, parts
from anadrome.runtime import copy_as

from ..disk.serialise import CONSTANTS, ENTRY, Failure, Program
from ..runtime import array_objects, containers
from ..runtime.memory import HEADER, NUMBERS, OBJECT, memory_library, python_symbols
from ..runtime.objects import ARGUMENTS, object_library
from ..runtime.stack_limit import stack_limit
from ..runtime.threads import thread_pool
from ..target import Target
from . import lapack
from .builtin import make_builtin
from .engine import Library, load_object

if TYPE_CHECKING:
    from ..emission.values import Value


def or_in_python(
    native: Callable[..., Any],
    in_python: Callable[..., Any],
    hands_over: Callable[[], bool],
) -> Callable[..., Any]:
    """A program whose types were found right, or the same one without types.

    Where it `hands_over`, the function that it was made from is called instead, by
    whoever has that: what was found of types is in the printed program, too.
    """

    def call(*args: Any) -> Any:
        try:
            return native(*args)
        except UnexpectedType as error:
            if hands_over():
                error.unstarted = True
                raise
            return in_python(*args)

    return call


class Linked:
    """Everything that native code needs while it can be called."""

    def __init__(
        self,
        name: str,
        module: Program,
        target: Target,
        deoptimise: Callable[..., Any] | None,
        types: Callable[[], list[Type]],
        printed: Callable[..., Any],
    ) -> None:
        self.name = name
        self._printed = printed
        self.failures: list[Failure] = module.failures
        self.sites = module.sites
        self._types = types
        self.constants = module.constants
        self.table = (ctypes.c_void_p * len(module.constants))()
        self.library = _load(module, target, ctypes.addressof(self.table))
        self._kept: list[Any] = []
        roles = {
            "explain": self.explain,
            "otherwise": self.otherwise,
            "locate": self.locate,
            "stack": stack_limit,
            "again": deoptimise,
        }
        for k, (how, value) in enumerate(module.constants):
            if how == "block":
                held: Any = _immortal_block(value)
                self.table[k] = ctypes.addressof(held)
                self._kept.append(held)
            else:
                held = roles.get(how, value)
                self.table[k] = id(held)
                self._kept.append(held)

    @cached_property
    def types(self) -> list[Type]:
        """The types of the arguments."""
        return self._types()

    @cached_property
    def templates(self) -> list[Value]:
        """How the arguments are laid out."""
        from ..emission.templates import template

        return [template(t, None) for t in self.types]

    def function(self) -> Any:
        """A builtin function that holds on to all of this."""
        address = self.library.address(ENTRY)
        made = make_builtin(self.name, address, self)
        self.itself = made
        return made

    # What native code calls -----------------------------------------------------------

    def explain(self, status: int, context: int) -> Exception:
        """The exception that a status stands for."""
        found = self.failures[status - 1]
        message = found.message
        if "{" in message:
            numbers = (ctypes.c_int64 * 5).from_address(context + 8 * NUMBERS)
            message = message.format(*numbers)
        if issubclass(found.kind, AnadromeError):
            message, _, help = message.partition("\nhelp: ")
            return found.kind(message, found.span, help or None)
        error = found.kind(*([message] if message else []))
        if found.span is not None:
            error.add_note(_here(found.span))
        return error

    def locate(self, error: BaseException, site: int) -> None:
        """Say of an exception that Python raised which line of the user's it was."""
        if site == ARGUMENTS:
            if isinstance(error, AnadromeError):
                error.unstarted = True
            return
        if isinstance(error, AnadromeError) and error.span is None:
            error.span = self.sites[site - 1]
            return
        error.add_note(_here(self.sites[site - 1]))

    def otherwise(self, args: tuple[Any, ...]) -> Any:
        """A call with arguments that are laid out in another way."""
        if len(args) != len(self.types):
            raise TypeError(
                f"{self.name} takes {len(self.types)} arguments, not {len(args)}"
            )
        try:
            fitted = [
                _fit(a, template, t)
                for a, template, t in zip(args, self.templates, self.types)
            ]
        except _ChangedInPython:
            return self._printed(*args)
        if all(a is b for a, b in zip(args, fitted)):
            raise TypeError(f"{self.name} was compiled for arguments of other types")
        return self.itself(*fitted)


def _here(span: Any) -> str:
    return "in native code, which stands for your code here:\n" + render(span).rstrip()


class _ChangedInPython(Exception):
    """An array is changed in place that native code cannot write to."""


def _fit(value: Any, template: Value, t: Type) -> Any:
    """An argument with its arrays as native code reads them."""
    from ..emission.values import Array, Pack

    t = deref(t)
    if isinstance(template, Array):
        if not isinstance(value, np.ndarray) or value.ndim != template.ndim:
            raise TypeError(
                f"an array of {template.ndim} axes was expected, not {np.shape(value)}"
            )
        if value.dtype.newbyteorder("=") != template.dtype:
            raise TypeError(
                f"an array of {template.dtype} was expected, not {value.dtype}"
            )
        if is_stored(t) and not value.flags.writeable:
            raise _ChangedInPython
        plain = type(value) is np.ndarray and value.dtype.num == template.dtype.num
        if plain and value.flags.aligned and value.dtype.isnative:
            return value
        if is_stored(t) or is_given(t):
            # It is changed, or the caller gets a view of it.
            raise _ChangedInPython
        return copy_as(np.asarray(value), value, template.dtype)
    if isinstance(template, Pack):
        if not template.names:
            given = zip(value, template.items, parts(t), strict=True)
            items = [_fit(*entry) for entry in given]
            if all(a is b for a, b in zip(items, value)):
                return value
            return (
                template.cls(*items)
                if template.cls not in (None, tuple)
                else tuple(items)
            )
        found = value
        for name, item, part in zip(
            template.names, template.items, parts(t), strict=True
        ):
            old = getattr(value, name)
            new = _fit(old, item, part)
            if new is not old:
                found = copy.copy(value) if found is value else found
                object.__setattr__(found, name, new)
        return found
    return value


def _immortal_block(value: Any) -> Any:
    """A block that stands for an object for as long as the program exists."""
    words = (ctypes.c_int64 * (HEADER // 8))()
    words[0] = 1 << 40
    words[OBJECT] = id(value)
    words._object = value  # type: ignore[attr-defined]  # keeps it alive
    return words


def _load(module: Program, target: Target, table: int) -> Library:
    imports: dict[str, int] = dict(memory_library(target).addresses)
    imports.update(object_library(target).addresses)
    if any(_names(module, name) for name in array_objects.EXPORTS):
        imports.update(array_objects.array_library(target).addresses)
    imports.update(thread_pool().symbols)
    imports.update(python_symbols(*module.python_names))
    imports[CONSTANTS] = table
    # Each of these takes a moment to import, and not every program needs it.
    if module.kernels:
        from ..kernels import transpose
        from ..kernels.loop_driver import loop_driver_library

        imports.update(loop_driver_library(target).addresses)
        for size in transpose.SIZES:
            if _names(module, f"{transpose.TRANSPOSE}.{size}"):
                imports.update(transpose.transpose_library(size, target).addresses)
    if any(_names(module, name) for name in containers.EXPORTS):
        imports.update(containers.container_library(target).addresses)
    if module.lends:
        from ..runtime.memory_lending import lending_library

        imports.update(lending_library(target).addresses)
    if module.math:
        from ..vectormath import math_symbols

        imports.update(math_symbols(module.math, target))
    if _names(module, "anadrome.random."):
        from ..runtime.random import random_library

        imports.update(random_library(target).addresses)
    if _names(module, lapack.symbol("")):
        imports.update(lapack.lapack_symbols())
    for name in module.gemms:
        from ..gemm import gemm_library

        kind = np.float32 if name == "float32" else np.float64
        imports.update(gemm_library(kind, target).library.addresses)
    return load_object(module.code, [ENTRY], target, imports)


def _names(module: Program, function: str) -> bool:
    """Whether the code of a program names a function of another library."""
    return function.encode() in module.code
