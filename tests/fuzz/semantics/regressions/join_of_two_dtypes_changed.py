def program(w, y, c):
    v = w if c > 1 else y
    v *= 2
    return np.sum(y)


def arguments():
    w = laid("C", "complex128", (3,), 1)
    y = laid("C", "float64", (3,), 2)
    c = number("float", 0.5)
    return w, y, c
