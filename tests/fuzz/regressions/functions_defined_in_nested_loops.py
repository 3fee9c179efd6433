POINT = 6555


def program(x, y, m, s):
    for e7 in x:
        for e11 in x:

            def inner13():
                return e11

            w14 = inner13
            s = s + w14()
    return s * s
