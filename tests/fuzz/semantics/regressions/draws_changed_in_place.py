def program(x):
    z = np.random.default_rng(0).normal(size=3)
    z += x
    w = [np.random.RandomState(1).randn(3), z]
    w[0][1:] *= x[1:]
    return np.sum(w[0] * z)


def arguments():
    return (laid("C", "float64", (3,), 1),)
