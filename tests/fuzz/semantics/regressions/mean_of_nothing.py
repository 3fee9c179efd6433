def program(x):
    return np.mean(x[x > 9])


def arguments():
    x = laid("C", "float64", (3,), 1)
    return (x,)
