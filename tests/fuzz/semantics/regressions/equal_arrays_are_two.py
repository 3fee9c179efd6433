def program(x):
    found = []
    for items in ([x, x * 1.0], [x * 2, x * 2], [x, x]):
        try:
            found.append(items[1] in items[:1])
        except ValueError:
            found.append(None)
        try:
            found.append(items == [x, x * 1.0])
        except ValueError:
            found.append(None)
    return np.sum(x), found, [x] == [x]


def arguments():
    x = laid("C", "float64", (3,), 1)
    return (x,)
