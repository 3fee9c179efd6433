def program(x, y):
    try:
        np.max([])
    except (ValueError, IndexError):
        try:
            v = (y if y < x else x) / y
            w = 1.0
        except TypeError:
            pass
    return y + v + w


def arguments():
    return number("float", 2.0), number("float", 3.0)
