def program(x, y):
    for v in y:
        x, y = y, x
    return np.sum(x * x) + v * y


def arguments():
    return number("float", 0.5), laid("C", "float64", (3,), 1)
