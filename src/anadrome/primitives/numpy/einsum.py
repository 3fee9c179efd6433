"""Einstein summation.

The cotangent of one operand is again an `einsum`, of the output's cotangent with the
other operands. A letter that only that operand has was summed on its own: it comes
back by multiplying with ones. A letter that it has twice took a diagonal: it comes
back by multiplying with an identity matrix.
"""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

import numpy as np

from anadrome.errors import NotDifferentiable
from anadrome.primitives.helpers import sum_to_shape
from anadrome.primitives.registry import call, nondifferentiable, primitive
from anadrome.primitives.sampling import complex_normal


@primitive(
    np.einsum,
    fresh=False,
    samples=lambda rng: [
        ("ij,jk->ik", rng.normal(size=(2, 3)), rng.normal(size=(3, 4))),
        ("ij,jk", rng.normal(size=(2, 3)), rng.normal(size=(3, 4))),
        ("ij->ji", rng.normal(size=(2, 3))),
        ("ij->", rng.normal(size=(2, 3))),
        ("ii->i", rng.normal(size=(3, 3))),
        ("ii", rng.normal(size=(3, 3))),
        ("iij,j->i", rng.normal(size=(3, 3, 2)), rng.normal(size=2)),
        ("i,i,i->", rng.normal(size=3), rng.normal(size=3), rng.normal(size=3)),
        ("i,j->ij", rng.normal(size=2), rng.normal(size=3)),
        ("ij,k->k", rng.normal(size=(2, 3)), rng.normal(size=4)),
        ("...ij,...jk->...ik", rng.normal(size=(5, 2, 3)), rng.normal(size=(3, 4))),
        ("...i->...", rng.normal(size=(2, 3))),
        ("b...,b->...", rng.normal(size=(2, 3, 4)), rng.normal(size=2)),
        ("ij,ij->ij", rng.normal(size=(2, 1)), rng.normal(size=(2, 3))),
        (" i j , j -> i ", rng.normal(size=(2, 3)), rng.normal(size=3)),
        call(
            "bih,bjh->bij",
            rng.normal(size=(2, 3, 4)),
            rng.normal(size=(2, 5, 4)),
            optimize=True,
        ),
        (",i->i", 1.5, rng.normal(size=3)),
        ("ij,jk->ik", complex_normal(rng, 2, 3), complex_normal(rng, 3, 4)),
    ],
)
def einsum(subscripts, *operands, optimize=False):
    """Sum of products over the letters that the output leaves out."""


@nondifferentiable
def explicit(subscripts: str, ranks: Sequence[int]) -> tuple[Any, str]:
    """The letters of each operand and of the output, without ellipses."""
    if not isinstance(subscripts, str):
        raise NotDifferentiable(
            "np.einsum has a derivative when its subscripts are a string: "
            "write np.einsum('ij,jk', a, b)"
        )
    given, arrow, output = subscripts.replace(" ", "").partition("->")
    terms = given.split(",")
    ranks = ranks or [len(t) for t in terms]
    unused = [c for c in string.ascii_letters if c not in subscripts]
    hidden = [n - len(t.replace("...", "")) for t, n in zip(terms, ranks)]
    widest = max((h for t, h in zip(terms, hidden) if "..." in t), default=0)
    dots = "".join(unused[:widest])
    terms = [t.replace("...", dots[widest - h :]) for t, h in zip(terms, hidden)]
    if arrow:
        return tuple(terms), output.replace("...", dots)
    letters = "".join(terms)
    once = sorted(c for c in set(letters) - set(dots) if letters.count(c) == 1)
    return tuple(terms), dots + "".join(once)


@nondifferentiable
def has_dots(subscripts: Any) -> bool:
    """Whether the ranks of the operands say what the subscripts do not."""
    return isinstance(subscripts, str) and "..." in subscripts


@nondifferentiable
def adjoint_subscripts(terms: Sequence[str], output: str, k: int) -> tuple[Any, ...]:
    """How to compute the cotangent of operand k.

    The subscripts, the axes that need ones, and the axes that need an identity: lists,
    of which nobody knows the lengths where the ranks are not known.
    """
    others = [t for i, t in enumerate(terms) if i != k]
    known = set(output).union(*others) if others else set(output)
    unused = [c for c in string.ascii_letters if c not in "".join([*terms, output])]
    wanted, extra, lonely, doubled = "", [], [], []
    for axis, letter in enumerate(terms[k]):
        if letter in wanted:
            fresh = unused.pop()
            extra.append(letter + fresh)
            doubled.append(axis)
            wanted += fresh
            continue
        if letter not in known:
            extra.append(letter)
            lonely.append(axis)
        wanted += letter
    ones = [e for e in extra if len(e) == 1]
    identities = [e for e in extra if len(e) == 2]
    subscripts = ",".join([output, *others, *ones, *identities]) + "->" + wanted
    return subscripts, lonely, doubled


def einsum_cotangent(
    dz: Any, terms: Any, output: str, operands: Any, k: int, optimize: Any
) -> Any:
    """The cotangent of operand k."""
    subscripts, lonely, doubled = adjoint_subscripts(terms, output, k)
    others = operands[:k] + operands[k + 1 :]
    shape = np.shape(operands[k])
    dtype = np.result_type(dz)
    ones = tuple([np.ones(shape[axis], dtype=dtype) for axis in lonely])
    identities = tuple([np.eye(shape[axis], dtype=dtype) for axis in doubled])
    product = np.einsum(subscripts, dz, *others, *ones, *identities, optimize=optimize)
    return sum_to_shape(product, shape)


@einsum.vjp
def einsum_vjp(z, subscripts, operands, optimize, *, dz):
    ranks = tuple([np.ndim(x) for x in operands]) if has_dots(subscripts) else ()
    terms, output = explicit(subscripts, ranks)
    return tuple(
        [
            einsum_cotangent(dz, terms, output, operands, k, optimize)
            for k, _ in enumerate(operands)
        ]
    )


def with_tangent(operands: Any, k: int, tangent: Any) -> Any:
    """The operands with a tangent in place of operand k."""
    return (*operands[:k], tangent, *operands[k + 1 :])


@einsum.jvp
def einsum_jvp(z, subscripts, operands, optimize, *, doperands):
    return sum(
        [
            np.einsum(subscripts, *with_tangent(operands, k, dx), optimize=optimize)
            for k, dx in enumerate(doperands)
        ]
    )
