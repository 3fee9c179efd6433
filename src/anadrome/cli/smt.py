"""`anadrome train smt`, `anadrome smt …`, and `translate` with a statistical system."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import App, Parameter
from cyclopts.validators import Number

from anadrome.cli.flags import chosen, flags, keyword, positional, with_signature
from anadrome.corpora import read_lines, read_parallel, write_parallel
from anadrome.corpora.files import write_lines
from anadrome.evaluate import bleu, chrf
from anadrome.options import make_options, options_of
from anadrome.smt.alignments import (
    alignment_error_rate,
    read_alignments,
    write_alignments,
)
from anadrome.smt.decoder import Decoder, Derivation
from anadrome.smt.moses_table import write_moses_reordering, write_moses_table
from anadrome.smt.neural import (
    PairScorer,
    add_phrase_scores,
    choose,
    phrase_pairs,
    read_nbest,
    translator_scorer,
)
from anadrome.smt.sentences import Sentences, number_sentences
from anadrome.smt.symmetrise import Heuristic
from anadrome.smt.system import (
    PHRASES,
    TABLES,
    WEIGHTS,
    AlignmentOptions,
    Config,
    PhraseOptions,
    System,
    TextOptions,
    align,
    is_system,
    make_phrases,
    split_corpus,
    train_system,
    write_weights,
)
from anadrome.smt.tune import Tuning, tune
from anadrome.tasks import find_task
from anadrome.tasks.translate import translator_of
from anadrome.text.errors import CorpusError
from anadrome.train.run import load_trained

smt_app = App(name="smt", help="The stages of statistical translation, one by one.")

Count = Annotated[int, Parameter(validator=Number(gte=1))]

_TITLES = {
    "text": "Text",
    "alignment": "Alignment",
    "phrases": "Phrases",
    "model": "Language model",
    "search": "Search",
    "tuning": "Tuning",
}


def take_over(app: App, words: Sequence[str]) -> bool:
    """Whether words name the folder of a statistical translator; its commands then."""
    if words[:1] not in (["translate"], ["evaluate"]):
        return False
    folder = next((word for word in words[1:] if not word.startswith("-")), None)
    if folder is None or not is_system(Path(folder)):
        return False
    app.command(translate)
    app.command(evaluate)
    return True


def make_train() -> Any:
    """The command that trains a statistical translator; its flags are all options."""
    parameters = [
        positional("source", Path, "Sentences, one on each line."),
        positional("target", Path, "Their translations, line by line."),
        keyword("out", Path, "The folder for the translator."),
        keyword(
            "valid",
            tuple[Path, Path] | None,
            "More such files, on which the weights are tuned.",
            None,
        ),
    ]
    for name, kind in TABLES.items():
        parameters += flags(options_of(kind), _TITLES[name])

    def run(given: dict[str, Any]) -> int:
        config = Config(
            **{
                name: make_options(kind, chosen(options_of(kind), given))
                for name, kind in TABLES.items()
            }
        )
        corpus = read_parallel(given["source"], given["target"], skip_empty=True)
        valid = given.get("valid")
        watched = None if valid is None else read_parallel(*valid, skip_empty=True)
        begin = time.perf_counter()
        files = [given["source"], given["target"], *(valid or ())]
        for stage in train_system(
            given["out"], corpus, config, valid=watched, files=files, tick=_tick
        ):
            print(f"{stage.name:<8} {stage.seconds:7.1f} s  {stage.note}", flush=True)
        print(
            f"the translator is in {given['out']} ({time.perf_counter() - begin:.1f} s)"
        )
        if watched is None:
            print("its weights are not tuned: give --valid SOURCE TARGET")
        return 0

    return with_signature(
        run,
        parameters,
        "Train a phrase-based statistical translator.\n\n"
        "Words are aligned, phrases extracted and scored, a language model is "
        "estimated, and the weights are tuned. The same command again goes on where "
        "it was interrupted.",
    )


def translate(
    folder: Path,
    *,
    nbest: Count = 1,
    align: bool = False,
    trace: bool = False,
    features: bool = False,
    stack: Count | None = None,
    distortion: int | None = None,
) -> int:
    """Translate standard input, line by line, to standard output.

    Parameters
    ----------
    folder
        The folder of a trained translator.
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
    stack
        Hypotheses that are kept for each number of covered words.
    distortion
        How far a jump may go in the source; -1 for any distance.
    """
    system = System.load(folder)
    searching = system.decoder.searching
    if stack is not None:
        searching = replace(searching, stack=stack)
    if distortion is not None:
        searching = replace(searching, distortion=distortion)
    system.decoder.searching = searching
    for i, line in enumerate(_input()):
        words = system.split(line)
        found = system.decoder.n_best(words, nbest)
        if not found:
            sys.stderr.write(f"anadrome: line {i + 1} has no translation\n")
            print()
        for made in found:
            print(_format(system, words, made, i, nbest > 1 or features, align, trace))
        sys.stdout.flush()
    return 0


def evaluate(folder: Path, source: Path, target: Path) -> int:
    """Compare translations with references, and score them.

    Parameters
    ----------
    folder
        The folder of a trained translator.
    source
        Sentences, one on each line.
    target
        Their translations, line by line.
    """
    system = System.load(folder)
    corpus = read_parallel(source, target)
    said = []
    for line in corpus.source:
        found = system.translate(line)
        said.append(system.join(found[0].words) if found else "")
    lowercase = system.config.text.lowercase
    tokenize = "none" if system.config.text.tokenized else "13a"
    print(bleu(said, list(corpus.target), lowercase=lowercase, tokenize=tokenize))
    print(chrf(said, list(corpus.target), lowercase=lowercase))
    return 0


@smt_app.command(name="align")
def align_files(
    source: Path,
    target: Path,
    *,
    out: Path,
    aligner: Literal["fast-align", "hmm", "ibm1"] = "fast-align",
    iterations: Count = 5,
    heuristic: Heuristic = "grow-diag-final-and",
    gold: Path | None = None,
) -> int:
    """Align the words of two files; lines are words with spaces between them.

    Parameters
    ----------
    source
        Sentences, one on each line.
    target
        Their translations, line by line.
    out
        The file for the alignment, in the format of Pharaoh.
    aligner
        The model: IBM Model 1, the HMM, or the Model 2 of fast_align.
    iterations
        Of expectation and maximisation.
    heuristic
        How the two directions are joined.
    gold
        An alignment made by hand, for the alignment error rate.
    """
    left, right = _read_sides(source, target)
    options = AlignmentOptions(aligner, iterations, heuristic)
    joined, *directions = align(left, right, options)
    write_alignments(out, joined)
    for name, found in zip(("target to source", "source to target"), directions):
        ends = " ".join(f"{x:,.0f}" for x in found.likelihoods)
        print(f"{name}: log-likelihoods {ends}")
    print(f"{len(joined.points):,} points of {len(joined):,} pairs in {out}")
    if gold is not None:
        rate = alignment_error_rate(joined, read_alignments(gold, left, right))
        print(f"alignment error rate {rate:.4f}")
    return 0


@smt_app.command
def extract(
    source: Path,
    target: Path,
    alignment: Path,
    *,
    out: Path,
    reordering: Path | None = None,
    max_phrase: Annotated[int, Parameter(validator=Number(gte=1, lte=7))] = 7,
    smoothing: Literal["none", "good-turing", "kneser-ney"] = "none",
    significant: bool = False,
) -> int:
    """Extract and score the phrases of an aligned corpus, as a table of Moses.

    Parameters
    ----------
    source
        Sentences, words with spaces between them.
    target
        Their translations, line by line.
    alignment
        The alignment, in the format of Pharaoh.
    out
        The file for the phrase table; compressed if it ends in .gz.
    reordering
        A file for the orientations, msd-bidirectional-fe.
    max_phrase
        Words of a phrase.
    smoothing
        Of the relative frequencies.
    significant
        Leave out pairs that may be together by chance.
    """
    left, right = _read_sides(source, target)
    options = PhraseOptions(max_phrase, smoothing, significant, reordering is not None)
    points = read_alignments(alignment, left, right)
    table, count = make_phrases(left, right, points, options)
    write_moses_table(out, table)
    if reordering is not None:
        write_moses_reordering(reordering, table)
    print(f"{count:,} extracted, {len(table):,} different phrase pairs in {out}")
    return 0


@smt_app.command
def score(folder: Path, source: Path, target: Path, *, nbest: Count = 1) -> int:
    """Print how given translations come about: forced decoding, with features.

    Parameters
    ----------
    folder
        The folder of a trained translator.
    source
        Sentences, one on each line.
    target
        Translations, line by line.
    nbest
        Derivations of each translation.
    """
    system = System.load(folder)
    sides = split_corpus(read_parallel(source, target), system.config.text)
    for i, (words, wanted) in enumerate(zip(*sides)):
        found = system.decoder.n_best(words, nbest, distinct=False, reference=wanted)
        if not found:
            print(f"{i} ||| ||| the system cannot say this |||")
        for made in found:
            print(_format(system, words, made, i, True, False, True))
    return 0


@smt_app.command(name="tune")
def tune_folder(
    folder: Path,
    source: Path,
    target: Path,
    *,
    method: Literal["mert", "mira"] = "mert",
    iterations: Count = 10,
    candidates: Count = 100,
    seed: int = 1,
) -> int:
    """Tune the weights of a translator again, from those that it has.

    Parameters
    ----------
    folder
        The folder of a trained translator.
    source
        Sentences, one on each line.
    target
        Their translations, line by line.
    method
        Minimum error rate training, or batch MIRA.
    iterations
        How often the sentences are decoded.
    candidates
        Translations of a sentence that are collected each time.
    seed
        Of the random numbers.
    """
    system = System.load(folder)
    sides = split_corpus(read_parallel(source, target), system.config.text)
    options = Tuning(method, iterations, candidates, seed=seed)
    for step in tune(system.decoder, *sides, options):
        print(
            f"iteration {step.iteration}: BLEU {100 * step.decoded:.2f}, "
            f"{step.new:,} new candidates",
            flush=True,
        )
    write_weights(folder, system.decoder)
    print(f"the weights are in {folder / WEIGHTS}")
    return 0


@smt_app.command
def rescore(
    nbest: Path,
    *,
    scores: Path | None = None,
    translator: Path | None = None,
    source: Path | None = None,
    weight: float = 1.0,
    out: Path | None = None,
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
    weight
        Of the other scores.
    out
        A file for the chosen translations; standard output if not given.
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
        others = _scorer(translator)(
            [lines[item.sentence] for item in listed], [item.text for item in listed]
        )
    else:
        raise CorpusError(
            "nothing to rescore with", help="--scores, or --translator and --source"
        )
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
    table = System.load(folder).decoder.table
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
    system = System.load(folder)
    table = system.decoder.table

    def tick(done: int) -> None:
        _tick("phrases", done, len(table))

    wider = add_phrase_scores(table, _scorer(translator), name, tick=tick)
    named = system.decoder.features.named(system.decoder.weights)
    old = named["TranslationModel0"]
    named["TranslationModel0"] = [*old, 0.0][: wider.scores.shape[1]]
    decoder = Decoder(wider, system.decoder.lm)
    decoder.weights = decoder.features.weights(named)
    wider.save(folder / PHRASES)
    write_weights(folder, decoder)
    print(f"{len(wider):,} phrase pairs have the scores {', '.join(wider.names)}")
    return 0


def _scorer(folder: Path) -> PairScorer:
    """How the translator in a folder scores pairs."""
    trained = load_trained(find_task("translate"), folder)
    return translator_scorer(translator_of(trained))


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


def _read_sides(source: Path, target: Path) -> tuple[Sentences, Sentences]:
    corpus = read_parallel(source, target)
    left, right = split_corpus(corpus, TextOptions(tokenized=True))
    return number_sentences(left), number_sentences(right)


def _format(
    system: System,
    words: Sequence[str],
    made: Derivation,
    number: int,
    listed: bool,
    align: bool,
    trace: bool,
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


def _input() -> Iterator[str]:
    for number, raw in enumerate(sys.stdin.buffer, start=1):
        try:
            yield raw.decode("utf-8").rstrip("\r\n")
        except UnicodeDecodeError:
            raise CorpusError(
                "the line is not UTF-8", path="standard input", line=number
            ) from None


def _tick(name: str, done: int, total: int) -> None:
    """Show on a terminal how far a stage is."""
    if sys.stderr.isatty() and (done % 20 == 0 or done == total):
        end = "\r" if done < total else "\r\033[K"
        sys.stderr.write(f"{name} {done:,}/{total:,}{end}")
        sys.stderr.flush()
