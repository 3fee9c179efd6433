"""Check many random programs, and keep a small one of each kind of failure.

    python tests/fuzz/run.py --programs 5000 --seed 0

Program k of a seed is always the same one. Failures are made smaller and written to
`tests/fuzz/regressions`, where the tests find them from then on.
"""

from __future__ import annotations

import argparse
import collections
import concurrent.futures
import random
import re
import signal
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from fuzz.checking import FIRST_ORDER, STAGES, Verdict, check
from fuzz.programs import write_program
from fuzz.reducing import reduce_program

REGRESSIONS = Path(__file__).parent / "regressions"
SECONDS_PER_PROGRAM = 30


def program_text(seed: int, k: int) -> str:
    """Program k of a seed."""
    return write_program(random.Random(f"{seed}:{k}").randrange)


def guarded(text: str, point: int, stages: Any = None) -> Verdict:
    """The verdict, or "crashed" when it takes too long."""

    def stop(*_: Any) -> None:
        raise TimeoutError(f"more than {SECONDS_PER_PROGRAM} seconds")

    # Seconds of this process, so that a busy machine does not matter.
    signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS_PER_PROGRAM)
    try:
        return check(text, point, stages)
    except TimeoutError as error:
        return Verdict("crashed", f"TimeoutError: {error}")
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def label(verdict: Verdict) -> str:
    """What failures of one cause are likely to have in common."""
    detail = verdict.detail.strip().splitlines()[0] if verdict.detail.strip() else ""
    if verdict.kind == "wrong":
        detail = detail.split(":")[0]
    detail = re.sub(r"'\w+'", "'…'", re.sub(r"\d+", "0", detail))[:100]
    return f"{verdict.kind} in {verdict.stage or 'the original'}: {detail}"


def examine(seed: int, start: int, stop: int) -> list[tuple[int, int, Verdict]]:
    """Index, length and verdict of a range of programs."""
    found = []
    for k in range(start, stop):
        text = program_text(seed, k)
        stages = (*FIRST_ORDER, "second order") if k % 10 == 0 else FIRST_ORDER
        found.append((k, len(text), guarded(text, k, stages)))
    return found


def shrink(seed: int, k: int, verdict: Verdict, seconds: float) -> str:
    """A small program that fails as program k does."""
    wanted = label(verdict)
    stages = [verdict.stage] if verdict.stage in STAGES else None

    def fails(text: str) -> bool:
        return label(guarded(text, k, stages)) == wanted

    return reduce_program(program_text(seed, k), fails, seconds)


def keep(seed: int, k: int, verdict: Verdict, text: str) -> Path:
    """The file in which a failing program is kept."""
    words = re.sub(r"[^a-z0-9]+", "_", f"{verdict.stage} {verdict.detail}".lower())
    path = REGRESSIONS / f"{words[:40].strip('_')}_{seed}_{k}.py"
    path.write_text(f"POINT = {k}\n\n{text}")
    return path


def main() -> int:
    """Run, report, and return how many programs failed, at most 1."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=5000)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--shrink-seconds", type=float, default=60.0)
    parser.add_argument("--refusals", action="store_true", help="shrink those too")
    parser.add_argument("--no-keep", action="store_true", help="write no files")
    options = parser.parse_args()
    seed, began = options.seed, time.monotonic()
    kinds: collections.Counter[str] = collections.Counter()
    groups: dict[str, list[tuple[int, int, Verdict]]] = collections.defaultdict(list)
    with concurrent.futures.ProcessPoolExecutor(options.workers) as pool:
        end = options.start + options.programs
        ranges = [(k, min(k + 25, end)) for k in range(options.start, end, 25)]
        jobs = [pool.submit(examine, seed, *r) for r in ranges]
        for job in jobs:
            for k, length, verdict in job.result():
                kinds[verdict.kind] += 1
                if verdict.kind != "right":
                    groups[label(verdict)].append((length, k, verdict))
            done = sum(kinds.values())
            if done % 500 == 0:
                print(f"{done} programs, {kinds['wrong']} wrong", file=sys.stderr)
        print(
            f"{sum(kinds.values())} programs in {time.monotonic() - began:.0f} s:",
            end=" ",
        )
        print(", ".join(f"{n} {kind}" for kind, n in kinds.most_common()))
        shrunk = {}
        for name, members in sorted(groups.items(), key=lambda g: -len(g[1])):
            print(f"{len(members):6} {name}")
            _, k, verdict = min(members, key=lambda m: m[:2])
            if verdict.failed or (options.refusals and verdict.kind == "refused"):
                given = (seed, k, verdict, options.shrink_seconds)
                shrunk[name] = (k, verdict, pool.submit(shrink, *given))
        for name, (k, verdict, future) in shrunk.items():
            text = future.result()
            print(f"\n# {name} (program {k} of seed {seed})")
            print(f"# {verdict.detail[:200]}\n{text}")
            if verdict.failed and not options.no_keep:
                print(f"# kept in {keep(seed, k, verdict, text).name}")
    return int(kinds["wrong"] + kinds["crashed"] > 0)


if __name__ == "__main__":
    sys.exit(main())
