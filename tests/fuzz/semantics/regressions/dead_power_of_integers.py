def program(x, n, k):
    if k > 2:
        n - 300
    if k > 1:
        n - k * 100
    n**n
    return np.sum(x)


def arguments():
    return laid("C", "float64", (3,), 1), np.array([3, -1], np.int8), 1
