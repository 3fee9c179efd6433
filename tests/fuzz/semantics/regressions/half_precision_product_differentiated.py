def program(x, n):
    return np.prod(x / 2) * n


def arguments():
    return laid("backward", "float16", (3, 3), 109), number("int", 3)
