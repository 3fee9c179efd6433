def program(x, large):
    x[0] = 2.0
    return large, x[0] * 3


def arguments():
    return laid("C", "float64", (2,), 5), 2**70
