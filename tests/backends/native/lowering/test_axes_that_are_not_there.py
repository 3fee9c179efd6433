"""Axes that an array does not have: what NumPy raises, at the user's line."""

import numpy as np
import pytest
from scipy.special import logsumexp

import anadrome as ad

CUBE = np.ones((1, 3, 4))
PROGRAMS = {
    "sum": lambda x: np.sum(x, axis=7),
    "max": lambda x: np.max(x, axis=-4),
    "mean": lambda x: np.mean(x, axis=(0, 3)),
    "any": lambda x: np.any(x > 0, axis=5),
    "argmax": lambda x: np.argmax(x, axis=3),
    "cumsum": lambda x: np.cumsum(x, 3),
    "sort": lambda x: np.sort(x, axis=3),
    "diff": lambda x: np.diff(x, axis=3),
    "roll": lambda x: np.roll(x, 1, 3),
    "logsumexp": lambda x: logsumexp(x, axis=3),
    "swapaxes": lambda x: np.swapaxes(x, 5, 0),
    "moveaxis": lambda x: np.moveaxis(x, 0, 4),
    "moved nowhere": lambda x: np.moveaxis(x, (0, 1), (0,)),
    "transpose": lambda x: np.transpose(x, (0, 1, 5)),
    "transposed twice": lambda x: np.transpose(x, (0, 1, 1)),
    "flip": lambda x: np.flip(x, 5),
    "squeeze": lambda x: np.squeeze(x, 3),
    "squeezed twice": lambda x: np.squeeze(x, (0, 0)),
    "expand_dims": lambda x: np.expand_dims(x, 9),
    "concatenate": lambda x: np.concatenate([x, x], axis=3),
    "stack": lambda x: np.stack([x, x], axis=5),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_native_code_raises_what_numpy_does(name):
    program = PROGRAMS[name]
    with pytest.raises((ValueError, IndexError)) as wanted:
        program(CUBE)
    with pytest.raises(wanted.type):
        ad.jit(program)(CUBE)


@pytest.mark.parametrize("name", ["sum", "max", "mean", "cumsum", "roll", "swapaxes"])
def test_within_a_loop(name):
    program = PROGRAMS[name]

    def repeated(x):
        for _ in range(2):
            x = x * np.sum(program(x))
        return np.sum(x)

    with pytest.raises(np.exceptions.AxisError):
        ad.jit(repeated)(CUBE)
    with pytest.raises(np.exceptions.AxisError):
        ad.jit(ad.grad(repeated))(CUBE)


@pytest.mark.parametrize("name", PROGRAMS)
def test_of_results_that_nobody_reads(name):
    program = PROGRAMS[name]

    def unread(x):
        program(x)
        return x[0, 0, 0]

    with pytest.raises((ValueError, IndexError)) as wanted:
        unread(CUBE)
    with pytest.raises(wanted.type):
        ad.grad(unread)(CUBE)


@pytest.mark.parametrize("name", ["diff", "transpose"])
def test_of_results_that_nobody_reads_in_native_code(name):
    program = PROGRAMS[name]

    def unread(x):
        program(x)
        return x[0, 0, 0]

    with pytest.raises((ValueError, IndexError)):
        ad.jit(unread)(CUBE)
