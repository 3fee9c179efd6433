"""`anadrome compare` and `anadrome analyse`: systems beside each other."""

from __future__ import annotations

import errno
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from anadrome.cli.example_files import read_examples, takes_files
from anadrome.cli.flags import Beam, Count
from anadrome.cli.statistical import load_statistical, say_all
from anadrome.cli.status import DONE
from anadrome.cli.systems import (
    System,
    load_system,
    read_outputs,
    read_systems,
    task_of_systems,
)
from anadrome.corpora import ParallelCorpus
from anadrome.evaluate import (
    Method,
    TestSet,
    TopTranslations,
    TranslationAnalysis,
    analyse_translations,
    compare_translations,
    paired_test,
    top_translations,
)
from anadrome.evaluate.tables import format_table
from anadrome.options import OptionError
from anadrome.smt.system import read_config
from anadrome.tasks import find_task
from anadrome.tasks.translate import translator_of
from anadrome.text import TextCodec
from anadrome.train.task import Task, Trained
from anadrome.viz import draw_score_curve
from anadrome.viz.figures import ForeignFile

Test = Annotated[list[Path], Parameter(negative=(), consume_multiple=True)]
Flag = Annotated[bool, Parameter(negative=())]

_MARK = "analysis.txt"


def compare(
    *systems: str,
    test: Test,
    metrics: Annotated[
        list[Literal["BLEU", "chrF", "TER"]],
        Parameter(negative=(), consume_multiple=True),
    ] = ["BLEU", "chrF", "TER"],  # noqa: B006
    method: Literal["bootstrap", "randomisation"] = "bootstrap",
    samples: Count = 1000,
    beam: Beam = 5,
    native: Flag = False,
) -> int:
    """Compare systems with the first of them, and test the differences.

    Parameters
    ----------
    systems
        Folders of models, or files with translations; NAME=PATH gives one a name.
    test
        The examples: the files that training asks for.
    metrics
        How translations are judged.
    method
        The paired bootstrap, or approximate randomisation.
    samples
        How many draws the test makes.
    beam
        The beam with which models translate.
    native
        Compile the models first: slower to begin, faster for much text.
    """
    named = read_systems(systems)
    if len(named) < 2:
        raise OptionError("two systems or more can be compared")
    task = task_of_systems(named)
    if task.name != "translate":
        _compare_labels(task, named, test, Method(method), samples, native)
        return DONE
    examples = _pairs(test)
    outputs = {
        system.name: _translations(system, examples, beam, native)[0]
        for system in named
    }
    lowercase = _lowercase(named)
    found = compare_translations(
        outputs,
        list(examples.target),
        metrics=metrics,
        method=Method(method),
        samples=samples,
        lowercase=lowercase,
    )
    print(found.table())
    return DONE


def analyse(
    *systems: str,
    test: Test,
    out: Path | None = None,
    short: tuple[int, int] = (10, 20),
    long: Count = 30,
    samples: Count = 4,
    top: Count = 10,
    beam: Beam = 10,
    format: Literal["png", "svg"] = "png",
    native: Flag = False,
) -> int:
    """Show where translators fail: by length, by unknown words, in samples.

    The analyses of Cho et al., "On the properties of neural machine translation"
    (2014): BLEU by the words of source and reference, by unknown words, with and
    without sentences that have any, samples side by side, and the best translations of
    a sentence with their negative log-likelihoods.

    Parameters
    ----------
    systems
        Folders of models, or files with translations; NAME=PATH gives one a name.
    test
        The sentences, and the file with their translations.
    out
        A folder for the tables and their pictures; a new one, or one of this command.
    short
        The fewest and the most words of short sentences.
    long
        The fewest words of long sentences.
    samples
        How many sentences of each kind are shown.
    top
        How many of the best translations of a sentence are shown.
    beam
        The beam with which models translate.
    format
        The format of the pictures.
    native
        Compile the models first: slower to begin, faster for much text.
    """
    named = read_systems(systems)
    if not named:
        raise OptionError("name a system: a folder, or a file with translations")
    task = task_of_systems(named)
    if task.name != "translate":
        raise OptionError("translators can be analysed, but not a " + task.noun)
    if out is not None:
        _claim(out)
    examples = _pairs(test)
    outputs: dict[str, list[str]] = {}
    models: dict[str, Trained] = {}
    for system in named:
        outputs[system.name], trained = _translations(system, examples, beam, native)
        if trained is not None:
            models[system.name] = trained
    analysis = analyse_translations(
        _test_set(examples, next(iter(models.values()), None), named),
        outputs,
        short=short,
        long=long,
        samples=samples,
        lowercase=_lowercase(named),
    )
    tops = [
        (name, _top(trained, examples, top, max(beam, top)))
        for name, trained in models.items()
    ]
    text = analysis.table()
    for name, each in tops:
        text += f"\n\n{name}: the {top} likeliest translations\n{each.table()}"
    print(text)
    if out is not None:
        for path in _write(out, text, analysis, format):
            sys.stderr.write(f"{path}\n")
    return DONE


def _compare_labels(
    task: Task,
    systems: list[System],
    test: list[Path],
    method: Method,
    samples: int,
    native: bool,
) -> None:
    """Compare taggers or classifiers by what each gets right of every example."""
    judged: dict[str, Any] = {}
    for system in systems:
        if not system.is_model:
            raise OptionError(f"{system.path}: give the folder of a {task.noun}")
        trained = load_system(task, system, native)
        judged[system.name] = task.judge(
            trained, read_examples(task, test, trained.data)
        )
    (first_name, first), *others = judged.items()
    name = first.name
    score = first.score(first.statistics.sum(axis=0))
    rows = [[f"{first_name} (baseline)", f"{score:.2f}", "", ""]]
    for other, each in others:
        if each.name != name or each.statistics.shape != first.statistics.shape:
            raise OptionError(f"{first_name} and {other} have different labels")
        found = paired_test(
            first.statistics,
            each.statistics,
            first.score,
            method=method,
            samples=samples,
        )
        rows.append(
            [
                other,
                f"{found.second:.2f}",
                f"{found.difference:+.2f}",
                f"{found.p_value:.4f}",
            ]
        )
    print(format_table(["system", name, "difference", "p"], rows))


def _pairs(test: list[Path]) -> ParallelCorpus:
    translate = find_task("translate")
    if not takes_files(translate, len(test)):
        raise OptionError(
            f"--test asks for SOURCE REFERENCE, not for {len(test)} files"
        )
    pairs: ParallelCorpus = read_examples(translate, test, translate.data())
    return pairs


def _translations(
    system: System, examples: ParallelCorpus, beam: int, native: bool
) -> tuple[list[str], Trained | None]:
    """What a system says, and its model if it has one."""
    if system.is_statistical:
        return say_all(load_statistical(system.path), examples.source), None
    if not system.is_model:
        return read_outputs(system.path, len(examples.source)), None
    task = find_task("translate")
    trained = load_system(task, system, native)
    said = translator_of(trained).translate_best(examples.source, beam=beam)
    return said, trained


def _lowercase(systems: list[System]) -> bool:
    """Whether a model among the systems writes small letters only."""
    task = find_task("translate")
    return any(
        load_system(task, system, False).data.lowercase
        for system in systems
        if system.is_model
    ) or any(
        read_config(system.path).text.lowercase
        for system in systems
        if system.is_statistical and system.path.is_dir()
    )


def _test_set(
    examples: ParallelCorpus, trained: Trained | None, systems: list[System]
) -> TestSet:
    """The sentences, and which words of them the first model knows.

    A model of word pieces knows every word, so nothing is said about unknown ones.
    Where all models are statistical, the first phrase table says what is known.
    """
    sources, references = examples.source, examples.target
    if trained is None:
        first = next((s for s in systems if s.is_statistical), None)
        if first is None:
            return TestSet(sources, references)
        return TestSet(sources, references, *_in_table(first.path))
    codecs = trained.codecs
    source, target = (
        _knows(codec) if isinstance(codec, TextCodec) and codec.pieces is None else None
        for codec in (codecs.source, codecs.target)
    )
    return TestSet(sources, references, source, target)


def _in_table(path: Path) -> tuple[Callable[[str], bool], Callable[[str], bool]]:
    """Whether a phrase table has a word, of the source and of the target."""
    system = load_statistical(path)
    table = system.decoder.table
    return (
        lambda word: all(table.source.find(w) >= 0 for w in system.split(word)),
        lambda word: all(table.target.find(w) >= 0 for w in system.split(word)),
    )


def _knows(codec: TextCodec) -> Callable[[str], bool]:
    vocabulary = codec.vocabulary

    def knows(word: str) -> bool:
        return all(token in vocabulary for token in codec.split(word))

    return knows


def _top(
    trained: Trained, examples: ParallelCorpus, count: int, beam: int
) -> TopTranslations:
    """The likeliest translations of a sentence of middle length."""
    lengths = [len(source.split()) for source in examples.source]
    chosen = min(range(len(lengths)), key=lambda i: abs(lengths[i] - 10))
    source = examples.source[chosen]
    (found,) = translator_of(trained).translate([source], beam=beam, n_best=count)
    return top_translations(
        source,
        [made.text for made in found],
        [made.log_prob for made in found],
        count=count,
    )


def _claim(folder: Path) -> None:
    """Fail if a folder holds what this command has not written."""
    folder.mkdir(parents=True, exist_ok=True)
    names = sorted(path.name for path in folder.iterdir())
    if names and _MARK not in names:
        raise ForeignFile(
            errno.EEXIST,
            f"the folder holds other files, such as {names[0]}, which are left alone",
            str(folder),
        )


def _write(
    folder: Path, text: str, analysis: TranslationAnalysis, format: str
) -> Iterator[Path]:
    """Write the tables and a picture of each curve."""
    path = folder / _MARK
    path.write_text(text + "\n", encoding="utf-8")
    yield path
    for curve in analysis.curves:
        words = curve.title.replace("(", "").replace(")", "").split()
        yield draw_score_curve(folder / f"bleu-by-{'-'.join(words)}.{format}", curve)
