def program(x, n, m):
    a = 3 if n else x
    b = True if m else 2.5
    return np.array([a, b]), np.maximum([a], [b])


def arguments():
    return number("float", 0.5), 1, 1
