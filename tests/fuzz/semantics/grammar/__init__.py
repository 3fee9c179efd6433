"""The statements that random programs are made of, by category."""

from fuzz.semantics.grammar import (  # noqa: F401
    arrays,
    containers,
    control,
    flow,
    functions,
    iterators,
    library,
    numbers,
    objects,
    options,
    transitions,
)
