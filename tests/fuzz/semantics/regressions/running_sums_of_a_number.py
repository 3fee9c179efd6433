def program(x, y):
    rows = y.tolist()
    found = np.cumsum(x, axis=0), np.cumprod(x, axis=0), np.cumulative_prod(x)
    return len(rows) + np.sum(found[0]) + np.sum(found[1]) + np.sum(found[2])


def arguments():
    return number("float", 1.5), laid("C", "float64", (0, 3), 4)
