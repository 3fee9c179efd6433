"""What an iteration of a loop has made is given up when it is no longer read."""

from pathlib import Path

import numpy as np
import pytest

import anadrome as ad

STATUS = Path("/proc/self/statm")


def resident_pages():
    return int(STATUS.read_text().split()[1])


def updated_items(x, count):
    rows = [x * 1.0, x * 2.0]
    for k in range(count):
        rows[k % 2] = rows[k % 2] + x
    return np.sum(rows[0])


@pytest.mark.skipif(not STATUS.exists(), reason="this system does not tell")
def test_items_of_lists_are_given_up():
    function = ad.jit(updated_items)
    x = np.ones(1 << 17)
    assert function(x, 4) == 3 * x.size
    before = resident_pages()
    function(x, 100)
    grown = (resident_pages() - before) * 4096
    assert grown < 20 * x.nbytes
