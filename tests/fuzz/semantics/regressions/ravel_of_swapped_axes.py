def program(x):
    v = x.swapaxes(0, 1).ravel(order="F")
    v[[-1, 0]] = [0, 1]
    x[None, 0] = 2
    return np.sum(x)


def arguments():
    x = laid("padded", "float64", (2, 3), 1)
    return (x,)
