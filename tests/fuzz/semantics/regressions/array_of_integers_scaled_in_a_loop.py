def program(x, n):
    a = np.arange(3)
    b = np.ones(2, np.float32)
    for _ in range(n):
        a = a * 1.5
        b = b + np.float64(0.1)
    return x * np.sum(a), b


def arguments():
    return 2.0, 2
