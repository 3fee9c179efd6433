POINT = 1787


def program(x, y, m, s):
    v1 = m
    v17 = 0
    v1[1, 1] = 0.5 if s > -0.9 else (e for e in v1 @ v17)
    return 0.6
