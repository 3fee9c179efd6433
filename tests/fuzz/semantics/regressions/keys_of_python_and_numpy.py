def program(x, n):
    table = {}
    for k in np.arange(n):
        table[k] = x * k
    table[1] = 2.0
    table[7] = 2.0
    pairs = {}
    for i, j in [(0, 1), (np.int64(1), 2), (n, n)]:
        pairs[i, j] = x * i
    kinds = [type(k).__name__ for k in table]
    shifted = [k + 1 for k, v in table.items()]
    return table, list(table), kinds, shifted, max(table), pairs, [i for i, j in pairs]


def arguments():
    return number("float", 0.75), 3
