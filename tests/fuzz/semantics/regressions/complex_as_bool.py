def program(w):
    return w.astype(bool)


def arguments():
    w = laid("C", "complex128", (2,), 1)
    return (w,)
