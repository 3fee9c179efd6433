"""Files of sentence pairs for training: every format, checked, with policies."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from anadrome.corpora import Limits, ParallelCorpus, Policies, check_corpus
from anadrome.corpora.checks import Finding, Policy
from anadrome.text.errors import CorpusError, EmptyCorpus


class CorpusWarning(UserWarning):
    """Something about a corpus that one should know of, and that refuses nothing."""


@dataclass(frozen=True)
class PairChecks:
    """What becomes of lines that may be wrong: error, warn, drop or ignore."""

    unequal: Policy = "error"  # if one file goes on where the other ends
    encoding: Policy = "error"  # if a line is not UTF-8
    empty: Policy = "error"  # if a line has no text on one side
    long: Policy = "ignore"  # if a line has more than max-tokens words
    ratio: Policy = "ignore"  # if one side has nine times as many words as the other
    duplicate: Policy = "ignore"  # if a pair was there before
    overlap: Policy = "warn"  # if a sentence is in the files of validation too

    def policies(self) -> Policies:
        """The policies of the checks."""
        return Policies(**{f.name: getattr(self, f.name) for f in fields(PairChecks)})


def read_pairs(
    files: Sequence[Path],
    checks: PairChecks,
    *,
    max_tokens: int,
    held_out: Sequence[Path] = (),
) -> ParallelCorpus:
    """The pairs of two files of lines, or of one in a format that has both sides."""
    report = check_corpus(
        *files,
        policies=checks.policies(),
        limits=Limits(max_tokens=max_tokens),
        test=held_out[:1],
    )
    report.raise_errors()
    if not report.rows:
        raise EmptyCorpus("no line holds a sentence pair", path=files[0])
    if len(report.rows[0]) != 2:
        raise CorpusError(
            "the file has one side only",
            path=files[0],
            help="name the file with the translations, too",
        )
    _tell(report.policies, report.counts, report.findings)
    sides = zip(*report.rows)
    # Lines of other formats may hold breaks, which are spaces in a sentence.
    source, target = (
        tuple(" ".join(x.split()) if "\n" in x else x for x in side) for side in sides
    )
    return ParallelCorpus(source, target)


_MEANING = {
    "unequal": "the files are of unequal length",
    "encoding": "lines are not UTF-8",
    "empty": "lines are empty on one side",
    "long": "lines are long",
    "ratio": "pairs are of very unequal length",
    "duplicate": "pairs were there before",
    "overlap": "sentences are in the files of validation too",
}


def _tell(
    policies: Policies, counts: dict[str, int], findings: Sequence[Finding]
) -> None:
    """Warn of each kind of finding once, with its first place."""
    told = set()
    for finding in findings:
        if finding.check in told:
            continue
        told.add(finding.check)
        policy = getattr(policies, finding.check)
        count = counts[finding.check]
        many = "" if finding.check == "unequal" else f"{count:,} "
        warnings.warn(
            f"{many}{_MEANING[finding.check]}"
            + (" and left out" if policy == "drop" else "")
            + f'; the first is File "{finding.path}", line {finding.line}: '
            + finding.message,
            CorpusWarning,
            stacklevel=4,
        )
