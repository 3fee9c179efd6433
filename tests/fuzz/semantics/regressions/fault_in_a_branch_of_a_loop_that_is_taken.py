def program(w, k):
    t = 0.0
    for q in w:
        try:
            if k > 5:
                [1][4]
            v = q * 3
        except IndexError:
            v = q
        t += v
    if k == 9:
        {}["a"]
    z = t * 2
    return z, v


def arguments():
    return laid("C", "float64", (3,), 1), number("int", 6)
