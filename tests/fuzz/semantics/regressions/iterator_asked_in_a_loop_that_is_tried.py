def program(x, y):
    it = iter(x)
    total, seen = 0.0, 0
    try:
        while True:
            total += next(it)
            seen += 1
    except StopIteration:
        total = total * y
    return total, seen, next(it, y)


def arguments():
    return [number("float", 0.5), 2.0, 1.5], number("float", 2.0)
