"""Random numbers in native code are those of NumPy."""

import numpy as np
import pytest

from anadrome import random_bits
from anadrome.backends.native.runtime.random import fill
from anadrome.backends.native.runtime.threads import thread_pool


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("distribution", ["uniform", "normal"])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 5, 64, 1003, 16384, 40001])
def test_the_same_bits_as_numpy(distribution, dtype, count, target):
    out = np.full(count + 1, 7, dtype)
    fill(target, distribution, 2**63 + 5, 2**33 + 1, out[:count])
    twin = getattr(random_bits, distribution)(2**63 + 5, 2**33 + 1, count, dtype)
    np.testing.assert_array_equal(out[:count], twin)
    assert out[count] == 7


def test_the_number_of_threads_changes_no_bit(target):
    pool = thread_pool()
    before = pool.thread_count
    results = []
    try:
        for threads in (1, 3):
            pool.resize(threads)
            out = np.empty(200_001, np.float32)
            fill(target, "normal", 9, 0, out)
            results.append(out)
    finally:
        pool.resize(before)
    np.testing.assert_array_equal(*results)
