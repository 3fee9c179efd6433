def program(a, b, k):
    x = a
    for _ in range(k):
        x = b
    y = b if k else a
    return abs(x), np.sum(x), x.real, np.conj(x), np.mean(y), np.sign(x), [x, x]


def arguments():
    return 2, 1.5, 0
