def program(x):
    v = np.ravel(x)
    x **= 2
    np.add.at(v, [0], x)
    return v


def arguments():
    x = laid("misaligned", "float64", (), 1)
    return (x,)
