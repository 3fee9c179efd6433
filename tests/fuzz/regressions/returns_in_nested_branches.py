POINT = 527


def program(x, y, m, s):
    w6 = x
    if 0.6 < 1.0:
        if w6[0] > 1.1:
            return 0.3
    if s > 0.4:
        if x[1] > 1.3:
            return 1
    return 0.5
