"""`anadrome lm`: score, mix, generate and segment."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from cyclopts import App, Parameter
from cyclopts.validators import Number

from anadrome.cli.flags import Count
from anadrome.cli.ngrams import NGRAM, is_ngram
from anadrome.cli.standard_input import input_lines
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
from anadrome.tasks.lm_mixture import Mixed
from anadrome.text.dictionary import visible
from anadrome.text.errors import EmptyCorpus, MissingFile
from anadrome.train.atomic import write_atomically
from anadrome.train.run import load_trained
from anadrome.viz.figures import refuse_foreign
from anadrome.viz.lattice import draw_lattice
from anadrome.viz.ranks import rank_page

lm_app = App(name="lm", help="Use a language model.")

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
def mix(
    text: Path,
    model: Path,
    *others: Path,
    fit: Path | None = None,
    weights: Annotated[
        list[float] | None, Parameter(negative=(), consume_multiple=True)
    ] = None,
    backend: Backend = "python",
) -> int:
    """Say how well models know a text, and their mixture.

    Parameters
    ----------
    text
        The text, which is read as `anadrome evaluate` reads it.
    model
        The folder of a language model, or an n-gram model in a file.
    others
        The models that are mixed with it, of words as it is, or of characters.
    fit
        A held-out text; the weights are those that make it most probable.
    weights
        The weights, instead; the same for all models if neither is given.
    backend
        What runs the models: Python at once, or native code after some seconds.
    """
    paths = [model, *others]
    given = _weights(weights, len(paths), fit)
    models = [load_model(path, native=backend == "native") for path in paths]
    lines = _lines(text)
    if fit is not None:
        given = Mixed.of(models, _lines(fit)).fit()
    mixed = Mixed.of(models, lines)
    for place, path in enumerate(paths):
        print(f"{path}\tweight {given[place]:.4f}\t{mixed.alone(place)}")
    print(f"mixture\t\t{mixed.total(given)}")
    return DONE


def _weights(given: list[float] | None, models: int, fit: Path | None) -> np.ndarray:
    if given is not None and fit is not None:
        raise OptionError("give weights or a text to fit them to, not both")
    found = np.array([1.0] * models if given is None else given)
    if len(found) != models:
        raise OptionError(f"there are {len(found)} weights for {models} models")
    if not (np.isfinite(found).all() and found.min() >= 0 and found.sum() > 0):
        raise OptionError("weights are numbers from 0 on, and not all 0")
    whole: np.ndarray = found / found.sum()
    return whole


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


def load_model(path: Path, *, native: bool = False) -> LanguageModel:
    """The language model in a folder, or the n-gram model in a file."""
    if path.is_file():
        return NgramModel.read(path, native=native)
    if not path.exists():
        raise MissingFile("there is no such file or folder", path=path)
    if is_ngram(path):
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
    lines = list(input_lines()) if path is None else read_lines(path)
    if not lines:
        raise EmptyCorpus("there is no line", path="standard input")
    return lines
