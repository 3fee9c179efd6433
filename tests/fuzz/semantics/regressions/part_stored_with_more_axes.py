def program(x):
    x[:, 0] = x[-1:]
    return x * np.arange(6.0).reshape(2, 1, 3)


def arguments():
    x = laid("C", "float64", (2, 1, 3), 1)
    return (x,)
