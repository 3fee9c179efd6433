def program(w, y):
    return w * 2


def arguments():
    w = number("float", 0.5)
    y = [laid("C", "float64", (), 1), laid("C", "int32", (2,), 1)]
    return w, y
