def program(a, k):
    a = np.tanh(a)
    listed = [a for _ in range(2)]
    chosen = (a, a.T)
    if k:
        chosen = (a.T, a)
    r = np.linalg.multi_dot([a, a.T, a]) + np.linalg.multi_dot(listed)
    r = r + np.linalg.multi_dot(chosen)
    a[...] = 0
    return np.sum(r * r)


def arguments():
    return laid("F", "float64", (3, 3), 5), 1
