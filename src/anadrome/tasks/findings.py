"""What the checks of files find, said once for each kind."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

from anadrome.corpora.checks import Finding


class CorpusWarning(UserWarning):
    """Something about a corpus that one should know of, and that refuses nothing."""


_MEANING = {
    "unequal": "the files are of unequal length",
    "encoding": ("1 line is not UTF-8", "{:,} lines are not UTF-8"),
    "empty": ("1 line is empty on one side", "{:,} lines are empty on one side"),
    "long": ("1 line is long", "{:,} lines are long"),
    "ratio": (
        "1 pair is of very unequal length",
        "{:,} pairs are of very unequal length",
    ),
    "duplicate": ("1 pair was there before", "{:,} pairs were there before"),
    "overlap": (
        "1 sentence is in the files of validation too",
        "{:,} sentences are in the files of validation too",
    ),
}


def _say(check: str, count: int) -> str:
    meaning = _MEANING[check]
    if isinstance(meaning, str):
        return meaning
    return meaning[count != 1].format(count)


def tell(counts: Mapping[str, int], findings: Sequence[Finding]) -> None:
    """Warn of each kind of finding once, with its first place."""
    told = set()
    for finding in findings:
        if finding.check in told:
            continue
        told.add(finding.check)
        warnings.warn(
            _say(finding.check, counts[finding.check])
            + (" and left out" if finding.policy == "drop" else "")
            + f'; the first is File "{finding.path}", line {finding.line}: '
            + finding.message,
            CorpusWarning,
            stacklevel=4,
        )
