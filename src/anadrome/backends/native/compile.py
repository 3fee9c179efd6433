"""Compiled programs on disk, found by the graph that they were made of.

A program that refers to something that cannot be made again is written anew each time;
its object code is still found by its text.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
from pathlib import Path

import anadrome.optimize
from anadrome.ir.cloning import clone_graph
from anadrome.ir.graph import Graph
from anadrome.optimize.passes import NATIVE, optimize

from .disk.graph_hash import graph_fingerprint
from .disk.object_cache import ObjectCache, cache_key, source_fingerprint
from .disk.qualified_names import Unknown
from .disk.serialise import Level, Program, packed, unpacked
from .emission.codegen import compile_module
from .emission.module import ModuleEmitter
from .emission.returned_types import keep_returned_types
from .linking.engine import compile_program
from .target import Target


@functools.cache
def _sources() -> str:
    """A hash of all that writes programs."""
    digest = hashlib.sha256()
    for package in (Path(__file__).parent, Path(anadrome.optimize.__file__).parent):
        for path in sorted([*package.rglob("*.py"), *package.rglob("*.ll")]):
            digest.update(path.read_bytes())
    return digest.hexdigest()


def obtain_program(graph: Graph, target: Target, level: Level) -> Program:
    """The program of a graph, from the disk or compiled."""
    cache = ObjectCache()
    print_ = graph_fingerprint(graph)
    key = ""
    if print_ is not None:
        key = cache_key(target, "graph", print_, level.name, _sources())
        body = cache.load(key)
        found = unpacked(key, body, graph) if body is not None else None
        if found is not None:
            return found
    module = write_module(graph, target, level)
    text = str(module.module), str(module.kernels.module)
    code_key = cache_key(
        target, "program", *text, source_fingerprint(f"{__package__}.linking.engine")
    )
    code = cache.load(code_key)
    if code is None:
        code = compile_program(*text, target, module.only_directs)
        cache.store(code_key, code)
    program = Program(
        "",
        code,
        module.failures,
        module.sites,
        module.constants,
        sorted(module.python_names),
        sorted(module.gemms),
        sorted(module.math),
        module.kernels.used,
        module.lends,
    )
    if print_ is not None:
        with contextlib.suppress(Unknown):
            cache.store(key, packed(program, graph))
            program.key = key
    return program


def write_module(graph: Graph, target: Target, level: Level) -> ModuleEmitter:
    """The LLVM modules of a graph at a speculation level."""
    if level is Level.PLAIN:
        return compile_module(keep_returned_types(graph), target)
    graph = keep_returned_types(optimize(clone_graph(graph), NATIVE))
    return compile_module(graph, target, True, level is Level.JOINT)
