def stored(n, value):
    try:
        n[0] = value
    except (ValueError, OverflowError) as error:
        return type(error).__name__
    return n[0]


def whole(value):
    try:
        n = np.zeros(2, int)
        n[:] = value
    except (ValueError, OverflowError) as error:
        return type(error).__name__
    return n


def program(x, n):
    values = [x, x * math.nan, x * math.inf, x * 1e300]
    return (
        *([stored(n, v) for v in values], [whole(v) for v in values]),
        *(
            [whole([v, 1]) for v in values],
            [stored(n, v * np.float64(2)) for v in values],
        ),
    )


def arguments():
    return number("float", 1.5), np.zeros(2, np.int32)
