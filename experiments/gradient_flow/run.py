"""How far an error travels back in 128 steps: a recurrent network beside LSTMs.

    python experiments/gradient_flow/run.py [PICTURE]

The error is that of the last step alone, the weights are normal with a deviation of 0.1
and untrained. Prints the share of the gradient that is left so many steps back, and
draws it.
"""

from __future__ import annotations

import sys
from pathlib import Path

from anadrome.evaluate import GradientFlow, compare_gradient_flow
from anadrome.evaluate.tables import format_table
from anadrome.viz import draw_gradient_flow

STEPS = 128
BACK = (1, 8, 16, 32, 64, 127)


def row(flow: GradientFlow) -> list[str]:
    """The name of a network, and what is left so many steps back."""
    share = flow.norms / flow.norms[-1]
    return [flow.name, *(f"{share[-1 - back]:.1e}" for back in BACK)]


def main() -> None:
    default = Path(__file__).with_name("gradient_flow.png")
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    flows = compare_gradient_flow(STEPS)
    print(format_table(["steps back", *map(str, BACK)], [row(flow) for flow in flows]))
    print(draw_gradient_flow(path, flows))


if __name__ == "__main__":
    main()
