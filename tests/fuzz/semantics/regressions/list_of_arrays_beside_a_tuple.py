def program(y, u):
    chosen = []
    for k in range(len(y) + 1):
        chosen.append(u if u[0][0, 0] > k - 100 else y)
    return [u, u, y], [(u, 1), (y, 2)], chosen


def arguments():
    y = laid("C", "float64", (2,), 1), laid("C", "float64", (1,), 1)
    u = [laid("C", "float32", (2, 3), 1), laid("C", "float64", (2, 2, 2), 1)]
    return y, u
