def program(x):
    for j in range(2):
        for k in range(2):
            d = {"a": x, "b": x[0]}
    x[0] = 2.0
    return sum(np.sum(v) for v in d.values())


def arguments():
    return (laid("C", "float64", (3,), 1),)
