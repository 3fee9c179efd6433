def program(x, z):
    g = itertools.repeat(x[1], 2)
    v = list(g) + list(g)
    u = list(g)
    u.reverse()
    u += (z,)
    return x[0] + v[0]


def arguments():
    return [1.0, 2.0], number("float", 0.5)
