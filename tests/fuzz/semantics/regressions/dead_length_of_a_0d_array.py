def program(x):
    len(x)
    return 1.0


def arguments():
    x = laid("C", "float64", (), 1)
    return (x,)
