"""Systems that are compared: folders of models, and files with what others said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anadrome.cli.statistical import is_statistical
from anadrome.cli.using import load_models
from anadrome.corpora.files import decode_line, scan_raw_lines
from anadrome.options import OptionError, make_options
from anadrome.tasks import find_task, task_of_folder
from anadrome.text.errors import UnequalCounts
from anadrome.train.task import Task, Trained


@dataclass(frozen=True)
class System:
    """A system by name: a folder, or a file of outputs."""

    name: str
    path: Path

    @property
    def is_model(self) -> bool:
        """Whether it is a folder with a model, not a file."""
        return self.path.is_dir() and not self.is_statistical

    @property
    def is_statistical(self) -> bool:
        """Whether it is a statistical translator."""
        return is_statistical(self.path)


def read_systems(words: Sequence[str]) -> list[System]:
    """The systems that words name: `PATH`, or `NAME=PATH`."""
    found: list[System] = []
    for word in words:
        name, equals, path = word.partition("=")
        if not equals or Path(word).exists():
            name, path = Path(word).name or word, word
        found.append(System(name, Path(path)))
    names = [system.name for system in found]
    if len(set(names)) < len(names):
        # Folders of like name are told apart by all of their path.
        found = [System(str(system.path), system.path) for system in found]
    if len({system.name for system in found}) < len(found):
        raise OptionError("the same system is named twice")
    return found


def task_of_systems(systems: Sequence[System]) -> Task:
    """The task that all folders among the systems were trained for."""
    found = {task_of_folder(s.path).name: s.path for s in systems if s.is_model}
    if len(found) > 1:
        raise OptionError(
            "the systems do different things: "
            + ", ".join(f"{path} can {name}" for name, path in found.items())
        )
    return find_task(next(iter(found), "translate"))


def load_system(task: Task, system: System, native: bool) -> Trained:
    """The model of a system."""
    options: Any = make_options(
        task.predicting, {"backend": "native"} if native else {}
    )
    return load_models(task, [system.path], options)


def read_outputs(path: Path, count: int) -> list[str]:
    """The outputs in a file, one for each of so many sentences; some may be empty."""
    lines = [decode_line(line, path, number) for number, line in scan_raw_lines(path)]
    if len(lines) != count:
        raise UnequalCounts(f"{len(lines):,} lines for {count:,} sentences", path=path)
    return lines
