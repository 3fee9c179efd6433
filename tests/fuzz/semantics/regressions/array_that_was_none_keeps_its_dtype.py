def program(x, n):
    a = None
    if n > 1:
        a = np.arange(3)
    try:
        a += x
        a *= 0.5
    except TypeError:
        return a, 1.0
    return a, 2.0


def arguments():
    return np.array([3, 1, 2]), 2
