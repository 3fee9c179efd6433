POINT = 51


def program(x, y, m, s):
    v1 = x
    for e5, e6 in zip(v1, m.T):
        e6[:] -= 1
    try:
        v11 = 0
        for e12 in m:
            v11 = v11 + e12
    except ValueError:
        pass
    return 0.6
