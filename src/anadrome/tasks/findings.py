"""What the checks of files find, said once for each kind."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

from anadrome.corpora.checks import Finding


class CorpusWarning(UserWarning):
    """Something about a corpus that one should know of, and that refuses nothing."""


_MEANING = {
    "unequal": "the files are of unequal length",
    "encoding": "lines are not UTF-8",
    "empty": "lines are empty on one side",
    "long": "lines are long",
    "ratio": "pairs are of very unequal length",
    "duplicate": "pairs were there before",
    "overlap": "sentences are in the files of validation too",
}


def tell(counts: Mapping[str, int], findings: Sequence[Finding]) -> None:
    """Warn of each kind of finding once, with its first place."""
    told = set()
    for finding in findings:
        if finding.check in told:
            continue
        told.add(finding.check)
        many = "" if finding.check == "unequal" else f"{counts[finding.check]:,} "
        warnings.warn(
            f"{many}{_MEANING[finding.check]}"
            + (" and left out" if finding.policy == "drop" else "")
            + f'; the first is File "{finding.path}", line {finding.line}: '
            + finding.message,
            CorpusWarning,
            stacklevel=4,
        )
