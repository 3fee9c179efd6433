"""Context managers that see, end, replace and let pass exceptions.

Each function takes a number and n, which is 0, 1 or 2; most raise for 0.
"""

# ruff: noqa: B022, F841, SIM103, SIM117

from __future__ import annotations

import contextlib
import warnings
from contextlib import ExitStack, closing, nullcontext, suppress

import numpy as np

PROGRAMS = []


def program(function):
    """Enter a program."""
    PROGRAMS.append(function)
    return function


class M:
    def __init__(self, log=None, eat=None, exit_raises=False):
        self.log = log
        self.eat = eat
        self.state = 0.0

    def __enter__(self):
        self.state = self.state + 1.0
        return self

    def __exit__(self, t, v, tb):
        self.state = self.state + 10.0
        if t is None:
            return False
        self.state = self.state + 100.0
        if self.eat is None:
            return None
        return issubclass(t, self.eat)


class Swallow:
    def __enter__(self):
        return 3.0

    def __exit__(self, *args):
        return True


class SwallowValue:
    def __enter__(self):
        return self

    def __exit__(self, t, v, tb):
        return isinstance(v, ValueError)


class ByIs:
    def __enter__(self):
        return self

    def __exit__(self, t, v, tb):
        if t is ValueError:
            return True
        return False


class Reraise:
    def __enter__(self):
        return self

    def __exit__(self, t, v, tb):
        if v is not None:
            raise KeyError("other")


class Printing:
    def __enter__(self):
        print("enter")
        return self

    def __exit__(self, t, v, tb):
        print("exit", t is None)
        return False


class Text:
    def __init__(self):
        self.n = 0

    def __enter__(self):
        return self

    def __exit__(self, t, v, tb):
        if v is not None:
            self.n = len(str(v))
        return True


class NoExit:
    def __enter__(self):
        return self


class Slots:
    def __init__(self):
        self.items = []

    def __enter__(self):
        self.items.append(1.0)
        return self.items

    def __exit__(self, t, v, tb):
        self.items.append(2.0 if t is None else 3.0)
        return t is not None and issubclass(t, (ValueError, ZeroDivisionError))


class NeverEat:
    def __enter__(self):
        return self

    def __exit__(self, t, v, tb):
        return None


class Inherit(contextlib.AbstractContextManager):
    def __exit__(self, t, v, tb):
        return t is ValueError


class Deco(contextlib.ContextDecorator):
    def __enter__(self):
        return self

    def __exit__(self, t, v, tb):
        return False


class Scale:
    """changes an array for the time of a block"""

    def __init__(self, a, k):
        self.a, self.k = a, k

    def __enter__(self):
        self.a *= self.k
        return self.a

    def __exit__(self, *e):
        self.a /= self.k


class Eats:
    def __init__(self, *kinds):
        self.kinds = kinds
        self.seen = []

    def __enter__(self):
        return self

    def __exit__(self, t, v, tb):
        if t is None:
            return False
        self.seen.append(len(v.args))
        return any(issubclass(t, k) for k in self.kinds)


class Res:
    def __init__(self):
        self.open = 1.0

    def close(self):
        self.open = 0.0


class Timer:
    def __enter__(self):
        self.t = 1.0
        return self

    def __exit__(self, exc_type, exc, tb):
        self.dt = 2.0 - self.t


class Pair:
    def __enter__(self):
        return (2.0, 3.0)

    def __exit__(self, *a):
        return None


class TruthyNum:
    def __enter__(self):
        return self

    def __exit__(self, *a):
        return 1


class TruthyFloat:
    def __init__(self, x):
        self.x = x

    def __enter__(self):
        return self

    def __exit__(self, *a):
        return self.x > 0


class EnterFails:
    def __enter__(self):
        raise KeyError("enter")

    def __exit__(self, *a):
        return True


class ExitReturnsList:
    def __enter__(self):
        return self

    def __exit__(self, *a):
        return [0]


def fail(n, kind=ValueError):
    if n == 0:
        raise kind("bad")
    return 2.0


@program
def managed_1(x, n):
    m = M()
    with m:
        y = x * n
    return y * m.state


@program
def managed_2(x, n):
    m = M(eat=ValueError)
    y = x
    with m:
        y = x * fail(n)
    return y * m.state


@program
def managed_3(x, n):
    m = M(eat=KeyError)
    y = x
    with m:
        y = x * fail(n)
    return y * m.state


@program
def managed_4(x, n):
    y = x
    with Swallow() as s:
        y = x * s * fail(n)
    return y


@program
def managed_5(x, n):
    y = x
    with SwallowValue():
        y = 2 * x
        y = x * fail(n)
    return y


@program
def managed_6(x, n):
    y = x
    with ByIs():
        y = 3 * x
        if n == 0:
            raise ValueError("a")
        if n == 1:
            raise KeyError("b")
    return y


@program
def managed_7(x, n):
    with Reraise():
        y = x * fail(n)
    return y


@program
def managed_8(x, n):
    with Printing():
        y = x * fail(n)
    return y


@program
def managed_9(x, n):
    t = Text()
    with t:
        if n == 0:
            raise ValueError("hello")
        if n == 1:
            raise KeyError("k")
    return x * t.n


@program
def managed_10(x, n):
    s = Slots()
    with s as items:
        items.append(x)
        fail(n)
        items.append(x * x)
    return sum(s.items)


@program
def managed_11(x, n):
    y = x
    with suppress(ValueError):
        y = x * 3
        y = x * fail(n)
    return y


@program
def managed_12(x, n):
    y = x
    with contextlib.suppress(KeyError, ZeroDivisionError):
        y = y / n
    return y


@program
def managed_13(x, n):
    y = x
    with suppress(ValueError) as q:
        if n == 1:
            raise KeyError("z")
        y = x * fail(n)
    return y if q is None else 0.0


@program
def managed_14(x, n):
    with nullcontext(x) as v:
        y = v * 3
    with nullcontext():
        y = y * n
    return y


@program
def managed_15(x, n):
    with ExitStack() as st:
        m = st.enter_context(M(eat=ValueError))
        y = x
        y = x * fail(n)
    return y * m.state


@program
def managed_16(x, n):
    out = []
    with ExitStack() as st:
        st.callback(out.append, x)
        st.callback(out.append, x * x)
        out.append(3.0)
    return out[0] + out[1] * 2 + out[2] * 5


@program
def managed_17(x, n):
    with M() as a, M(eat=ValueError) as b:
        y = x * fail(n)
    return x * a.state + b.state


@program
def managed_18(x, n):
    s = 0.0
    m = M()
    for i in range(4):
        with m:
            if i == n:
                continue
            if i == n + 2:
                break
            s = s + x * i
    return s * m.state


@program
def managed_19(x, n):
    m = M()

    def g():
        with m:
            if n == 0:
                return x
            if n == 1:
                return x * x
        return x * 5

    return g() * m.state


@program
def managed_20(x, n):
    s = 0.0
    for i in range(4):
        with suppress(ValueError):
            if i == n:
                raise ValueError
            s = s + x * i
    return s


@program
def managed_21(x, n):
    y = x
    try:
        with M(eat=KeyError) as m:
            y = x * fail(n)
    except ValueError:
        y = x * m.state
    return y


@program
def managed_22(x, n):
    m = M()
    try:
        with m:
            y = x * fail(n)
    except ValueError:
        y = x * 7
    return y * m.state


@program
def managed_23(x, n):
    y = x
    with suppress(ValueError):
        with M() as m:
            y = x * fail(n)
    return y * m.state


@program
def managed_24(x, n):
    with NeverEat():
        y = x * fail(n)
    return y


@program
def managed_25(x, n):
    with NoExit():
        y = x
    return y


@program
def managed_26(x, n):
    y = x
    with Inherit():
        y = 2 * x
        fail(n)
        y = 3 * x
    return y


@program
def managed_27(x, n):
    m = M(eat=ValueError)
    s = 0.0
    for i in range(3):
        with m:
            s = s + x
            if i == n:
                raise ValueError("x")
            s = s + 10 * x
    return s * m.state


@program
def managed_28(x, n):
    def g():
        with Swallow():
            if n == 0:
                raise ValueError
            return x * 2
        return x * 9

    return g()


@program
def managed_29(x, n):
    with Swallow():
        y = x * fail(n)
    return y


@program
def managed_30(x, n):
    a = np.array([x, x])
    with suppress(IndexError):
        a[0] = 3 * x
        a[n + 1] = 5 * x
        a[1] = 7 * x
    return np.sum(a)


@program
def managed_31(x, n):
    d = {"a": x}
    y = x
    with suppress(KeyError):
        y = d["a" if n else "b"] * 2
    return y


@program
def managed_32(x, n):
    cm = suppress(ValueError)
    y = x
    with cm:
        y = x * fail(n)
    return y


@program
def managed_33(x, n):
    cm = M(eat=ValueError) if n else nullcontext()
    y = x
    with cm:
        y = x * 2
    return y


@program
def managed_34(x, n):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = np.sqrt(x)
    return y


@program
def managed_35(x, n):
    with ExitStack() as st:
        st.enter_context(np.errstate(all="ignore"))
        y = np.sqrt(x)
    return y


@program
def managed_36(x, n):
    with suppress(Exception):
        if n == 0:
            raise ValueError
        if n == 1:
            return x * 4
    return x * 3


@program
def managed_37(x, n):
    y = x
    with suppress(ValueError), M() as m:
        y = x * fail(n)
    return y + m.state * x


@program
def managed_38(x, n):
    with M() as m, nullcontext(x) as v:
        y = v * 2
    return y * m.state


@program
def managed_39(x, n):
    m = M()
    try:
        with m:
            raise ValueError("q")
    except ValueError as e:
        return x * m.state * len(str(e))
    return x


@program
def managed_40(x, n):
    m = M()
    with m:
        z = x / n
    return z * m.state


@program
def managed_41(x, n):
    kinds = (ValueError, KeyError)
    y = x
    with suppress(*kinds):
        y = x * fail(n)
    return y


@program
def managed_42(x, n):
    y = x
    with suppress(LookupError):
        y = [x, 2 * x][n * 2]
    return y


@program
def managed_43(x, n):
    a = np.array([x, 2 * x])
    with Scale(a, 3.0) as b:
        y = b[0] * fail(n)
    return y + a[1]


@program
def managed_44(x, n):
    a = np.array([x, 2 * x])
    y = x
    try:
        with Scale(a, 3.0) as b:
            y = b[0] * fail(n)
    except ValueError:
        y = a[0] * 7
    return y + a[1]


@program
def managed_45(x, n):
    r = Res()
    with closing(r) as q:
        y = x * q.open * fail(n)
    return y + r.open


@program
def managed_46(x, n):
    with Timer() as t:
        y = x * n
    return y * t.dt


@program
def managed_47(x, n):
    with Pair() as (a, b):
        y = x * a * b
    return y


@program
def managed_48(x, n):
    y = x
    with TruthyNum():
        y = x * fail(n)
    return y


@program
def managed_49(x, n):
    y = x
    with TruthyFloat(x - 1 if n else x + 1):
        y = x * fail(n)
    return y


@program
def managed_50(x, n):
    y = x
    with EnterFails():
        y = 2 * x
    return y


@program
def managed_51(x, n):
    try:
        with EnterFails():
            y = 2 * x
    except KeyError:
        y = x * 5
    return y


@program
def managed_52(x, n):
    y = x
    with ExitReturnsList():
        y = x * fail(n)
    return y


@program
def managed_53(x, n):
    y = x
    with suppress():
        y = x * fail(n)
    return y


@program
def managed_54(x, n):
    ys = []
    for i in range(3):
        with suppress(IndexError):
            ys.append([x, x * 2][i + n])
            continue
        ys.append(10 * x)
    return sum(ys)


@program
def managed_55(x, n):
    for i in range(5):
        with M() as m:
            with suppress(ValueError):
                if i == n:
                    raise ValueError
                if i == n + 1:
                    break
    return x * i * m.state


@program
def managed_56(x, n):
    def g(v):
        with M() as m:
            with M(eat=ValueError):
                return v * fail(n)
            return m.state * v

    return g(x) * 2


@program
def managed_57(x, n):
    with M() as m:
        try:
            y = x * fail(n)
        except ValueError:
            y = x * 3
    return y * m.state


@program
def managed_58(x, n):
    with M(eat=ValueError) as m:
        try:
            y = x
            y = x * fail(n)
        finally:
            m.state = m.state + 1000.0
    return y * m.state


@program
def managed_59(x, n):
    m = M(eat=ZeroDivisionError)
    y = x
    with m:
        for k in range(3):
            y = y * x / (n - k)
    return y * m.state


@program
def managed_60(x, n):
    try:
        with M() as m, M() as q:
            y = x * fail(n)
    except ValueError as e:
        return x * m.state * q.state
    return y


@program
def managed_61(x, n):
    # an exception raised in __exit__ replaced
    class R:
        def __enter__(self):
            return self

        def __exit__(self, t, v, tb):
            raise KeyError("r")

    y = x
    try:
        with R():
            y = x * fail(n)
    except KeyError:
        y = y * 3
    return y


@program
def managed_62(x, n):
    with suppress(KeyError):
        with suppress(ValueError):
            y = x
            if n == 0:
                raise KeyError
            if n == 1:
                raise ValueError
            y = x * x
        y = y * 2
    return y


@program
def managed_63(x, n):
    with M(eat=ValueError):
        return x * fail(n)
    return x * 9


@program
def managed_64(x, n):
    d = {}
    with suppress(KeyError):
        d["a"] = x
        d["b"] = d["c"] if n else x * 2
        d["e"] = 1.0
    return sum(d.values())


@program
def managed_65(x, n):
    xs = [x]
    with suppress(ValueError):
        xs.append(x * 2)
        fail(n)
        xs.append(x * 3)
    return sum(xs)


@program
def managed_66(x, n):
    with ExitStack() as st:
        a = st.enter_context(M())
        b = st.enter_context(M(eat=ValueError))
        st.callback(a.__exit__, None, None, None)
        y = x
        y = x * fail(n)
    return y * a.state + b.state


@program
def managed_67(x, n):
    tot = [0.0]

    def add(v, k=1.0):
        tot[0] = tot[0] * 2 + v * k

    y = x
    with suppress(ValueError):
        with ExitStack() as st:
            st.callback(add, y)
            y = y * 2
            st.callback(add, y, k=3.0)
            y = x * fail(n)
    return y + tot[0]


@program
def managed_68(x, n):
    with ExitStack() as st:
        if n:
            st.enter_context(M())
        y = x
    return y


@program
def managed_69(x, n):
    with M() as o:
        o.extra = x
        fail(n)
    return o.extra * o.state


@program
def managed_70(x, n):
    m = M(eat=ValueError)
    ms = [m]
    y = x
    with ms[0]:
        y = x * fail(n)
    return y * m.state


@program
def managed_71(x, n):
    def helper(v):
        with M(eat=ValueError) as m:
            v = v * fail(n)
        return v * m.state

    return helper(x) + helper(x * 2)


@program
def managed_72(x, n):
    with suppress(ValueError):
        assert n, "no"
        return x
    return 2 * x


@program
def managed_73(x, n):
    with suppress(AssertionError):
        assert n, "no"
        return x
    return 2 * x


@program
def managed_74(x, n):
    y = x
    with suppress(NameError):
        if n:
            z = x * 4
        y = z
    return y


@program
def managed_75(x, n):
    def rec(k):
        with M(eat=ValueError) as m:
            if k == 0:
                fail(n)
            if k == 0:
                return x
            return rec(k - 1) * 2
        return 5 * x

    return rec(2)


@program
def managed_76(x, n):
    a = np.zeros(3)
    with suppress(IndexError):
        for i in range(5):
            a[i] = x * i
            if i == n + 1:
                raise ValueError
    return a.sum()
