def program(x, w):
    found = {k: v for k, v in enumerate(range(0))}
    rows = np.take(w, [0, 0], axis=-1)
    return len(found) + x * 2 + np.sum(rows)


def arguments():
    return number("float", 1.5), laid("C", "float64", (0, 3), 4)
