POINT = 2045


def program(x, y, m, s):
    v1 = y.copy()
    v3 = [y, y]
    v3[1][:] += m[1][0]
    return v1
