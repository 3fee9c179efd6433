def program(x):
    x["a"][0] = 4.0
    return np.sum(x["a"])


def arguments():
    x = {"a": laid("misaligned", "float64", (2,), 1)}
    return (x,)
