"""Loops over numbers: listing 13.2, and a `while` that ends when it has converged."""

from __future__ import annotations

import math

from benchmarks.program import Goal, Peer, Program, sizes


def count_up(x, limit):
    while x < limit:
        x = x + 1
    return x


def relaxation(x, goal, steps):
    for _ in range(steps):
        x = x + 0.001 * (goal - x * x)
    return x


def fixed_point(start, rate, tolerance):
    x = start
    change = 1.0
    while change > tolerance:
        new = x + 0.002 * (math.cos(rate * x) - x)
        change = abs(new - x)
        x = new
    return x


PROGRAMS = (
    Program(
        name="listing 13.2",
        function=count_up,
        arguments=lambda rng, steps: (0.0, float(steps)),
        argnums=(0,),
        sizes=sizes(({"steps": 10_000},)),
        tiny={"steps": 20},
        peers={
            "pytorch": Peer("torch", "torch_small.count_up"),
            "autograd": Peer("autograd"),
        },
        goals=(Goal("pytorch", 1000),),
        tolerance=1e-10,
    ),
    Program(
        name="relaxation",
        function=relaxation,
        arguments=lambda rng, steps: (0.3, 0.5, steps),
        argnums=(0, 1),
        sizes=sizes(({"steps": 10_000},)),
        tiny={"steps": 20},
        peers={
            "pytorch": Peer("torch", "torch_small.relaxation"),
            "jax": Peer("jax", "jax_small.relaxation"),
        },
        goals=(Goal("pytorch", 1000),),
        tolerance=1e-10,
    ),
    Program(
        name="while, data-dependent",
        function=fixed_point,
        arguments=lambda rng, digits: (0.1, 0.8, 10.0**-digits),
        argnums=(0, 1),
        sizes=sizes(({"digits": 9},)),
        tiny={"digits": 3},
        # JAX cannot differentiate `lax.while_loop` in reverse mode.
        peers={"pytorch": Peer("torch", "torch_small.fixed_point")},
        goals=(Goal("pytorch", 1000),),
        tolerance=1e-10,
    ),
)
