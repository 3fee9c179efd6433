def program(x, n):
    t = 0.0
    v = x
    if n > 1:
        v = n
    with contextlib.suppress(ValueError):
        match v:
            case 1 | 2:
                t = 1.0
            case _:
                t = 2.0
        t = 3.0
    return t + np.sum(v)


def arguments():
    return laid("C", "float64", (3,), 5), number("int64", 1)
