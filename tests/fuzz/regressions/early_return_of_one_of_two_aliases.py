POINT = 1


def program(x, y, m, s):
    v19 = x
    w26 = m
    x[...] = s
    if s < 2.0:
        if v19[1] < 0.6:
            return m
    return w26
