def program(x, h):
    whole = np.tensordot(h, h, 1)
    return np.sum(np.take(x, [0, -1])) + np.sum(np.delete(x, [0])) + np.sum(whole)


def arguments():
    return number("float", 1.5), laid("C", "float16", (3,), 4)
