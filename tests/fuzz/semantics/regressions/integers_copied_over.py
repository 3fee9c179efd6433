def program(n):
    np.copyto(n, 2.5, where=n > 0)
    return n


def arguments():
    n = laid("C", "int64", (3,), 1)
    return (n,)
