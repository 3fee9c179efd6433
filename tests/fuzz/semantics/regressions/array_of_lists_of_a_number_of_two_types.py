def program(x, n):
    s = 0
    for k in range(n):
        s = x[k]
    return np.concatenate([[s], [s]]), np.array([[s, 1], [s, 2]])


def arguments():
    return laid("C", "float64", (2,), 1), 0
