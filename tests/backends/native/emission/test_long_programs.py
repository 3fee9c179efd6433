"""Programs of more statements than Python's stack has frames."""

import linecache

import numpy as np
import pytest

import anadrome as ad

N = 500


def written(name: str, lines: list[str]):
    """A function of a text, as if it stood in a file."""
    text = "\n".join([f"def {name}(x, n):", *(f"    {line}" for line in lines)]) + "\n"
    file = f"<{name}>"
    linecache.cache[file] = len(text), None, text.splitlines(keepends=True), file
    space = {"np": np}
    exec(compile(text, file, "exec"), space)
    return space[name]


PROGRAMS = {
    "chain": ["y = x", *(f"y = np.sin(y) * 1.01 + {k % 7}" for k in range(N))],
    "sum": ["y = " + " + ".join(f"x * {k}" for k in range(N // 2))],
    # An int on some paths, a float on others.
    "paths": [
        "y = n",
        *(
            f"y = y * x if n > {k} else y - 1" if k % 4 else f"y = y + {k % 7}"
            for k in range(N // 4)
        ),
    ],
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_long_programs_are_compiled(name):
    f = written(name, [*PROGRAMS[name], "return y"])
    for n in (0, 3):
        wanted, found = f(1.5, n), ad.jit(f)(1.5, n)
        assert type(found) is type(wanted)
        assert found == pytest.approx(wanted, rel=1e-12)
        slope, native = ad.grad(f)(1.5, n), ad.jit(ad.grad(f))(1.5, n)
        assert native == pytest.approx(slope, rel=1e-10, abs=1e-200)
