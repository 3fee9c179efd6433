"""`anadrome translate`, `tag`, …, `evaluate` and `score`: the use of trained models."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from anadrome.cli.example_files import file_arguments, files_given, read_examples
from anadrome.cli.flags import (
    chosen,
    flags,
    keyword,
    positional,
    remaining,
    with_signature,
)
from anadrome.cli.status import DONE, FAILED
from anadrome.options import make_options, options_of
from anadrome.text.errors import InvalidEncoding
from anadrome.train.run import load_trained
from anadrome.train.task import Task, Trained

CHUNK = 256
"""How many lines of a pipe are taken together."""

PARTNERS = keyword(
    "together",
    list[Path] | None,
    "The folder of another model that works together with it; may be given again.",
    None,
)


def make_command(task: Task) -> Callable[..., int]:
    """The command that uses a model line by line, or fills files."""
    options, files = options_of(task.predicting), options_of(task.filling)

    def run(given: dict[str, Any]) -> int:
        wanted: Any = make_options(task.predicting, chosen(options, given))
        named: Any = make_options(task.filling, chosen(files, given))
        trained = load_models(task, [given["folder"], *given.get("more", ())], wanted)
        reason = task.check_options(trained, wanted)
        if reason is not None:
            sys.stderr.write(f"anadrome: {reason}\n")
            return FAILED
        filled = task.fill(trained, named, wanted)
        if filled is not None:
            for line in filled:
                print(line)
            return DONE
        typed = sys.stdin.isatty()
        for first, lines in _chunks(1 if typed else CHUNK, f"{task.name}> "):
            for warning in task.warnings(trained, lines, first, wanted):
                sys.stderr.write(f"anadrome: {warning}\n")
            for line in task.predict(trained, lines, first, wanted):
                print(line)
            sys.stdout.flush()
        return DONE

    folder = positional("folder", Path, f"The folder of a trained {task.noun}.")
    verb = (task.verb or task.name).capitalize()
    parameters = [
        folder,
        remaining("more", Path, "More folders, of models that work together with it."),
        *flags(options, "Options"),
        *flags(files, "Files to be filled, instead of standard input"),
    ]
    return with_signature(
        run,
        parameters,
        f"{verb} standard input, line by line, to standard output.",
    )


def make_evaluate(task: Task) -> Callable[..., int]:
    """The command that judges a model of a task by files of examples."""
    options = options_of(task.predicting)

    def run(given: dict[str, Any]) -> int:
        wanted: Any = make_options(task.predicting, chosen(options, given))
        trained = load_models(task, _folders(given), wanted)
        reason = task.check_options(trained, wanted)
        if reason is not None:
            sys.stderr.write(f"anadrome: {reason}\n")
            return FAILED
        for line in task.evaluate(trained, _examples(task, trained, given), wanted):
            print(line)
        return DONE

    return with_signature(
        run,
        [*_folder_and_files(task), PARTNERS, *flags(options, "Options")],
        "Compare what a model says with what is right, and score it.",
    )


def make_score(task: Task) -> Callable[..., int]:
    """The command that says how likely examples are to a model of a task."""
    options = options_of(task.scoring)

    def run(given: dict[str, Any]) -> int:
        wanted: Any = make_options(task.scoring, chosen(options, given))
        trained = load_models(task, _folders(given), wanted)
        for line in task.score(trained, _examples(task, trained, given), wanted):
            print(line)
        return DONE

    return with_signature(
        run,
        [*_folder_and_files(task), PARTNERS, *flags(options, "Options")],
        "Say how likely examples are to a model.\n\n"
        "A line for each: log-probability, tokens and perplexity, between tabs.",
    )


def load_models(task: Task, folders: Sequence[Path], options: Any) -> Trained:
    """The model in a folder, or those in several, which work together."""
    native = getattr(options, "backend", "python") == "native"
    members = [load_trained(task, folder, native=native) for folder in folders]
    return members[0] if len(members) == 1 else task.combine(members)


def _folders(given: dict[str, Any]) -> list[Path]:
    return [given["folder"], *given.get("together", ())]


def _folder_and_files(task: Task) -> list[Any]:
    return [
        positional("folder", Path, "The folder of a trained model."),
        *file_arguments(task),
    ]


def _examples(task: Task, trained: Trained, given: dict[str, Any]) -> Any:
    return read_examples(task, files_given(task, given), trained.data)


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
