POINT = 1266


def helper9(p10, p11, p12, n):
    if n <= 0:
        return 0
    if p12[0] < 1.1:
        p10 = [e for e in p10]
    else:
        p10.extend([0, 1])
    r19 = helper9(p10, p11, p10[1], n - 1)
    return r19


def program(x, y, m, s):
    y[...] = 1
    m[:] -= helper9([0, x, x], m, y, 2)
    return x
