def program(x, y):
    pairs = [[x, x]]
    for _ in range(len(x)):
        pairs.append([x, 0])
    many = [y] * len(x)
    few = list((y, 0.0))
    few[0:1] = tuple(many)[:1]
    for pair in pairs:
        for i, c in enumerate(pair[0]):
            many[i] += c * y
            few[i] += c
    return many[0] * many[1] + few[0] * few[1]


def arguments():
    x = laid("C", "float64", (2,), 1)
    y = number("float", 0.7)
    return x, y
