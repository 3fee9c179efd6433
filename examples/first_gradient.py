"""The gradient of a function with a loop that stops when it is done.

Newton's iteration for a square root: the derivative of what it returns is 1 / (2√a),
and the compiler finds that by reading the loop backwards.
"""

import numpy as np

import anadrome as ad


def square_root(a):
    x = (1.0 + a) / 2
    while abs(x * x - a) > 1e-12:
        x = (x + a / x) / 2
    return x


derivative = ad.grad(square_root)

if __name__ == "__main__":
    for a in (0.25, 2.0, 9.0):
        print(f"a = {a:<5} √a = {square_root(a):.6f}", end="   ")
        print(f"derivative {derivative(a):.6f}   1/(2√a) = {0.5 / np.sqrt(a):.6f}")
    print()
    print(ad.source(derivative, 2.0))
