"""Imports point downwards: no module imports one of a layer above its own."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "src"

# From the bottom up; the modules of a line may import each other.
LAYERS: list[set[str]] = [
    {"errors", "version"},
    {"ir"},
    {"infer"},
    {"runtime", "random_bits", "tree", "insert_grad"},
    {"primitives", "random"},
    {"frontend"},
    {"optimize"},
    {"transform"},
    {"backends.building", "backends.python"},
    {"backends.native"},
    {"driver", "api", "persistent", "records"},
    {""},  # anadrome/__init__.py, the public interface
    {"options", "user_files"},
    {"nn"},
    {"text"},
    {"corpora"},
    {"vectors", "ngram"},
    {"models"},
    {"decode"},
    {"evaluate"},
    {"train"},
    {"smt"},
    {"tasks"},
    {"viz"},
    {"cli", "__main__"},
]

# What the layers above the public interface may use of those below it.
PUBLIC = {"", "random", "records", "errors"}

# (module, module it may import although that is higher) -> why
EXCEPTIONS: dict[tuple[str, str], str] = {
    (
        "anadrome.primitives.scipy.parameters",
        "anadrome.api.grad",
    ): "solvers and integrators take the user's function, whose derivative is asked "
    "for when the rule runs",
    (
        "anadrome.frontend.numpy.symbolic_zeros",
        "anadrome.transform.reverse.cotangents",
    ): "a zero inside a rule has the type of a cotangent, which reverse mode defines",
    (
        "anadrome.transform.expansion.custom",
        "anadrome.api.custom",
    ): "the rules of a user's function hang on the function, which is a primitive of "
    "the public interface",
}

LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}


def layer_of(module: str) -> str:
    """The name of the layer that a module belongs to."""
    _, *parts = module.split(".")
    if not parts:
        return ""
    return ".".join(parts[:2]) if parts[0] == "backends" else parts[0]


def module_name(path: Path) -> str:
    """The dotted name of the module in a file."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def is_module(name: str) -> bool:
    """Whether a dotted name is a module of the project."""
    path = ROOT.joinpath(*name.split("."))
    return path.is_dir() or path.with_suffix(".py").is_file()


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """Every module of the project that a file imports, at any depth of the file."""
    package = module_name(path).split(".")
    if path.name != "__init__.py":
        package = package[:-1]
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            up = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*up, *([node.module] if node.module else [])])
            names = [f"{base}.{alias.name}" for alias in node.names]
            found = [n if is_module(n) else base for n in names]
        else:
            continue
        for name in found:
            if name.split(".")[0] == "anadrome":
                yield name, node.lineno


FILES = sorted((ROOT / "anadrome").rglob("*.py"))


def test_every_module_has_a_layer() -> None:
    layers = {layer_of(module_name(path)) for path in FILES} - {"backends"}
    assert layers <= LEVEL.keys()


@pytest.mark.parametrize("path", FILES, ids=module_name)
def test_imports_point_downwards(path: Path) -> None:
    module = module_name(path)
    own = layer_of(module)
    if own == "backends":
        return
    wrong = []
    for name, line in imports(path):
        other = layer_of(name)
        lower = other in LEVEL and LEVEL[other] <= LEVEL[own]
        if LEVEL[other] < LEVEL[""] < LEVEL[own]:
            lower = other in PUBLIC
        if not lower and (module, name) not in EXCEPTIONS:
            wrong.append(f"{path}:{line}: {module} imports {name}")
    assert not wrong, "\n".join(wrong)


def test_every_exception_is_needed() -> None:
    used = {(module_name(path), name) for path in FILES for name, _ in imports(path)}
    assert EXCEPTIONS.keys() <= used
