def program(w, x):
    v = x * 2
    if np.sum(w) > x:
        if v <= x:
            return (w, v, v)
    else:
        w = w + 1
    if x <= 0.0:
        return x
    return v + np.sum(w)


def arguments():
    return laid("C", "float64", (2,), 1), number("float", 9.0)
