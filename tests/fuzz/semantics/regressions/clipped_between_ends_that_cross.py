def program(x, low, high):
    keys = dict.fromkeys("ab", low)
    keys["a"] += np.sum(np.where(x, x * x, high))
    return np.clip(x, low, high).sum() + keys["a"] * keys["b"]


def arguments():
    x = laid("C", "float64", (4,), 1)
    return x, number("float", 1.8), number("float", 0.35)
