POINT = 6590


def program(x, y, m, s):
    def inner2(q3):
        v4 = 0.0
        for e5 in m:
            v4 = v4 + e5

    inner2(s)
    return s * s
