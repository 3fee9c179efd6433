POINT = 4354


def program(x, y, m, s):
    k14 = 0
    while k14 < 2:
        k14 += 1
        for e16 in x:

            def inner18(q19):
                return q19 * e16

            try:
                s = s + 0.1
            except ValueError:
                s = inner18(s)
    return s * s
