def program(x, y, log):
    for a, b in zip(x, y, strict=True):
        log.append(a * b)
    return log


def arguments():
    return [number("float", 0.5), 2.0], laid("C", "float64", (3,), 1), []
