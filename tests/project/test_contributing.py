"""The changes that docs/contributing.md shows apply to the tree and do what it says."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "contributing.md"

# What is tried after each change, by the heading that it stands under.
TRIALS = {
    "A primitive": """
import numpy as np
from scipy import special
import anadrome as ad
ad.check_grads(f, (np.array([1.5, 0.7]), 2.5))
assert ad.grad(f)(2.0, 3.0) == 12.0
""",
    "A pass": """
import numpy as np
import anadrome as ad
assert "np.cos(x)" in ad.source(g, 0.5), ad.source(g, 0.5)
assert ad.grad(g)(0.5) == -np.sin(0.5)
""",
    "A lowering": """
import numpy as np
import anadrome as ad
x = np.arange(24.0).reshape(2, 3, 4)
for args in ((x, 2, 0), (x, 0, 3), (x, 1, -1), (x, -1, 1)):
    np.testing.assert_array_equal(ad.jit(h)(*args), np.rollaxis(*args))
assert "PyObject_Vectorcall" not in ad.show(ad.jit(fixed), x, stage="llvm")
""",
    "A model": """
import numpy as np
import anadrome as ad
from anadrome.models import find_model
from anadrome.random import key
from anadrome.text import PairSizes, make_pair_batch
m = find_model("translate", "reversed-source")
config = m.Config(3, 4, 3, 0.0, 0.0)
params = m.make_params(config, key(1), PairSizes(12, 12))
sides = [[np.array([5, 6, 7]), np.array([8])] for _ in range(2)]
batch = make_pair_batch(*sides, np.arange(2), time_major=True)
value, gradient = ad.value_and_grad(m.loss)(params, batch, config, key(2))
assert value > 0 and np.any(gradient.encoder.U)
""",
}
FUNCTIONS = """
import numpy as np
from scipy import special
def f(x, y): return np.sum(special.powm1(x, y))
def g(x): return np.cos(-x)
def h(x, axis, start): return np.rollaxis(x, axis, start)
def fixed(x): return np.rollaxis(x, 2)
"""


def changes() -> dict[str, str]:
    """The diffs of the document by their headings."""
    sections = re.split(r"^## (.*)$", DOCUMENT.read_text(), flags=re.M)
    pairs = zip(sections[1::2], sections[2::2])
    found = {name: re.findall(r"```diff\n(.*?)```", text, re.S) for name, text in pairs}
    return {name: "".join(diffs) for name, diffs in found.items() if diffs}


def test_every_change_is_tried_and_short() -> None:
    assert changes().keys() == TRIALS.keys()
    assert all(len(diff.splitlines()) < 60 for diff in changes().values())


@pytest.mark.parametrize("name", TRIALS)
def test_change_applies_and_works(name: str, tmp_path: Path) -> None:
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=ignore)
    (tmp_path / "change.diff").write_text(changes()[name])
    applied = subprocess.run(
        ["git", "apply", "change.diff"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={"GIT_CEILING_DIRECTORIES": str(tmp_path.parent), "PATH": "/usr/bin:/bin"},
    )
    assert applied.returncode == 0, applied.stderr
    script = tmp_path / "trial.py"
    script.write_text(FUNCTIONS + TRIALS[name])
    subprocess.run(
        [sys.executable, str(script)],
        cwd=tmp_path,
        check=True,
        env={
            "PYTHONPATH": str(tmp_path / "src"),
            "ANADROME_CACHE_DIR": str(tmp_path / "cache"),
        },
    )
