def program(x, n):
    a = np.arange(3)
    b = None
    for _ in range(n):
        b = a * 1.5
        b = b + x
    return np.sum(b)


def arguments():
    return -1.5, 2
