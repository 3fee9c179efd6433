"""Several threads call compiled functions for the first time, at the same time."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

import anadrome as ad


def test_threads_that_call_first_at_once_make_one_program():
    reads = []

    def triple(values):
        total = 0.0
        for k in range(values.shape[0]):
            total += 3.0 * values[k]
        return total

    compiled = ad.jit(triple)
    whole = compiled.build

    def build(args, keywords):
        reads.append(len(args[0]))
        return whole(args, keywords)

    compiled.build = build
    arrays = [np.full(100 + k, 1.0) for k in range(8)]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(compiled, arrays))
    assert found == [3.0 * len(array) for array in arrays]
    assert len(reads) == 1
