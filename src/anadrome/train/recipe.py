"""A recipe: everything that decides what comes out of a set of examples."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anadrome import nn
from anadrome.models import Model, find_model
from anadrome.nn import Optimizer
from anadrome.options import OptionError, make_options, options_of, unknown_option
from anadrome.train.config import TrainingConfig
from anadrome.train.task import Task

Tables = Mapping[str, Mapping[str, Any]]
"""Options by table, as a TOML file has them: model, data, training, optimizer."""


def optimizers() -> dict[str, type]:
    """The optimisers of `nn` that the loop can use, by their names in small letters."""
    return {
        name.lower(): cls
        for name, cls in sorted(vars(nn).items())
        if dataclasses.is_dataclass(cls)
        and isinstance(cls, type)
        and callable(getattr(cls, "start", None))
        and _takes_rate(getattr(cls, "update", None))
    }


def _takes_rate(update: Any) -> bool:
    names = ["self", "params", "grads", "state", "rate"]
    return callable(update) and list(inspect.signature(update).parameters) == names


@dataclass(frozen=True)
class Recipe:
    """A task, a model, and all their options."""

    task: Task
    model: Model
    config: Any
    data: Any
    training: TrainingConfig
    optimizer: Optimizer

    def tables(self) -> dict[str, dict[str, Any]]:
        """Every option, as `make_recipe` reads them back."""
        return {
            "model": {"name": self.model.name, **_fields(self.config)},
            "data": _fields(self.data),
            "training": _fields(self.training),
            "optimizer": {
                "name": type(self.optimizer).__name__.lower(),
                **_fields(self.optimizer),
            },
        }


def make_recipe(task: Task, *given: Tables, where: str = "options") -> Recipe:
    """The recipe of a task with options from tables, the later ones stronger.

    What no table sets is the model's own default, then the task's. An option that does
    not exist is named, with the nearest one that does.
    """
    known = ("model", "data", "training", "optimizer")
    merged: dict[str, dict[str, Any]] = {name: {} for name in known}
    for tables in given:
        for table, values in tables.items():
            if table not in merged:
                raise unknown_option(table, known, where)
            if not isinstance(values, Mapping):
                raise OptionError(f"{where}: {table} is a table, not {values!r}")
            merged[table].update(values)
    name = merged["model"].pop("name", task.default_model)
    model = find_model(task.name, name)
    if name.endswith(".py"):
        # The file must be found again when the model is used.
        model = dataclasses.replace(model, name=str(Path(name).resolve()))
    for option, value in merged["model"].items():
        if isinstance(value, str) and value.endswith(".py"):
            merged["model"][option] = str(Path(value).resolve())
    chosen = merged["optimizer"].pop("name", "adam")
    kinds = optimizers()
    if chosen not in kinds:
        raise unknown_option(chosen, kinds, f"{where}, optimizer.name")
    training = {**task.training, **(model.find("TRAINING") or {})}
    if chosen not in ("adam", "adamw"):
        # The paper's learning rate, where the optimiser has one.
        usual = (
            inspect.signature(vars(kinds[chosen])["update"]).parameters["rate"].default
        )
        if usual is not inspect.Parameter.empty:
            training["rate"] = usual
    training.update(merged["training"])
    data = {**(model.find("DATA") or {}), **merged["data"]}
    return Recipe(
        task,
        model,
        make_options(model.Config, merged["model"], f"{where}, model"),
        make_options(task.data, data, f"{where}, data"),
        make_options(TrainingConfig, training, f"{where}, training"),
        make_options(kinds[chosen], merged["optimizer"], f"{where}, optimizer"),
    )


def _fields(record: Any) -> dict[str, Any]:
    return {
        option.name: getattr(record, option.name) for option in options_of(type(record))
    }
