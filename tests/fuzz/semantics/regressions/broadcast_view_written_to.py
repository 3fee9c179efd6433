def program(x):
    v = np.broadcast_to(x, (2, 3))
    v[0] = 1
    return np.sum(x)


def arguments():
    x = laid("C", "float64", (3,), 1)
    return (x,)
