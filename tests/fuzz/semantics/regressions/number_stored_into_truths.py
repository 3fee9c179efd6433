def program(x):
    x[:1] = 2
    return x * 1.5, np.full(3, 2, bool)


def arguments():
    x = laid("C", "bool", (3,), 1)
    return (x,)
