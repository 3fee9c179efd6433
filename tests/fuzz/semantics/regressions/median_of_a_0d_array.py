def program(x):
    return np.median(x)


def arguments():
    x = laid("C", "float64", (), 1)
    return (x,)
