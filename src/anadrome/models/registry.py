"""Models declare themselves, and are found by task and name.

A model is a module. Its configuration is declared for a task::

    @model("translate", name="attention", cites="Bahdanau et al. (2015)")
    @dataclass(frozen=True)
    class Config: ...

and beside it stand `make_params(config, key, sizes)`, `loss(params, batch, config,
key)`, and what the task asks for: `start` and `step` where outputs are generated,
`predict` where inputs are labelled. Every module of this package is looked through, and
those that other packages name as entry points of the group `anadrome.models`.
"""

from __future__ import annotations

import difflib
import functools
import importlib
import importlib.metadata
import pkgutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import anadrome.models
from anadrome.user_files import load_module

GROUP = "anadrome.models"
"""The entry points through which other packages add models."""

Class = TypeVar("Class", bound=type)


class UnknownModel(ValueError):
    """A model that does not exist."""


@dataclass(frozen=True)
class Model:
    """A kind of model: its module, seen through what was declared of it.

    Functions of the module are attributes of the model: `model.loss`.
    """

    task: str
    name: str
    cites: str
    Config: type

    @property
    def module(self) -> ModuleType:
        """Where the functions stand."""
        return sys.modules[self.Config.__module__]

    @property
    def summary(self) -> str:
        """The first line of the module's documentation."""
        return (self.module.__doc__ or "").strip().split("\n")[0]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return getattr(self.module, name)
        except AttributeError:
            raise AttributeError(
                f"the model {self.name} has no function {name!r}"
            ) from None

    def find(self, name: str) -> Any:
        """The function of this name, or None."""
        return getattr(self.module, name, None)


_MODELS: dict[tuple[str, str], Model] = {}


def model(task: str, *, name: str, cites: str = "") -> Callable[[Class], Class]:
    """A decorator of configurations that declares the module's model for a task."""

    def declare(config: Class) -> Class:
        _MODELS[task, name] = Model(task, name, cites, config)
        return config

    return declare


def models_of(task: str) -> dict[str, Model]:
    """The models of a task by name, in alphabetical order."""
    _import_all()
    found = {name: made for (of, name), made in _MODELS.items() if of == task}
    return dict(sorted(found.items()))


def find_model(task: str, name: str) -> Model:
    """The model of this name, or in this file: `my_model.py`."""
    if name.endswith(".py"):
        return _from_file(task, Path(name))
    known = models_of(task)
    if name not in known:
        near = difflib.get_close_matches(name, list(known), 1)
        raise UnknownModel(
            f"there is no model {name!r} for {task}\nhelp: "
            + (f"did you mean {near[0]!r}? " if near else "")
            + f"there are {', '.join(known) or 'none'}; or give a file.py with one"
        )
    return known[name]


@functools.cache
def _import_all() -> None:
    for found in pkgutil.iter_modules(anadrome.models.__path__):
        importlib.import_module(f"anadrome.models.{found.name}")
    for point in importlib.metadata.entry_points(group=GROUP):
        point.load()


def _from_file(task: str, path: Path) -> Model:
    """The model that a file declares; the file is a module of its own name."""
    if not path.is_file():
        raise UnknownModel(f"{path}: there is no such file")
    loaded = load_module(path)
    for (of, _), made in _MODELS.items():
        if of == task and made.module is loaded:
            return made
    raise UnknownModel(
        f"{path}: the file declares no model for {task}\n"
        f'help: put @model("{task}", name="…") above its configuration'
    )
