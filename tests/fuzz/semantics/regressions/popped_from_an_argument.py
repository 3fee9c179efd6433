def program(x):
    x.pop("a")
    return np.sum(x["b"])


def arguments():
    x = {"a": laid("C", "float64", (1,), 1), "b": laid("C", "float64", (2,), 1)}
    return (x,)
