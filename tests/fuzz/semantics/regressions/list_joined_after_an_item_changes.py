def program(x, n):
    rows = []
    for k in range(n):
        rows.append(x + k)
    rows[0] *= 2
    return np.array(rows)


def arguments():
    x = laid("C", "float64", (2,), 1)
    return x, 3
