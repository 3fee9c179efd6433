def program(w):
    with contextlib.suppress(IndexError):
        v = w.copy(order="F")
        [].pop()
        v = w * 2
    return np.sum(v)


def arguments():
    return (laid("reversed", "float64", (4,), 1),)
