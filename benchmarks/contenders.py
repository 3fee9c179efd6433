"""How each contender is called: a program and its arguments become a `Run`.

A run computes the value and the gradients and waits until they are there. Everything
that a training loop does once (conversion of the arguments, compilation) is done
before it, and is not timed.
"""

from __future__ import annotations

import dataclasses
import importlib
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.program import Arguments, Peer, Program

OURS = "anadrome"
PYTHON = "anadrome (Python)"
PRIMAL = "anadrome, value only"


@dataclass(frozen=True)
class Run:
    """A call to be timed, and how to read the numbers it returned."""

    call: Callable[[], Any]
    # The value, then the gradients in the layout of our program.
    numbers: Callable[[Any], list[np.ndarray]]


def plain(result: Any) -> list[np.ndarray]:
    """A value and a tuple of gradients as arrays."""
    value, gradients = result
    return [np.asarray(part) for part in parts((value, *gradients))]


def no_gradients(result: Any) -> list[np.ndarray]:
    """A result that is made of numbers, as arrays."""
    return [np.asarray(part) for part in parts(result)]


def parts(value: Any) -> list[Any]:
    """What tuples, lists and records hold, in order."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = tuple(getattr(value, f.name) for f in dataclasses.fields(value))
    if isinstance(value, tuple | list):
        return [part for inner in value for part in parts(inner)]
    return [value]


def native(program: Program, args: Arguments, where: str) -> Run:
    """Our program, compiled."""
    import anadrome as ad

    if not program.argnums:
        compiled = ad.jit(program.function)
        return Run(lambda: compiled(*args), no_gradients)
    run = ad.jit(ad.value_and_grad(program.function, program.argnums))
    return Run(lambda: run(*args), plain)


def printed(program: Program, args: Arguments, where: str) -> Run:
    """Our program with its gradient as Python."""
    import anadrome as ad

    if not program.argnums:
        return Run(lambda: program.function(*args), no_gradients)
    run = ad.value_and_grad(program.function, program.argnums)
    return Run(lambda: run(*args), plain)


def value_only(program: Program, args: Arguments, where: str) -> Run:
    """Our program without its gradient, compiled."""
    import anadrome as ad

    run = ad.jit(program.function)
    return Run(lambda: run(*args), lambda value: [np.asarray(value)])


def with_jax(program: Program, args: Arguments, where: str) -> Run:
    """`jax.jit` of `jax.value_and_grad`; integers are static."""
    import jax

    jax.config.update("jax_enable_x64", _is_double(args))
    function = peer_function(where)
    static = tuple(k for k, a in enumerate(args) if isinstance(a, int))
    differentiated = jax.value_and_grad(function, program.argnums)
    run = jax.jit(differentiated, static_argnums=static)
    given = [a if k in static else jax.device_put(a) for k, a in enumerate(args)]
    return Run(lambda: jax.block_until_ready(run(*given)), plain)


def with_torch(program: Program, args: Arguments, where: str) -> Run:
    """PyTorch, one operation after another."""
    return _torch(program, args, peer_function(where))


def with_compiled_torch(program: Program, args: Arguments, where: str) -> Run:
    """PyTorch through `torch.compile`."""
    import torch

    return _torch(program, args, torch.compile(peer_function(where)))


def with_module(program: Program, args: Arguments, where: str) -> Run:
    """Something that needs a set-up of its own, such as `torch.nn.LSTM`."""
    return peer_function(where)(*args)


def with_numba(program: Program, args: Arguments, where: str) -> Run:
    """Numba, without Python objects."""
    import numba

    run = numba.njit(peer_function(where))
    return Run(lambda: run(*args), no_gradients)


def with_autograd(program: Program, args: Arguments, where: str) -> Run:
    """autograd, on our own program with its module in place of NumPy."""
    import autograd

    function = _on_autograd(program.function)
    run = autograd.value_and_grad(function, program.argnums)
    return Run(lambda: run(*args), plain)


RUNNERS: dict[str, Callable[[Program, Arguments, str], Run]] = {
    OURS: native,
    PYTHON: printed,
    PRIMAL: value_only,
    "jax": with_jax,
    "torch": with_torch,
    "torch.compile": with_compiled_torch,
    "module": with_module,
    "autograd": with_autograd,
    "numba": with_numba,
}


def contenders_of(program: Program) -> dict[str, Peer]:
    """Who runs a program: we ourselves, then its peers."""
    ours = {OURS: Peer(OURS)}
    if program.primal:
        ours[PRIMAL] = Peer(PRIMAL)
    return {**ours, **program.peers}


def make_run(program: Program, contender: str, args: Arguments) -> Run:
    """The run of one contender."""
    peer = {**contenders_of(program), PYTHON: Peer(PYTHON)}[contender]
    return RUNNERS[peer.kind](program, args, peer.where)


def peer_function(where: str) -> Callable[..., Any]:
    """A function of `benchmarks.peers`, imported when it is needed."""
    module, _, name = where.rpartition(".")
    return getattr(importlib.import_module(f"benchmarks.peers.{module}"), name)


def _is_double(args: Arguments) -> bool:
    """Whether double precision is meant: by the arrays, else by Python's numbers."""
    kinds = {a.dtype.name for a in args if isinstance(a, np.ndarray)}
    return "float64" in kinds or not kinds


def _torch(program: Program, args: Arguments, function: Callable[..., Any]) -> Run:
    import torch

    given = [as_tensor(a, k in program.argnums) for k, a in enumerate(args)]
    wanted = [t for k in program.argnums for t in parts(given[k])]

    def call() -> Any:
        value = function(*given)
        return value.detach(), torch.autograd.grad(value, wanted)

    return Run(call, plain)


def as_tensor(value: Any, wanted: bool) -> Any:
    """An argument for PyTorch: arrays and differentiated numbers become tensors."""
    import torch

    if isinstance(value, np.ndarray):
        return torch.from_numpy(value.copy()).requires_grad_(wanted)
    if isinstance(value, float) and wanted:
        return torch.tensor(value, dtype=torch.float64, requires_grad=True)
    if dataclasses.is_dataclass(value) and wanted:
        fields = dataclasses.fields(value)
        inner = {f.name: as_tensor(getattr(value, f.name), True) for f in fields}
        return dataclasses.replace(value, **inner)  # type: ignore[type-var]
    return value


def _on_autograd(function: types.FunctionType | Any) -> Any:
    """A function, and those of its module that it uses, on autograd's NumPy."""
    module = importlib.import_module("autograd.numpy")
    scope: dict[str, Any] = {}
    for name, value in function.__globals__.items():
        if value is np:
            value = module
        elif isinstance(value, types.FunctionType):
            if value.__globals__ is function.__globals__:
                value = types.FunctionType(value.__code__, scope, name)
        scope[name] = value
    return types.FunctionType(function.__code__, scope, function.__name__)
