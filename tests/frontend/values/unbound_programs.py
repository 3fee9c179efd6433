"""Names and attributes that only some paths bind.

Each function takes a number and n, which is 0, 1 or 2 and decides the path.
"""

# ruff: noqa: B007, B018, B023, E731, F821, F841, SIM105

from __future__ import annotations

import numpy as np

PROGRAMS = []


def program(function):
    """Enter a program."""
    PROGRAMS.append(function)
    return function


class O:  # noqa: E742
    """Something with attributes."""


class C:
    """Something with an attribute that is set on one path."""

    def __init__(self, x, n):
        if n:
            self.y = x
        self.z = x


@program
def unbound_1(x, n):
    if n:
        y = x
    return 2 * y


@program
def unbound_2(x, n):
    for i in range(n):
        y = x * i
    return y * 2


@program
def unbound_3(x, n):
    for i in range(n):
        pass
    return x * i


@program
def unbound_4(x, n):
    try:
        z = [1.0, 2.0][3 - n]
        y = x * z
    except IndexError:
        pass
    return y


@program
def unbound_5(x, n):
    def g():
        return 3 * y

    if n:
        y = x
    return g()


@program
def unbound_6(x, n):
    c = C(x, n)
    return c.y * 2


@program
def unbound_7(x, n):
    c = O()
    if n:
        c.a = x
    return c.a * c.a


@program
def unbound_8(x, n):
    y = x * x
    if not n:
        del y
    return y + 1


@program
def unbound_9(x, n):
    y = x * x
    del y
    return y + 1


@program
def unbound_10(x, n):
    while n > 0:
        y = x * n
        n -= 1
    return y


@program
def unbound_11(x, n):
    for i in range(3):
        if i >= 3 - n:
            y = x * i
    return y


@program
def unbound_12(x, n):
    s = 0.0
    for i in range(3):
        if i > 2 - n:
            s = s + y
        y = x * i
    return s


@program
def unbound_13(x, n):
    s = 0.0
    for i in range(n + 1):
        if n == 0 or i > 0:
            s = s + y
        y = x * i
    return s


@program
def unbound_14(x, n):
    return x * 2 if n else y * 2
    y = 1


@program
def unbound_15(x, n):
    c = O()
    for i in range(n):
        c.a = x * i
    return c.a


@program
def unbound_16(x, n):
    if n:
        y = np.array([x, 2 * x])
    y[0] = 3.0
    return np.sum(y)


@program
def unbound_17(x, n):
    if n:
        y = (x, 2 * x)
    a, b = y
    return a * b


@program
def unbound_18(x, n):
    if n:

        def g(v):
            return v * x

    return g(x)


@program
def unbound_19(x, n):
    if n:
        y = x
    y += 1
    return y


@program
def unbound_20(x, n):
    if n:
        y = x
    try:
        return y * 2
    except NameError:
        return x * 5


@program
def unbound_21(x, n):
    if n:
        y = x
    try:
        z = y * 2
    except UnboundLocalError as e:
        z = x * 7
    return z


@program
def unbound_22(x, n):
    if n:
        y = x
    del y
    return x


@program
def unbound_23(x, n):
    if n:
        y = x
    return x if n == 5 else (y if n < 3 else x)


@program
def unbound_24(x, n):
    def g():
        nonlocal y
        y = x * 2

    if n:
        g()
    return y
    y = 1


@program
def unbound_25(x, n):
    for i in range(2):
        if i < n:
            y = x
        else:
            if n > 0:
                del y
    return y


@program
def unbound_26(x, n):
    c = O()
    if n:
        c.a = x
    l = [c]
    return l[0].a * 2


@program
def unbound_27(x, n):
    def g(o):
        return o.a * 2

    c = O()
    if n:
        c.a = x
    l = []
    for i in range(2):
        l.append(c)
    return g(l[1])


@program
def unbound_28(x, n):
    match n:
        case 1:
            y = x
        case 2:
            y = 2 * x
    return y


@program
def unbound_29(x, n):
    with np.errstate(all="ignore"):
        if n:
            y = x
    return y


@program
def unbound_30(x, n):
    if n:
        y = x
    return np.zeros(3)[1] + y * 0


@program
def unbound_31(x, n):
    if n:
        y = "abc"
    return x * len(y)


@program
def unbound_32(x, n):
    if n:
        y = None
    return x if y is None else 2 * x


@program
def unbound_33(x, n):
    if n:
        y = [x]
    y.append(2.0)
    return y[0]


@program
def unbound_34(x, n):
    for i, v in enumerate([x] * n):
        pass
    return v * 2 + i


@program
def unbound_35(x, n):
    for k in range(2):
        for i in range(n):
            y = x * i
    return y + i


@program
def unbound_36(x, n):
    try:
        if n == 0:
            raise ValueError
        y = x
    except ValueError as e:
        pass
    return y


@program
def unbound_37(x, n):
    try:
        if n == 0:
            raise ValueError
    except ValueError as e:
        pass
    return x * len(str(e))


@program
def unbound_38(x, n):
    if n:
        y = x
    z = y
    return x


@program
def unbound_39(x, n):
    if n:
        y = x
    y
    return x


@program
def unbound_40(x, n):
    def g(m):
        if m:
            q = x
        return q * m

    return g(n)


@program
def unbound_41(x, n):
    if n and (y := x) > -100:
        pass
    return y


@program
def unbound_42(x, n):
    fs = []
    for i in range(2):
        if n:
            y = x * i
        fs.append(lambda: y)
    return fs[0]() + fs[1]()


@program
def unbound_43(x, n):
    def rec(k):
        if k == 0:
            r = x
        elif n:
            r = rec(k - 1) * 2
        return r

    return rec(3)


@program
def unbound_44(x, n):
    a = np.array([x, x])
    for i in range(n):
        b = a * i
    return np.sum(b)


@program
def unbound_45(x, n):
    if n == 0:
        return undefined_thing * x
    return x


@program
def unbound_46(x, n):
    c = O()
    c.a = x
    if not n:
        del c.a
    return c.a


@program
def unbound_47(x, n):
    if n:
        y = x
    if n:
        return y
    return x


@program
def unbound_48(x, n):
    g = None
    if n:
        k = 2.0
    if n > -1:
        g = lambda: x * k
    else:
        g = lambda: x
    return g()


@program
def unbound_49(x, n):
    for i in range(n):
        pass
    else:
        y = x
    return y + i


@program
def unbound_50(x, n):
    # finally reads a name after return
    r = []
    try:
        if n == 1:
            return x
        y = x * 2
    finally:
        r.append(y)
    return r[0]


@program
def unbound_51(x, n):
    try:
        if n == 1:
            return x
        y = x * 2
    finally:
        print(y)
    return y


@program
def unbound_52(x, n):
    def outer():
        if n == 0:
            return lambda: y * 2
        y = x
        return lambda: y * 3

    return outer()()


@program
def unbound_53(x, n):
    for i in range(3):
        if i == n:
            break
        y = x * i
    return y


@program
def unbound_54(x, n):
    for i in range(3):
        if i < n:
            continue
        y = x * i
        if i == 1:
            del y
    return y


@program
def unbound_55(x, n):
    i = 0
    while True:
        i += 1
        if i > n:
            break
        y = x * i
    return y


@program
def unbound_56(x, n):
    total = 0.0
    for i in range(3):
        if i >= n:
            v = x * i
        if i == 2:
            total += v
    return total


@program
def unbound_57(x, n):
    a = np.ones(3) * x
    for v in a[:n]:
        w = v * 2
    return w + v


@program
def unbound_58(x, n):
    while n:
        n -= 1
        q = x
    else:
        r = x
    return q + r


@program
def unbound_59(x, n):
    def g():
        return h(x)

    if n:

        def h(z):
            return z * z

    return g()


@program
def unbound_60(x, n):
    def g(k):
        if k == 0:
            return x
        return g(k - 1) * m

    if n:
        m = x
    return g(2)


@program
def unbound_61(x, n):
    x2 = x
    del x
    return x2 * 2 if n else x


@program
def unbound_62(x, n):
    y = [x, 2 * x]
    for i in range(2):
        z = y[i]
        if n == i:
            del y
    return z


@program
def unbound_63(x, n):
    try:
        y = x / n
    except ZeroDivisionError:
        del x
    return x * y


@program
def unbound_64(x, n):
    try:
        y = x / n
        z = y
    finally:
        w = x
    return z * w


@program
def unbound_65(x, n):
    s = 0.0
    for i in range(n):
        for j in range(i):
            t = x * j
        s += t
    return s


@program
def unbound_66(x, n):
    class A:
        def __init__(self):
            if n > 1:
                self.k = x

        def get(self):
            return self.k * 2

    return A().get()


@program
def unbound_67(x, n):
    o = O()
    try:
        o.a = x / n
    except ZeroDivisionError:
        pass
    return o.a


@program
def unbound_68(x, n):
    os = [O(), O()]
    os[0].a = x
    if n:
        os[1].a = x * 2
    return sum(o.a for o in os)


@program
def unbound_69(x, n):
    t = ()
    if n:
        a, b = x, 2 * x
    return a * b


@program
def unbound_70(x, n):
    if n:
        a, *b = [x, x * 2, 3.0]
    return a * b[0]


@program
def unbound_71(x, n):
    if n == 0:
        y = x
    elif n == 1:
        y = 2 * x
    return y


@program
def unbound_72(x, n):
    if n == 0:
        pass
    elif n == 1:
        y = 2 * x
    else:
        y = 3 * x
    z = y
    if n:
        z = z * y
    return z


@program
def unbound_73(x, n):
    y = 1.0
    if n:
        del y
    y = x
    return y


@program
def unbound_74(x, n):
    y = 1.0
    if n:
        del y
    if n == 2:
        y = x
    return y * x


@program
def unbound_75(x, n):
    f = lambda: q
    if n:
        q = x
    try:
        return f()
    except NameError:
        return 3 * x


@program
def unbound_76(x, n):
    def set_():
        nonlocal z
        z = x

    for i in range(n):
        set_()
    return z
    z = 0


@program
def unbound_77(x, n):
    k = [0]

    def noisy():
        k[0] += 1
        return 1.0

    if n:
        y = x
    try:
        r = noisy() + y
    except NameError:
        r = x
    return r * k[0]


@program
def unbound_78(x, n):
    y = np.zeros(2)
    if n:
        i = 1
    y[i] = x
    return y.sum()


@program
def unbound_79(x, n):
    y = np.zeros(2)
    y[0] = x
    if n:
        m = np.array([1.0, 2.0])
    y *= m
    return y.sum()


@program
def unbound_80(x, n):
    if n:
        f = np.sin
    return f(x)


@program
def unbound_81(x, n):
    if n:
        s = "abc"
    return x * len(s) if n < 5 else x


@program
def unbound_82(x, n):
    if n:
        d = {"a": x}
    return d["a"]


@program
def unbound_83(x, n):
    if n:
        z = 1 + 2j
    return (z * x).real


@program
def unbound_84(x, n):
    for i in range(n, 0, -1):
        y = x * i
    return y + i


@program
def unbound_85(x, n):
    for i in range(0, 2 * n, n or 1):
        y = x * i
    return y + i


@program
def unbound_86(x, n):
    for k, v in {"a": x, "b": 2 * x}.items():
        if n:
            r = v
    return r


@program
def unbound_87(x, n):
    for q in zip(range(n), [x, x * x]):
        pass
    return q[1]


@program
def unbound_88(x, n):
    r = [y := x * k for k in range(n)]
    return y + len(r)


@program
def unbound_89(x, n):
    if n:
        y = x
    assert y > 0
    return x


@program
def unbound_90(x, n):
    if n:
        y = x
    print(f"{y}")
    return x


@program
def unbound_91(x, n):
    if n:
        y = x

    def g(a=y):
        return a * 2

    return g()


@program
def unbound_92(x, n):
    global_thing = None
    return len(__nope__) * x if n else x


@program
def unbound_93(x, n):
    for i in range(n):
        o = O()
        o.v = x * i
    return o.v


@program
def unbound_94(x, n):
    os = []
    for i in range(3):
        o = O()
        if i < n:
            o.v = x * i
        os.append(o)
    return sum(o.v for o in os)


@program
def unbound_95(x, n):
    y = x

    def g():
        nonlocal y
        del y

    if n:
        g()
    return y


@program
def unbound_96(x, n):
    while n < 3:
        n += 1
        if n == 2:
            continue
        y = x * n
    return y


@program
def bound_after_a_generator_was_made(x, n):
    g = (v * y for v in [1.0, 2.0])
    if n:
        y = x
    return sum(g)


@program
def both_sides_raise(x, n):
    if n > 5:
        y = x
    return x if n else (y if x > 1 else sum(v * y for v in [1.0, 2.0]))
