POINT = 21


def program(x, y, m, s):
    for i12, e13 in enumerate(y):
        if y[i12] < 0.1:
            return e13
    return s
