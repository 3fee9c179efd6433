POINT = 2630


def program(x, y, m, s):
    v9 = 0
    for e10 in m:
        v9 = v9 + e10
    return s * s
