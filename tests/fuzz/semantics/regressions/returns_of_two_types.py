def program(x, n):
    if x > 1:
        return x
    return n


def arguments():
    x = number("float", 0.5)
    n = number("int", 3)
    return x, n
