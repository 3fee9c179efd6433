def echoes(x):
    r = yield x
    while r is not None:
        r = yield r * x


def program(x):
    g = echoes(x)
    try:
        g.send(3.0)
    except TypeError:
        x = x * 2
    return x, g.send(None), g.send(4.0), list(g)


def arguments():
    return (number("float", 1.5),)
