"""A run: a folder that says all about itself, from a recipe to a trained model.

It holds `run.toml` (every option, versions, fingerprints of the data), the codecs,
`checkpoints/`, `log.jsonl`, `tensorboard/` if that is wanted, and `lock` while a
process trains in it. The same recipe again goes on where training was, bitwise; another
one is refused with what differs.
"""

from __future__ import annotations

import contextlib
import json
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from anadrome import __version__
from anadrome.models import find_model
from anadrome.options import OptionError, make_options, options_of
from anadrome.random import fold_in, key
from anadrome.text import BatchStream
from anadrome.text.errors import CorpusError
from anadrome.train.atomic import TEMPORARY, write_atomically
from anadrome.train.checkpoint import (
    list_checkpoints,
    load_checkpoint,
    load_newest_checkpoint,
)
from anadrome.train.config import TrainingConfig
from anadrome.train.errors import CheckpointError
from anadrome.train.lock import LOCK, FolderLock
from anadrome.train.loop import Outcome, fit
from anadrome.train.memory import keep_freed_memory
from anadrome.train.recipe import Recipe
from anadrome.train.step import Carrying, make_step
from anadrome.train.task import Encoded, Task, Trained, Validation
from anadrome.train.toml import read_toml, write_toml

FORMAT = "anadrome run 1"
RECORD = "run.toml"
LOG = "log.jsonl"
TENSORBOARD = "tensorboard"
CHECKPOINTS = "checkpoints"
_OLD_RECORD, _OLD_FORMAT = "model.json", "anadrome translator 1"


class FolderInUse(CheckpointError):
    """The folder holds something else."""


@dataclass(frozen=True)
class Run:
    """A model, and how its training went."""

    trained: Trained
    outcome: Outcome


def train(
    recipe: Recipe,
    folder: Path,
    examples: Any,
    *,
    valid: Any = None,
    files: Sequence[Path] = (),
    valid_files: Sequence[Path] = (),
    stream: TextIO | None = None,
    interval: float = 10.0,
) -> Run:
    """Train a model in a folder, or go on where training was interrupted.

    The model that is returned has the weights with the best score on the validation
    examples, or the last ones if there are none.
    """
    keep_freed_memory()
    out = stream or sys.stdout
    task, training = recipe.task, recipe.training
    with _made(folder), FolderLock(folder):
        _remove_partial(folder)
        record = _check(folder, recipe, examples, valid, (files, valid_files))
        with _located(files):
            codecs = task.prepare(examples, recipe.data)
        encoded = task.encode(examples, codecs, recipe.data)
        params = _first_params(recipe, codecs)
        # Only now the folder is taken: all that options and examples can be wrong in
        # has been tried.
        if record is not None:
            write_atomically(folder / RECORD, write_toml(record).encode())
        _save_codecs(codecs, folder)
        for note in encoded.notes:
            out.write(note + "\n")
        batches = _batches(encoded, training)
        state = recipe.optimizer.start(params)
        carry = recipe.model.find("carry")
        if carry is not None:
            carried = carry(params, batches.rows, recipe.config, codecs.sizes)
            state = Carrying(state, carried)
        if training.native:
            out.write("compiling the training step …\n")
            out.flush()
        step = make_step(
            recipe.model.loss,
            recipe.config,
            recipe.optimizer,
            training.clip,
            training.native,
            training.accumulate,
            training.clip_value,
            carry is not None,
        )

        def validate(params: Any) -> Validation:
            trained = Trained(
                recipe.model,
                recipe.config,
                params,
                codecs,
                recipe.data,
                training.native,
            )
            return task.validate(trained, valid)

        outcome = fit(
            folder / CHECKPOINTS,
            step,
            params,
            state,
            batches,
            training,
            validate=validate if valid is not None else None,
            description=recipe.tables(),
            log=folder / LOG,
            tensorboard=folder / TENSORBOARD if training.tensorboard else None,
            stream=stream,
            interval=interval,
        )
    if outcome.interrupted and not list_checkpoints(folder / CHECKPOINTS):
        raise KeyboardInterrupt  # before there was anything to keep
    return Run(load_trained(task, folder), outcome)


@contextlib.contextmanager
def _located(files: Sequence[Path]) -> Iterator[None]:
    """What is wrong with examples that come from one file is said of that file."""
    try:
        yield
    except CorpusError as error:
        raise (error if len(files) != 1 else error.located(files[0])) from None


@contextlib.contextmanager
def _made(folder: Path) -> Iterator[None]:
    """A folder that is there, and goes again if what fails has put nothing into it."""
    new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    except BaseException:
        if new:
            with contextlib.suppress(OSError):  # it is not empty
                folder.rmdir()
        raise


def read_record(folder: Path) -> dict[str, Any]:
    """The tables of a run's record: run, data, model, training, optimizer, …"""
    path = folder / RECORD
    if not path.exists() and (folder / _OLD_RECORD).exists():
        return _old_record(folder)
    if not path.is_file():
        raise CheckpointError(
            f"{folder}: there is no model here\n"
            "help: give the folder that `anadrome train … --out` made"
        )
    try:
        record = read_toml(path)
    except OptionError as error:
        raise CheckpointError(str(error)) from None
    run = record.get("run")
    if not isinstance(run, dict) or run.get("format") != FORMAT:
        raise CheckpointError(f'{path}: this file is not in the format "{FORMAT}"')
    for table in ("model", "data"):
        if not isinstance(record.get(table), dict):
            raise CheckpointError(f"{path}: the table [{table}] is missing")
    if not isinstance(run.get("task"), str):
        raise CheckpointError(f"{path}: the task is missing")
    return record


def task_of(folder: Path) -> str:
    """The name of the task that the model in a folder was trained for."""
    return str(read_record(folder)["run"]["task"])


def newest_state(folder: Path) -> dict[str, Any]:
    """How training stands by the newest checkpoint: best, score, text, …"""
    newest = load_newest_checkpoint(folder / CHECKPOINTS)
    return {} if newest is None else newest.state


def load_trained(task: Task, folder: Path, *, native: bool = False) -> Trained:
    """The model in a folder, with the best weights there are."""
    record = read_record(folder)
    made_for = record["run"]["task"]
    if made_for != task.name:
        raise CheckpointError(
            f"{folder}: this model was trained to {made_for}, not to {task.name}"
        )
    try:
        name = record["model"].pop("name")
        other = task.other_kind(name)
        if other is not None:
            raise CheckpointError(f"{folder}: {other}")
        model = find_model(task.name, name)
        if name.endswith(".py"):
            model = replace(model, name=name)
        config: Any = make_options(model.Config, record["model"], f"{folder}, model")
        data: Any = make_options(task.data, record["data"], f"{folder}, data")
    except KeyError:
        raise CheckpointError(
            f"{folder / RECORD}: the name of the model is missing"
        ) from None
    except (ValueError, AttributeError) as error:
        raise CheckpointError(f"{folder}: {error}") from None
    codecs = task.codecs.load(folder)  # type: ignore[attr-defined]
    newest = load_newest_checkpoint(folder / CHECKPOINTS)
    if newest is None:
        raise CheckpointError(
            f"{folder}: there is no checkpoint yet\nhelp: train the {task.noun} first"
        )
    best = newest.state.get("best")
    found = newest
    if best in list_checkpoints(folder / CHECKPOINTS):
        found = load_checkpoint(folder / CHECKPOINTS, best)
    like = model.make_params(config, key(0), codecs.sizes)
    weights = "average" if "average" in found.arrays else "params"
    return Trained(model, config, found.restore(weights, like), codecs, data, native)


def _remove_partial(folder: Path) -> None:
    """Remove what a process that died had not finished writing."""
    for path in folder.glob(f"{TEMPORARY}*"):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def _save_codecs(codecs: Any, folder: Path) -> None:
    """Put the codecs into a folder, each file whole or not at all."""
    with tempfile.TemporaryDirectory(prefix=TEMPORARY, dir=folder) as name:
        codecs.save(Path(name))
        for path in sorted(Path(name).iterdir()):
            content = path.read_bytes()
            target = folder / path.name
            if not target.is_file() or target.read_bytes() != content:
                write_atomically(target, content)


def _batches(encoded: Encoded, training: TrainingConfig) -> Any:
    if encoded.stream is not None:
        return encoded.stream(training.batch_tokens, training.seed)
    return BatchStream(
        encoded.lengths,
        encoded.collate,
        budget=training.batch_tokens,
        seed=training.seed,
    )


def _first_params(recipe: Recipe, codecs: Any) -> Any:
    # Steps are numbered from 1, so 0 is free for the first weights.
    first = fold_in(key(recipe.training.seed), 0)
    return recipe.model.make_params(recipe.config, first, codecs.sizes)


def _check(
    folder: Path,
    recipe: Recipe,
    examples: Any,
    valid: Any,
    files: tuple[Sequence[Path], Sequence[Path]],
) -> dict[str, dict[str, Any]] | None:
    """The record of how a model is made; None if it is in the folder, and the same."""
    task = recipe.task
    run = {"format": FORMAT, "task": task.name}
    prints = {
        "train": task.fingerprint(examples),
        "valid": None if valid is None else task.fingerprint(valid),
    }
    versions = {
        "anadrome": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
    }
    record: dict[str, dict[str, Any]] = {
        "run": run,
        **recipe.tables(),
        "fingerprints": prints,
    }
    path = folder / RECORD
    if (folder / _OLD_RECORD).exists() and not path.exists():
        raise FolderInUse(
            f"{folder} holds a translator of version 0.1, which can be used but not "
            "trained further\nhelp: give another folder"
        )
    if not path.exists():
        foreign = sorted(
            p.name
            for p in folder.iterdir()
            if p.name != LOCK and not p.name.startswith(TEMPORARY)
        )
        if foreign:
            raise FolderInUse(
                f"{folder} holds files that are not a model's, such as {foreign[0]}\n"
                "help: give a new folder, or an empty one"
            )
        # Whole names, so that the files are found from other folders too.
        given, watched = ([str(file.resolve()) for file in side] for side in files)
        record["files"] = {"given": given, "valid": watched}
        record["versions"] = versions
        return record
    # What is compared must have gone through TOML, which has no None.
    now = _without_none(record)
    old = {name: table for name, table in read_record(folder).items() if name in now}
    _complete(old, recipe)
    differences = list(_differences("", old, now))
    if differences:
        raise FolderInUse(
            f"{folder} holds a {task.noun} that was made differently:\n  "
            + "\n  ".join(differences)
            + "\nhelp: give the same options to go on with it, or another folder"
        )
    return None


def _without_none(tables: dict[str, Any]) -> dict[str, Any]:
    return {
        name: {
            k: list(v) if isinstance(v, tuple) else v
            for k, v in table.items()
            if v is not None
        }
        for name, table in tables.items()
    }


def _complete(old: dict[str, Any], recipe: Recipe) -> None:
    """Write the defaults of options into a record that is older than these options."""
    records = {
        "model": recipe.config,
        "data": recipe.data,
        "training": recipe.training,
        "optimizer": recipe.optimizer,
    }
    for name, record in records.items():
        for option in options_of(type(record)):
            if name in old and option.default is not None:
                old[name].setdefault(option.name, option.default)


def _differences(name: str, old: Any, new: Any) -> Iterator[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        for part in sorted(old.keys() | new.keys()):
            inner = f"{name}.{part}" if name else part
            yield from _differences(inner, old.get(part), new.get(part))
    elif old != new:
        yield f"{name}: {old!r} there, {new!r} now"


def _old_record(folder: Path) -> dict[str, Any]:
    """The record of a translator of version 0.1, as one of today."""
    path = folder / _OLD_RECORD
    try:
        record = json.loads(path.read_text("utf-8"))
        if record["format"] != _OLD_FORMAT:
            raise CheckpointError(
                f'{path}: this file is not in the format "{_OLD_FORMAT}"'
            )
        config = record["config"]
        return {
            "run": {"format": FORMAT, "task": "translate"},
            "model": {"name": config["architecture"], **config["model"]},
            "data": {k: v for k, v in config["text"].items() if v is not None},
        }
    except (ValueError, KeyError, TypeError):
        raise CheckpointError(f"{path}: this is not the record of a model") from None
