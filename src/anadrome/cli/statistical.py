"""Statistical translators as the commands use them: folders, and files of Moses."""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from anadrome.cli.flags import Count
from anadrome.corpora import read_parallel
from anadrome.decode.translator import Translator
from anadrome.evaluate import bleu, chrf
from anadrome.options import OptionError
from anadrome.smt.constraints import parse_constraints, translate_given
from anadrome.smt.decoder import Decoder, Derivation
from anadrome.smt.moses_ini import load_moses
from anadrome.smt.network import NeuralLm
from anadrome.smt.neural import translator_scorer
from anadrome.smt.system import Config, System, TextOptions, is_system
from anadrome.tasks import find_task
from anadrome.tasks.translate import translator_of
from anadrome.text.errors import CorpusError, MissingFile
from anadrome.train.atomic import write_atomically
from anadrome.train.errors import CheckpointError
from anadrome.train.run import load_trained
from anadrome.train.toml import read_toml, write_toml

NETWORK = "network.toml"
"""The file of a system that names its neural language model."""

Flag = Annotated[bool, Parameter(negative=())]


def default_threads() -> int:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def is_statistical(path: Path) -> bool:
    """Whether a path is a statistical translator: our folder, or a moses.ini."""
    return (path.suffix == ".ini" and path.is_file()) or is_system(path)


def load_statistical(path: Path, files: Mapping[str, Path] | None = None) -> System:
    """The translator in a folder, with its network, or that of a moses.ini."""
    if path.suffix == ".ini":
        return System(
            Config(text=TextOptions(tokenized=True)), load_moses(path, files=files)
        )
    network = None
    if (path / NETWORK).exists():
        named = read_toml(path / NETWORK).get("network", {}).get("folder")
        if not isinstance(named, str):
            raise CheckpointError(f"{path / NETWORK}: no folder is named")
        network = load_network(path / named)
    return System.load(path, network)


def load_network(folder: Path) -> NeuralLm:
    """The neural language model in a folder."""
    return NeuralLm(load_trained(find_task("lm"), folder))


def write_network(folder: Path, network: Path) -> None:
    """Write down which network a system has."""
    named = os.path.relpath(network.resolve(), folder.resolve())
    content = write_toml({"network": {"folder": named}})
    write_atomically(folder / NETWORK, content.encode())


def load_translator(folder: Path) -> Translator:
    """The neural translator in a folder."""
    return translator_of(load_trained(find_task("translate"), folder))


def take_over(app: App, words: Sequence[str]) -> bool:
    """Whether words name a statistical translator; the app has its commands then."""
    if words[:1] not in (["translate"], ["evaluate"]):
        return False
    folder = next((word for word in words[1:] if not word.startswith("-")), None)
    if folder is None or not is_statistical(Path(folder)):
        return False
    app.command(translate)
    app.command(evaluate)
    return True


def say_all(
    system: System,
    lines: Sequence[str],
    *,
    threads: int = 1,
    partner: Translator | None = None,
    weight: float = 1.0,
    candidates: int = 100,
) -> list[str]:
    """The translations of lines, with a partner chosen from lists by both."""
    split = [system.split(line) for line in lines]
    if partner is None:
        found = system.decoder.translate_all(split, threads)
        return [system.join(made.words) if made is not None else "" for made in found]

    def lists(mine: Decoder, words: Sequence[str]) -> list[Derivation]:
        return mine.n_best(words, candidates)

    listed = list(system.decoder.share(lists, split, threads))
    return [
        system.join(chosen[0].words) if chosen else ""
        for chosen in rerank(system, lines, listed, partner, weight)
    ]


def rerank(
    system: System,
    lines: Sequence[str],
    listed: Sequence[Sequence[Derivation]],
    partner: Translator,
    weight: float,
) -> list[list[Derivation]]:
    """Lists of translations, the best first by both translators together."""
    scorer = translator_scorer(partner)
    sources = [line for line, made in zip(lines, listed) for _ in made]
    others = scorer(sources, [system.join(m.words) for made in listed for m in made])
    chosen = []
    at = 0
    for made in listed:
        mine = others[at : at + len(made)]
        at += len(made)
        both = [replace(m, score=m.score + weight * o) for m, o in zip(made, mine)]
        chosen.append(sorted(both, key=lambda m: -m.score))
    return chosen


def translate(
    folder: Path,
    /,
    *more: Path,
    nbest: Count = 1,
    align: Flag = False,
    trace: Flag = False,
    features: Flag = False,
    constraints: Flag = False,
    weight: float = 1.0,
    candidates: Count = 100,
    stack: Count | None = None,
    distortion: int | None = None,
    pops: Annotated[int | None, Parameter()] = None,
    threads: Count = 1,
    encoding: str = "utf-8",
    file: Annotated[list[str] | None, Parameter(negative=())] = None,
) -> int:
    """Translate standard input, line by line, to standard output.

    Parameters
    ----------
    folder
        The folder of a trained translator, or the moses.ini of another program.
    more
        The folder of a neural translator: both choose from the best translations of
        the first.
    nbest
        Translations to write for each line, as in Moses's n-best lists: number,
        translation, values of the features, score.
    align
        Write, after a tab, which source word each target word comes from, as
        `source-target` numbers from 0 (the format of Pharaoh).
    trace
        Write the phrases that were used, each with the source words in brackets.
    features
        Write the values of the features of the best translations too.
    constraints
        What must be said stands after tabs, as in `0-1=das Haus`.
    weight
        Of the log-probabilities of the neural translator.
    candidates
        Translations of a line that both choose from.
    stack
        Hypotheses that are kept for each number of covered words.
    distortion
        How far a jump may go in the source; -1 for any distance.
    pops
        Extensions of a stack that cube pruning makes; 0 for all.
    threads
        Threads over lines; the translations are the same.
    encoding
        Of the text that is read and written, such as latin-1.
    file
        NAME=PATH for a file of a moses.ini that is elsewhere, such as LM0=en.arpa.
    """
    system = load_statistical(folder, _files(file or []))
    system.decoder.searching = replace(
        system.decoder.searching,
        **{
            name: value
            for name, value in (
                ("stack", stack),
                ("distortion", distortion),
                ("pops", pops),
            )
            if value is not None
        },
    )
    if len(more) > 1:
        raise OptionError("one neural translator can work together with this one")
    partner = load_translator(more[0]) if more else None
    count = max(nbest, candidates) if partner is not None else nbest

    def work(mine: Decoder, given: tuple[int, str]) -> tuple[str, list[Derivation]]:
        number, line = given
        if not constraints:
            return line, mine.n_best(system.split(line), count)
        try:
            text, known = parse_constraints(line)
            return text, translate_given(mine, system.split(text), known, count)
        except OptionError as error:
            raise CorpusError(
                str(error), path="standard input", line=number + 1
            ) from None

    numbered = enumerate(_input(_known_encoding(encoding)))
    made = system.decoder.share(work, numbered, threads)
    for i, (line, found) in enumerate(made):
        if partner is not None:
            (found,) = rerank(system, [line], [found], partner, weight)
        if not found:
            sys.stderr.write(f"anadrome: line {i + 1} has no translation\n")
            _write("", encoding)
        words = system.split(line)
        for each in found[:nbest]:
            text = format_line(
                system,
                words,
                each,
                i,
                listed=nbest > 1 or features,
                align=align,
                trace=trace,
            )
            _write(text, encoding)
        sys.stdout.flush()
    return 0


def evaluate(
    folder: Path,
    source: Path,
    target: Path,
    /,
    *,
    partner: Path | None = None,
    weight: float = 1.0,
    threads: Count = 1,
) -> int:
    """Compare translations with references, and score them.

    Parameters
    ----------
    folder
        The folder of a trained translator.
    source
        Sentences, one on each line.
    target
        Their translations, line by line.
    partner
        The folder of a neural translator that chooses together with it.
    weight
        Of the log-probabilities of the neural translator.
    threads
        Threads over sentences.
    """
    system = load_statistical(folder)
    corpus = read_parallel(source, target)
    other = None if partner is None else load_translator(partner)
    said = say_all(system, corpus.source, threads=threads, partner=other, weight=weight)
    lowercase = system.config.text.lowercase
    tokenize = "none" if system.config.text.tokenized else "13a"
    print(bleu(said, list(corpus.target), lowercase=lowercase, tokenize=tokenize))
    print(chrf(said, list(corpus.target), lowercase=lowercase))
    return 0


def format_line(
    system: System,
    words: Sequence[str],
    made: Derivation,
    number: int,
    *,
    listed: bool = False,
    align: bool = False,
    trace: bool = False,
) -> str:
    """A translation as it is written."""
    text = system.join(made.words)
    if trace:
        text = " ".join(
            f"{' '.join(p.target)} [{p.start}-{p.end - 1}: "
            f"{' '.join(words[p.start : p.end])}]"
            for p in made.phrases
        )
    if listed:
        values = system.decoder.features.format(made.values)
        text = f"{number} ||| {text} ||| {values} ||| {made.score:.6g}"
    if align:
        points = made.alignment(system.decoder.table)
        text += "\t" + " ".join(f"{s}-{t}" for s, t in points)
    return text


def _files(cells: Sequence[str]) -> dict[str, Path]:
    found = {}
    for cell in cells:
        name, equals, path = cell.partition("=")
        if not equals:
            raise OptionError(f"{cell!r} is not NAME=PATH, as in LM0=en.arpa")
        if not Path(path).exists():
            raise MissingFile("there is no such file", path=path)
        found[name] = Path(path)
    return found


def _known_encoding(name: str) -> str:
    try:
        return codecs.lookup(name).name
    except LookupError:
        raise OptionError(f"the encoding {name!r} is not known") from None


def _input(encoding: str) -> Iterator[str]:
    for number, raw in enumerate(sys.stdin.buffer, start=1):
        try:
            yield raw.decode(encoding).rstrip("\r\n")
        except UnicodeDecodeError:
            raise CorpusError(
                f"the line is not {encoding.upper()}",
                path="standard input",
                line=number,
                help="--encoding says what it is",
            ) from None


def _write(text: str, encoding: str) -> None:
    if encoding.lower().replace("_", "-") in ("utf-8", "utf8"):
        print(text)
        return
    try:
        content = f"{text}\n".encode(encoding)
    except UnicodeEncodeError as error:
        raise CorpusError(
            f"{text[error.start]!r} cannot be written in {encoding}"
        ) from None
    sys.stdout.flush()
    sys.stdout.buffer.write(content)
