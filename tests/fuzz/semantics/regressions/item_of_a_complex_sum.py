def program(x):
    total = 0.0
    for row in x[:2]:
        total += np.sum(row * -0.7)
    return np.sum(x) + 2 / x[1, 0] + total


def arguments():
    x = laid("C", "complex64", (3, 2), 596)
    return (x,)
