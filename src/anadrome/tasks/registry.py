"""The tasks by name: every module of this package that has a `TASK`."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from pathlib import Path

import anadrome.tasks
from anadrome.train.run import task_of
from anadrome.train.task import Task


class UnknownTask(ValueError):
    """A task that does not exist."""


@functools.cache
def tasks() -> dict[str, Task]:
    """The tasks by name, in alphabetical order."""
    found: dict[str, Task] = {}
    for module in pkgutil.iter_modules(anadrome.tasks.__path__):
        loaded = importlib.import_module(f"anadrome.tasks.{module.name}")
        task = getattr(loaded, "TASK", None)
        if isinstance(task, Task):
            found[task.name] = task
    return dict(sorted(found.items()))


def find_task(name: str) -> Task:
    """The task of this name."""
    known = tasks()
    if name not in known:
        raise UnknownTask(
            f"there is no task {name!r}\nhelp: there are {', '.join(known)}"
        )
    return known[name]


def task_of_folder(folder: Path) -> Task:
    """The task that the model in a folder was trained for."""
    return find_task(task_of(folder))
