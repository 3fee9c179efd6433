"""The files of examples that commands are given, and what is said about them."""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anadrome.cli.flags import positional
from anadrome.tasks.findings import CorpusWarning
from anadrome.train.task import Task


def file_arguments(task: Task) -> list[inspect.Parameter]:
    """The arguments that name a task's files."""
    return [
        positional(f.name, Path | None, f.help, None)
        if f.optional
        else positional(f.name, Path, f.help)
        for f in task.files
    ]


def files_given(task: Task, given: dict[str, Any]) -> list[Path]:
    """The task's files among what was given."""
    return [given[f.name] for f in task.files if f.name in given]


def takes_files(task: Task, count: int) -> bool:
    """Whether a task can be given so many files."""
    return sum(not f.optional for f in task.files) <= count <= len(task.files)


def read_examples(
    task: Task, files: Sequence[Path], data: Any, held_out: Sequence[Path] = ()
) -> Any:
    """The examples in files; what may be wrong with them is said in a line."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CorpusWarning)
        examples = task.read(files, data, held_out)
    for warning in caught:
        sys.stderr.write(f"anadrome: warning: {warning.message}\n")
    return examples
