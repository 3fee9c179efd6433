"""`anadrome report`: a page about a run."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from anadrome.cli.example_files import read_examples, takes_files
from anadrome.cli.smt_report import report_statistical
from anadrome.cli.statistical import is_statistical
from anadrome.cli.status import DONE
from anadrome.nn import count_parameters
from anadrome.options import OptionError
from anadrome.tasks import task_of_folder
from anadrome.train.config import TrainingConfig
from anadrome.train.log import read_log
from anadrome.train.recipe import optimizers
from anadrome.train.run import LOG, load_trained, newest_state, read_record
from anadrome.train.task import Task, Trained
from anadrome.viz import History
from anadrome.viz.report import Facts, write_report

REPORT = "report.html"


def report(
    folder: Path,
    /,
    *,
    test: Annotated[
        list[Path] | None, Parameter(negative=(), consume_multiple=True)
    ] = None,
    out: Path | None = None,
    native: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Write a page about a run: curves, scores, samples, alignments, options.

    The page is one file that needs no network; open it in a browser.

    Parameters
    ----------
    folder
        The folder of a trained model.
    test
        Examples that the model is tried on; those of validation if not given.
    out
        The page, report.html in the folder if not given.
    native
        Compile the model first: slower to begin, faster for much text.
    """
    if is_statistical(folder):
        return report_statistical(folder, test, out or folder / REPORT)
    task = task_of_folder(folder)
    trained = load_trained(task, folder, native=native)
    files = test if test is not None else _watched(folder, task)
    exhibits: Iterable[Any] = ()
    if files is not None:
        if not takes_files(task, len(files)):
            names = " ".join(f.name.upper() for f in task.files)
            raise OptionError(f"--test asks for {names}, not for {len(files)} files")
        exhibits = task.exhibits(trained, read_examples(task, files, trained.data))
    else:
        sys.stderr.write(
            "anadrome: the files of validation are not there, so the page shows no "
            "examples\nhelp: name some with --test\n"
        )
    path = write_report(
        out or folder / REPORT, facts_of(folder, task, trained), exhibits
    )
    print(f"the report is in {path}")
    return DONE


def facts_of(folder: Path, task: Task, trained: Trained) -> Facts:
    """What the folder of a run says of it."""
    record = read_record(folder)
    state = newest_state(folder)
    chosen = record.get("optimizer", {}).get("name", "adam")
    kinds: dict[str, type] = {
        "model": trained.model.Config,
        "data": task.data,
        "training": TrainingConfig,
        "optimizer": optimizers().get(chosen, object),
    }
    return Facts(
        name=folder.resolve().name,
        noun=task.noun,
        model=trained.model.name,
        cites=trained.model.cites,
        parameters=count_parameters(trained.params),
        tables=record,
        kinds={name: kind for name, kind in kinds.items() if kind is not object},
        history=History.of(read_log(folder / LOG)),
        best=int(state.get("best") or 0),
        score=str(state.get("text") or ""),
    )


def _watched(folder: Path, task: Task) -> list[Path] | None:
    """The files of validation, if they are still there."""
    given = read_record(folder).get("files", {}).get("valid", [])
    paths = [Path(name) for name in given]
    there = takes_files(task, len(paths)) and all(path.is_file() for path in paths)
    return paths if there else None
