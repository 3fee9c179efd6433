def program(x, y):
    table = [[0 for _ in range(2)] for _ in range(2)]
    for v in (x, y):
        table[0][1] += v
        table[1][0] += v * table[0][1]
    return table[0][1] * table[1][0] * 1.0


def arguments():
    return number("float", 1.3), number("float", 0.7)
