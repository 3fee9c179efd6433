def program(x, k):
    counts = [0, 1, 2]
    x[0] = 7.0
    counts[k] += 1
    return counts, x


def arguments():
    return laid("C", "float64", (2,), 1), np.float32(1)
