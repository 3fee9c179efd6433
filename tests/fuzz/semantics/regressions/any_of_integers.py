def program(a, b):
    return any(a), all(a), any(b), all(b)


def arguments():
    return laid("C", "int64", (3,), 1), [1, 0.5, 2]
