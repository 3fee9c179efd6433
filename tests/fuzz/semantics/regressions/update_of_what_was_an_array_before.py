def program(x, n):
    a = 0.0
    b = x * 2
    for _ in range(n):
        a /= 2
        if n > 1:
            a = b
    return np.sum(a)


def arguments():
    return np.ones(3), 3
