def program(x, n):
    a = x + np.zeros((2, 3), order="F")
    v = a.reshape(-1, order="F")
    v[0] = 3.0
    rows = [x.T * k for k in range(n)]
    w = rows[0].reshape(-1)
    w[0] = 4.0
    return a, rows


def arguments():
    x = laid("C", "float64", (2, 3), 1)
    return x, 2
