"""`anadrome draw`: pictures of what a model does."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from cyclopts import App, Parameter
from cyclopts.validators import Number

from anadrome.cli.flags import Beam, Count
from anadrome.cli.status import DONE
from anadrome.corpora.files import read_lines
from anadrome.decode import Search
from anadrome.evaluate import compare_gradient_flow
from anadrome.options import OptionError
from anadrome.tasks import find_task
from anadrome.tasks.translate import translator_of
from anadrome.text import EOS
from anadrome.text.vocabulary import SPECIALS
from anadrome.train.log import read_log
from anadrome.train.run import LOG, load_trained, read_record
from anadrome.train.task import Trained
from anadrome.viz import (
    History,
    draw_alignment,
    draw_curves,
    draw_gradient_flow,
    draw_parse,
    draw_search_tree,
    draw_word_map,
    place_words,
)

draw_app = App(name="draw", help="Draw what a model does, into PNG or SVG files.")


@draw_app.command
def curves(folder: Path, /, *, out: Path = Path("curves.png")) -> int:
    """Draw how training went: scores, losses, learning rate, gradients.

    Parameters
    ----------
    folder
        The folder of a model, which may still be in training.
    out
        The picture, .png or .svg.
    """
    read_record(folder)
    history = History.of(read_log(folder / LOG))
    if not len(history):
        raise OptionError(f"{folder}: the log has no steps yet")
    return _done(draw_curves(picture_name(out), history))


@draw_app.command
def alignment(
    folder: Path,
    sentence: str,
    translation: str | None = None,
    /,
    *,
    out: Path = Path("alignment.png"),
    beam: Beam = 5,
) -> int:
    """Draw where a translator looks for each word of a translation.

    Parameters
    ----------
    folder
        The folder of a translator.
    sentence
        What is translated.
    translation
        A translation of your own, if not the translator's.
    out
        The picture, .png or .svg.
    beam
        The beam of the search.
    """
    translator = translator_of(_translator(folder))
    made: Any
    if translation is None:
        made = translator.translate([sentence], beam=beam)[0][0]
        print(made.text)
    else:
        (made,) = translator.score([sentence], [translation])
    if made.attention is None:
        raise OptionError(f"the {translator.model.name} model has no alignment")
    path = picture_name(out)
    draw_alignment(path, made.source_tokens, made.target_tokens, made.attention)
    return _done(path)


@draw_app.command
def beam(
    folder: Path,
    sentence: str,
    /,
    *,
    out: Path = Path("beam.png"),
    beam: Beam = 4,
    dropped: Annotated[int, Parameter(validator=Number(gte=0))] = 1,
) -> int:
    """Draw what a beam search tries for a sentence, as a tree.

    Parameters
    ----------
    folder
        The folder of a translator.
    sentence
        What is translated.
    out
        The picture, .png or .svg.
    beam
        The beam of the search.
    dropped
        How many of the hypotheses that were dropped at each node are shown.
    """
    translator = translator_of(_translator(folder))
    traces: list[Any] = []
    (found,) = translator.translate([sentence], search=Search(beam), traces=traces)
    print(found[0].text)
    path = picture_name(out)
    words = translator.target.vocabulary.tokens
    return _done(draw_search_tree(path, traces[0], words, spared=dropped))


@draw_app.command
def parse(folder: Path, sentence: str, /, *, out: Path = Path("parse.png")) -> int:
    """Draw the structure that a grConv translator finds in a sentence.

    Parameters
    ----------
    folder
        The folder of a translator whose model is grconv.
    sentence
        What is read.
    out
        The picture, .png or .svg.
    """
    trained = _translator(folder)
    gates_of = trained.model.find("gates_of")
    if gates_of is None:
        raise OptionError(f"the {trained.model.name} model finds no structure")
    codec = trained.codecs.source
    words = [*codec.split(sentence), SPECIALS[EOS]]
    gates = gates_of(trained.params, np.append(codec.encode(sentence), EOS))
    return _done(draw_parse(picture_name(out), words, gates))


@draw_app.command
def words(
    folder: Path,
    text: Path,
    /,
    *,
    out: Path = Path("words.png"),
    count: Count = 300,
    seed: int = 0,
) -> int:
    """Draw a map of source words: those with like embeddings are near (t-SNE).

    Parameters
    ----------
    folder
        The folder of a translator.
    text
        A text in the source language, whose most frequent words are drawn.
    out
        The picture, .png or .svg.
    count
        How many words.
    seed
        Decides where the words begin.
    """
    trained = _translator(folder)
    codec = trained.codecs.source
    table = getattr(trained.params, "source", None)
    if not isinstance(table, np.ndarray) or len(table) != len(codec.vocabulary):
        raise OptionError(f"the {trained.model.name} model has no table of words")
    counts: Counter[int] = Counter()
    for line in read_lines(text):
        counts.update(codec.encode(line).tolist())
    tokens = codec.vocabulary.tokens
    numbers = [
        number
        for number, _ in counts.most_common()
        if number >= len(SPECIALS) and any(map(str.isalpha, tokens[number]))
    ][:count]
    if len(numbers) < 4:
        raise OptionError(f"{text}: the model knows fewer than four of its words")
    places = place_words(table[numbers], seed=seed)
    names = [tokens[number].lstrip("▁") for number in numbers]
    return _done(draw_word_map(picture_name(out), names, places))


@draw_app.command
def phrases(
    folder: Path, text: Path, /, *, out: Path = Path("phrases.png"), seed: int = 0
) -> int:
    """Draw a map of phrases: those with like summaries are near (t-SNE).

    Parameters
    ----------
    folder
        The folder of a translator whose encoder makes one summary of a sentence.
    text
        Phrases of the source language, one on each line.
    out
        The picture, .png or .svg.
    seed
        Decides where the phrases begin.
    """
    trained = _translator(folder)
    summarize = trained.model.find("summarize")
    if summarize is None:
        raise OptionError(f"the {trained.model.name} model makes no summaries")
    lines = list(dict.fromkeys(line for line in read_lines(text) if line.strip()))
    if len(lines) < 4:
        raise OptionError(f"{text}: a map needs four phrases or more")
    codec = trained.codecs.source
    summaries = []
    for line in lines:
        source = np.append(codec.encode(line), EOS)[:, None]
        mask = np.ones(source.shape, np.float32)
        summaries.append(np.asarray(summarize(trained.params, source, mask))[0])
    places = place_words(np.stack(summaries), seed=seed)
    return _done(draw_word_map(picture_name(out), lines, places))


@draw_app.command(name="gradient-flow")
def gradient_flow(
    *, out: Path = Path("gradient-flow.png"), steps: Count = 128, seed: int = 0
) -> int:
    """Draw how far an error travels back through an RNN, and through LSTMs.

    Parameters
    ----------
    out
        The picture, .png or .svg.
    steps
        How many steps lie between the first input and the error.
    seed
        Decides the weights.
    """
    path = picture_name(out)
    return _done(draw_gradient_flow(path, compare_gradient_flow(steps, seed=seed)))


def _translator(folder: Path) -> Trained:
    return load_trained(find_task("translate"), folder)


def picture_name(path: Path) -> Path:
    """The path, if it names a picture."""
    if path.suffix.lower() not in (".png", ".svg"):
        raise OptionError(f"{path}: pictures are .png or .svg")
    return path


def _done(path: Path) -> int:
    print(f"drawn in {path}")
    return DONE
