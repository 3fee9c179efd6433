def pairs(a):
    last = yield from [a, a]
    yield last


def program(x, y):
    items = pairs(y[1])
    next(items)
    rest = list(items)
    for v in itertools.chain(x["a"], x["b"]):
        pass
    return np.sum(v) + rest[0] + 0.5


def arguments():
    x = {"a": laid("C", "bool", (0, 3), 1), "b": laid("C", "float64", (2,), 2)}
    return x, [number("float", 0.5), 3]
