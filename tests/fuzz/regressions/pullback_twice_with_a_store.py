POINT = 117


def program(x, y, m, s):
    v3 = y
    v3[::1] += [s, s]
    return v3
