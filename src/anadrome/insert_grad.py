"""What users write into their programs for the compiler to see."""

from __future__ import annotations

from anadrome.errors import UnsupportedSyntax


class InsertGradOf:
    """`with ad.insert_grad_of(x) as dx:` runs its block on the gradient of `x`.

    The block becomes part of the backward pass, at the place where the gradient of
    `x` is complete: it can print it, clip it, or give `dx` another value. In a plain
    call there is no gradient, and Python cannot skip the block: entering it is an
    error.
    """

    def __init__(self, value: object) -> None:
        self.value = value

    def __enter__(self) -> None:
        raise UnsupportedSyntax(
            "insert_grad_of works only inside a function that is being differentiated",
            help="call ad.grad or ad.value_and_grad of the function",
        )

    def __exit__(self, *exc: object) -> None:
        return None
