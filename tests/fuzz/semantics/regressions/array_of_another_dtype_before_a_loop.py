def program(x, n):
    s = np.zeros(3, int)
    t = np.zeros(3, np.float32)
    for k in range(n):
        s = s + x
    for k in range(n - 2):
        t = np.sin(t) + x
    return s, t


def arguments():
    return laid("C", "float64", (3,), 4), 2
