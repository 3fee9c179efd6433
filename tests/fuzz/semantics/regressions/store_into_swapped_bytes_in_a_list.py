def program(x):
    x[0][0] = 4.0
    return np.sum(x[0])


def arguments():
    x = [laid("swapped", "float64", (2,), 1)]
    return (x,)
