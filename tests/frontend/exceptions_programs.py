"""Exceptions that are caught, and what handlers and loops see of the variables.

Each function takes a vector of four numbers and returns one.
"""

# ruff: noqa: B012

from __future__ import annotations

import math

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


@program
def stores_before_and_after_an_error(x):
    y = x.copy()
    try:
        y[0] = math.log(x[0] + 1.0)
        y[1] = math.log(x[1])
        y[2] *= 2.0
    except ValueError:
        y[1] = x[2] * y[0]
    finally:
        y[3] = y[0] * y[1]
    return np.sum(y * y)


def put(y, a, b):
    y[0] = a
    y[1] = math.sqrt(b) * y[0]
    y[2] += y[1]


@program
def helper_that_stores_until_it_fails(x):
    y = x.copy()
    try:
        put(y, x[0] ** 2, x[1])
    except ValueError:
        y[2] *= x[3]
    return np.sum(y * y)


@program
def list_that_grows_until_it_fails(x):
    xs = []
    try:
        xs.append(x[0])
        xs.append(math.sqrt(x[1]))
        xs.append(x[2] ** 2)
    except ValueError:
        xs.append(x[0] * x[1])
    return sum(v * v for v in xs)


class Account:
    def __init__(self):
        self.total = 0.0
        self.entries = []

    def add(self, v):
        self.entries.append(v)
        self.total = self.total + math.log(v)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.total = self.total * 2
        return False


@program
def object_whose_method_fails_half_way(x):
    account = Account()
    for v in x:
        try:
            account.add(v)
        except ValueError:
            account.total = account.total * v
    with account as same:
        same.add(x[0] + 2.0)
    return account.total * sum(account.entries)


@program
def result_that_is_only_wanted_for_its_error(x):
    try:
        math.sqrt(x[1])
        y = x[0] * x[0]
    except ValueError:
        y = 2 * x[0]
    return y


@program
def finally_that_returns_sometimes(x):
    try:
        y = np.sum(x * x)
    finally:
        if x[0] > 0:
            return x[1] * x[2]
    return y


@program
def finally_that_ends_an_error_sometimes(x):
    try:
        y = [x[0], x[1]][int(x[3])]
    finally:
        if x[3] > 2.0:
            return x[1] * 2.0
    return y * y


@program
def finally_that_always_returns(x):
    y = x * 1.0
    try:
        y[0] *= 3.0
        y[1] = y[int(x[3]) + 2]
    finally:
        return np.sum(y * y)


@program
def finally_that_leaves_a_loop_in_several_ways(x):
    t = 0.5
    for i in range(5):
        try:
            t = t + x[i] ** 2
            if x[i] > 1.0:
                return t
            if x[i] < -0.5:
                continue
            t = t * x[i + 1]
        except IndexError:
            t = t * 3.0
        finally:
            if t > 1.4:
                break
            if t < -1.0:
                return t * x[0]
            t = t * x[0]
    return t * 2.0


@program
def finally_that_leaves_only_its_own_loop(x):
    try:
        return x[0] * x[1]
    finally:
        for v in x:
            try:
                if v > 0.5:
                    return v
            finally:
                break


@program
def truth_of_arrays_that_is_tried(x):
    total = 0.0
    try:
        if x > 0.0:
            total += 1.0
    except ValueError:
        total += x[0]
    try:
        total += x[2] if x else 1.0
    except ValueError:
        total += x[1] * x[0]
    try:
        for k in range(0, 4, int(x[0] > 100.0)):
            total += x[k]
    except ValueError:
        total += x[3]
    return total


@program
def wrong_kinds_that_are_tried(x):
    total = 0.0
    try:
        total += len(5)
    except TypeError:
        total += x[0]
    try:
        isinstance(x, 5)
    except TypeError:
        total += x[1]
    try:
        total += sum(v for v in 5)
    except TypeError:
        total += x[2]
    try:
        range(1, 2, 0)
    except ValueError:
        total += x[3]
    return total * total


@program
def walrus_in_a_statement_that_raises(x):
    y = 0.0
    try:
        z = (y := x[0]) + x[7]
    except IndexError:
        z = y
    return z
