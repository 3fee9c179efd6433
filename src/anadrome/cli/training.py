"""`anadrome train TASK`: the flags of a task, its model and its optimiser."""

from __future__ import annotations

import dataclasses
import errno
import signal
import sys
import types
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

from anadrome.cli.example_files import file_arguments, files_given, read_examples
from anadrome.cli.flags import chosen, flags, keyword, with_signature
from anadrome.cli.reporting import REPORT, facts_of
from anadrome.cli.status import DONE, INTERRUPTED, TERMINATED
from anadrome.corpora import find_format
from anadrome.models import Model, find_model, models_of
from anadrome.options import Option, OptionError, options_of
from anadrome.text.errors import UnknownFormat
from anadrome.train.checkpoint import list_checkpoints
from anadrome.train.config import TrainingConfig
from anadrome.train.loop import TrainingFailed
from anadrome.train.recipe import make_recipe, optimizers
from anadrome.train.run import CHECKPOINTS, load_trained, train
from anadrome.train.task import Task
from anadrome.train.toml import read_toml
from anadrome.viz.report import write_report

# What the system says when a disk, or a share of it, is full.
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

# What `run.toml` says beyond options, so that one can be given as --config.
_RECORDED = ("run", "fingerprints", "files", "versions")


def make_command(task: Task, arguments: Sequence[str]) -> Callable[..., int]:
    """The command that trains a model of a task.

    Its flags are those of the model and the optimiser that the arguments name.
    """
    config = _read_config(_word_after("--config", arguments))
    name = _word_after("--model", arguments) or _named(config, "model")
    model = find_model(task.name, name or task.default_model)
    kinds = optimizers()
    optimizer = _word_after("--optimizer", arguments) or _named(config, "optimizer")
    kind = kinds.get(optimizer or "adam", kinds["adam"])
    named = {"model": {"name": name or task.default_model}}
    usual = make_recipe(task, named, {"optimizer": {"name": kind.__name__.lower()}})
    tables = {
        "data": _with_defaults(task.data, usual.data),
        "model": _with_defaults(model.Config, usual.config),
        "training": _with_defaults(TrainingConfig, usual.training),
        "optimizer": _with_defaults(kind, usual.optimizer),
    }
    parameters = [
        *file_arguments(task),
        keyword("out", Path, f"The folder for the {task.noun}."),
        keyword(
            "valid",
            _paths(_count_valid(task, arguments)) | None,
            "More such files, on which training is watched: the best weights are kept.",
            None,
        ),
        keyword("config", Path | None, "A TOML file with options.", None),
        keyword("model", str | None, _describe_models(task, model), None),
        keyword(
            "optimizer",
            Literal[tuple(kinds)] | None,
            "What makes steps of gradients.",
            None,
        ),
    ]
    titles = {
        "data": "Data",
        "model": f"Model: {model.name}",
        "training": "Training",
        "optimizer": f"Optimiser: {kind.__name__}",
    }
    taken = {p.name for p in parameters}
    for table, options in tables.items():
        free = [option for option in options if option.name not in taken]
        taken |= {option.name for option in free}
        parameters += flags(free, titles[table])

    def run(given: dict[str, Any]) -> int:
        return _train(task, tables, config, given)

    return with_signature(
        run,
        parameters,
        f"Train a {task.noun}.\n\n"
        "The same command again goes on where training was interrupted.",
    )


def _train(
    task: Task,
    tables: dict[str, tuple[Option, ...]],
    config: dict[str, Any],
    given: dict[str, Any],
) -> int:
    set_by_flags = {table: chosen(options, given) for table, options in tables.items()}
    for named in ("model", "optimizer"):
        if named in given:
            set_by_flags[named] = {**set_by_flags[named], "name": given[named]}
    recipe = make_recipe(task, config, set_by_flags, where=str(given.get("config", "")))
    files, valid = files_given(task, given), given.get("valid")
    valid_files = valid if isinstance(valid, tuple) else (valid,) if valid else ()
    examples = read_examples(task, files, recipe.data, valid_files)
    watched = read_examples(task, valid_files, recipe.data) if valid_files else None
    out = given["out"]
    try:
        outcome = train(
            recipe, out, examples, valid=watched, files=files, valid_files=valid_files
        ).outcome
    except OSError as error:
        if error.errno not in _NO_ROOM:
            raise
        kept = list_checkpoints(out / CHECKPOINTS)
        raise TrainingFailed(
            f"{error.filename or out}: {error.strerror}\n"
            "help: make room and give the same command again"
            + ("; the last checkpoint is good" if kept else "")
        ) from None
    if outcome.interrupted:
        sys.stderr.write(
            f"stopped after step {outcome.step}; the same command goes on from there\n"
        )
        return TERMINATED if outcome.signal == signal.SIGTERM else INTERRUPTED
    if watched is not None:
        print(f"best: {outcome.text} at step {outcome.best}")
    print(f"the {task.noun} is in {out}")
    _report(task, out)
    return DONE


def _report(task: Task, folder: Path) -> None:
    """Write how training went; `anadrome report` adds what the model does."""
    try:
        facts = facts_of(folder, task, load_trained(task, folder))
        print(f"how training went is in {write_report(folder / REPORT, facts)}")
    except OSError as error:
        sys.stderr.write(f"anadrome: warning: no report: {error.strerror}\n")


def _with_defaults(kind: type, record: Any) -> tuple[Option, ...]:
    """The options of a record, with the defaults that this task and model have."""
    return tuple(
        dataclasses.replace(option, default=getattr(record, option.name))
        for option in options_of(kind)
    )


def _read_config(path: str | None) -> dict[str, Any]:
    if path is None:
        return {}
    tables = read_toml(Path(path))
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise OptionError(
                f"{path}: {name} stands outside of a table\n"
                "help: write [model], [data], [training] or [optimizer] above it"
            )
    return {name: table for name, table in tables.items() if name not in _RECORDED}


def _paths(count: int) -> Any:
    """The type of so many paths."""
    return Path if count == 1 else types.GenericAlias(tuple, (Path,) * count)


def _count_valid(task: Task, arguments: Sequence[str]) -> int:
    """How many files follow --valid: one if its name tells that it holds everything."""
    first = _word_after("--valid", arguments)
    if first is not None and any(f.optional for f in task.files):
        try:
            if find_format(first).kind in ("pairs", "rows"):
                return sum(not f.optional for f in task.files)
        except UnknownFormat:
            pass
    return len(task.files)


def _named(config: dict[str, Any], table: str) -> str | None:
    name = config.get(table, {}).get("name")
    return name if isinstance(name, str) else None


def _word_after(flag: str, arguments: Sequence[str]) -> str | None:
    """The value of a flag that decides which other flags there are."""
    found = None
    for k, word in enumerate(arguments):
        if word == flag and k + 1 < len(arguments):
            found = arguments[k + 1]
        elif word.startswith(flag + "="):
            found = word.removeprefix(flag + "=")
    return found


def _describe_models(task: Task, model: Model) -> str:
    names = ", ".join(models_of(task.name))
    cited = f" ({model.cites})" if model.cites else ""
    return (
        f"The kind of model: {names}, or a file.py with one of your own. The options "
        f"below are those of {model.name}{cited}. [default: {task.default_model}]"
    )
