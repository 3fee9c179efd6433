def program(x, n):
    items = [0, x]
    for _ in range(n):
        items = [v for v in items]
    items.append(n)
    return x * len(items)


def arguments():
    return number("float", 0.5), 2
