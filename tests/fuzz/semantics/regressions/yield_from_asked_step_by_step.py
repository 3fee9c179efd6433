def inner(a):
    got = 0.0
    for k in range(3):
        q = yield got + a
        got = got + (0.0 if q is None else q)
    return got


def outer(a):
    r = yield from inner(a)
    z = yield r
    yield z * 2


def items(a):
    r = yield from [a, a]
    yield r


def program(x):
    g = outer(x)
    t = next(g)
    t += g.send(3.0) * 10
    t += g.send(4.0) * 100
    t += next(g) * 1000
    t += g.send(5.0)
    return t, all(items(x))


def arguments():
    return (number("float", 2.0),)
