"""Objects that hold objects of their own class need a program for all of them."""

import itertools

import numpy as np
import pytest

import anadrome as ad


class Link:
    def __init__(self, w, after=None, extra=None):
        self.w, self.after, self.extra = w, after, extra


def total(x, link):
    found, k = 0.0, 1.0
    while link is not None:
        found = found + k * x * np.sum(link.w)
        if link.extra is not None:
            found = found + x * link.extra
        link, k = link.after, k * 2.0
    return found


CHAINS = [
    Link(1.0),
    Link(1.0, Link(2.0)),
    Link(1.0, Link(2.0, None, 5.0)),
    Link(1.0, Link(2.0, Link(3.0, None, 7.0))),
    Link(1.0, Link(np.float32(2.0))),
]
PAIRS = list(itertools.permutations(range(len(CHAINS)), 2))


@pytest.mark.parametrize("transform", [ad.value_and_grad, ad.jit])
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_what_one_link_holds_is_part_of_the_key(transform, first, second):
    run = transform(total)
    for k in (first, second):
        found = run(1.5, CHAINS[k])
        value = found[0] if transform is ad.value_and_grad else found
        np.testing.assert_allclose(value, total(1.5, CHAINS[k]))
