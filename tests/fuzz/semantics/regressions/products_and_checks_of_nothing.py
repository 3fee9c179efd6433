def program(x, y, n):
    try:
        y = np.asarray_chkfinite(y)
    except ValueError:
        y = np.zeros(2)
    return math.prod(x), math.prod(y), math.prod([n, y[0]], start=n), math.prod(())


def arguments():
    return (
        laid("C", "float64", (0,), 1),
        np.array([1.5, np.inf]),
        number("int", 3),
    )
