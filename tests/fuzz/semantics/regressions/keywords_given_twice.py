def scaled(a, b=1.0, **more):
    return a * b


def program(x, more):
    try:
        return scaled(x, b=2.0, **more)
    except TypeError:
        return scaled(x, **more) * 10


def arguments():
    return number("float", 1.5), {"b": 3.0}
