"""Check what random programs do against plain Python, in every mode.

    python tests/fuzz/semantics/run.py --programs 20000 --seed 0 --workers 2

Program k of a seed is always the same one. What was found is kept beside
`--state`, so that a run that was stopped goes on where it was; delete the file to begin
anew. `--only iterators` checks programs about iterators alone, `--show 17` prints a
program and its verdict. One failure of each kind is made smaller at the end.
"""

from __future__ import annotations

import argparse
import collections
import json
import re
import sys
import time
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from fuzz.semantics.checking import Verdict
from fuzz.semantics.isolating import check_alone, verdicts
from fuzz.semantics.live import TooLong, try_out
from fuzz.semantics.reducing import reduce_program
from fuzz.semantics.writer import HEADER, categories, write_program

STAGES = ("jit", "grad", "jit of grad", "jvp")
KINDS = ("right", "refused", "skipped", "wrong", "crashed", "hung")


def label(verdict: Verdict) -> str:
    """What failures of one cause are likely to have in common."""
    detail = verdict.detail.strip().splitlines()[0] if verdict.detail.strip() else ""
    if verdict.kind == "wrong" and not detail.startswith(
        ("exception", "type", "gradient dtype")
    ):
        detail = ":".join(detail.split(":")[: 1 + detail.startswith("argument")])
    detail = re.sub(r"'[^']*'", "'…'", re.sub(r"-?\d+(\.\d+)?", "0", detail))[:90]
    return f"{verdict.kind} in {verdict.stage.split(',')[0]}: {detail}"


def category_of(k: int, only: str | None) -> str:
    """What program k is about."""
    names = categories()
    return only or names[k % len(names)]


def program_text(seed: int, k: int, only: str | None = None) -> str:
    """Program k of a seed."""
    return write_program(category_of(k, only), f"{seed}:{k}")


def small(text: str) -> str:
    """A program without the lines that all have."""
    start = text.find("def program(")
    head = [line for line in text[:start].splitlines() if line not in HEADER]
    return "\n".join([*filter(None, head), text[start:]])


def shrink(text: str, verdict: Verdict, seconds: float) -> str:
    """A small program that fails as this one does."""
    wanted = label(verdict)
    stage = verdict.stage.split(",")[0]
    stage = stage if stage in STAGES else ""

    def fails(candidate: str) -> bool:
        # One that does not end in Python is not worth the wait.
        if verdict.kind != "hung" and try_out(candidate).error is TooLong:
            return False
        return label(check_alone(candidate, stage)) == wanted

    return reduce_program(text, fails, seconds)


def _known(state: Path) -> dict[str, Verdict]:
    if not state.exists():
        return {}
    lines = [json.loads(line) for line in state.read_text().splitlines() if line]
    return {key: Verdict(*rest) for key, *rest in lines}


def main() -> int:
    """Run, report, and return 1 if a program failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--programs", type=int, default=1000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--only", choices=categories())
    parser.add_argument(
        "--state", type=Path, default=Path(".cache-fuzz/semantics.jsonl")
    )
    parser.add_argument("--shrink-seconds", type=float, default=60.0)
    parser.add_argument("--refusals", action="store_true", help="list those too")
    parser.add_argument("--show", type=int, help="print one program and its verdict")
    options = parser.parse_args()
    seed, only = options.seed, options.only
    if options.show is not None:
        text = program_text(seed, options.show, only)
        print(text, check_alone(text), sep="\n")
        return 0
    began = time.monotonic()
    options.state.parent.mkdir(parents=True, exist_ok=True)
    known = _known(options.state)
    numbers = range(options.start, options.start + options.programs)
    keys = {f"{seed}:{only or ''}:{k}": k for k in numbers}
    jobs = [
        (key, partial(program_text, seed, k, only))
        for key, k in keys.items()
        if key not in known
    ]
    with options.state.open("a") as file:
        for n, (key, verdict) in enumerate(verdicts(jobs, options.workers), 1):
            known[key] = verdict
            row = [key, verdict.kind, verdict.stage, verdict.detail[:500]]
            print(json.dumps(row), file=file, flush=True)
            if verdict.failed:
                print(f"program {keys[key]}: {label(verdict)}", flush=True)
            if n % 200 == 0:
                print(f"{n} of {len(jobs)} programs", file=sys.stderr, flush=True)
    return report({k: known[key] for key, k in keys.items()}, options, began)


def report(found: dict[int, Verdict], options: argparse.Namespace, began: float) -> int:
    """Print the counts by category and a small program of each kind of failure."""
    seed, only = options.seed, options.only
    table: dict[str, collections.Counter[str]] = collections.defaultdict(
        collections.Counter
    )
    groups: dict[str, list[int]] = collections.defaultdict(list)
    for k, verdict in found.items():
        table[category_of(k, only)][verdict.kind] += 1
        if verdict.failed or (options.refusals and verdict.kind == "refused"):
            groups[label(verdict)].append(k)
    print(f"{len(found)} programs in {time.monotonic() - began:.0f} s")
    print(f"{'category':16}" + "".join(f"{kind:>9}" for kind in KINDS))
    for name, counts in [
        *table.items(),
        ("all", sum(table.values(), collections.Counter())),
    ]:
        print(f"{name:16}" + "".join(f"{counts[kind]:9}" for kind in KINDS))
    for name, members in sorted(groups.items(), key=lambda g: -len(g[1])):
        print(f"\n{len(members):6} {name} (program {members[0]})")
        verdict = found[members[0]]
        if verdict.failed and options.shrink_seconds:
            k = min(members, key=lambda k: len(program_text(seed, k, only)))
            text = shrink(program_text(seed, k, only), found[k], options.shrink_seconds)
            print(f"# {found[k].detail[:200]}\n{small(text)}", flush=True)
    return int(any(v.failed for v in found.values()))


if __name__ == "__main__":
    sys.exit(main())
