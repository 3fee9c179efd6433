def program(x):
    v = x.T
    v *= 3
    return x + 0


def arguments():
    x = laid("C", "float64", (), 1)
    return (x,)
