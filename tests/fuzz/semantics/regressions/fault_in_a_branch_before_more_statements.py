def program(w, k):
    t = 0.0
    for q in w:
        if q < -100:
            undefined_name
        v = q * 2
        if k > 5:
            [1][4]
        u = v + 1
        t += u
    n = 0
    while n < 2:
        n += 1
        if k < 0:
            a, b = [q]
        z = w[n - 1] * n
    return t, v, u, z


def arguments():
    return laid("C", "float64", (3,), 1), number("int", 1)
