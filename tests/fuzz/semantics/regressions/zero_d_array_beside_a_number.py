def program(x, n):
    both = list(itertools.product((1.5, x), [1, n]))
    return both, sorted([1.5, x]), [a for a, b in both]


def arguments():
    x = laid("C", "float64", (), 1)
    n = number("int", 2)
    return x, n
