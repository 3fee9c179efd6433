POINT = 6368


def program(x, y, m, s):
    v7 = 0.0
    for e8 in y[:, None]:
        v7 = v7 + e8
    v7[:] += s
    return v7
