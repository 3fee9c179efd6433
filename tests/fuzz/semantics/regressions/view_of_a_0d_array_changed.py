def program(x):
    v = x[...]
    v += 1
    return x * 2.0


def arguments():
    x = laid("C", "float64", (), 1)
    return (x,)
