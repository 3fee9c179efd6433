POINT = 912


def program(x, y, m, s):
    v1 = x
    x[[0, 2]] += y
    return v1
