def program(x):
    pairs = itertools.product(x, [1, 2])
    return next(pairs), [a for a, b in pairs]


def arguments():
    x = (number("int", 3), number("int32", 0))
    return (x,)
