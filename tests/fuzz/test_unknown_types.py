"""Derivatives do not depend on whether types are known, for a slice of all rules."""

from __future__ import annotations

import pytest
import unknown_types


@pytest.mark.parametrize("start", range(4))
@pytest.mark.filterwarnings("ignore")
def test_rules_hold_on_values_of_unknown_type(start, tmp_path):
    for case in unknown_types.cases(tmp_path, slice(start * 9, None, 40)):
        assert unknown_types.differences(case) == []
