def program(x, s):
    last = s
    for e in x:
        last = e
    return [last, x], {"a": last, "b": [last]}


def arguments():
    return laid("C", "float64", (0,), 1), number("float", 1.5)
