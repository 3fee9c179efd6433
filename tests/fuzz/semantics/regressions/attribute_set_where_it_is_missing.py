class Lazy:
    pass


def program(x, n):
    lazy = Lazy()
    if x > 0:
        lazy.first = x
    else:
        lazy.second = x
    try:
        y = lazy.second
    except AttributeError:
        lazy.second = n
        y = lazy.second
    return y, lazy.first * x


def arguments():
    return number("float", 0.75), 3
