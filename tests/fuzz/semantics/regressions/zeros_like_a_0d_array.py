def program(x):
    return np.zeros_like(x), np.full_like(x, 2), x.astype(float), x * 2


def arguments():
    x = laid("C", "float64", (), 1)
    return (x,)
