"""How the loop kernels are declared: one size each, JAX as the peer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.program import Goal, Peer, Program, Size


def kernel(
    name: str,
    function: Callable[..., Any],
    arguments: Callable[..., tuple[Any, ...]],
    argnums: tuple[int, ...],
    size: Mapping[str, int],
    tiny: Mapping[str, int],
    peers: Mapping[str, Peer] | None = None,
    tolerance: float = 1e-3,
) -> Program:
    """A kernel, with a rewrite for JAX of the same name unless told otherwise."""
    rewritten = Peer("jax", f"jax_kernels.{name.replace(' ', '_')}")
    return Program(
        name=name,
        function=function,
        arguments=arguments,
        argnums=argnums,
        sizes=(Size(size),),
        tiny=tiny,
        peers={"jax": rewritten} if peers is None else peers,
        goals=(Goal("jax", 1.0),) if peers is None else (),
        tolerance=tolerance,
    )
