def program(x, y, n):
    a = np.arange(3)
    b = 1.5
    if n > 1:
        b = True
    for k in range(n):
        if k == 2:
            break
        c = np.float32(0.5) * a
        a = max(k, 0.5)
        b = b + np.arange(3)
    return a, np.sum(b), c


def arguments():
    return -1.5, laid("reversed", "float64", (3,), 7), 2
