def program(x, y, z, k):
    if k:
        y = y[0] - z
    return x + y[0] + z


def arguments():
    return number("int", 3), [3, 3], number("complex128", 1j), number("int64", 0)
