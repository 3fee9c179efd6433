def program(x, c):
    k = 1
    if c:
        k = x
    try:
        return [1.0, 2.0][k] * x
    except TypeError:
        return x * 9


def arguments():
    return number("float", 0.5), 0
