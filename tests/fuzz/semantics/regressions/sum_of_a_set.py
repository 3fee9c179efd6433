def program(x):
    return sum({1.0, 2.0}), x


def arguments():
    x = number("float", 0.5)
    return (x,)
