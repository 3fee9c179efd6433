"""What the command can do. Errors of the user's are said in a line, with a way out."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter
from cyclopts.validators import Number

from anadrome import __version__
from anadrome.cli import smt, training, using
from anadrome.cli.corpus import corpus_app
from anadrome.cli.status import INTERRUPTED
from anadrome.evaluate import MissingExtra
from anadrome.models import UnknownModel
from anadrome.options import OptionError
from anadrome.tasks import UnknownTask, find_task, task_of_folder, tasks
from anadrome.text.errors import CorpusError
from anadrome.train.errors import CheckpointError
from anadrome.train.loop import TrainingFailed
from anadrome.viz import MissingPlots

Count = Annotated[int, Parameter(validator=Number(gte=1))]

_HELP = (
    "Translators in plain Python, trained by gradients that you can read.\n\n"
    "    anadrome demo\n"
    "    anadrome train translate en.txt fr.txt --out model\n"
    "    echo 'She is here.' | anadrome translate model\n"
    "    anadrome evaluate model test.en test.fr"
)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command line; the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        status = make_app(words)(words, result_action="return_value")
    except (
        CorpusError,
        CheckpointError,
        OptionError,
        TrainingFailed,
        MissingExtra,
        MissingPlots,
        UnknownModel,
        UnknownTask,
    ) as error:
        sys.stderr.write(f"anadrome: {error}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("anadrome: stopped\n")
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has gone, as `head` does; Python must not try to
        # write the rest when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        where = "" if error.filename is None else f"{error.filename}: "
        sys.stderr.write(f"anadrome: {where}{error.strerror or error}\n")
        return 1
    return status if isinstance(status, int) else 0


def make_app(words: Sequence[str]) -> App:
    """The command for a command line.

    The flags of `train` are those of the model that is trained, and the flags of
    `evaluate` those of the task of the folder, so both depend on the words.
    """
    statistical = smt.app_for(words)
    if statistical is not None:
        return statistical
    app = App(name="anadrome", version=__version__, help=_HELP, help_format="plaintext")
    train_app = App(name="train", help="Train a model.")
    app.command(train_app)
    asked = list(words[1:]) if words[:1] == ["train"] else []
    for task in tasks().values():
        mine = asked if asked[:1] == [task.name] else []
        train_app.command(training.make_command(task, mine), name=task.name)
        app.command(using.make_command(task), name=task.name)
    train_app.command(smt.make_train(), name="smt")
    app.command(smt.smt_app)
    judged = find_task("translate")
    if words[:1] == ["evaluate"]:
        folder = next((word for word in words[1:] if not word.startswith("-")), None)
        if folder is not None:
            judged = task_of_folder(Path(folder))
    app.command(using.make_evaluate(judged), name="evaluate")
    app.command(corpus_app)
    app.command(demo)
    return app


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
