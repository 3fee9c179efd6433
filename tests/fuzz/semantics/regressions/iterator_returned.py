def program(x):
    return zip(x, x), {"a": x}.items()


def arguments():
    x = laid("C", "float64", (3,), 1)
    return (x,)
