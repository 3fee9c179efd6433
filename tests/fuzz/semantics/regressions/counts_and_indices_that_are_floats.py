def program(x):
    return np.sum(np.take(x, 2.0)) + np.sum(np.repeat(x, 2.5) * np.arange(6))


def arguments():
    return (np.array([1.0, 2.0, 3.0]),)
