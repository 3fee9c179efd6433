"""Python's object model, in every mode: right, or refused as listed here."""

import warnings

import attribute_programs
import changing_programs
import class_programs
import combined_programs
import equality_programs
import identity_programs
import pytest
import special_method_programs
import travelling_programs
from differential import MODES, differences
from refused_objects import FOR_OTHERS, REFUSED

MODULES = (
    attribute_programs,
    changing_programs,
    class_programs,
    combined_programs,
    equality_programs,
    identity_programs,
    special_method_programs,
    travelling_programs,
)
PROGRAMS = {f.__name__: (f, makers) for m in MODULES for f, makers in m.case.programs}


def test_there_are_enough_programs():
    assert len(PROGRAMS) == sum(len(m.case.programs) for m in MODULES) > 250


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_objects_are_those_of_python(name, mode):
    if (name, mode) in FOR_OTHERS:
        pytest.xfail(FOR_OTHERS[name, mode])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        difference, refusal = differences(*PROGRAMS[name], mode)
    assert difference is None
    if refusal is not None:
        assert mode in REFUSED.get(name, ()), refusal
