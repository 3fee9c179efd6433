"""Systems of linear inequalities between integers, and whether they contradict.

A linear form is a sum of multiples of variables and a constant; a system is a list of
forms that are not negative.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

# With more inequalities than this nothing is shown.
_MOST = 300


@dataclass(frozen=True)
class LinearForm:
    """`constant` and multiples of variables, none of them by zero."""

    constant: int = 0
    terms: dict[Hashable, int] = field(default_factory=dict)

    def plus(self, other: LinearForm, times: int = 1) -> LinearForm:
        """The sum with a multiple of another form."""
        terms = dict(self.terms)
        for v, c in other.terms.items():
            terms[v] = terms.get(v, 0) + times * c
        kept = {v: c for v, c in terms.items() if c}
        return LinearForm(self.constant + times * other.constant, kept)

    def minus(self, other: LinearForm) -> LinearForm:
        """The difference to another form."""
        return self.plus(other, -1)

    def shifted(self, by: int) -> LinearForm:
        """The form and a number."""
        return LinearForm(self.constant + by, self.terms)

    def times(self, by: int) -> LinearForm:
        """A multiple of the form."""
        return LinearForm().plus(self, by)


def variable(name: Hashable) -> LinearForm:
    """The form that is one variable."""
    return LinearForm(0, {name: 1})


def contradict(forms: Iterable[LinearForm]) -> bool:
    """Whether no numbers make all forms at least zero.

    Variables are eliminated one by one: each form with a positive multiple of one is
    added to each with a negative multiple, so that it vanishes.
    """
    system = {_key(f): f for f in forms}
    while True:
        if any(not f.terms and f.constant < 0 for f in system.values()):
            return True
        names = {v for f in system.values() for v in f.terms}
        if not names:
            return False
        pairs = {v: _pairs(system, v) for v in names}
        name = min(names, key=lambda v: len(pairs[v][0]) * len(pairs[v][1]))
        above, below = pairs[name]
        rest = {k: f for k, f in system.items() if name not in f.terms}
        for a in above:
            for b in below:
                made = a.times(-b.terms[name]).plus(b, a.terms[name])
                rest[_key(made)] = made
        if len(rest) > _MOST:
            return False
        system = rest


def _key(form: LinearForm) -> tuple[int, frozenset[tuple[Hashable, int]]]:
    return form.constant, frozenset(form.terms.items())


def _pairs(
    system: dict[tuple[int, frozenset[tuple[Hashable, int]]], LinearForm],
    name: Hashable,
) -> tuple[list[LinearForm], list[LinearForm]]:
    """The forms with a positive, and those with a negative multiple of a variable."""
    above = [f for f in system.values() if f.terms.get(name, 0) > 0]
    below = [f for f in system.values() if f.terms.get(name, 0) < 0]
    return above, below
