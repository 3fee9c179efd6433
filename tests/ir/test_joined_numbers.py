"""Numbers and arrays that meet: what is shared between programs stays as it is."""

from __future__ import annotations

import numpy as np
import pytest

from anadrome.ir.joins import join
from anadrome.ir.types import FLOAT, INT, Num, Type


@pytest.mark.parametrize("number", [FLOAT, INT])
@pytest.mark.parametrize("array_first", [False, True])
def test_a_stored_array_leaves_the_type_of_numbers_alone(
    number: Type, array_first: bool
) -> None:
    array = Num(np.dtype(float), 1)
    joined = join(array, number) if array_first else join(number, array)
    assert isinstance(joined, Num)
    assert isinstance(number, Num)
    array.alias.store()
    assert joined.alias.find().stored
    assert not number.alias.find().stored
