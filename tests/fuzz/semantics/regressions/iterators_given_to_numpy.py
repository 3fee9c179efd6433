def asked(f):
    try:
        return type(f()).__name__
    except TypeError:
        return "TypeError"


def program(x, d):
    x[0] = sum(d.values())
    return (
        *(asked(lambda: np.max(d.values())), asked(lambda: np.array(map(float, x)))),
        *(asked(lambda: np.exp(v for v in x)), asked(lambda: np.stack(d.values()))),
    )


def arguments():
    return laid("C", "float64", (2,), 5), {"a": number("float", 1.5)}
