def program(x):
    return np.random.normal(0, 1, x.shape) * x


def arguments():
    x = laid("C", "float64", (2,), 1)
    return (x,)
