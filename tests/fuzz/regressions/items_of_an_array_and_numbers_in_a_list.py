POINT = 2


def program(x, y, m, s):
    v1 = [*x, 1.0, 0.5, 2.0]
    total = s
    for k, e in enumerate(v1):
        total = total + e * e * (k + 1)
    return total
