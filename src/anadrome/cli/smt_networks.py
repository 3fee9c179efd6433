"""`anadrome smt …` with networks: phrases scored, lists chosen anew, tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
from cyclopts import Parameter
from cyclopts.validators import Number

from anadrome.cli.flags import Count
from anadrome.cli.lm import load_model
from anadrome.cli.smt import smt_app, tick
from anadrome.cli.statistical import (
    load_network,
    load_statistical,
    load_translator,
    write_network,
)
from anadrome.corpora import read_lines, write_parallel
from anadrome.corpora.files import write_lines
from anadrome.decode import Search
from anadrome.decode.sampling import Sharpening
from anadrome.evaluate.tables import format_table
from anadrome.options import OptionError
from anadrome.smt.decoder import Decoder
from anadrome.smt.features import TABLE
from anadrome.smt.network import NeuralLm, add_unknown_counts
from anadrome.smt.neural import (
    add_phrase_scores,
    choose,
    phrase_pairs,
    read_nbest,
    top_targets,
    translator_scorer,
)
from anadrome.smt.phrase_table import PhraseTable
from anadrome.smt.system import PHRASES, System, write_weights
from anadrome.tasks.lm_lines import line_totals
from anadrome.text.errors import CorpusError

__all__ = ["smt_app"]


@smt_app.command
def rescore(
    nbest: Path,
    *,
    scores: Path | None = None,
    translator: Path | None = None,
    source: Path | None = None,
    lm: Path | None = None,
    weight: float = 1.0,
    out: Path | None = None,
    features: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Choose from an n-best list by its scores and those of another model.

    Parameters
    ----------
    nbest
        An n-best list, `number ||| translation ||| features ||| score`.
    scores
        A number for each line of the list, such as log-probabilities.
    translator
        The folder of a translator that gives these numbers.
    source
        The sentences that were translated, for the translator.
    lm
        A language model that gives these numbers: the folder of a neural one, or a
        file of n-grams.
    weight
        Of the other scores.
    out
        A file for the chosen translations; standard output if not given.
    features
        Write the whole list instead, with the other scores as one more feature.
    """
    listed = list(read_nbest(nbest))
    others: Sequence[float]
    if scores is not None:
        others = _read_numbers(scores)
        if len(listed) != len(others):
            raise CorpusError(
                f"{len(others)} scores of {len(listed)} translations", path=scores
            )
    elif translator is not None and source is not None:
        lines = read_lines(source)
        missing = [item.sentence for item in listed if item.sentence >= len(lines)]
        if missing:
            raise CorpusError(
                f"there is no sentence {missing[0]} of the list", path=source
            )
        others = translator_scorer(load_translator(translator))(
            [lines[item.sentence] for item in listed], [item.text for item in listed]
        )
    elif lm is not None:
        model = load_model(lm)
        others = [t.nats for t in line_totals(model, [item.text for item in listed])]
    else:
        raise OptionError(
            "nothing to rescore with\n"
            "help: --scores, --lm, or --translator and --source"
        )
    if features:
        texts = [
            f"{item.sentence} ||| {item.text} ||| {item.features} Other0= {other:.6g} "
            f"||| {item.score + weight * other:.6g}"
            for item, other in zip(listed, others)
        ]
    else:
        texts = choose(listed, others, weight)
    if out is None:
        print("\n".join(texts))
    else:
        write_lines(out, texts)
    return 0


@smt_app.command
def phrases(folder: Path, *, out: tuple[Path, Path]) -> int:
    """Write the different phrase pairs of a translator, to train a network on.

    Parameters
    ----------
    folder
        The folder of a trained statistical translator.
    out
        Two files for the source and the target phrases.
    """
    table = load_statistical(folder).decoder.table
    write_parallel(phrase_pairs(table), *out)
    print(f"{len(table):,} phrase pairs in {out[0]} and {out[1]}")
    return 0


@smt_app.command(name="add-scores")
def add_scores(folder: Path, translator: Path, *, name: str = "neural") -> int:
    """Score every phrase pair by a translator: one more feature, with weight 0.

    Tune the weights again afterwards, with `anadrome smt tune`.

    Parameters
    ----------
    folder
        The folder of a trained statistical translator.
    translator
        The folder of another translator, such as one trained on the phrases.
    name
        Of the new column.
    """
    system = load_statistical(folder)
    table = system.decoder.table

    def count(done: int) -> None:
        tick("phrases", done, len(table))

    scorer = translator_scorer(load_translator(translator))
    wider = add_phrase_scores(table, scorer, name, tick=count)
    _replace_table(folder, system, wider)
    return 0


@smt_app.command(name="add-network")
def add_network(
    folder: Path,
    network: Path,
    *,
    penalty: Annotated[bool, Parameter(negative=())] = False,
) -> int:
    """Let a continuous-space language model score translations during the search.

    It is one more feature, with weight 0. Tune the weights again afterwards, with
    `anadrome smt tune`.

    Parameters
    ----------
    folder
        The folder of a trained statistical translator.
    network
        The folder of a language model, trained with --model cslm.
    penalty
        Count the words that the network does not know as a feature of their own.
    """
    model = load_network(network)
    system = load_statistical(folder)
    words = system.decoder.table.target.words
    known = sum(word in model.vocabulary for word in words)
    if not known:
        raise CorpusError(
            "the network knows none of the target words of the phrase table",
            path=network,
            help="it must be of the target language, its words cut the same way",
        )
    if penalty:
        wider = add_unknown_counts(system.decoder.table, model.vocabulary)
        _replace_table(folder, system, wider, model)
    else:
        named = system.decoder.features.named(system.decoder.weights)
        decoder = Decoder(system.decoder.table, system.decoder.lm, network=model)
        decoder.weights = decoder.features.weights(named)
        write_weights(folder, decoder)
    write_network(folder, network)
    print(f"the network knows {known:,} of {len(words):,} words of the phrase table")
    return 0


@smt_app.command
def top(
    folder: Path,
    *phrases: str,
    count: Count = 3,
    columns: tuple[str, str] = ("p(t|s)", "neural"),
    translator: Path | None = None,
    samples: Annotated[int, Parameter(validator=Number(gte=0))] = 0,
    random: Annotated[int, Parameter(validator=Number(gte=0))] = 0,
    words: Count = 4,
    rare: Annotated[bool, Parameter(negative=())] = False,
    seed: int = 0,
) -> int:
    """Show the best targets of source phrases by two scores, and what a network says.

    Tables 4.2 and 4.3 of the thesis.

    Parameters
    ----------
    folder
        The folder of a trained statistical translator.
    phrases
        Source phrases, each one argument.
    count
        Targets of each.
    columns
        Two columns of scores of the phrase table.
    translator
        The folder of a neural translator that generates targets.
    samples
        Targets that it draws for each phrase; the most frequent ones are shown.
    random
        Draw so many source phrases from the table as well.
    words
        The fewest words of phrases that are drawn.
    rare
        Draw from the phrases that were seen once or twice, not from frequent ones.
    seed
        Of the random numbers.
    """
    system = load_statistical(folder)
    table = system.decoder.table
    for name in columns:
        if name not in table.names:
            raise OptionError(
                f"the phrase table has no column {name!r}\n"
                f"help: there are {', '.join(table.names)}; `anadrome smt add-scores` "
                "adds one"
            )
    chosen = [phrase.split() for phrase in phrases]
    chosen += draw_phrases(table, random, words, rare, seed)
    if not chosen:
        raise OptionError("name source phrases, or draw some with --random")
    rows = []
    for phrase in chosen:
        made = [top_targets(table, phrase, name, count) for name in columns]
        heading = [" ".join(phrase)]
        if not made[0]:
            made = [["(not in the table)"], []]
        if translator is not None:
            made.append(_generated(translator, heading[0], count, samples, seed))
        depth = max(map(len, made))
        cells = [m + [""] * (depth - len(m)) for m in (heading, *made)]
        rows += [list(row) for row in zip(*cells)]
    titles = ["source", *columns] + (["generated"] if translator is not None else [])
    print(format_table(titles, rows))
    return 0


def draw_phrases(
    table: PhraseTable, count: int, words: int, rare: bool, seed: int
) -> list[list[str]]:
    """Random source phrases of enough words, of those that are frequent or rare."""
    if not count:
        return []
    if not table.counts.shape[1]:
        raise OptionError("the phrase table has no counts, so that none can be drawn")
    lengths = np.diff(table.source_phrases()[1])
    times = table.counts[:][:, 1]
    long = lengths >= words
    fits = long & (times <= 2 if rare else times >= 10)
    # Each source phrase once: its entries stand together.
    first = np.append(True, np.diff(_sources(table)) != 0)
    found = np.flatnonzero(fits & first)
    if not len(found):
        raise OptionError(f"no such phrase has {words} words or more")
    rng = np.random.default_rng(seed)
    some = rng.choice(found, min(count, len(found)), replace=False)
    return [table.source_phrase(int(entry)) for entry in some]


def _sources(table: PhraseTable) -> np.ndarray:
    """A number for the source phrase of each entry."""
    return np.searchsorted(table.begins, np.arange(len(table)), side="right")


def _generated(
    folder: Path, phrase: str, count: int, samples: int, seed: int
) -> list[str]:
    """What a translator says of a phrase: its beam, or the most frequent samples."""
    translator = load_translator(folder)
    if not samples:
        (found,) = translator.translate([phrase], beam=max(5, count), n_best=count)
        return [made.text for made in found]
    search = Search(1, sharpening=Sharpening(), seed=seed)
    times: Counter[str] = Counter()
    scores: dict[str, float] = {}
    for k in range(samples):
        ((made,),) = translator.translate([phrase], search=search, first=k)
        times[made.text] += 1
        scores[made.text] = made.log_prob
    often = [text for text, _ in times.most_common(count)]
    often.sort(key=lambda text: -scores[text])
    return [f"{text} (×{times[text]})" for text in often]


def _replace_table(
    folder: Path, system: System, wider: PhraseTable, network: NeuralLm | None = None
) -> None:
    """Write a table with more columns, and weights that do not use them yet."""
    old = system.decoder
    named = old.features.named(old.weights)
    by_name = dict(zip(old.table.names, named[TABLE]))
    named[TABLE] = [by_name.get(name, 0.0) for name in wider.names]
    decoder = Decoder(wider, old.lm, network=network or old.network)
    decoder.weights = decoder.features.weights(named)
    wider.save(folder / PHRASES)
    write_weights(folder, decoder)
    print(f"{len(wider):,} phrase pairs have the scores {', '.join(wider.names)}")


def _read_numbers(path: Path) -> list[float]:
    found = []
    for number, line in enumerate(read_lines(path), start=1):
        try:
            found.append(float(line))
        except ValueError:
            raise CorpusError(
                f"{line!r} is not a number", path=path, line=number
            ) from None
    return found
