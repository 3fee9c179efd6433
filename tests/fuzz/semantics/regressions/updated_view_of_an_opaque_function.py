def program(x):
    m = np.asmatrix(x)
    m -= 1.0
    return x


def arguments():
    return (laid("C", "float64", (2, 2), 1),)
