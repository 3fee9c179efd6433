"""n-gram models as the commands use them: trained into folders, and evaluated."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from anadrome.cli.flags import Count
from anadrome.cli.status import DONE
from anadrome.corpora.files import read_lines
from anadrome.ngram import NgramModel
from anadrome.options import OptionError
from anadrome.tasks.lm import TASK
from anadrome.text.errors import CorpusError
from anadrome.train.atomic import write_atomically
from anadrome.train.run import FolderInUse, read_record
from anadrome.train.toml import write_toml

NGRAM = "model.ngram"
"""The file of an n-gram model in its folder."""

Counts = Annotated[list[int] | None, Parameter(negative=(), consume_multiple=True)]


def train_ngram(
    file: Path,
    /,
    *,
    out: Path,
    model: str = "ngram",
    order: Count = 5,
    prune: Counts = None,
    vocabulary: Path | None = None,
    fallback: tuple[float, float, float] | None = None,
    arpa: bool = False,
) -> int:
    """Estimate an n-gram model by interpolated modified Kneser-Ney smoothing.

    Parameters
    ----------
    file
        Sentences, one on each line; words stand between spaces.
    out
        The folder for the model.
    model
        The kind of model: ngram.
    order
        The longest n-grams, in words.
    prune
        For each order the count up to which n-grams are left out, such as 0 0 1; the
        last one holds for all longer ones. Words that are left out are unknown.
    vocabulary
        A file of words between white space: n-grams with others are left out.
    fallback
        Three discounts, such as 0.5 1 1.5, for orders that the text is too small for.
    arpa
        Write `model.arpa` too.
    """
    _check_folder(out, model)
    thresholds = prune or [0]
    _check_thresholds(thresholds, order)
    words = None if vocabulary is None else _read_words(vocabulary)
    try:
        made = NgramModel.estimate(
            file,
            order,
            prune=thresholds,
            vocabulary=words,
            fallback=_checked(fallback),
            on_special="count",
        )
    except CorpusError as error:
        raise error.located(file) from None
    out.mkdir(parents=True, exist_ok=True)
    options: dict[str, Any] = {"name": model, "order": order, "prune": thresholds}
    record: dict[str, dict[str, Any]] = {
        "run": {"format": "anadrome run 1", "task": TASK.name},
        "model": options,
        "data": {"unit": "words"},
        "files": {"given": [str(file)]},
    }
    made.write(out / NGRAM)
    if arpa:
        made.write(out / "model.arpa")
    write_atomically(out / "run.toml", write_toml(record).encode())
    print(f"the language model is in {out}")
    return DONE


def evaluate_ngram(folder: Path, file: Path, /) -> int:
    """Say how well an n-gram model knows a text.

    Parameters
    ----------
    folder
        The folder of an n-gram model, or its file.
    file
        Sentences, one on each line.
    """
    path = folder if folder.is_file() else folder / NGRAM
    found = NgramModel.read(path).perplexity(file)
    print(f"perplexity {found.value:.2f} on {found.tokens:,} tokens")
    print(f"{found.tokens:,} tokens, {found.unknown:,} of them unknown")
    known = found.tokens - found.unknown
    if found.unknown and known:
        print(
            f"without them: perplexity {found.without_unknown:.2f} on {known:,} tokens"
        )
    return DONE


def is_ngram(folder: Path) -> bool:
    """Whether a folder holds an n-gram model."""
    if not (folder / NGRAM).is_file():
        return False
    return read_record(folder)["model"].get("name") == "ngram"


def wants_ngram(arguments: Sequence[str]) -> bool:
    """Whether the arguments of `train lm` ask for an n-gram model."""
    words = list(arguments)
    return "--model=ngram" in words or any(
        pair == ("--model", "ngram") for pair in itertools.pairwise(words)
    )


def names_ngram(arguments: Sequence[str]) -> bool:
    """Whether the arguments of `evaluate` name an n-gram model before all else."""
    first = Path(arguments[0]) if arguments else Path()
    return first.is_file() or is_ngram(first)


def _check_folder(out: Path, model: str) -> None:
    """Refuse a folder that holds anything but an n-gram model."""
    if not out.exists() or not any(out.iterdir()):
        return
    if not (out / "run.toml").is_file():
        raise FolderInUse(f"{out} holds files that are not a model's")
    there = read_record(out).get("model", {}).get("name")
    if there != model:
        raise FolderInUse(f"{out} holds a model of the kind {there}")


def _check_thresholds(thresholds: Sequence[int], order: int) -> None:
    shown = " ".join(map(str, thresholds))
    if min(thresholds) < 0:
        raise OptionError(f"--prune {shown}: there is no count below 0")
    if len(thresholds) > order:
        raise OptionError(
            f"--prune {shown}: {len(thresholds)} counts are too many for the order "
            f"{order}"
        )
    if list(thresholds) != sorted(thresholds):
        raise OptionError(
            f"--prune {shown}: the counts must not become lower for longer n-grams\n"
            "help: an n-gram needs the shorter ones that it consists of"
        )


def _checked(
    discounts: tuple[float, float, float] | None,
) -> tuple[float, float, float] | None:
    """Discounts that leave a count of 1, 2, 3 something that is not negative."""
    if discounts is not None and not all(
        0 <= d <= n for n, d in enumerate(discounts, start=1)
    ):
        raise OptionError(
            f"--fallback {' '.join(f'{d:g}' for d in discounts)}: the discounts lie "
            "between 0 and 1, 2 and 3"
        )
    return discounts


def _read_words(path: Path) -> list[str]:
    return [word for line in read_lines(path) for word in line.split()]
