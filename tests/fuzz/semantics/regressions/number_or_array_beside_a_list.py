def program(x, y, n):
    a = np.ones(3, bool)
    b = 0.0
    if n > 1:
        a = True
    for k in range(n):
        b = b + np.sum(a)
        a = a + [k]
    return a, b


def arguments():
    return 1.5, np.arange(3), 3
