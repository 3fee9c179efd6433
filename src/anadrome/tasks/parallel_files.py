"""Files of sentence pairs for training: every format, checked, with policies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from anadrome.corpora import Limits, ParallelCorpus, Policies, check_corpus
from anadrome.corpora.checks import Policy
from anadrome.tasks.findings import tell
from anadrome.tasks.overlap import OverlapCheck
from anadrome.text.errors import CorpusError, EmptyCorpus


@dataclass(frozen=True)
class PairChecks(OverlapCheck):
    """What becomes of lines that may be wrong: error, warn, drop or ignore."""

    unequal: Policy = "error"  # if one file goes on where the other ends
    encoding: Policy = "error"  # if a line is not UTF-8
    empty: Policy = "error"  # if a line has no text on one side
    long: Policy = "ignore"  # if a line has more than max-tokens words
    ratio: Policy = "ignore"  # if one side has nine times as many words as the other
    duplicate: Policy = "ignore"  # if a pair was there before

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
    tell(report.counts, report.findings)
    sides = zip(*report.rows)
    # Lines of other formats may hold breaks, which are spaces in a sentence.
    source, target = (
        tuple(" ".join(x.split()) if "\n" in x else x for x in side) for side in sides
    )
    return ParallelCorpus(source, target)
