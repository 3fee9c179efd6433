def program(x):
    return np.sum(np.triu(x) * x)


def arguments():
    x = laid("C", "float64", (3,), 1)
    return (x,)
