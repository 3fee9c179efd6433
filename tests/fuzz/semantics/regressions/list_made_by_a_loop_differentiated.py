def program(x, y):
    for _ in range(1):
        v = [u for u in y[1]]
    return x, v


def arguments():
    x = laid("C", "float64", (4,), 1)
    y = (laid("C", "float64", (4,), 1), laid("C", "float64", (3,), 1))
    return x, y
