def program(w, x):
    pairs = np.stack(list(zip(w, range(9))))
    joined = functools.reduce(operator.add, zip(x, range(9)))
    flat = sum([(v, k) for k, v in enumerate(x)], ())
    return np.sum(pairs * 2) + joined[0] * joined[3] + flat[2]


def arguments():
    w = laid("C", "float64", (3,), 1)
    x = laid("C", "float64", (2,), 2)
    return w, x
