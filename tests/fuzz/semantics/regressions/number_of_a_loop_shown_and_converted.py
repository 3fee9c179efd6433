def program(u, end):
    t, h = 0.0, 0.01
    while t < end:
        largest = np.max(np.abs(h * (t + u)))
        u = h * (t + u)
        t += h
        h *= (0.1 / (float(largest) + 1e-12)) ** (1 / 3)
    return np.sum(u**2)


def arguments():
    return laid("C", "float32", (3,), 1), number("float", 0.25)
