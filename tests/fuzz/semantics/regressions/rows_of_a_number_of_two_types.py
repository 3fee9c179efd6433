def program(x, k):
    a = 1
    if k:
        a = x
    b = np.array([[a], [3]]), np.concatenate([[a], [1]]), np.stack([[a, 2], [3, a]])
    return b, np.array([[a, 0], [0, 1.5]]), np.vstack([[a], [2]])


def arguments():
    return number("float", 1.5), 0
