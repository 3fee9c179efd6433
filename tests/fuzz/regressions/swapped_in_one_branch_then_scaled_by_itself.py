POINT = 6120


def program(x, y, m, s):
    v5 = x
    if s > 5.0:
        v6 = x + 1.0
        v5, v6 = v6, v5
    v5[...] *= v5[2]
    return v5
