POINT = 4803


def program(x, y, m, s):
    for e3, e4 in zip(x, m):
        s = s * e3 + e4[0]
    y[:] *= 0.5
    return y[0] * s
