def program(x, n):
    try:
        return x.shape
    except AttributeError:
        x = x * 2.0
    try:
        x = x + n.numerator
        return n.sum()
    except AttributeError:
        x = x * 3.0
    return x, x.real, n.bit_length(), hasattr(x, "size")


def arguments():
    return 1.5, 3
