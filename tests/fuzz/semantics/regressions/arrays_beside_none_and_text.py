def program(x, y):
    flags = x == None, None != x, y == "a", "a" != y, y == None
    return flags, x + y


def arguments():
    return np.array(1.5), number("float64", 2.0)
