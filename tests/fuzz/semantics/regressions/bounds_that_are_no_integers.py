def outcome(f):
    try:
        return f()
    except TypeError:
        return "TypeError"


def program(x, k, flag, y):
    parts = [outcome(lambda: x[k:]), outcome(lambda: x[: np.float64(1)])]
    parts += [outcome(lambda: x[flag:]), outcome(lambda: list(range(flag)))]
    return parts, outcome(lambda: x[: y > 0]), np.sum(x[0] * -0.0), x[True:]


def arguments():
    return laid("C", "float64", (3,), 5), 1.0, np.bool_(True), number("float", 1.5)
