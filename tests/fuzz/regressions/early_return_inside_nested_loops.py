POINT = 15


def program(x, y, m, s):
    for i10 in range(2):
        for e14, e15 in m.T:
            if i10 < -0.3:
                return e14
    return 0.7
