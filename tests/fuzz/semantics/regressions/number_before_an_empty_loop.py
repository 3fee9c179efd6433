def program(x, w):
    s, t = 0, 1.0
    for q in w:
        s += q
        t *= q
    n = 0
    while n > len(w):
        n = n + x
    return s, t * 2, n


def arguments():
    return number("float64", 1.5), laid("C", "float64", (0,), 1)
