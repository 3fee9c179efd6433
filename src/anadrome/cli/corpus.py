"""`anadrome corpus`: check, stats, convert and select."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter
from cyclopts.validators import Number

from anadrome.cli.outputs import refuse_inputs
from anadrome.corpora.checks import Limits, Policies, Policy, check_corpus
from anadrome.corpora.files import scan_lines, write_lines
from anadrome.corpora.formats import COLUMNS, convert, find_format, scan_texts
from anadrome.corpora.parallel import scan_parallel
from anadrome.corpora.selection import cross_entropy_differences, select_lowest
from anadrome.corpora.statistics import corpus_statistics, word_types
from anadrome.text.errors import CorpusError, UnknownFormat

corpus_app = App(name="corpus", help="Look at, check and change files of text.")

Count = Annotated[int, Parameter(validator=Number(gte=1))]
Files = Annotated[list[Path] | None, Parameter(negative=(), consume_multiple=True)]

_SHOWN = 10  # findings of each check that are printed


@corpus_app.command
def check(
    *files: Path,
    test: Files = None,
    format: str | None = None,
    unequal: Policy = "error",
    encoding: Policy = "error",
    empty: Policy = "error",
    long: Policy = "warn",
    ratio: Policy = "warn",
    duplicate: Policy = "warn",
    overlap: Policy = "warn",
    max_tokens: Count = 100,
    max_ratio: Annotated[float, Parameter(validator=Number(gte=1))] = 9.0,
    out: Files = None,
) -> int:
    """Check a corpus before training; the status is 1 if it should be refused.

    Each check has a policy: `error` refuses the corpus, `warn` tells, `drop` leaves the
    line out of what `--out` writes, `ignore` does not look.

    Parameters
    ----------
    files
        Two files whose lines translate each other, or one of any format.
    test
        Files whose sentences should not be in the corpus.
    format
        The format of a single file, if its name does not tell.
    unequal
        One file has more lines than the other.
    encoding
        Bytes that are not UTF-8.
    empty
        A line without text.
    long
        A sentence of more tokens than `--max-tokens`.
    ratio
        One side is more than `--max-ratio` times as long as the other.
    duplicate
        A line that was there before.
    overlap
        A source that is in a file of `--test`.
    max_tokens
        How many words, between spaces, are not too long.
    max_ratio
        How many times as long one side may be.
    out
        Files for the lines that are kept: as many as the corpus has sides.
    """
    _need(files)
    refuse_inputs((*files, *(test or ())), out or ())
    report = check_corpus(
        *files,
        policies=Policies(unequal, encoding, empty, long, ratio, duplicate, overlap),
        limits=Limits(max_tokens, max_ratio),
        test=test or (),
        format=_format(files, format),
    )
    shown: dict[str, int] = {}
    for finding in report.findings:
        shown[finding.check] = shown.get(finding.check, 0) + 1
        if shown[finding.check] <= _SHOWN:
            print(finding)
    for name, count in report.counts.items():
        if count > _SHOWN:
            print(f"… and {count - _SHOWN:,} more of {name}")
    print(report)
    if report.errors:
        return 1
    if out:
        sides = 1 if not report.rows else len(report.rows[0])
        if len(out) != sides:
            raise CorpusError(f"the corpus has {sides} side(s), --out {len(out)} files")
        for side, path in enumerate(out):
            write_lines(path, (" ".join(row[side].split()) for row in report.rows))
    return 0


@corpus_app.command
def stats(*files: Path, against: Path | None = None, format: str | None = None) -> int:
    """Print lines, tokens, types and lengths of files.

    Parameters
    ----------
    files
        Files of any format; of pairs, the source side.
    against
        A file, such as the training corpus: the words that it lacks are counted.
    format
        The format of the files, if their names do not tell.
    """
    _need(files)
    known = None
    if against is not None:
        known = word_types(t for _, t in scan_texts(against, _guess(against, format)))
    for i, path in enumerate(files):
        texts = (text for _, text in scan_texts(path, _guess(path, format)))
        numbers = corpus_statistics(texts, known=known)
        print(("\n" if i else "") + f"{path}\n{numbers}")
    return 0


@corpus_app.command(name="convert")
def convert_files(
    *files: Path,
    out: Annotated[list[Path], Parameter(negative=(), consume_multiple=True)],
    read_as: str | None = None,
    write_as: str | None = None,
    columns: tuple[str, str] = COLUMNS,
    languages: Annotated[tuple[str, str] | None, Parameter(negative=())] = None,
) -> int:
    """Convert a corpus into another format, found from the files' names.

    Parameters
    ----------
    files
        One file of any format, or two whose lines translate each other.
    out
        The file to write, or two for lines that translate each other.
    read_as
        The format of the input, if its name does not tell.
    write_as
        The format of the output, if its name does not tell.
    columns
        The columns of a table that hold source and target.
    languages
        The languages of source and target, as `en fr`.
    """
    _need(files)
    refuse_inputs(files, out)
    count = convert(
        files,
        tuple(out),
        read_as=read_as,
        write_as=write_as,
        columns=columns,
        languages=languages or (None, None),
    )
    print(f"{count:,} records in {', '.join(map(str, out))}")
    return 0


@corpus_app.command
def select(
    *files: Path,
    domain: Annotated[list[Path], Parameter(negative=(), consume_multiple=True)],
    out: Annotated[list[Path], Parameter(negative=(), consume_multiple=True)],
    keep: Annotated[float, Parameter(validator=Number(gt=0))] = 0.2,
    order: Annotated[int, Parameter(validator=Number(gte=1, lte=6))] = 3,
    seed: int = 0,
) -> int:
    """Select the lines that are most like a domain (Moore and Lewis, 2010).

    Parameters
    ----------
    files
        A file of lines, or two whose lines translate each other.
    domain
        As many files, with sentences of the domain.
    out
        As many files, for what is selected, in the order of the corpus.
    keep
        How many lines: a share below 1, or a number.
    order
        Words of an n-gram of the two language models.
    seed
        Decides which sentences the general model sees.
    """
    _need(files)
    for given, name in ((domain, "--domain"), (out, "--out")):
        if len(given) != len(files):
            raise CorpusError(f"{len(files)} files, but {len(given)} of {name}")
    refuse_inputs((*files, *domain), out)
    if len(files) > 2:
        raise CorpusError(f"one file or two, not {len(files)}")
    if len(files) == 2:
        pairs = [pair for _, pair in scan_parallel(*files)]
        sides = [[pair[0] for pair in pairs], [pair[1] for pair in pairs]]
    else:
        sides = [[line for _, line in scan_lines(files[0])]]
    scores = [0.0] * len(sides[0])
    for side, path in zip(sides, domain):
        inside = [line.split() for _, line in scan_lines(path) if line.strip()]
        general = [line.split() for line in side]
        found = cross_entropy_differences(general, inside, order=order, seed=seed)
        scores = [total + score for total, score in zip(scores, found)]
    count = round(keep * len(scores)) if keep < 1 else min(len(scores), int(keep))
    chosen = select_lowest(scores, count)
    for side, path in zip(sides, out):
        write_lines(path, (side[i] for i in chosen))
    sys.stdout.write(f"{len(chosen):,} of {len(scores):,} lines are selected\n")
    return 0


def _need(files: tuple[Path, ...]) -> None:
    if not files:
        raise CorpusError("no file is named", help="name a file, or two")


def _guess(path: Path, format: str | None) -> str:
    """The format of a file; lines of text if its name does not tell."""
    try:
        return find_format(path, format).name
    except UnknownFormat:
        if format is not None:
            raise
        return "text"


def _format(files: tuple[Path, ...], format: str | None) -> str | None:
    return _guess(files[0], format) if len(files) == 1 else None
