def steps(x, n):
    for k in range(n):
        yield x * k


def program(x, n):
    l = [x, 2.0, 3.0]
    l[1:2] = steps(x, n)
    l[:0] = (v + len(l) for v in [x])
    l[len(l) :] = map(abs, [-x])
    g = steps(x, n)
    asked = isinstance(g, list), hasattr(g, "send"), callable(g), next(g)
    return l, asked


def arguments():
    return number("float", 1.5), 2
