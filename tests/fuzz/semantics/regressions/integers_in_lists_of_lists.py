def program(y, z):
    v = [[r + q for r in [1.0, 0]] for q in y]
    for _ in range(2):
        last = v
        v = [q for q in z]
    return last


def arguments():
    y = [number("bool", False), number("float64", 1.25)]
    z = laid("C", "float64", (1,), 1)
    return y, z
