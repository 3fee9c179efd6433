"""Examples that are in the files of validation too, and what becomes of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from anadrome.corpora.checks import Policy, find_overlap, raise_finding
from anadrome.tasks.findings import tell
from anadrome.text.errors import EmptyCorpus

Example = TypeVar("Example")


@dataclass(frozen=True)
class OverlapCheck:
    """What becomes of examples that training should not see."""

    # if a sentence is in the files of validation too: error, warn, drop or ignore
    overlap: Policy = "warn"


def read_apart(
    scan: Callable[[Path], Iterable[tuple[int, str, Example]]],
    path: Path,
    held_out: Sequence[Path],
    policy: Policy,
) -> list[Example]:
    """The examples of a file; those that are held out too as the policy says.

    `scan` gives the examples of a file, each with its line and with the text that a
    model is given of it.
    """
    found = list(scan(path))
    if not held_out or policy == "ignore":
        return [example for _, _, example in found]
    held = ((other, n, text) for other in held_out for n, text, _ in scan(other))
    findings = find_overlap(path, ((n, text) for n, text, _ in found), held, policy)
    if findings and policy == "error":
        raise_finding(findings[0])
    dropped = {f.line for f in findings} if policy == "drop" else set()
    kept = [example for line, _, example in found if line not in dropped]
    if not kept:
        raise EmptyCorpus("all of it is in the files of validation too", path=path)
    tell({"overlap": len(findings)}, findings)
    return kept
