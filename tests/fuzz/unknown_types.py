"""Every primitive's samples as programs, with and without values of unknown type.

`opaque` returns its argument, and the compiler cannot look into it: what is computed
from its result has no type that is known. The program with it must do what the
program without it does.
"""

from __future__ import annotations

import copy
import importlib.util
import inspect
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import anadrome as ad
from anadrome import tree
from anadrome.primitives.registry import Primitive, Sample, all_primitives

NUMBER = (float, complex, np.ndarray, np.generic)
HEAD = """import inspect
import numpy as np
opaque = inspect.unwrap


def size(z):
    return np.sum(np.real(z * np.conj(z)) + 0.3 * np.real(z))
"""


@dataclass
class Case:
    """One call in its two forms, and what it is called with."""

    name: str
    known: Callable[..., Any]
    unknown: Callable[..., Any]
    values: list[Any]


def _arguments(p: Primitive, sample: Sample) -> Iterator[tuple[str, Any, str]]:
    """The arguments of a sample: parameter, value, and how it is passed by name."""
    kinds = p.signature.parameters
    for name, value in p.signature.bind(
        *sample.args, **sample.kwargs
    ).arguments.items():
        kind = kinds[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            yield from ((name, v, "") for v in value)
        elif kind is inspect.Parameter.VAR_KEYWORD:
            yield from ((k, v, f"{k}=") for k, v in value.items())
        else:
            named = kind is inspect.Parameter.KEYWORD_ONLY or name in sample.kwargs
            yield name, value, f"{name}=" if named else ""


def _is_active(p: Primitive, name: str, value: Any) -> bool:
    leaves = value if isinstance(value, list | tuple) else [value]
    return name in p.differentiable and all(isinstance(v, NUMBER) for v in leaves)


def _text(
    name: str, arguments: Any, p: Primitive, add: str, env: dict[str, Any]
) -> Any:
    """The call of a primitive, and the values of its parameters."""
    given: list[str] = []
    values: list[Any] = []

    def parameter(value: Any) -> str:
        values.append(value)
        return f"(a{len(values) - 1}{add})"

    for k, (place, value, by) in enumerate(arguments):
        if not _is_active(p, place, value):
            env[f"{name}_{k}"] = value
            given.append(f"{by}{name}_{k}")
        elif isinstance(value, list | tuple):
            items = "".join(f"{parameter(v)}, " for v in value)
            given.append(
                by + (f"[{items}]" if isinstance(value, list) else f"({items})")
            )
        else:
            given.append(by + parameter(value))
    return f"{name}_f({', '.join(given)})", values


def _result(value: Any) -> str:
    if isinstance(value, tuple):
        return "return " + " + ".join(f"size(z[{k}])" for k in range(len(value)))
    if isinstance(value, list):
        return "return sum([size(v) for v in z])"
    return "return size(z)"


# What they return is an object, or not determined by what they are given.
SKIPPED = ("solve_ivp", "empty", "empty_like")


def cases(folder: Path, chosen: slice, samples: slice = slice(0, 1)) -> list[Case]:
    """The programs of some primitives; their source is written into a folder."""
    lines, made, env = [HEAD], [], {}
    found = [p for p in all_primitives() if p.make_samples and p.differentiable]
    found = [p for p in found if p.name not in SKIPPED]
    for p in sorted(found, key=lambda p: p.name)[chosen]:
        for sample in p.samples()[samples]:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                value = p.impl(
                    *copy.deepcopy(sample.args), **copy.deepcopy(sample.kwargs)
                )
            name = f"p{len(made)}_{p.name.replace('.', '_')}"
            env[f"{name}_f"] = p.impl
            arguments = list(_arguments(p, sample))
            for form, add in (("known", ""), ("unknown", " + opaque(0.0)")):
                call, values = _text(name, arguments, p, add, env)
                head = ", ".join(f"a{k}" for k in range(len(values)))
                lines.append(f"def {name}_{form}({head}):\n    z = {call}")
                lines.append(f"    {_result(value)}\n")
            if values and all(np.asarray(v).dtype.kind in "fc" for v in values):
                made.append((name, values))
    path = folder / f"unknown_types_{chosen.start or 0}_{chosen.step or 1}.py"
    path.write_text("\n".join(lines))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    module.__dict__.update(env)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return [
        Case(n, getattr(module, f"{n}_known"), getattr(module, f"{n}_unknown"), values)
        for n, values in made
    ]


def differences(case: Case) -> list[str]:
    """What the two forms of a program do not agree on."""
    found = []
    places = tuple(range(len(case.values)))
    places = places if len(places) > 1 else 0
    wanted = ad.grad(case.known, places)(*copy.deepcopy(case.values))
    gradient = ad.grad(case.unknown, places)
    for name, run in (("python", gradient), ("native", ad.jit(gradient))):
        got = run(*copy.deepcopy(case.values))
        for a, b in zip(tree.leaves(wanted), tree.leaves(got), strict=True):
            same = np.shape(a) == np.shape(b)
            same = same and np.iscomplexobj(a) == np.iscomplexobj(b)
            if not same or not np.allclose(a, b, 1e-7, 1e-9, equal_nan=True):
                found.append(f"{case.name}, {name}: {a!r} became {b!r}")
    value = case.known(*copy.deepcopy(case.values))
    got = ad.jit(case.unknown)(*copy.deepcopy(case.values))
    if not np.allclose(value, got, 1e-9, 1e-12, equal_nan=True):
        found.append(f"{case.name}, value: {value!r} became {got!r}")
    return found


if __name__ == "__main__":
    import tempfile

    start, stop = int(sys.argv[1]), int(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in cases(Path(folder), slice(start, stop), slice(None)):
            try:
                print(*differences(case), sep="\n", end="")
            except Exception as error:
                print(f"{case.name}: {type(error).__name__}: {error}")
