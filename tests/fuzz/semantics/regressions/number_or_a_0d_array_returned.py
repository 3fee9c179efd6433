def program(x, n):
    p = 1.0
    for _ in range(n):
        p = x
    for q in [x, x]:
        pass
    return p, q, (x if n else 2.0), (n and x), (x or n), x * 2


def arguments():
    x = laid("C", "float64", (), 1)
    n = number("int", 1)
    return x, n
