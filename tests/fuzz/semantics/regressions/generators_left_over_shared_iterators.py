def doubled(xs):
    for x in xs:
        yield x * 2.0


def program(xs):
    items = iter(xs)
    first = second = 0.0
    for first in (2.0 * x for x in items):
        if first > 1.0:
            break
    for second in doubled(items):
        if second > 1.0:
            break
    return first, second, list(items)


def arguments():
    xs = [0.25, 1.5, 2.5, 0.5, 4.0]
    return (xs,)
