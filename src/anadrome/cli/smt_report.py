"""`anadrome report` and `anadrome smt draw` for statistical translators."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from cyclopts import App

from anadrome.cli.flags import Count
from anadrome.cli.smt import smt_app
from anadrome.cli.statistical import load_statistical, load_translator, say_all
from anadrome.cli.status import DONE
from anadrome.corpora import ParallelCorpus, read_parallel
from anadrome.evaluate import bleu, chrf
from anadrome.evaluate.exhibits import (
    Exhibit,
    Scores,
    TranslatedSentence,
    TranslatedSentences,
)
from anadrome.options import OptionError
from anadrome.smt import Derivation, System
from anadrome.smt.neural import phrase_summaries
from anadrome.smt.system import LOG, RECORD, TABLES, read_tuning
from anadrome.train.toml import read_toml
from anadrome.viz import (
    draw_phrase_scores,
    draw_phrases,
    draw_stacks,
    draw_tuning,
    draw_word_map,
    place_words,
)
from anadrome.viz.report.statistical import (
    Example,
    StatisticalFacts,
    write_statistical_report,
)

draw_app = App(name="draw", help="Pictures of a statistical translator.")
smt_app.command(draw_app)

_SHOWN = 6


def report_statistical(folder: Path, test: Sequence[Path] | None, out: Path) -> int:
    """Write the page of a statistical translator."""
    system = load_statistical(folder)
    record = read_toml(folder / RECORD)
    files = test
    if files is None:
        given = [Path(name) for name in record.get("files", {}).get("given", [])]
        files = given[2:4] if len(given) >= 4 else given[:2]
        files = files if all(path.is_file() for path in files) else []
    if len(files) not in (0, 2):
        raise OptionError(f"--test asks for SOURCE TARGET, not for {len(files)} files")
    table = system.decoder.table
    facts = StatisticalFacts(
        folder.resolve().name,
        [
            ("phrase pairs", f"{len(table):,}"),
            ("source words", f"{len(table.source):,}"),
            ("target words", f"{len(table.target):,}"),
            ("language model", f"{system.decoder.lm.order}-gram"),
        ],
        {name: record.get(name, {}) for name in TABLES},
        system.decoder.features.named(system.decoder.weights),
        read_tuning(folder / LOG),
    )
    exhibits: list[Exhibit] = []
    examples: list[Example] = []
    if files:
        corpus = read_parallel(files[0], files[1])
        exhibits = _exhibits(system, corpus)
        examples = _examples(system, corpus)
    path = write_statistical_report(out, facts, examples, exhibits)
    print(f"the report is in {path}")
    return DONE


def _exhibits(system: System, corpus: ParallelCorpus) -> list[Exhibit]:
    some = ParallelCorpus(corpus.source[:200], corpus.target[:200])
    said = say_all(system, some.source)
    lowercase = system.config.text.lowercase
    tokenize = "none" if system.config.text.tokenized else "13a"
    whole = (
        bleu(said, list(some.target), lowercase=lowercase, tokenize=tokenize),
        chrf(said, list(some.target), lowercase=lowercase),
    )
    shown = tuple(
        TranslatedSentence(
            some.source[i],
            said[i],
            some.target[i],
            bleu(
                [said[i]], [some.target[i]], lowercase=lowercase, tokenize=tokenize
            ).score,
        )
        for i in range(min(_SHOWN, len(said)))
    )
    return [
        Scores(f"the first {len(said):,} examples", whole),
        TranslatedSentences("The first sentences", shown),
    ]


def _examples(system: System, corpus: ParallelCorpus) -> list[Example]:
    found = []
    for line in corpus.source:
        words = system.split(line)
        if not 4 <= len(words) <= 14:
            continue
        example = _example(system, words)
        if example is not None:
            found.append(example)
        if len(found) == 3:
            break
    return found


def _example(system: System, words: list[str]) -> Example | None:
    made = system.decoder.translate(words)
    if made is None:
        return None
    points = made.alignment(system.decoder.table)
    return Example(words, made, points, system.decoder.trace(words))


@draw_app.command
def phrases(
    folder: Path,
    sentence: str,
    translation: str | None = None,
    /,
    *,
    out: Path = Path("phrases.png"),
) -> int:
    """Draw the phrases of a translation over both sentences.

    Parameters
    ----------
    folder
        The folder of a statistical translator.
    sentence
        What is translated.
    translation
        A translation of your own, whose phrases are found by forced decoding.
    out
        The picture, .png or .svg.
    """
    system = load_statistical(folder)
    words = system.split(sentence)
    wanted = None if translation is None else system.split_target(translation)
    made = _first(system.decoder.n_best(words, 1, reference=wanted))
    points = made.alignment(system.decoder.table)
    return _drawn(draw_phrases(_picture(out), words, made, points))


@draw_app.command
def stacks(folder: Path, sentence: str, /, *, out: Path = Path("stacks.png")) -> int:
    """Draw what the search tried for a sentence, stack by stack.

    Parameters
    ----------
    folder
        The folder of a statistical translator.
    sentence
        What is translated.
    out
        The picture, .png or .svg.
    """
    system = load_statistical(folder)
    words = system.split(sentence)
    if not words:
        raise OptionError("the sentence is empty")
    return _drawn(draw_stacks(_picture(out), system.decoder.trace(words)))


@draw_app.command
def tuning(folder: Path, /, *, out: Path = Path("tuning.png")) -> int:
    """Draw BLEU and weights of every iteration of tuning.

    Parameters
    ----------
    folder
        The folder of a statistical translator, which may still be in tuning.
    out
        The picture, .png or .svg.
    """
    steps = read_tuning(folder / LOG)
    if not steps:
        raise OptionError(f"{folder}: no iteration of tuning is done")
    return _drawn(draw_tuning(_picture(out), steps))


@draw_app.command
def scores(
    folder: Path,
    /,
    *,
    columns: tuple[str, str] = ("neural", "p(t|s)"),
    count: Count = 5000,
    seed: int = 0,
    out: Path = Path("scores.png"),
) -> int:
    """Draw phrase pairs by two of their scores (figure 4.3 of the thesis).

    Parameters
    ----------
    folder
        The folder of a statistical translator.
    columns
        Two columns of the phrase table.
    count
        Pairs that are drawn.
    seed
        Of the random numbers.
    out
        The picture, .png or .svg.
    """
    table = load_statistical(folder).decoder.table
    for name in columns:
        if name not in table.names:
            raise OptionError(
                f"the phrase table has no column {name!r}\n"
                f"help: there are {', '.join(table.names)}"
            )
    rng = np.random.default_rng(seed)
    some = rng.choice(len(table), min(count, len(table)), replace=False)
    first, second = (table.scores[some, table.names.index(n)] for n in columns)
    return _drawn(draw_phrase_scores(_picture(out), first, second, columns))


@draw_app.command(name="phrase-map")
def phrase_map(
    folder: Path,
    translator: Path,
    /,
    *,
    count: Count = 400,
    words: Count = 4,
    seed: int = 0,
    out: Path = Path("phrase-map.png"),
) -> int:
    """Draw source phrases by their summaries in a network, with t-SNE (figure 4.5).

    Parameters
    ----------
    folder
        The folder of a statistical translator, whose phrases are drawn.
    translator
        The folder of an encoder-decoder.
    count
        Phrases.
    words
        The fewest words of a phrase.
    seed
        Of the random numbers.
    out
        The picture, .png or .svg.
    """
    from anadrome.cli.smt_networks import draw_phrases as choose

    table = load_statistical(folder).decoder.table
    network = load_translator(translator)
    some = [" ".join(p) for p in choose(table, count, words, False, seed)]
    places = place_words(phrase_summaries(network, some), seed=seed)
    return _drawn(draw_word_map(_picture(out), some, places))


def _first(found: Sequence[Derivation]) -> Derivation:
    if not found or not found[0].phrases:
        raise OptionError("the system cannot say this")
    return found[0]


def _picture(path: Path) -> Path:
    if path.suffix.lower() not in (".png", ".svg"):
        raise OptionError(f"{path}: pictures are .png or .svg")
    return path


def _drawn(path: Path) -> int:
    print(f"drawn in {path}")
    return DONE
