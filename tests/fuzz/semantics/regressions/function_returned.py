def program(x):
    return x * 2, (lambda q: q), range(3)


def arguments():
    x = number("float", 1.5)
    return (x,)
