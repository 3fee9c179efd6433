def items(a, n):
    if n == 0:
        return [a]
    return items(a, n - 1) + [a * n]


def program(y, c):
    found = items(y, 3)[3]
    whole = 2 if c > 1 else 2.5
    return (
        np.array([whole, found[0]]),
        np.max([whole, found[0]]),
        np.array((whole, found[1])),
    )


def arguments():
    return (1, 2), 1.5
