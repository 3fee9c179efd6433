def program(w, x):
    total = 0.0
    for pair in enumerate(x, 1):
        total = total + np.sum(pair)
    return [w, total, pair[1], 1.5]


def arguments():
    w = laid("strided", "bool", (2, 3), 42)
    x = laid("C", "float64", (1,), 156)
    return w, x
