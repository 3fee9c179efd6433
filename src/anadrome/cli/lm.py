"""`anadrome lm`: score, generate and segment; `anadrome train lm --model ngram`."""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from cyclopts import App, Parameter
from cyclopts.validators import Number

from anadrome.cli.flags import Count
from anadrome.cli.status import DONE
from anadrome.corpora.files import read_lines
from anadrome.decode.sampling import Sharpening
from anadrome.ngram import NgramModel
from anadrome.options import OptionError
from anadrome.tasks.lm import TASK
from anadrome.tasks.lm_lines import (
    LanguageModel,
    Total,
    line_totals,
    read_line,
    score_lines,
    total_of,
    unknown_units,
)
from anadrome.tasks.lm_lines import (
    generate as generate_lines,
)
from anadrome.text.dictionary import visible
from anadrome.text.errors import EmptyCorpus, InvalidEncoding, MissingFile
from anadrome.train.atomic import write_atomically
from anadrome.train.run import FolderInUse, load_trained, read_record
from anadrome.train.toml import write_toml
from anadrome.viz.figures import refuse_foreign
from anadrome.viz.lattice import draw_lattice
from anadrome.viz.ranks import rank_page

lm_app = App(name="lm", help="Use a language model.")

NGRAM = "model.ngram"
"""The file of an n-gram model in its folder."""

Backend = Literal["native", "python"]
Positive = Annotated[float, Parameter(validator=Number(gt=0))]
Share = Annotated[float, Parameter(validator=Number(gt=0, lte=1))]


@lm_app.command
def score(
    model: Path,
    text: Path | None = None,
    *,
    tokens: bool = False,
    html: Path | None = None,
    backend: Backend = "python",
) -> int:
    """Score lines: the log10-probability of each, its units, and the line.

    Parameters
    ----------
    model
        The folder of a language model, or an n-gram model in a file.
    text
        The lines; standard input if not given.
    tokens
        Write a line for each token instead: token, log10-probability and rank.
    html
        Write a page in which the tokens are coloured by their ranks.
    backend
        What runs the model: Python at once, or native code after some seconds.
    """
    if html is not None:
        refuse_foreign(html)
    loaded = load_model(model, native=backend == "native")
    lines = _lines(text)
    _tell_unknown(loaded, lines, "standard input" if text is None else str(text))
    if tokens or html is not None:
        scored = list(score_lines(loaded, lines))
        if html is not None:
            between = " " if _has_words(loaded) else ""
            title = "standard input" if text is None else text.name
            page = rank_page(scored, between, title)
            write_atomically(html, page.encode("utf-8", "backslashreplace"))
        for line in scored if tokens else ():
            for token in line:
                shown = f"{token.nats / math.log(10):.4f}\t{token.rank}"
                unknown = "\tunknown" if token.unknown else ""
                print(f"{visible(token.text)}\t{shown}{unknown}")
            print()
        total = sum(map(total_of, scored), Total())
    else:
        total = Total()
        for line_text, found in zip(lines, line_totals(loaded, lines)):
            print(f"{found.nats / math.log(10):.4f}\t{found.units}\t{line_text}")
            total += found
    sys.stderr.write(f"{total}\n")
    return DONE


@lm_app.command
def generate(
    model: Path,
    *,
    count: Count = 1,
    prompt: str = "",
    temperature: Positive = 1.0,
    top_k: Count | None = None,
    top_p: Share = 1.0,
    max_length: Count = 400,
    boundaries: bool = False,
    seed: int = 0,
    backend: Backend = "python",
) -> int:
    """Write random lines.

    Parameters
    ----------
    model
        The folder of a language model, or an n-gram model in a file.
    count
        How many lines.
    prompt
        What every line begins with.
    temperature
        Below 1, likely tokens become likelier still.
    top_k
        Only so many of the likeliest tokens are drawn.
    top_p
        Only the likeliest tokens that together have this probability are drawn.
    max_length
        The longest line, in words or characters.
    boundaries
        Mark the ends of the tokens of a multiscale model with `·`.
    seed
        Decides what is drawn.
    backend
        What runs the model: Python at once, or native code after some seconds.
    """
    loaded = load_model(model, native=backend == "native")
    _tell_unknown(loaded, [prompt], "--prompt")
    made = generate_lines(
        loaded,
        count,
        np.random.default_rng(seed),
        sharpening=Sharpening(temperature, top_k, top_p),
        max_length=max_length,
        prompt=prompt,
    )
    words = _has_words(loaded)
    between = " " if words else "·" if boundaries else ""
    for line in made:
        text = between.join(line).replace("\n", "⏎" if boundaries else "")
        print(prompt + (between if prompt and line else "") + text)
    return DONE


@lm_app.command
def segment(
    model: Path,
    text: Path | None = None,
    *,
    arcs: bool = False,
    picture: Path | None = None,
) -> int:
    """Cut lines into the tokens of a multiscale model, in the likeliest way.

    Parameters
    ----------
    model
        The folder of a multiscale model.
    text
        The lines; standard input if not given.
    arcs
        Write all tokens that could be used instead: their first and last characters,
        counted from 0, spelling, log10-probability, and how likely they are used.
    picture
        Draw the lattice of the first line into this file, .png or .svg.
    """
    loaded = load_model(model)
    if isinstance(loaded, NgramModel):
        raise OptionError("an n-gram model reads a text in one way only")
    spell = loaded.codecs.spelling
    lines = _lines(text)
    _tell_unknown(loaded, lines, "standard input" if text is None else str(text))
    for place, line in enumerate(lines):
        found = read_line(loaded, line)
        if place == 0 and picture is not None:
            draw_lattice(
                picture,
                line + "\n",
                found.starts.tolist(),
                found.ends.tolist(),
                found.posteriors.tolist(),
                found.best.tolist(),
            )
        if arcs:
            for n, token in enumerate(found.tokens):
                print(
                    f"{found.starts[n]}\t{found.ends[n] - 1}\t{visible(spell(token))}\t"
                    f"{found.scores[n] / math.log(10):.4f}\t{found.posteriors[n]:.4f}"
                )
            print()
        else:
            pieces = [spell(token) for token in found.tokens[found.best]]
            print("·".join(pieces).rstrip("\n").removesuffix("·"))
    return DONE


def train_ngram(
    file: Path,
    /,
    *,
    out: Path,
    model: str = "ngram",
    order: Count = 5,
    prune: Annotated[list[int] | None, Parameter(negative=())] = None,
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
        For each order the count up to which n-grams are left out.
    fallback
        Three discounts, such as 0.5 1 1.5, for orders that the text is too small for.
    arpa
        Write `model.arpa` too.
    """
    _check_folder(out, model)
    made = NgramModel.estimate(
        file, order, prune=prune or (0,), fallback=fallback, on_special="count"
    )
    out.mkdir(parents=True, exist_ok=True)
    record: dict[str, dict[str, Any]] = {
        "run": {"format": "anadrome run 1", "task": TASK.name},
        "model": {"name": model, "order": order, "prune": prune or [0]},
        "data": {"unit": "words"},
        "files": {"given": [str(file)]},
    }
    made.write(out / NGRAM)
    if arpa:
        made.write(out / "model.arpa")
    write_atomically(out / "run.toml", write_toml(record).encode())
    print(f"the language model is in {out}")
    return DONE


def _check_folder(out: Path, model: str) -> None:
    """Refuse a folder that holds anything but an n-gram model."""
    if not out.exists() or not any(out.iterdir()):
        return
    if not (out / "run.toml").is_file():
        raise FolderInUse(f"{out} holds files that are not a model's")
    there = read_record(out).get("model", {}).get("name")
    if there != model:
        raise FolderInUse(f"{out} holds a model of the kind {there}")


def wants_ngram(arguments: Sequence[str]) -> bool:
    """Whether the arguments of `train lm` ask for an n-gram model."""
    words = list(arguments)
    return "--model=ngram" in words or any(
        pair == ("--model", "ngram") for pair in itertools.pairwise(words)
    )


def load_model(path: Path, *, native: bool = False) -> LanguageModel:
    """The language model in a folder, or the n-gram model in a file."""
    if path.is_file():
        return NgramModel.read(path, native=native)
    if not path.exists():
        raise MissingFile("there is no such file or folder", path=path)
    if (path / NGRAM).is_file() and read_record(path)["model"].get("name") == "ngram":
        return NgramModel.read(path / NGRAM, native=native)
    return load_trained(TASK, path, native=native)


def _tell_unknown(model: LanguageModel, lines: Sequence[str], where: str) -> None:
    """Say how many units of a text a model has never seen, and the first of them."""
    found = list(unknown_units(model, lines))
    if not found:
        return
    kinds = "words" if _has_words(model) else "characters"
    line, unit = found[0]
    sys.stderr.write(
        f"anadrome: warning: {len(found):,} {kinds} are not known to the model and "
        f'read as <unk>; the first is File "{where}", line {line}: {unit!r}\n'
    )


def _has_words(model: LanguageModel) -> bool:
    return isinstance(model, NgramModel) or model.codecs.unit == "words"


def _lines(path: Path | None) -> list[str]:
    lines = list(_standard_input()) if path is None else read_lines(path)
    if not lines:
        raise EmptyCorpus("there is no line", path="standard input")
    return lines


def _standard_input() -> Iterator[str]:
    for number, raw in enumerate(sys.stdin.buffer, start=1):
        try:
            yield raw.decode("utf-8").rstrip("\r\n")
        except UnicodeDecodeError:
            raise InvalidEncoding(
                "the line is not UTF-8", path="standard input", line=number
            ) from None
