"""All that reading a function can look at, as a text that changes whenever it does.

The walk takes in more than will be read: of every function its code, the file it stands
in, defaults and cells, and of the names in its code whatever they stand for outside it,
which are followed in turn; of every class all its members; of every module what has one
of those names. NumPy, the standard library and the compiler itself are known by their
versions. Captured values that are compiled in are described by value, others by type.
Where the walk meets something that it does not understand, there is no description.
"""

from __future__ import annotations

import builtins
import dataclasses
import dis
import enum
import functools
import hashlib
import linecache
import os
import sys
import types as pytypes
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from anadrome.backends.native.disk.qualified_names import Unknown, qualified_name
from anadrome.driver.specialise import Specialising, key_of
from anadrome.errors import ArgumentError
from anadrome.infer.values import is_namedtuple
from anadrome.primitives.captured import is_function_table, is_static
from anadrome.primitives.registry import foreign_primitives
from anadrome.version import VERSION

_LEAVES = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis))

# They look things up by names that are not in the code.
_OBSCURE = frozenset(
    (
        *("getattr", "hasattr", "setattr", "delattr", "attrgetter", "globals"),
        *("locals", "vars", "dir", "eval", "exec", "__import__", "importlib"),
        *("environ", "getenv", "modules", "__dict__", "__getattr__"),
    )
)
_IMPORT = dis.opmap["IMPORT_NAME"]
_MANY = 2000

# What a callable of this package keeps beside what it was made with.
_WRAPPED = frozenset(
    ("_compiled", "__wrapped__", "__doc__", "__annotations__", "__type_params__")
)
# Members of classes that say nothing, or are looked at by themselves.
_BOOKKEEPING = frozenset(
    (
        *("__dict__", "__weakref__", "__doc__", "__module__", "__qualname__"),
        *("__annotations__", "__annotate__", "__annotations_cache__", "_abc_impl"),
        *("__static_attributes__", "__firstlineno__", "__parameters__"),
        *("__type_params__", "__orig_bases__", "__dataclass_fields__"),
        "__abstractmethods__",
    )
)

# What is written in the language that the compiler reads, though it ships with it.
_READ = ("nn", "text", "models", "decode", "evaluate", "train", "viz")


class Dependencies:
    """What a function and its arguments depend on."""

    def __init__(self) -> None:
        self.functions: list[pytypes.FunctionType] = []
        self.partials: list[functools.partial[Any]] = []
        self._numbers: dict[int, int] = {}
        self._classes: dict[type, None] = {}
        self._modules: dict[str, Any] = {}
        self._names: dict[str, None] = {}
        self._files: dict[str, None] = {}
        self._pending: list[Any] = []
        self._lines: list[str] = []

    @property
    def classes(self) -> list[type]:
        """The classes that were met, other than those of libraries."""
        return list(self._classes)

    @property
    def modules(self) -> list[Any]:
        """The modules that were met."""
        return list(self._modules.values())

    def add(self, text: str) -> None:
        """One more line of the description."""
        self._lines.append(text)

    def finish(self) -> str:
        """Follow all that was met; the description of it."""
        done: set[tuple[str, str]] = set()
        grows = True
        while grows:
            self._follow_pending()
            grows = False
            for module_name, module in list(self._modules.items()):
                table = vars(module)
                for name in list(self._names):
                    if (module_name, name) not in done and name in table:
                        done.add((module_name, name))
                        value = table[name]
                        fixed = is_library(module_name)
                        text = self.value(value) if fixed else self.captured(value)
                        self.add(f"{module_name}.{name}={text}")
                        grows = True
        return "\n".join(self._lines)

    def _follow_pending(self) -> None:
        while self._pending:
            found = self._pending.pop()
            if isinstance(found, type):
                self._class(found)
            else:
                self._function(found)
            if len(self.functions) > _MANY:
                raise Unknown

    # Values ---------------------------------------------------------------------------

    def captured(self, value: Any) -> str:
        """A captured variable: its value if it is compiled in, else its type."""
        if is_static(value) or is_function_table(value):
            return self.value(value)
        return f"captured {self.value(key_of(value))}"

    def value(self, value: Any) -> str:
        """A value that is compiled in."""
        cls = type(value)
        if cls in _LEAVES:
            return f"{cls.__name__} {value!r}"
        if cls is tuple or cls is list:
            return f"{cls.__name__}({','.join(map(self.value, value))})"
        if cls is dict:
            items = (f"{self.value(k)}:{self.value(v)}" for k, v in value.items())
            return f"dict({','.join(items)})"
        if cls in (set, frozenset):
            return f"{cls.__name__}({','.join(self._sorted(value))})"
        if cls is slice:
            return f"slice {self.value((value.start, value.stop, value.step))}"
        if isinstance(value, np.dtype):
            return f"dtype {value.str}"
        if isinstance(value, np.generic):
            return f"{value.dtype.str} {value.tobytes().hex()}"
        if cls is np.ndarray and value.dtype != object:
            digest = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
            return f"array {value.dtype.str} {value.shape} {value.strides} {digest}"
        if cls is pytypes.ModuleType:
            self._modules[value.__name__] = value
            return f"module {value.__name__}"
        if isinstance(value, type):
            return self._class_name(value)
        if cls is pytypes.FunctionType:
            return self._function_name(value)
        if cls is functools.partial:
            self.partials.append(value)
            given = (*enumerate(value.args), *value.keywords.items())
            parts = ",".join(f"{k}={self.captured(v)}" for k, v in given)
            return f"partial {self.value(value.func)} {parts}"
        if isinstance(value, enum.Enum):
            return f"{self._class_name(cls)}.{value.name}"
        if isinstance(value, Specialising) and _is_ours(cls):
            table = {k: v for k, v in vars(value).items() if k not in _WRAPPED}
            return f"{qualified_name(cls)} {self.value(table)}"
        name = qualified_name(value)
        if not is_library(name.partition(":")[0]):
            raise Unknown
        return name

    def _sorted(self, values: Iterable[Any]) -> list[str]:
        """The members of a set in an order that does not depend on their hashes."""
        kept, found = self._pending, []
        count = len(self.functions)
        for value in values:
            self._pending = []
            found.append((self.value(value), self._pending))
        self._pending = kept
        if len(self.functions) > count:
            raise Unknown
        found.sort(key=lambda pair: pair[0])
        for _, pending in found:
            self._pending += pending
        return [text for text, _ in found]

    # Functions ------------------------------------------------------------------------

    def _function_name(self, function: pytypes.FunctionType) -> str:
        home = function.__globals__.get("__name__", "")
        if is_library(home) and is_library(function.__module__ or ""):
            return qualified_name(function)
        number = self._numbers.get(id(function))
        if number is None:
            number = self._numbers[id(function)] = len(self.functions)
            self.functions.append(function)
            self._pending.append(function)
        return f"function {number}"

    def _function(self, function: pytypes.FunctionType) -> None:
        code = function.__code__
        self.add(f"function {self._numbers[id(function)]} of {function.__module__}")
        self.add(function.__qualname__)
        self._code(code)
        self._file(code.co_filename)
        for default in function.__defaults__ or ():
            self.add(self.captured(default))
        for name, default in (function.__kwdefaults__ or {}).items():
            self.add(f"{name}={self.captured(default)}")
        for name, cell in zip(code.co_freevars, function.__closure__ or ()):
            self.add(f"{name}={self._contents(cell)}")
        kept = {k: v for k, v in vars(function).items() if k != "__wrapped__"}
        self.add(self.value(kept))
        if (wrapped := vars(function).get("__wrapped__")) is not None:
            self.add(self.value(wrapped))
        table = function.__globals__
        for name in dict.fromkeys(_names_of(code)):
            if name in _OBSCURE:
                raise Unknown
            self._names[name] = None
            if name in table:
                self.add(f"{name}={self.captured(table[name])}")

    def _contents(self, cell: Any) -> str:
        try:
            value = cell.cell_contents
        except ValueError:
            return "nothing"
        return self.captured(value)

    def _code(self, code: pytypes.CodeType) -> None:
        if _IMPORT in code.co_code[::2]:
            raise Unknown
        counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount)
        names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
        where = (code.co_name, code.co_filename, code.co_firstlineno, code.co_flags)
        self.add(repr((where, counts, names, code.co_code, code.co_linetable)))
        self.add(repr(getattr(code, "co_exceptiontable", b"")))
        for constant in code.co_consts:
            if isinstance(constant, pytypes.CodeType):
                self._code(constant)
            else:
                self.add(self.value(constant))

    def _file(self, name: str) -> None:
        """The text of a file, which is what is read."""
        if name not in self._files:
            self._files[name] = None
            text = "".join(linecache.getlines(name))
            self.add(f"{name} {hashlib.sha256(text.encode()).hexdigest()}")

    # Classes --------------------------------------------------------------------------

    def _class_name(self, cls: type) -> str:
        if cls.__module__ == "builtins" and not hasattr(builtins, cls.__name__):
            # The interpreter's own: the classes of functions, of generators.
            return f"class builtins:{cls.__name__}"
        # Objects that programs refer to by name must be those that were met.
        name = qualified_name(cls)
        if cls not in self._classes and not is_library(cls.__module__):
            self._classes[cls] = None
            self._pending.append(cls)
        return f"class {name}"

    def _class(self, cls: type) -> None:
        self.add(f"{self._class_name(cls)} of {self._class_name(type(cls))}")
        self.add(",".join(map(self._class_name, cls.__mro__)))
        for base in cls.__mro__:
            if not is_library(base.__module__):
                self._members(base)

    def _members(self, cls: type) -> None:
        table = dict(vars(cls))
        annotations = table.get("__annotations__", {})
        self.add(",".join(f"{n}:{_annotation(a)}" for n, a in annotations.items()))
        if "_abc_impl" in table:
            self._abstract(cls)
        for name, field in table.get("__dataclass_fields__", {}).items():
            flags = (field.init, field.repr, field.compare, field.kw_only)
            given = (field.default, field.default_factory)
            texts = ["" if g is dataclasses.MISSING else self.value(g) for g in given]
            self.add(f"{name} {flags} {texts} {dict(field.metadata)!r}")
        if is_namedtuple(cls) and "_fields" in table:
            self.add(self.value((table["_fields"], table["_field_defaults"])))
        if issubclass(cls, enum.Enum):
            for name, member in cls.__members__.items():
                self.add(f"{name}={self.value(member.value)}")
        for name, value in table.items():
            if name not in _BOOKKEEPING and not _is_made(cls, name, value):
                self.add(f"{name}={self._member(value)}")

    def _abstract(self, cls: type) -> None:
        import _abc  # type: ignore[import-not-found]

        if _abc._get_dump(cls)[0]:
            raise Unknown

    def _member(self, value: Any) -> str:
        if isinstance(value, staticmethod | classmethod):
            return f"{type(value).__name__} {self.value(value.__func__)}"
        if type(value) is property:
            return f"property {self.value((value.fget, value.fset, value.fdel))}"
        if type(value) is functools.cached_property:
            return f"cached {self.value(value.func)}"
        if isinstance(
            value, pytypes.MemberDescriptorType | pytypes.GetSetDescriptorType
        ):
            return "slot"
        if type(value) is pytypes.MappingProxyType:
            return self.value(dict(value))
        return self.value(value)


def _is_made(cls: type, name: str, value: Any) -> bool:
    """Whether a member of a class was made from what is said of it elsewhere."""
    if issubclass(cls, enum.Enum):
        return type(value) is not pytypes.FunctionType or name in ("__new__",)
    if isinstance(value, classmethod | staticmethod):
        value = value.__func__
    home = getattr(value, "__globals__", {}).get("__name__", "")
    if "__dataclass_fields__" in vars(cls):
        if name in ("__dataclass_params__", "__match_args__"):
            return True
        code = getattr(value, "__code__", None)
        if code is not None and code.co_filename == "<string>":
            return True
        if home in ("dataclasses", "reprlib"):
            return True
    if is_namedtuple(cls):
        return (
            home == "collections"
            or home.startswith("namedtuple_")
            or type(value).__module__ in ("collections", "_collections")
            or name in ("_fields", "_field_defaults", "__slots__", "__match_args__")
        )
    return False


def _annotation(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    if " at 0x" in text:
        raise Unknown
    return text


def _names_of(code: pytypes.CodeType) -> Iterable[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, pytypes.CodeType):
            yield from _names_of(constant)


# What is known by its version -------------------------------------------------------


@functools.cache
def is_library(module: str) -> bool:
    """Whether a module never changes while versions stay what they are."""
    root, _, rest = module.partition(".")
    if root == "anadrome":
        return rest.partition(".")[0] not in _READ
    if root in ("numpy", "scipy", "builtins"):
        return True
    if root not in sys.stdlib_module_names or root not in sys.modules:
        return False
    file = getattr(sys.modules[root], "__file__", None)
    home = os.path.dirname(os.__file__) + os.sep
    return file is None or (file.startswith(home) and "site-packages" not in file)


def _is_ours(cls: type) -> bool:
    return is_library(cls.__module__)


@functools.cache
def versions() -> str:
    """All that a program depends on besides `Dependencies` and the target."""
    found = [VERSION, sys.version, np.__version__, str(sys.flags.optimize)]
    if "scipy" in sys.modules:
        found.append(sys.modules["scipy"].__version__)
    found += _files_of(os.path.dirname(os.path.dirname(__file__)))
    return "\n".join(found)


def _files_of(folder: str) -> list[str]:
    """The files of this package as bytecode knows them: by time and size."""
    found = []
    with os.scandir(folder) as entries:
        for entry in sorted(entries, key=lambda e: e.name):
            if entry.is_dir() and entry.name != "__pycache__":
                found += _files_of(entry.path)
            elif entry.name.endswith((".py", ".ll")):
                info = entry.stat()
                found.append(f"{entry.path} {info.st_mtime_ns} {info.st_size}")
    return found


# A call -----------------------------------------------------------------------------


def dependencies_of_call(
    function: Callable[..., Any],
    static: frozenset[int | str],
    args: tuple[Any, ...],
    keywords: dict[str, Any],
) -> tuple[Dependencies, str] | None:
    """What compiling a function for arguments like these looks at, and its text."""
    if foreign_primitives():
        return None
    dependencies = Dependencies()
    try:
        dependencies.add(
            f"call {dependencies.value(function)} {dependencies.value(static)}"
        )
        for key, given in (*enumerate(args), *keywords.items()):
            known = (
                dependencies.value(given)
                if key in static
                else dependencies.value(key_of(given))
            )
            dependencies.add(f"{key!r} {key in static} {known}")
        return dependencies, f"{dependencies.finish()}\n{versions()}"
    except (Unknown, ArgumentError, RecursionError):
        return None


__all__ = ["Dependencies", "dependencies_of_call", "is_library"]
