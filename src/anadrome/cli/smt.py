"""`anadrome train smt` and `anadrome smt …`: a statistical translator by stages."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import App, Parameter
from cyclopts.validators import Number

from anadrome.cli.flags import chosen, flags, keyword, positional, with_signature
from anadrome.cli.statistical import (
    default_threads,
    format_line,
    load_statistical,
    load_translator,
)
from anadrome.corpora import ParallelCorpus, read_parallel
from anadrome.corpora.parallel import scan_parallel
from anadrome.options import make_options, options_of
from anadrome.smt.alignment.alignments import (
    Alignments,
    alignment_error_rate,
    read_alignments,
    write_alignments,
)
from anadrome.smt.alignment.ibm1 import TrainedAligner
from anadrome.smt.alignment.symmetrise import Heuristic
from anadrome.smt.moses_table import write_moses_reordering, write_moses_table
from anadrome.smt.neural import (
    align_by_attention,
)
from anadrome.smt.sentences import Sentences, number_sentences
from anadrome.smt.system import (
    TABLES,
    WEIGHTS,
    AlignmentOptions,
    Config,
    PhraseOptions,
    TextOptions,
    align,
    make_phrases,
    split_corpus,
    train_system,
    write_weights,
)
from anadrome.smt.tune import Tuning, tune
from anadrome.text.errors import CorpusError, EmptyCorpus

smt_app = App(name="smt", help="The stages of statistical translation, one by one.")

Count = Annotated[int, Parameter(validator=Number(gte=1))]

# Every word of a line has a link with every one of the other side.
_LONGEST_LINE = 1000

_TITLES = {
    "text": "Text",
    "alignment": "Alignment",
    "phrases": "Phrases",
    "model": "Language model",
    "search": "Search",
    "tuning": "Tuning",
}


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
        keyword(
            "threads",
            Count | None,
            "Threads over sentences, as many as processors.",
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
        corpus = _read_corpus(given["source"], given["target"])
        valid = given.get("valid")
        watched = None if valid is None else _read_corpus(*valid)
        begin = time.perf_counter()
        files = [given["source"], given["target"], *(valid or ())]
        for stage in train_system(
            given["out"],
            corpus,
            config,
            valid=watched,
            files=files,
            threads=given.get("threads") or default_threads(),
            tick=tick,
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
    translator: Path | None = None,
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
    translator
        The folder of a translator whose attention is the alignment: every target word
        with the source word that it looks at most.
    """
    left, right = _read_sides(source, target)
    directions: list[TrainedAligner] = []
    if translator is not None:
        joined = _attended(translator, source, target, left, right)
    else:
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
    smoothing: Literal["none", "good-turing", "kneser-ney"] = "kneser-ney",
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
    system = load_statistical(folder)
    sides = split_corpus(read_parallel(source, target), system.config.text)
    for i, (words, wanted) in enumerate(zip(*sides)):
        found = system.decoder.n_best(words, nbest, distinct=False, reference=wanted)
        if not found:
            print(f"{i} ||| ||| the system cannot say this |||")
        for made in found:
            print(format_line(system, words, made, i, listed=True, trace=True))
    return 0


@smt_app.command(name="tune")
def tune_folder(
    folder: Path,
    source: Path,
    target: Path,
    *,
    method: Literal["mert", "mira"] = "mira",
    iterations: Count = 10,
    candidates: Count = 100,
    seed: int = 1,
    threads: Count = default_threads(),  # noqa: B008
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
    threads
        Threads over sentences.
    """
    system = load_statistical(folder)
    sides = split_corpus(read_parallel(source, target), system.config.text)
    options = Tuning(method, iterations, candidates, seed=seed)

    def count(done: int) -> None:
        tick("tune", done, len(sides[0]))

    for step in tune(system.decoder, *sides, options, threads=threads, tick=count):
        print(
            f"iteration {step.iteration}: BLEU {100 * step.decoded:.2f}, "
            f"{step.new:,} new candidates",
            flush=True,
        )
    write_weights(folder, system.decoder)
    print(f"the weights are in {folder / WEIGHTS}")
    return 0


def _read_corpus(source: Path, target: Path) -> ParallelCorpus:
    """The pairs of two files; those with an empty side are left out, and told of."""
    pairs = list(scan_parallel(source, target))
    kept = [pair for _, pair in pairs if pair[0].strip() and pair[1].strip()]
    empty = [n for n, pair in pairs if not (pair[0].strip() and pair[1].strip())]
    if not kept:
        raise EmptyCorpus("no line holds a sentence pair", path=source)
    if empty:
        sys.stderr.write(
            f"anadrome: warning: {len(empty):,} of {len(pairs):,} pairs are empty on a "
            f'side and left out; the first is File "{source}", line {empty[0]}\n'
        )
    return ParallelCorpus(tuple(s for s, _ in kept), tuple(t for _, t in kept))


def _attended(
    folder: Path, source: Path, target: Path, left: Sentences, right: Sentences
) -> Alignments:
    """The alignment by a translator's attention, checked against the words."""
    found = align_by_attention(load_translator(folder), read_parallel(source, target))
    for side, sentences in enumerate((left, right)):
        for i, length in enumerate(sentences.lengths.tolist()):
            if len(found[i]) and found[i][:, side].max() >= length:
                raise CorpusError(
                    "the translator has more tokens than the line has words",
                    path=(source, target)[side],
                    line=i + 1,
                    help="give it a file whose words stand between spaces, and a "
                    "translator of whole words",
                )
    return found


def _read_sides(source: Path, target: Path) -> tuple[Sentences, Sentences]:
    corpus = read_parallel(source, target)
    left, right = split_corpus(corpus, TextOptions(tokenized=True))
    for path, side in ((source, left), (target, right)):
        for number, words in enumerate(side, start=1):
            if len(words) > _LONGEST_LINE:
                raise CorpusError(
                    f"a sentence of {len(words):,} words; {_LONGEST_LINE} are the most",
                    path=path,
                    line=number,
                    help="put each sentence on a line of its own, or leave it out",
                )
    return number_sentences(left), number_sentences(right)


def tick(name: str, done: int, total: int) -> None:
    """Show on a terminal how far a stage is."""
    if sys.stderr.isatty() and (done % 20 == 0 or done == total):
        end = "\r" if done < total else "\r\033[K"
        sys.stderr.write(f"{name} {done:,}/{total:,}{end}")
        sys.stderr.flush()
