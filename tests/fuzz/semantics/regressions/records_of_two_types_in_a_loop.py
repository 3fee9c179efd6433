def program(x):
    pair, both = Pair(1.0, 2.0), (0, 1.0)
    for k in range(3):
        pair = Pair(x, k)
    for v in [1, -1, 2]:
        both = (v, both[0]) if v > 0 else (both[1], 1)
    return pair, both, both[0] + 1


def arguments():
    x = laid("C", "float32", (), 1)
    return (x,)
