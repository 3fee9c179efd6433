"""What the command can do. Errors of the user's are said in a line, with a way out."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from cyclopts import App, CycloptsError
from rich.text import Text

from anadrome import __version__
from anadrome.cli import (
    comparing,
    lm,
    ngrams,
    reporting,
    smt,
    smt_networks,
    statistical,
    training,
    using,
)
from anadrome.cli.corpus import corpus_app
from anadrome.cli.dictionary import dictionary_app
from anadrome.cli.drawing import draw_app
from anadrome.cli.flags import Count
from anadrome.cli.signals import Terminated, terminating
from anadrome.cli.status import DONE, FAILED, INTERRUPTED, TERMINATED
from anadrome.cli.vectors import vectors_app
from anadrome.decode import NoOutput
from anadrome.evaluate import MissingExtra
from anadrome.models import UnknownModel
from anadrome.options import OptionError
from anadrome.tasks import UnknownTask, find_task, task_of_folder, tasks
from anadrome.text.errors import CorpusError
from anadrome.train.errors import CheckpointError, CheckpointWarning
from anadrome.train.loop import TrainingFailed
from anadrome.train.task import Task
from anadrome.vectors import UnknownWord
from anadrome.viz import MissingPlots

ERRORS = (
    CorpusError,
    CheckpointError,
    OptionError,
    TrainingFailed,
    MissingExtra,
    MissingPlots,
    NoOutput,
    FloatingPointError,  # of weights that are no numbers
    UnknownModel,
    UnknownTask,
    UnknownWord,
)
"""What can go wrong through no fault of the program: said in a line."""

_HELP = (
    "Translators in plain Python, trained by gradients that you can read.\n\n"
    "    anadrome demo\n"
    "    anadrome train translate en.txt fr.txt --out model\n"
    "    echo 'She is here.' | anadrome translate model\n"
    "    anadrome evaluate model test.en test.fr"
)

_EPILOGUE = (
    "Exit status: 0 done, 1 something is wrong with a file or a number, 2 wrong usage, "
    "130 stopped by Ctrl-C, 143 by SIGTERM."
)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command line; the exit status (see `status`)."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        with terminating(), _warning_lines():
            app = make_app(words)
            status = app(words, result_action="return_value")
            sys.stdout.flush()
    except ERRORS as error:
        return _say(str(error))
    except Terminated:
        _say("terminated")
        return TERMINATED
    except KeyboardInterrupt:
        if sys.stderr.isatty():
            sys.stderr.write("\n")  # the terminal has written ^C
        _say("stopped")
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has gone, as `head` does; Python must not try to
        # write the rest when it ends.
        _give_up_output()
        return FAILED
    except OSError as error:
        if error.filename is None and error.errno in (errno.ENOSPC, errno.EIO):
            _give_up_output()
        where = "" if error.filename is None else f"{error.filename}: "
        return _say(f"{where}{error.strerror or error}")
    except MemoryError as error:
        return _say(
            f"there is not enough memory{_in_brackets(error)}\n"
            "help: use smaller sizes: --hidden, --embedding, --batch-tokens or --beam"
        )
    return status if isinstance(status, int) else DONE


def _give_up_output() -> None:
    """Let what is left of the output go nowhere."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _say(text: str) -> int:
    sys.stderr.write(f"anadrome: {text}\n")
    return FAILED


def _in_brackets(error: BaseException) -> str:
    text = str(error)
    return f" ({text})" if text else ""


@contextlib.contextmanager
def _warning_lines() -> Iterator[None]:
    """Let our own warnings be lines like errors, without the place in our source."""
    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show(message: Any, category: Any, *rest: Any, **more: Any) -> None:
            if issubclass(category, CheckpointWarning):
                sys.stderr.write(f"anadrome: warning: {message}\n")
            else:
                usual(message, category, *rest, **more)

        warnings.simplefilter("always", CheckpointWarning)
        warnings.showwarning = show
        yield


def make_app(words: Sequence[str]) -> App:
    """The command for a command line.

    The flags of `train` are those of the model that is trained, and the flags of
    `evaluate` those of the task of the folder, so both depend on the words.
    """
    app = App(
        name="anadrome",
        version=__version__,
        help=_HELP,
        help_format="plaintext",
        help_epilogue=_EPILOGUE,
        suppress_keyboard_interrupt=False,
        error_formatter=_error_line,
    )
    if statistical.take_over(app, words):
        return app
    train_app = App(name="train", help="Train a model.")
    app.command(train_app)
    asked = list(words[1:]) if words[:1] == ["train"] else []
    for task in tasks().values():
        mine = asked if asked[:1] == [task.name] else []
        if task.name == "lm" and ngrams.wants_ngram(mine):
            train_app.command(ngrams.train_ngram, name=task.name)
        else:
            train_app.command(training.make_command(task, mine), name=task.name)
        if not task.own_commands:
            app.command(using.make_command(task), name=task.name)
    train_app.command(smt.make_train(), name="smt")
    app.command(smt_networks.smt_app)
    if words[:1] == ["evaluate"] and ngrams.names_ngram(words[1:]):
        app.command(ngrams.evaluate_ngram, name="evaluate")
    else:
        app.command(using.make_evaluate(_task(words, "evaluate")), name="evaluate")
    app.command(using.make_score(_task(words, "score")), name="score")
    app.command(corpus_app)
    app.command(lm.lm_app)
    app.command(dictionary_app)
    app.command(vectors_app)
    app.command(comparing.compare)
    app.command(comparing.analyse)
    app.command(reporting.report)
    app.command(draw_app)
    app.command(demo)
    app.register_install_completion_command()
    return app


def _task(words: Sequence[str], command: str) -> Task:
    """The task of the folder that a command names, translation if there is none."""
    folder = None
    if words[:1] == [command]:
        given = [word for word in words[1:] if not word.startswith("-")]
        # The value of a flag may stand before the folder.
        given.sort(key=lambda word: not Path(word).is_dir())
        folder = given[0] if given else None
    if folder is None:
        return find_task("translate")
    return task_of_folder(Path(folder))


def _error_line(error: CycloptsError) -> Text:
    """What is wrong with a command line, in a line like all others, and a way out."""
    chain = " ".join(error.command_chain or ())
    near = f"anadrome {chain} --help" if chain else "anadrome --help"
    return Text(
        f"anadrome: {error}\nhelp: {near} names what can be given",
        no_wrap=True,
        overflow="ignore",
    )


def demo(*, out: Path | None = None, steps: Count | None = None) -> int:
    """Show a gradient, then train and try a translator, in under three minutes.

    Parameters
    ----------
    out
        The folder for the translator and the picture; a new temporary one if not given.
    steps
        How many updates, instead of as many as the time allows.
    """
    from anadrome.cli.demo import run_demo

    return run_demo(out, steps)
