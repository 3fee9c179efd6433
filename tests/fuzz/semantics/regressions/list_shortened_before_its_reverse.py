def program(x, y, k):
    backwards = reversed(x)
    first = next(backwards)
    x.pop()
    if k:
        x.pop()
    pairs = zip(reversed(y), [1, 2, 3])
    y.pop()
    return first, list(backwards), list(pairs)


def arguments():
    return [1.0, 2.0, 3.0], [4.0, 5.0], 1
