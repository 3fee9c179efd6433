POINT = 6341


def helper1(p3, n):
    if n <= 0:
        return (p3[0], 1.0)
    v4 = [(p3[0], 0.2), (p3[0], 0.9)]
    r5 = helper1(p3, n - 1)
    return v4[0]


def program(x, y, m, s):
    w15, v16 = helper1([x, x * s], 3)
    return w15 * v16
