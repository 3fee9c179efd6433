"""Does a change leave every program as it was?

    make same            # this tree beside its last commit
    make same BASE=v0.1  # or beside another

For the programs of the benchmarks, the tests' corpus and both translators: hashes of
the source of the gradient as Python, of the graph after every pass and of the LLVM
text. Functions may have other names than before, as long as each old name has become
one new name everywhere; the new names are listed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any
from unittest import mock

ROOT = Path(__file__).parents[1]
CACHE = ROOT / ".cache-same"

# Words that stand for something in a graph; in LLVM text, the names of functions.
_WORD = re.compile(r"[A-Za-z_][\w.]*")
_GLOBAL = re.compile(r'@"[^"]*"|@[\w.$-]+')
_LABEL = re.compile(r'^("[^"]*"|[\w.$-]+):', re.M)
# Where an object happens to lie in memory.
_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}")
_LOCAL = re.compile(r'%"[^"]*"|%[\w.$-]+')

Program = tuple[str, Callable[..., Any], tuple[Any, ...], tuple[int, ...] | None]


class Trace:
    """The stages of one program: a hash of each, and the names that occur in them."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.stages: list[str] = []
        self.hashes: list[str] = []

    def _number(self, found: re.Match[str]) -> str:
        return f"<{self.numbers.setdefault(found[0], len(self.numbers))}>"

    def add(self, stage: str, text: str, names: re.Pattern[str] = _WORD) -> None:
        if names is _GLOBAL:
            local: dict[str, int] = {}
            text = _LABEL.sub(r"%\1:", text)
            text = _LOCAL.sub(lambda m: f"%{local.setdefault(m[0], len(local))}", text)
        else:
            text = _ADDRESS.sub("somewhere", text)
        text = names.sub(self._number, text)
        self.stages.append(stage)
        self.hashes.append(hashlib.sha256(text.encode()).hexdigest()[:16])


class Written(Exception):
    """The LLVM text is there, and need not be compiled."""


def trace(program: Program) -> dict[str, list[str]]:
    """Every stage of a gradient, or of a function that is not to be differentiated."""
    import anadrome as ad
    from anadrome.ir.printer import print_graph
    from anadrome.optimize import passes

    _, function, args, wrt = program
    found = Trace()
    derived = function if wrt is None else ad.value_and_grad(function, wrt)

    def observe(run: Callable[..., Any], graph: Any) -> None:
        found.add(run.__name__, print_graph(graph))

    def written(*texts: Any) -> bytes:
        found.add("llvm", texts[0], _GLOBAL)
        found.add("kernels", texts[1], _GLOBAL)
        raise Written

    if wrt is not None:
        try:
            found.add("source", ad.source(derived, *args))
        except Exception as error:
            found.add("refused", type(error).__name__)
    with (
        mock.patch.object(passes, "observers", [observe]),
        mock.patch("anadrome.backends.native.compile.compile_program", written),
    ):
        try:
            ad.jit(derived).specialise(args, {})
        except Written:
            pass
        except Exception as error:
            found.add("refused", type(error).__name__)
    return {
        "stages": found.stages,
        "hashes": found.hashes,
        "names": list(found.numbers),
    }


# The programs -----------------------------------------------------------------------


def benchmarks() -> Iterator[Program]:
    from benchmarks.families import all_programs, encoder_decoder

    for p in all_programs():
        args = p.make_arguments(p.tiny)
        yield f"benchmark {p.name}", p.function, args, p.argnums
    import numpy as np

    args = encoder_decoder.make_arguments(np.float64)
    yield "benchmark encoder-decoder", encoder_decoder.loss, args, (0,)


def corpus() -> Iterator[Program]:
    from corpus.registry import load

    for p in load():
        wrt = p.wrt if p.wrt and "jacobian" not in p.tags else None
        yield f"corpus {p.name}", p.function, p.arguments(), wrt


def translators() -> Iterator[Program]:
    import numpy as np

    from anadrome import models, nn, random, text
    from anadrome.models import attention, encoder_decoder
    from anadrome.train.step import make_step

    configs = {
        "attention": attention.Config(3, 4, 5, 3, 0.1, 0.1),
        "encoder-decoder": encoder_decoder.Config(3, 4, 3, 0.1, 0.1),
    }
    rng = np.random.default_rng(5)
    for name, config in configs.items():
        model = models.find_model("translate", name)
        params = model.make_params(config, random.key(1), text.PairSizes(12, 12))
        sides = [[rng.integers(4, 12, n) for n in (3, 5, 2)] for _ in range(2)]
        batch = text.make_pair_batch(*sides, np.arange(3), time_major=True)
        optimizer = nn.Adam()
        step = make_step(model.loss, config, optimizer, 1.0, native=False)
        given = (params, optimizer.start(params), batch, random.key(2), 0.01)
        yield f"translator {name}", step, given, None


def all_programs() -> list[Program]:
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    return [*translators(), *benchmarks(), *corpus()]


# Runs -------------------------------------------------------------------------------


def trace_share(share: tuple[int, int]) -> dict[str, Any]:
    """Every so manieth program."""
    warnings.simplefilter("ignore")
    number, count = share
    with tempfile.TemporaryDirectory() as empty:
        os.environ["ANADROME_CACHE_DIR"] = empty
        return {p[0]: trace(p) for p in all_programs()[number::count]}


def write(path: Path, workers: int) -> None:
    """The hashes of this tree, as a file."""
    found: dict[str, Any] = {}
    with ProcessPoolExecutor(workers) as pool:
        for part in pool.map(trace_share, [(k, workers) for k in range(workers)]):
            found |= part
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(dict(sorted(found.items()))))


def hashes_of(base: str, workers: int) -> dict[str, Any]:
    """The hashes of a commit, made in a checkout of it if they are not known yet."""
    commit = subprocess.check_output(
        ["git", "rev-parse", "--verify", f"{base}^{{commit}}"], cwd=ROOT, text=True
    ).strip()
    path = CACHE / f"{commit}.json"
    if not path.exists():
        folder = Path(tempfile.mkdtemp())
        try:
            archive = subprocess.check_output(["git", "archive", commit], cwd=ROOT)
            subprocess.run(["tar", "x"], input=archive, cwd=folder, check=True)
            environment = {**os.environ, "PYTHONPATH": str(folder / "src")}
            command = [sys.executable, "tools/same.py", "--write", str(path)]
            command += ["--workers", str(workers)]
            subprocess.run(command, cwd=folder, env=environment, check=True)
        finally:
            shutil.rmtree(folder)
    return dict(json.loads(path.read_text()))


def compare(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Say what differs, and whether anything does."""
    renamed: dict[str, str] = {}
    back: dict[str, str] = {}
    stages = different = 0
    for program in sorted(before.keys() | after.keys()):
        old, new = before.get(program), after.get(program)
        if old is None or new is None:
            print(f"{program}: only {'now' if old is None else 'before'}")
            different += 1
            continue
        stages += len(new["hashes"])
        pairs = list(zip(old["hashes"], new["hashes"]))
        wrong = [k for k, (a, b) in enumerate(pairs) if a != b]
        if wrong or len(old["hashes"]) != len(new["hashes"]):
            k = wrong[0] if wrong else len(pairs)
            stage = (new["stages"] + ["nothing more"])[k]
            print(f"{program}: differs from stage {k} on ({stage})")
            different += 1
            continue
        for a, b in zip(old["names"], new["names"], strict=True):
            if renamed.setdefault(a, b) != b or back.setdefault(b, a) != a:
                print(f"{program}: {a} is {b}, elsewhere {renamed.get(a)}")
                different += 1
                break
    for a, b in sorted(renamed.items()):
        if a != b:
            print(f"renamed: {a} -> {b}")
    print(f"{len(after)} programs, {stages} stages: {different} programs differ")
    return different == 0


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--base", default="HEAD", help="the commit to compare with")
    parser.add_argument("--write", type=Path, help="only write this tree's hashes")
    parser.add_argument("--workers", type=int, default=2)
    given = parser.parse_args()
    if given.write:
        write(given.write, given.workers)
        return
    before = hashes_of(given.base, given.workers)
    now = CACHE / "now.json"
    write(now, given.workers)
    sys.exit(not compare(before, json.loads(now.read_text())))


if __name__ == "__main__":
    main()
