def program(x):
    v = x.diagonal()
    v[0] = 1
    return np.sum(x)


def arguments():
    x = laid("C", "float64", (2, 2), 1)
    return (x,)
