"""Exceptions that are caught, and what handlers and loops see of the variables.

Each function takes a vector of four numbers and returns one.
"""

from __future__ import annotations

import numpy as np

PROGRAMS = []


def program(function):
    """Enter a program to be read and differentiated."""
    PROGRAMS.append(function)
    return function


@program
def index_error_ends_a_while_loop(x):
    r = 0.0
    i = 0
    try:
        while x[i] > -100:
            r += x[i] ** 2
            i += 1
    except IndexError:
        r = r * x[0] + i
    return r


@program
def errors_in_the_headers_of_loops_and_branches(x):
    s = 1.0
    try:
        for v in [x[0], x[1], x[9]]:
            s *= v
    except IndexError:
        s = s + x[2]
    try:
        if x[10] > 0:
            s = 0
    except IndexError as e:
        s = s * x[1] + len(str(e)) * 0
    return s


@program
def every_exit_from_a_try_in_a_loop(x):
    out = []
    for k in range(6):
        try:
            if k == 2:
                continue
            v = x[k]
            if k == 1:
                raise ValueError("no")
            out.append(v * v)
        except IndexError:
            break
        except ValueError:
            out.append(-v)
        else:
            out.append(v)
        finally:
            out.append(1.0)
    return sum(out) + len(out)


@program
def errors_that_are_found_by_reading(x):
    try:
        k = int("abc")
    except ValueError:
        k = 2
    n = None
    try:
        y = n + x[0]
    except TypeError:
        y = x[1]
    return y * x[k]


@program
def retry_until_it_works(x):
    i = 0
    while True:
        try:
            y = np.linalg.cholesky(np.eye(2) * (x[0] ** 2 - 3.0 + i))
            break
        except np.linalg.LinAlgError:
            i += 1
    return y[0, 0] * y[1, 1]
