def program(x, y):
    for v in y:
        last = v
    copy = last
    if x:
        pass


def arguments():
    return laid("C", "float64", (1, 3), 1), laid("C", "float64", (2,), 1)
