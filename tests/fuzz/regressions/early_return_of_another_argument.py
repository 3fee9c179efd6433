POINT = 4028


def program(x, y, m, s):
    v5 = y[1]
    if v5 < 4.0:
        if v5 < -1.5:
            return m + 1.0
    return m
