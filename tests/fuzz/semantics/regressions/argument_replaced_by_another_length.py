def program(w, x):
    for q in w:
        x = np.array([-1, q]) * 2
    return np.sum(x)


def arguments():
    w = laid("C", "float64", (4,), 1)
    x = laid("C", "float64", (3,), 2)
    return w, x
