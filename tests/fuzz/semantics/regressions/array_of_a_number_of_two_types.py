def program(a, b, k):
    x = a if k else b
    n = a
    for _ in range(k):
        n = b
    return (
        np.full(2, x),
        np.array([x, 1]),
        np.ones(2, np.float32) * n,
        np.array([1]) * n,
    )


def arguments():
    return 2, np.float64(1.5), 0
