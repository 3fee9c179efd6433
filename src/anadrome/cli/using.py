"""`anadrome translate`, `tag`, … and `evaluate`: the use of trained models."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from anadrome.cli.flags import chosen, flags, positional, with_signature
from anadrome.options import make_options, options_of
from anadrome.text.errors import InvalidEncoding
from anadrome.train.run import load_trained
from anadrome.train.task import Task, Trained

CHUNK = 256
"""How many lines of a pipe are taken together."""


def make_command(task: Task) -> Callable[..., int]:
    """The command that uses a model line by line."""
    options = options_of(task.predicting)

    def run(given: dict[str, Any]) -> int:
        wanted: Any = make_options(task.predicting, chosen(options, given))
        trained = _load(task, given["folder"], wanted)
        reason = task.check_options(trained, wanted)
        if reason is not None:
            sys.stderr.write(f"anadrome: {reason}\n")
            return 1
        typed = sys.stdin.isatty()
        for first, lines in _chunks(1 if typed else CHUNK, f"{task.name}> "):
            for warning in task.warnings(trained, lines, first, wanted):
                sys.stderr.write(f"anadrome: {warning}\n")
            for line in task.predict(trained, lines, first, wanted):
                print(line)
            sys.stdout.flush()
        return 0

    folder = positional("folder", Path, f"The folder of a trained {task.noun}.")
    verb = (task.verb or task.name).capitalize()
    return with_signature(
        run,
        [folder, *flags(options, "Options")],
        f"{verb} standard input, line by line, to standard output.",
    )


def make_evaluate(task: Task) -> Callable[..., int]:
    """The command that judges a model of a task by files of examples."""
    options = options_of(task.predicting)

    def run(given: dict[str, Any]) -> int:
        wanted: Any = make_options(task.predicting, chosen(options, given))
        trained = _load(task, given["folder"], wanted)
        files = [given[f.name] for f in task.files]
        for line in task.evaluate(trained, task.read(files, trained.data), wanted):
            print(line)
        return 0

    parameters = [
        positional("folder", Path, "The folder of a trained model."),
        *(positional(f.name, Path, f.help) for f in task.files),
        *flags(options, "Options"),
    ]
    return with_signature(
        run, parameters, "Compare what a model says with what is right, and score it."
    )


def _load(task: Task, folder: Path, options: Any) -> Trained:
    native = getattr(options, "backend", "python") == "native"
    return load_trained(task, folder, native=native)


def _chunks(size: int, prompt: str) -> Iterator[tuple[int, Sequence[str]]]:
    """Standard input in lists of lines, each with the number of its first line.

    Someone at a terminal is shown a prompt.
    """
    typed = sys.stdin.isatty()
    lines: list[str] = []
    first = 1
    number = 0
    while True:
        if typed and not lines:
            sys.stderr.write(prompt)
            sys.stderr.flush()
        raw = sys.stdin.buffer.readline()
        if not raw:
            break
        number += 1
        try:
            lines.append(raw.decode("utf-8").rstrip("\r\n"))
        except UnicodeDecodeError:
            raise InvalidEncoding(
                "the line is not UTF-8", path="standard input", line=number
            ) from None
        if len(lines) == size:
            yield first, lines
            first, lines = number + 1, []
    if lines:
        yield first, lines
    if typed:
        sys.stderr.write("\n")
