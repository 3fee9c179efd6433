def program(x):
    for p in [x, x]:
        pass
    return p


def arguments():
    x = laid("C", "float64", (), 1)
    return (x,)
