def program(x):
    return x.reshape(0, -1)


def arguments():
    x = laid("C", "float64", (0, 3), 1)
    return (x,)
