def program(x, y):
    y[0]["b"][0] = 1.0
    f = lambda q: q
    for _ in range(2):
        v = f(1.0)
        y = [q for q in x]
    return v * np.sum(x)


def arguments():
    x = laid("C", "float64", (2,), 1)
    y = [{"b": laid("C", "float64", (2,), 2)}, {"b": laid("C", "float64", (2,), 3)}]
    return x, y
