def program(x, y):
    items = iter([x, y, 2.0])
    v, total, seen = next(items, None), 0, []
    while v is not None:
        try:
            total = total + 1 / v
            seen.append(total)
        except ZeroDivisionError:
            seen.append(next(items, 7))
        v = next(items, None)
    return total * x, seen


def arguments():
    return number("float", 0.5), number("float", 0.0)
