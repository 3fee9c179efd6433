POINT = 4714


def helper1(p2, n):
    if n <= 0:
        return (p2, 0.5)
    r3 = helper1(p2, n - 1)
    return (r3[0], 1.0)


def program(x, y, m, s):
    w10, v11 = helper1(m, 1)
    w10 -= w10 * s
    return m * v11
