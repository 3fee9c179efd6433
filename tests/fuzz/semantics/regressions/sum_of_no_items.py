def program(x):
    total = 0
    for v in x:
        total += v
    return total, total * 2 + 1, sum(v for v in x) + sum(x)


def arguments():
    x = laid("C", "float64", (0,), 1)
    return (x,)
