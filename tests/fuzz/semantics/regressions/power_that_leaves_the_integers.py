def program(x, n):
    return x * 2**n


def arguments():
    x = number("float", 1.5)
    n = number("int", -2)
    return x, n
