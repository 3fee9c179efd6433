"""Printing, assertions and exceptions."""

import numpy as np
from corpus.registry import program

TRICKY = ["tricky"]


def vector(rng):
    return (rng.normal(size=4),)


def point(rng):
    return rng.normal(), rng.normal()


@program(vector)
def print_and_f_string(x):
    y = (x**2).sum()
    print("the sum of squares is", y)
    label = f"{y:.3f} of {len(x)} values, first {x[0]!r}"
    print(label, end="\n", sep=" ")
    return y * len(label.split())


@program(vector)
def print_in_loop(x):
    s = 0.0
    for i, v in enumerate(x):
        s = s + v * v
        if i % 2 == 0:
            print(f"step {i}: s = {s:8.4f}")
    return s


@program(vector)
def strings_as_keys_and_names(x):
    values = {}
    for i in range(4):
        values[f"x{i}"] = x[i] ** (i + 1)
    names = "x0,x2,x3".split(",")
    return sum([values[n] for n in names]) * len("-".join(names))


@program(vector)
def assertions(x):
    assert x.shape == (4,), f"unexpected shape {x.shape}"
    y = np.exp(x)
    assert np.all(y > 0)
    return np.log(y.sum())


@program(vector)
def assertion_in_loop(x):
    p = 1.0
    for v in x:
        assert v < 100, "too large"
        p = p * (1 + v * v)
    return p


@program(point)
def raise_in_untaken_branch(x, y):
    if x > 1e6:
        raise ValueError(f"x is too large: {x}")
    if y is None:
        raise TypeError
    return x * y


@program(vector)
def raise_in_else_of_chain(x):
    kind = "mean" if len(x) > 2 else "none"
    if kind == "sum":
        return x.sum()
    elif kind == "mean":
        return (x**3).mean()
    else:
        raise NotImplementedError(kind)


@program(vector)
def raise_at_end_of_search(x):
    for v in x:
        if v > -10:
            return v * x[1]
    raise RuntimeError("nothing found")


@program(point)
def try_untaken(x, y):
    try:
        z = x * y
    except ZeroDivisionError:
        z = 0.0
    return z * z


@program(point)
def try_taken(x, y):
    z = x
    try:
        z = z * y
        raise ValueError("always")
    except ValueError:
        z = z + x
    return z * y


@program(point)
def try_else_finally(x, y):
    log = []
    try:
        z = np.sin(x) * y
    except ArithmeticError:
        z = x
    else:
        z = z * 2
    finally:
        log.append(x)
    return z + log[0] ** 2


@program(point)
def finally_runs_after_exception(x, y):
    steps = []
    try:
        steps.append(x)
        {}["missing"]
        steps.append(y)
    except KeyError:
        steps.append(x * y)
    finally:
        steps.append(2.0 * y)
    return steps[0] * steps[1] + steps[2] * len(steps)


def checked_sqrt(v):
    if v < 0:
        raise ValueError("negative")
    return np.sqrt(v)


@program(vector)
def exception_from_callee(x):
    total = 0.0
    for v in x:
        try:
            total += checked_sqrt(v)
        except ValueError:
            total += v * v
    return total


@program(vector)
def exception_from_nested_callee(x):
    def average(values):
        if len(values) == 0:
            raise ZeroDivisionError("empty")
        return sum(values) / len(values)

    def safe(values):
        try:
            return average(values)
        except ZeroDivisionError as error:
            return float(len(str(error)))

    return safe([v * v for v in x]) * safe([]) + safe([x[0]])


@program(vector)
def several_handlers(x):
    total, items = 0.0, list(x)
    for k in [0, 9, "one", 2]:
        try:
            total += items[k] ** 2
        except IndexError:
            total += x[1]
        except (TypeError, KeyError):
            total *= x[3]
    return total


@program(vector)
def try_in_loop_with_break_and_continue(x):
    s = 0.0
    for i in range(8):
        try:
            v = x[i]
        except IndexError:
            break
        if v < 0:
            continue
        s += v**2
    return s + i * x[0]


@program(point)
def return_inside_try(x, y):
    def f(t):
        try:
            if t > 0:
                return t * y
            raise ValueError
        except ValueError:
            return np.sin(t)

    return f(x) + f(-x) + f(y)


@program(point)
def nested_try(x, y):
    z = x
    try:
        try:
            z = z * y
            raise KeyError("inner")
        except ValueError:
            z = 100.0
    except KeyError:
        z = z + y
    return z**2


@program(point)
def reraise_and_catch_outside(x, y):
    def inner(v):
        try:
            return checked_sqrt(-1.0 - v * v)
        except ValueError:
            raise RuntimeError("wrapped")

    try:
        r = inner(x)
    except RuntimeError:
        r = x * y * y
    return r


class Solver:
    class Diverged(Exception):
        pass

    def __init__(self, rate):
        self.rate = rate

    def step(self, v):
        v = v - self.rate * np.sin(v)
        if abs(v) > 50:
            raise Solver.Diverged
        return v

    def solve(self, v):
        try:
            for _ in range(3):
                v = self.step(v)
        except Solver.Diverged:
            v = 0.0
        return v


@program(point)
def try_inside_method(x, y):
    return Solver(0.3).solve(x) * Solver(0.1 * y).solve(y)


@program(lambda rng: (rng.uniform(0.5, 1.5, size=4),))
def custom_exception_carries_value(x):
    class Found(Exception):
        pass

    try:
        s = 0.0
        for i, v in enumerate(x):
            s += v * v
            if s > 1.2:
                raise Found(i)
    except Found as found:
        return s * x[found.args[0]]
    return s


@program(vector, tags=TRICKY)
def value_assigned_before_exception_is_kept(x):
    y = x[0]
    try:
        y = y * x[1]
        z = [1.0][3]
        y = y * 1000.0 * z
    except IndexError:
        pass
    return y * x[2]


@program(vector, tags=["tricky", "writes"])
def store_before_exception_is_kept(x):
    a = x * 1.0
    try:
        a[0] = x[1] ** 2
        a[17] = 5.0
        a[2] = 7.0
    except IndexError:
        a[3] *= x[0]
    return (a**2).sum()


@program(point, tags=TRICKY)
def finally_overrides_variable(x, y):
    z = x
    try:
        z = z * y
    finally:
        z = z + x * x
    return z


@program(vector, tags=TRICKY)
def exception_steers_loop_else(x):
    s = 0.0
    for v in x:
        try:
            s += checked_sqrt(v + 100.0)
        except ValueError:
            break
    else:
        s = s * x[0]
    return s
